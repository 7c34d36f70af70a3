"""A file on its way, as aiogram writes it: where its bytes come from, and what a player is told of it."""

from pathlib import Path
from typing import Any, Final, TypeAlias

from aiogram.types import (
    BufferedInputFile,
    FSInputFile,
    InputMediaAnimation,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
)

from photomat.telegram.port import Media, MediaKind

InputMedia: TypeAlias = InputMediaPhoto | InputMediaVideo | InputMediaAnimation | InputMediaAudio | InputMediaDocument

TYPES: Final[dict[MediaKind, type[InputMedia]]] = {
    MediaKind.PHOTO: InputMediaPhoto,
    MediaKind.VIDEO: InputMediaVideo,
    MediaKind.ANIMATION: InputMediaAnimation,
    MediaKind.AUDIO: InputMediaAudio,
    MediaKind.DOCUMENT: InputMediaDocument,
}


def input_media(media: Media, **caption: Any) -> InputMedia:
    """The file as an edit takes it, with its caption where it has one."""
    return TYPES[media.kind](media=source_of(media), **caption, **details_of(media))


def source_of(media: Media) -> FSInputFile | BufferedInputFile | str:
    """Where the bytes come from."""
    match media.source:
        case Path():
            return FSInputFile(media.source, filename=media.name)
        case bytes():
            return BufferedInputFile(media.source, filename=media.name)
        case _:
            return media.source


def details_of(media: Media) -> dict[str, Any]:
    """What goes with it, in the words that sends and edits share; nothing where it is not known."""
    match media.kind:
        case MediaKind.AUDIO:
            told = {"title": media.title, "performer": media.performer, "duration": media.seconds, **_thumbnail(media)}
        case MediaKind.VIDEO:
            told = {**_shape(media), "supports_streaming": True}
        case MediaKind.ANIMATION:
            told = _shape(media)
        case MediaKind.DOCUMENT:
            told = {"disable_content_type_detection": media.as_is or None}
        case _:
            told = {}
    return {name: value for name, value in told.items() if value is not None}


def _shape(media: Media) -> dict[str, Any]:
    return {"width": media.width, "height": media.height, "duration": media.seconds}


def _thumbnail(media: Media) -> dict[str, Any]:
    """A thumbnail goes with uploaded bytes only."""
    if media.thumbnail is None or not media.is_upload:
        return {}
    return {"thumbnail": BufferedInputFile(media.thumbnail, filename="cover.jpg")}
