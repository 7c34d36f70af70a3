"""sendMediaGroup: two to ten items that appear together or not at all.

What TDLib can see is refused for the whole album: the form of the items, file ids that are none, kinds that do not go together.
What only the data centre sees, a file it cannot use, names the item.
"""

from dataclasses import replace
from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.entities import FormattedText
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.keyboards import Markup
from photomat_sandbox.telegram.media import Media
from photomat_sandbox.telegram.media_source import check_source, obtain
from photomat_sandbox.telegram.methods.content import caption_of_item, recipient, wanted_of_item
from photomat_sandbox.telegram.methods.send import deliver

MAX_ITEMS: Final = 10
ALBUM_KINDS: Final = ("audio", "document", "photo", "video")
ALONE: Final = ("audio", "document")


async def send_media_group(call: Call) -> list[JsonObject]:
    """Obtain every item first; one that fails spoils them all."""
    items = _read_items(call)
    captions = [caption_of_item(item) for item in items]
    person = recipient(call)
    medias: list[Media] = []
    for number, item in enumerate(items, start=1):
        medias.append(await _obtain_item(call, item, number))
    album_id = str(call.world.next_album_id)
    call.world.next_album_id += 1
    sent = [
        deliver(
            call,
            person,
            Markup(),
            **_content(item, caption, media),
            media_group_id=album_id if len(items) > 1 else None,
        )
        for item, caption, media in zip(items, captions, medias, strict=True)
    ]
    return [call.world.api(message) for message in sent]


def _read_items(call: Call) -> list[JsonObject]:
    items = call.params.items("media", "InputMedia") or []
    if not items:
        raise bad_request("there are no messages to send")
    if len(items) > MAX_ITEMS:
        raise bad_request("too many messages to send as an album")
    kinds = [_kind_of(item) for item in items]
    for item, kind in zip(items, kinds, strict=True):
        check_source(call.world, call.params, wanted_of_item(item, kind))
    for kind in ALONE:
        if kind in kinds and set(kinds) != {kind}:
            raise bad_request(f"{kind} can't be mixed with other media types")
    if len({bool(item.get("show_caption_above_media")) for item in items}) > 1:
        raise bad_request("parameter show_caption_above_media must be the same for all messages")
    return items


def _kind_of(item: object) -> str:
    if not isinstance(item, dict):
        raise bad_request("can't parse InputMedia: expected an Object")
    kind = item.get("type")
    if kind == "animation":
        raise bad_request("can't parse InputMedia: type \"animation\" can't be used in sendMediaGroup")
    if not isinstance(kind, str) or kind not in ALBUM_KINDS:
        raise bad_request(f'can\'t parse InputMedia: type "{kind}" is unsupported')
    return kind


async def _obtain_item(call: Call, item: JsonObject, number: int) -> Media:
    try:
        return await obtain(call.world, call.params, replace(wanted_of_item(item, str(item["type"])), as_is=True))
    except ApiError as error:
        reason = error.description.removeprefix("Bad Request: ")
        raise bad_request(
            f'failed to send message #{number} with the error message "{reason[:1].upper()}{reason[1:]}"'
        ) from error


def _content(item: JsonObject, caption: FormattedText, media: Media) -> JsonObject:
    return {
        "kind": media.kind,
        "media": media,
        "text": caption.text,
        "entities": caption.entities,
        "spoiler": bool(item.get("has_spoiler")),
        "caption_above": bool(item.get("show_caption_above_media")),
    }
