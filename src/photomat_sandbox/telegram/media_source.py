"""Where a call takes its media from: an upload, a URL that Telegram fetches, or a file id this bot got before."""

from dataclasses import dataclass, replace
from typing import Final

from photomat_sandbox.telegram.errors import ApiError, bad_request
from photomat_sandbox.telegram.fetch import FAILED
from photomat_sandbox.telegram.file_ids import read_file_id
from photomat_sandbox.telegram.media import Media
from photomat_sandbox.telegram.media_making import detected_kind, make_media, small_jpeg
from photomat_sandbox.telegram.media_probe import Shape
from photomat_sandbox.telegram.params import Params, Upload
from photomat_sandbox.telegram.world import TelegramWorld

TYPE_NAMES: Final = {
    "photo": "Photo",
    "video": "Video",
    "audio": "Audio",
    "voice": "VoiceNote",
    "document": "Document",
    "animation": "Animation",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the caller wants shown, and what they say about it."""

    kind: str
    source: str
    hints: Shape
    title: str = ""
    performer: str = ""
    thumbnail: str = ""
    as_is: bool = False
    # An InputMedia object, not a parameter of its own.
    of_item: bool = False


async def obtain(world: TelegramWorld, params: Params, wanted: Wanted, *, editing: bool = False) -> Media:
    """Give the media, or refuse in the words that sends or edits use."""
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
    if _is_url(wanted.source):
        return await _from_url(world, wanted)
    return _from_file_id(world, wanted, editing=editing)


def check_source(world: TelegramWorld, params: Params, wanted: Wanted) -> None:
    """Refuse what needs no look at a file: an upload that is not there, a text that is no file id, a file of another type."""
    if _upload_of(params, wanted) is None and not _is_url(wanted.source):
        found = read_file_id(wanted.source, bot_id=world.bot.user_id)
        if found is not None:
            _check_type(found[0], wanted.kind)


def _upload_of(params: Params, wanted: Wanted) -> Upload | None:
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


def _with_thumbnail(world: TelegramWorld, params: Params, wanted: Wanted, media: Media) -> Media:
    """Add the small picture that came with an upload; one that breaks the rules is passed over in silence."""
    upload = params.files.get(wanted.thumbnail.removeprefix("attach://")) if wanted.thumbnail else None
    size = small_jpeg(upload.data) if upload else None
    if upload is None or size is None or media.kind == "photo":
        return media
    file = world.files.add(upload.data, kind="photo", mime="image/jpeg")
    return replace(media, thumbnail=(file.number, *size), thumbnail_id=file.unique_id)


async def _from_url(world: TelegramWorld, wanted: Wanted) -> Media:
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
        raise world.fetcher.condemn(wanted.source, kind=wanted.kind, refusal=FAILED) from error
    world.media_by_url[wanted.source, wanted.kind] = (fetched, media)
    return world.remember(media)


def _from_file_id(world: TelegramWorld, wanted: Wanted, *, editing: bool) -> Media:
    found = read_file_id(wanted.source, bot_id=world.bot.user_id)
    media = world.media_by_number.get(found[1]) if found else None
    if found is None or media is None:
        raise bad_request("MEDIA_EMPTY" if editing else "wrong file identifier/HTTP URL specified")
    _check_type(found[0], wanted.kind)
    return media
