"""Reading what a call wants to say: text, caption, keyboard, media and where it comes from, and what it replies to.

Media comes from an upload, a URL that Telegram fetches, or a file id this bot got before.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from photomat_sandbox.file_formats import Shape
from photomat_sandbox.telegram.call import Call, Params, UploadedFile
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.file_on_disk import content_at
from photomat_sandbox.telegram.files import read_file_id
from photomat_sandbox.telegram.formatting import FormattedText, formatted, utf16_length
from photomat_sandbox.telegram.keyboards import Markup, parse_markup
from photomat_sandbox.telegram.media import ChatMedia, detected_kind, make_media, small_jpeg
from photomat_sandbox.telegram.messages import ChatMessage
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.urls import FAILED
from photomat_sandbox.telegram.world import TelegramWorld

TYPE_NAMES: Final = {
    "photo": "Photo",
    "video": "Video",
    "audio": "Audio",
    "voice": "VoiceNote",
    "document": "Document",
    "animation": "Animation",
}
MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
MAX_QUOTE: Final = 1024
QUOTED_ENTITIES: Final = {"bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji", "date_time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaRequest:
    """What media the caller wants shown, and what they say about it."""

    kind: str
    source: str
    hints: Shape
    title: str = ""
    performer: str = ""
    thumbnail: str = ""
    as_is: bool = False
    # An InputMedia object, not a parameter of its own.
    of_item: bool = False


async def obtain_media(
    world: TelegramWorld, params: Params, wanted: MediaRequest, *, editing: bool = False
) -> ChatMedia:
    """Return the media, or refuse as Telegram does for a send or an edit."""
    upload = _upload_of(params, wanted)
    if upload is not None:
        media = await make_media(
            world.files,
            upload.data,
            kind=wanted.kind if wanted.as_is else detected_kind(upload.data, wanted.kind),
            name=upload.name,
            hints=wanted.hints,
            title=wanted.title,
            performer=wanted.performer,
        )
        return world.remember(_with_thumbnail(world, params, wanted, media))
    if world.local_dir is not None and wanted.source.startswith("file:/"):
        return await _from_own_disk(world, wanted)
    if _is_url(wanted.source):
        return await _from_url(world, wanted)
    return _from_file_id(world, wanted, editing=editing)


def check_source(world: TelegramWorld, params: Params, wanted: MediaRequest) -> None:
    """Refuse what needs no look at a file: a missing upload, a text that is no file id, a file of another type."""
    if _upload_of(params, wanted) is None and not _is_url(wanted.source):
        found = read_file_id(wanted.source, bot_id=world.bot.user_id)
        if found is not None:
            _check_type(found[0], wanted.kind)


def _upload_of(params: Params, wanted: MediaRequest) -> UploadedFile | None:
    if not wanted.source:
        upload = params.files.get(wanted.kind)
        if upload is None:
            raise bad_request(f"there is no {wanted.kind} in the request")
        return upload
    if not wanted.source.startswith("attach://"):
        return None
    upload = params.files.get(wanted.source.removeprefix("attach://"))
    if upload is None:
        missing = (
            "can't parse InputMedia: media not found" if wanted.of_item else f"there is no {wanted.kind} in the request"
        )
        raise bad_request(missing)
    return upload


def _is_url(source: str) -> bool:
    """TDLib takes any text with a dot for a URL."""
    return "." in source or source.startswith(("http://", "https://"))


def _check_type(real: str, wanted: str) -> None:
    """A photo cannot be sent as another type, nor another type as a photo; the rest are all documents."""
    if (real == "photo") != (wanted == "photo"):
        raise bad_request(f"can't use file of type {TYPE_NAMES[real]} as {TYPE_NAMES[wanted]}")


def _with_thumbnail(world: TelegramWorld, params: Params, wanted: MediaRequest, media: ChatMedia) -> ChatMedia:
    """Add the thumbnail that came with an upload; an invalid one is silently ignored."""
    upload = params.files.get(wanted.thumbnail.removeprefix("attach://")) if wanted.thumbnail else None
    size = small_jpeg(upload.data) if upload else None
    if upload is None or size is None or media.kind == "photo":
        return media
    file = world.files.add(upload.data, kind="photo", mime="image/jpeg")
    return replace(media, thumbnail=(file.number, *size), thumbnail_id=file.unique_id)


async def _from_own_disk(world: TelegramWorld, wanted: MediaRequest) -> ChatMedia:
    """A file of the server's own disk, by its URI: in local mode only."""
    path = Path(unquote(urlsplit(wanted.source).path))
    try:
        data = content_at(path)
    except OSError as error:
        raise bad_request("wrong file identifier/HTTP URL specified") from error
    return world.remember(await make_media(world.files, data, kind=wanted.kind, name=path.name, hints=wanted.hints))


