"""Reading what a call wants to say: text, caption, keyboard, media, and what it replies to."""

from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.entities import FormattedText, formatted
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.html_markup import utf16_length
from photomat_sandbox.telegram.keyboards import Markup, parse_markup
from photomat_sandbox.telegram.media_probe import Shape
from photomat_sandbox.telegram.media_source import Wanted
from photomat_sandbox.telegram.messages import Message
from photomat_sandbox.telegram.params import Params
from photomat_sandbox.telegram.people import Person

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
MAX_QUOTE: Final = 1024
QUOTED_ENTITIES: Final = {"bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji", "date_time"}


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
            entities=_list_of(item, "caption_entities"),
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
        raise bad_request("can't parse InputMedia: media not found")
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
        of_item=True,
    )


def recipient(call: Call) -> Person:
    """Find whom a send goes to, within the flood limits."""
    person = call.world.reachable(call.params.text("chat_id"))
    if call.world.flood:
        call.world.flood.spend(person.user_id, clock=call.world.clock)
    return person


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The message a send replies to, and the TextQuote object of what it quotes from it."""

    message_id: int | None = None
    quote: JsonObject | None = None


def read_reply(call: Call, person: Person) -> Reply:
    """Give the message a send replies to; a missing one is refused unless the caller said it does not matter."""
    given = call.params.mapping("reply_parameters", "reply parameters") or {}
    if given and "message_id" not in given:
        raise bad_request('can\'t find field "message_id"')
    message_id = _number_of(given, "message_id") or call.params.number("reply_to_message_id")
    if not message_id:
        return Reply()
    replied = call.world.messages.get(message_id)
    if replied and replied.chat_id == person.user_id:
        return Reply(message_id=message_id, quote=_quote_of(given, replied))
    if given.get("allow_sending_without_reply") or call.params.flag("allow_sending_without_reply"):
        return Reply()
    raise bad_request("message to be replied not found")


def _quote_of(given: JsonObject, replied: Message) -> JsonObject | None:
    """Find the quoted part, with its formatting, in the message; Telegram wants it exact, and looks near the position first."""
    wanted = formatted(
        _text_of(given, "quote"),
        parse_mode=_text_of(given, "quote_parse_mode"),
        entities=_list_of(given, "quote_entities"),
    )
    if not wanted.text:
        return None
    near = _number_of(given, "quote_position")
    places = [
        utf16_length(replied.text[:at]) for at in range(len(replied.text)) if replied.text.startswith(wanted.text, at)
    ]
    entities = [entity for entity in wanted.entities if entity["type"] in QUOTED_ENTITIES]
    fitting = [at for at in places if _quoted_entities(replied, at, utf16_length(wanted.text)) == entities]
    if not fitting or len(wanted.text) > MAX_QUOTE:
        raise bad_request("QUOTE_TEXT_INVALID")
    quote: JsonObject = {
        "text": wanted.text,
        "position": min(fitting, key=lambda at: abs(at - near)),
        "is_manual": True,
    }
    return quote | ({"entities": entities} if entities else {})


def _quoted_entities(replied: Message, start: int, length: int) -> list[JsonObject]:
    """Give the formatting of a part of the message, with offsets from its start."""
    found = []
    for entity in replied.entities:
        first, last = max(entity["offset"], start), min(entity["offset"] + entity["length"], start + length)
        if entity["type"] in QUOTED_ENTITIES and first < last:
            found.append({**entity, "offset": first - start, "length": last - first})
    return found


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


def _list_of(item: JsonObject, name: str) -> list[Any] | None:
    value = item.get(name)
    if value is not None and not isinstance(value, list):
        raise bad_request("expected an Array of message entities")
    return value


def _bounded_caption(caption: FormattedText, *, editing: bool) -> FormattedText:
    if len(caption.text) > MAX_CAPTION:
        raise bad_request("MEDIA_CAPTION_TOO_LONG" if editing else "message caption is too long")
    return caption
