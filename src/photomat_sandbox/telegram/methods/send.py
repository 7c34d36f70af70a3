"""Sends, albums, forwards and copies: every call makes new messages; Telegram has no idempotency key.

An album of two to ten items appears as a whole or not at all. What TDLib can see is refused for the whole album: the
form of the items, wrong file ids, kinds that do not go together. What only the data centre sees, a file it cannot
use, names the item.
"""

from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from photomat_sandbox.telegram.call import Call, Method
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.formatting import FormattedText
from photomat_sandbox.telegram.keyboards import Markup
from photomat_sandbox.telegram.media import ChatMedia
from photomat_sandbox.telegram.messages import ChatMessage
from photomat_sandbox.telegram.methods.chat import message_in_chat
from photomat_sandbox.telegram.methods.content import (
    caption_of_item,
    check_source,
    media_from_item,
    media_from_params,
    obtain_media,
    read_caption,
    read_markup,
    read_reply,
    read_text,
    recipient,
)
from photomat_sandbox.telegram.people import ChatPerson

CHAT_ACTIONS: Final = {
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
}
MAX_ALBUM_ITEMS: Final = 10
ALBUM_KINDS: Final = ("audio", "document", "photo", "video")
ALONE: Final = ("audio", "document")
MAX_BULK: Final = 100
NOT_COPIED: Final = {"service", "invoice"}


async def send_message(call: Call) -> JsonObject:
    text, markup = read_text(call.params), read_markup(call.params)
    person = recipient(call)
    message = deliver(
        call,
        person,
        markup,
        kind="text",
        text=text.text,
        entities=text.entities,
        link_preview=call.params.mapping("link_preview_options", "link preview options"),
    )
    return call.world.api(message)


def media_sender(kind: str) -> Method:
    """Build sendPhoto, sendVideo …: the method that sends media of one kind."""

    async def send(call: Call) -> JsonObject:
        caption, markup = read_caption(call.params), read_markup(call.params)
        person = recipient(call)
        media = await obtain_media(call.world, call.params, media_from_params(call.params, kind))
        message = deliver(
            call,
            person,
            markup,
            kind=media.kind,
            text=caption.text,
            entities=caption.entities,
            media=media,
            spoiler=call.params.flag("has_spoiler"),
            caption_above=call.params.flag("show_caption_above_media"),
        )
        return call.world.api(message)

    return send


async def send_chat_action(call: Call) -> bool:
    """Show "typing…" and the like for five seconds."""
    action = call.params.text("action")
    if action not in CHAT_ACTIONS:
        raise bad_request("wrong parameter action in request")
    person = call.world.reachable(call.params.text("chat_id"))
    call.world.stream.publish(person.user_id, "typing", {"action": action})
    return True


async def send_message_draft(call: Call) -> bool:
    """Show a text that is still being written; it is not stored."""
    person = call.world.reachable(call.params.text("chat_id"))
    if not call.params.number("draft_id"):
        raise bad_request("draft identifier must be non-zero")
    draft = {"action": "typing", "text": call.params.text("text")}
    call.world.stream.publish(person.user_id, "typing", draft)
    return True


def deliver(call: Call, person: ChatPerson, markup: Markup, **content: Any) -> ChatMessage:
    """Add the new message to the chat, with the options every send has."""
    reply = read_reply(call, person)
    message = call.world.add_message(
        person,
        from_bot=True,
        reply_to=reply.message_id,
        quote=reply.quote,
        effect_id=call.params.text("message_effect_id"),
        inline_keyboard=markup.inline,
        uneditable=markup.prevents_edits,
        silent=call.params.flag("disable_notification"),
        protected=call.params.flag("protect_content"),
        **content,
    )
    if markup.reply is not None or markup.remove:
        person.reply_keyboard, person.keyboard_options = markup.reply, markup.reply_options
        keyboard = {"reply_keyboard": markup.reply, "keyboard_options": markup.reply_options}
        call.world.stream.publish(person.user_id, "keyboard", keyboard)
    return message


async def send_media_group(call: Call) -> list[JsonObject]:
    """Obtain every item first; one that fails fails the album."""
    items = _read_items(call)
    captions = [caption_of_item(item) for item in items]
    person = recipient(call)
    medias: list[ChatMedia] = []
    for number, item in enumerate(items, start=1):
        medias.append(await _obtain_item(call, item, number))
    album_id = str(call.world.next_album_id)
    call.world.next_album_id += 1
    sent = [
        deliver(
            call,
            person,
            Markup(),
            **_item_content(item, caption, media),
            media_group_id=album_id if len(items) > 1 else None,
        )
        for item, caption, media in zip(items, captions, medias, strict=True)
    ]
    return [call.world.api(message) for message in sent]