async def _from_url(world: TelegramWorld, wanted: MediaRequest) -> ChatMedia:
    fetched = await world.fetcher.fetch(wanted.source, kind=wanted.kind)
    known = world.media_by_url.get((wanted.source, wanted.kind))
    if known and known[0] is fetched:
        return known[1]
    try:
        media = await make_media(
            world.files,
            fetched.data,
            kind=wanted.kind,
            name=fetched.name,
            hints=wanted.hints,
            title=wanted.title,
            performer=wanted.performer,
        )
    except ApiError as error:
        raise world.fetcher.cache_refusal(wanted.source, kind=wanted.kind, refusal=FAILED) from error
    world.media_by_url[wanted.source, wanted.kind] = (fetched, media)
    return world.remember(media)


def _from_file_id(world: TelegramWorld, wanted: MediaRequest, *, editing: bool) -> ChatMedia:
    found = read_file_id(wanted.source, bot_id=world.bot.user_id)
    media = world.media_by_number.get(found[1]) if found else None
    if found is None or media is None:
        raise bad_request("MEDIA_EMPTY" if editing else "wrong file identifier/HTTP URL specified")
    _check_type(found[0], wanted.kind)
    return media


def read_text(params: Params) -> FormattedText:
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
    return _bounded_caption(
        formatted(
            params.text("caption"),
            parse_mode=params.text("parse_mode"),
            entities=params.items("caption_entities", "message entities"),
        ),
        editing=editing,
    )


def caption_of_item(item: JsonObject, *, editing: bool = False) -> FormattedText:
    return _bounded_caption(
        formatted(
            _text_of(item, "caption"),
            parse_mode=_text_of(item, "parse_mode"),
            entities=_list_of(item, "caption_entities"),
        ),
        editing=editing,
    )


def read_markup(params: Params, *, for_invoice: bool = False) -> Markup:
    return parse_markup(params.mapping("reply_markup", "reply keyboard markup"), for_invoice=for_invoice)


def media_from_params(params: Params, kind: str) -> MediaRequest:
    return MediaRequest(
        kind=kind,
        source=params.text(kind),
        hints=Shape(width=params.number("width"), height=params.number("height"), duration=params.number("duration")),
        title=params.text("title"),
        performer=params.text("performer"),
        thumbnail=params.text("thumbnail"),
        as_is=params.flag("disable_content_type_detection"),
    )


def media_from_item(item: JsonObject, kind: str) -> MediaRequest:
    source = item.get("media")
    if not isinstance(source, str) or not source:
        raise bad_request("can't parse InputMedia: media not found")
    return MediaRequest(
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


def recipient(call: Call) -> ChatPerson:
    """Return the person a send goes to, within the flood limits."""
    person = call.world.reachable(call.params.text("chat_id"))
    if call.world.flood:
        call.world.flood.spend(person.user_id, clock=call.world.clock)
    return person


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTarget:
    """The message a send replies to, and the TextQuote object of what it quotes from it."""

    message_id: int | None = None
    quote: JsonObject | None = None


def read_reply(call: Call, person: ChatPerson) -> ReplyTarget:
    """Return the message a send replies to; a missing one is refused unless the caller allows it."""
    given = call.params.mapping("reply_parameters", "reply parameters") or {}
    if given and "message_id" not in given:
        raise bad_request('can\'t find field "message_id"')
    message_id = _number_of(given, "message_id") or call.params.number("reply_to_message_id")
    if not message_id:
        return ReplyTarget()
    replied = call.world.messages.get(message_id)
    if replied and replied.chat_id == person.user_id:
        return ReplyTarget(message_id=message_id, quote=_quote_of(given, replied))
    if given.get("allow_sending_without_reply") or call.params.flag("allow_sending_without_reply"):
        return ReplyTarget()
    raise bad_request("message to be replied not found")


def _quote_of(given: JsonObject, replied: ChatMessage) -> JsonObject | None:
    """Find the quoted part, with its formatting, in the message; it must match exactly, nearest to the position given."""
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


def _quoted_entities(replied: ChatMessage, start: int, length: int) -> list[JsonObject]:
    """Return the formatting of a part of the message, with offsets from its start."""
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
