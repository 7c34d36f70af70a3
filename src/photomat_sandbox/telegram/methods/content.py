"""Reading what a call wants to say: text, caption, keyboard, media, and what it replies to."""

from typing import Any, Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.entities import FormattedText, formatted
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.keyboards import Markup, parse_markup
from photomat_sandbox.telegram.media_probe import Shape
from photomat_sandbox.telegram.media_source import Wanted
from photomat_sandbox.telegram.params import Params
from photomat_sandbox.telegram.people import Person

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024


def read_text(params: Params) -> FormattedText:
    """Give the text of a message, which may not be empty or too long."""
    text = formatted(
        params.text("text"),
        parse_mode=params.text("parse_mode"),
        entities=params.items("entities", "message entities"),
    )
    if not text.text:
        raise bad_request("message text is empty")
    if len(text.text) > MAX_TEXT:
        raise bad_request("message is too long")
    return text


def read_caption(params: Params, *, editing: bool = False) -> FormattedText:
    """Give the caption of media; none at all is fine."""
    return _bounded_caption(
        formatted(
            params.text("caption"),
            parse_mode=params.text("parse_mode"),
            entities=params.items("caption_entities", "message entities"),
        ),
        editing=editing,
    )


def caption_of_item(item: JsonObject, *, editing: bool = False) -> FormattedText:
    """Give the caption that an InputMedia object carries."""
    return _bounded_caption(
        formatted(
            _text_of(item, "caption"),
            parse_mode=_text_of(item, "parse_mode"),
            entities=_entities_of(item),
        ),
        editing=editing,
    )


def read_markup(params: Params, *, for_invoice: bool = False) -> Markup:
    """Give the reply_markup of a send."""
    return parse_markup(params.mapping("reply_markup", "reply keyboard markup"), for_invoice=for_invoice)


def wanted_of_params(params: Params, kind: str) -> Wanted:
    """Give the media that a sendPhoto, sendVideo … asks for."""
    return Wanted(
        kind=kind,
        source=params.text(kind),
        hints=Shape(width=params.number("width"), height=params.number("height"), duration=params.number("duration")),
        title=params.text("title"),
        performer=params.text("performer"),
        thumbnail=params.text("thumbnail"),
        as_is=params.flag("disable_content_type_detection"),
    )


def wanted_of_item(item: JsonObject, kind: str) -> Wanted:
    """Give the media that an InputMedia object asks for."""
    source = item.get("media")
    if not isinstance(source, str) or not source:
        raise bad_request("can't parse InputMedia: Can't find field \"media\"")
    return Wanted(
        kind=kind,
        source=source,
        hints=Shape(
            width=_number_of(item, "width"),
            height=_number_of(item, "height"),
            duration=_number_of(item, "duration"),
        ),
        title=_text_of(item, "title"),
        performer=_text_of(item, "performer"),
        thumbnail=_text_of(item, "thumbnail"),
        as_is=bool(item.get("disable_content_type_detection")),
    )


def recipient(call: Call) -> Person:
    """Find whom a send goes to, within the flood limits."""
    person = call.world.reachable(call.params.text("chat_id"))
    if call.world.flood:
        call.world.flood.spend(person.user_id, clock=call.world.clock)
    return person


def read_reply(call: Call, person: Person) -> int | None:
    """Give the message a send replies to; a missing one is refused unless the caller said it does not matter."""
    reply = call.params.mapping("reply_parameters", "reply parameters") or {}
    message_id = _number_of(reply, "message_id") or call.params.number("reply_to_message_id")
    if not message_id:
        return None
    replied = call.world.messages.get(message_id)
    if replied and replied.chat_id == person.user_id:
        return message_id
    if reply.get("allow_sending_without_reply") or call.params.flag("allow_sending_without_reply"):
        return None
    raise bad_request("message to be replied not found")


def _text_of(item: JsonObject, name: str) -> str:
    value = item.get(name)
    if value is not None and not isinstance(value, str):
        raise bad_request(f'field "{name}" must be of type String')
    return value or ""


def _number_of(item: JsonObject, name: str) -> int:
    value = item.get(name)
    try:
        return int(value or 0)
    except (TypeError, ValueError) as error:
        raise bad_request(f'field "{name}" must be of type Integer') from error


def _entities_of(item: JsonObject) -> list[Any] | None:
    value = item.get("caption_entities")
    if value is not None and not isinstance(value, list):
        raise bad_request("expected an Array of message entities")
    return value


def _bounded_caption(caption: FormattedText, *, editing: bool) -> FormattedText:
    if len(caption.text) > MAX_CAPTION:
        raise bad_request("MEDIA_CAPTION_TOO_LONG" if editing else "message caption is too long")
    return caption