def _read_items(call: Call) -> list[JsonObject]:
    items = call.params.items("media", "InputMedia") or []
    if not items:
        raise bad_request("there are no messages to send")
    if len(items) > MAX_ALBUM_ITEMS:
        raise bad_request("too many messages to send as an album")
    kinds = [_kind_of(item) for item in items]
    for item, kind in zip(items, kinds, strict=True):
        check_source(call.world, call.params, media_from_item(item, kind))
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


async def _obtain_item(call: Call, item: JsonObject, number: int) -> ChatMedia:
    try:
        return await obtain_media(
            call.world, call.params, replace(media_from_item(item, str(item["type"])), as_is=True)
        )
    except ApiError as error:
        reason = error.description.removeprefix("Bad Request: ")
        raise bad_request(
            f'failed to send message #{number} with the error message "{reason[:1].upper()}{reason[1:]}"'
        ) from error


def _item_content(item: JsonObject, caption: FormattedText, media: ChatMedia) -> JsonObject:
    return {
        "kind": media.kind,
        "media": media,
        "text": caption.text,
        "entities": caption.entities,
        "spoiler": bool(item.get("has_spoiler")),
        "caption_above": bool(item.get("show_caption_above_media")),
    }


async def forward_message(call: Call) -> JsonObject:
    """Forward a message, with its origin."""
    person = recipient(call)
    source = _source(call, call.params.number("message_id"), "message to forward not found")
    return call.world.api(_forward(call, person, source))


async def copy_message(call: Call) -> JsonObject:
    """Send the same content as a new message."""
    person = recipient(call)
    source = _source(call, call.params.number("message_id"), "message to copy not found")
    caption = read_caption(call.params)
    copied = _copy(call, person, source)
    if source.media is not None and "caption" in call.params.values:
        copied.caption_above = call.params.flag("show_caption_above_media")
        copied.text, copied.entities = caption.text, caption.entities
    return {"message_id": copied.message_id}


async def forward_messages(call: Call) -> list[JsonObject]:
    """Forward several; those that are missing or protected are skipped."""
    return [{"message_id": message.message_id} for message in _each(call, copies=False)]


async def copy_messages(call: Call) -> list[JsonObject]:
    """Copy several; those that are missing or cannot be copied are skipped."""
    return [{"message_id": message.message_id} for message in _each(call, copies=True)]


def _each(call: Call, *, copies: bool) -> list[ChatMessage]:
    numbers = call.params.numbers("message_ids", "message identifiers", at_most=MAX_BULK)
    person, sent = recipient(call), []
    for number in numbers:
        try:
            source = _source(call, number, "message not found")
            sent.append(_copy(call, person, source) if copies else _forward(call, person, source))
        except ApiError:
            continue
    if not sent:
        raise bad_request(f"there are no messages to {'copy' if copies else 'forward'}")
    return sent


def _source(call: Call, number: int, missing: str) -> ChatMessage:
    return message_in_chat(call, call.world.known_chat(call.params.text("from_chat_id")), number, missing)


def _forward(call: Call, person: ChatPerson, source: ChatMessage) -> ChatMessage:
    if source.protected or source.kind == "service":
        raise bad_request("the message can't be forwarded")
    author = call.world.bot.as_user() if source.from_bot else call.world.people[source.chat_id].as_user()
    made_by = {"type": "user", "date": source.date, "sender_user": author}
    return _repeat(call, person, source, extra={"forward_origin": source.extra.get("forward_origin", made_by)})


def _copy(call: Call, person: ChatPerson, source: ChatMessage) -> ChatMessage:
    if source.kind in NOT_COPIED:
        raise bad_request("the message can't be copied")
    copied = _repeat(call, person, source, extra={})
    if source.media is not None and call.params.flag("remove_caption"):
        copied.text, copied.entities = "", []
    return copied


def _repeat(call: Call, person: ChatPerson, source: ChatMessage, *, extra: JsonObject) -> ChatMessage:
    return deliver(
        call,
        person,
        read_markup(call.params),
        kind=source.kind,
        text=source.text,
        entities=deepcopy(source.entities),
        media=source.media,
        spoiler=source.spoiler,
        caption_above=source.caption_above,
        invoice_payload=source.invoice_payload,
        extra=extra | {key: value for key, value in source.extra.items() if key == "invoice"},
    )
