"""sendMediaGroup: two to ten items that appear together or not at all."""

from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.entities import FormattedText
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.keyboards import Markup
from photomat_sandbox.telegram.media import Media
from photomat_sandbox.telegram.media_source import obtain
from photomat_sandbox.telegram.methods.content import caption_of_item, recipient, wanted_of_item
from photomat_sandbox.telegram.methods.send import deliver

MAX_ITEMS: Final = 10
ALBUM_KINDS: Final = {"audio", "document", "photo", "video"}
ALONE: Final = {"audio", "document"}


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
    kinds = {str(item.get("type")) if isinstance(item, dict) else "" for item in items}
    for kind in kinds - ALBUM_KINDS:
        raise bad_request(f'can\'t parse InputMedia: type "{kind}" is unsupported')
    if len(kinds) > 1 and kinds & ALONE:
        raise bad_request("Can't use the media of the specified type in the album")
    return items


async def _obtain_item(call: Call, item: JsonObject, number: int) -> Media:
    try:
        return await obtain(call.world, call.params, wanted_of_item(item, str(item["type"])))
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
    }
