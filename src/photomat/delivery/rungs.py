"""The ways a file can reach a chat, best first, within Telegram's limits; and why a file comes as a document or a link. Pure.

By Telegram's own file → by its address → by uploaded bytes → as an uploaded document. What is beyond a limit is not even tried.
Whatever does not come as what it is comes with a reason, the same one each time, so that a repeated edit changes nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from photomat.delivery.outputs import Output
from photomat.telegram.port import Media, MediaKind

MIB: Final = 2**20
URL_LIMIT_BYTES: Final = {MediaKind.PHOTO: 5 * MIB}
URL_LIMIT_OTHERWISE: Final = 20 * MIB
UPLOAD_PHOTO_BYTES: Final = 10 * MIB
UPLOAD_BYTES: Final = 50 * MIB
PHOTO_SIDES: Final = 10_000
PHOTO_RATIO: Final = 20
BY_MIME: Final = {
    "image/png": MediaKind.PHOTO,
    "image/jpeg": MediaKind.PHOTO,
    "image/webp": MediaKind.PHOTO,
    "image/gif": MediaKind.ANIMATION,
    "video/mp4": MediaKind.VIDEO,
    "audio/mpeg": MediaKind.AUDIO,
    "audio/mp4": MediaKind.AUDIO,
    "audio/ogg": MediaKind.AUDIO,
}
SEEN_OR_HEARD: Final = ("image/", "video/", "audio/")


class Why(StrEnum):
    """Why a file does not come as what it is; each is a text, `why-…`."""

    PHOTO_TOO_BIG = "photo-too-big"
    PHOTO_SHAPE = "photo-shape"
    FORMAT = "format"
    REFUSED = "refused"
    FILE_TOO_BIG = "file-too-big"
    NO_FILE = "no-file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One way: its level for the log, what is shown, and the reason where that is less than it should be."""

    level: str
    media: Media
    why: Why | None = None


def rungs_of(output: Output, path: Path | None) -> list[Rung]:
    """Every way this output may take, best first; `path` is our copy of it."""
    kind, why, size_bytes = kind_of(output), why_a_document(output), output.size_bytes or 0
    name = f"photomat-{output.job_id}-{output.position + 1}"
    found: list[Rung] = []
    if output.file_id is not None and output.media is not None:
        had = MediaKind(output.media)
        less = why or (Why.REFUSED if had is MediaKind.DOCUMENT is not kind else None)
        found.append(Rung(level="url", media=Media(kind=had, source=output.file_id, name=name), why=less))
    if kind is not MediaKind.DOCUMENT and size_bytes <= URL_LIMIT_BYTES.get(kind, URL_LIMIT_OTHERWISE):
        found.append(Rung(level="url", media=Media(kind=kind, source=output.url, name=name)))
    if path is not None and size_bytes <= UPLOAD_BYTES:
        name = f"{name}{path.suffix}"
        if kind is not MediaKind.DOCUMENT:
            found.append(Rung(level="bytes", media=Media(kind=kind, source=path, name=name)))
            why = Why.REFUSED
        found.append(Rung(level="bytes", media=Media(kind=MediaKind.DOCUMENT, source=path, name=name), why=why))
    return found


def why_a_link(output: Output, *, is_too_large: bool) -> Why:
    """Why a file comes as a link in the end."""
    if is_too_large or (output.size_bytes or 0) > UPLOAD_BYTES:
        return Why.FILE_TOO_BIG
    return Why.NO_FILE


def kind_of(output: Output) -> MediaKind:
    """What Telegram should make of an output, by its bytes; what does not fit goes as a document."""
    if output.mime is None:
        return MediaKind.PHOTO
    return MediaKind.DOCUMENT if why_a_document(output) else BY_MIME.get(output.mime, MediaKind.DOCUMENT)


def why_a_document(output: Output) -> Why | None:
    """Why an output cannot be shown as what it is; None for what can, and for what is a document by nature."""
    mime = output.mime or ""
    if mime.startswith(SEEN_OR_HEARD) and mime not in BY_MIME:
        return Why.FORMAT
    if BY_MIME.get(mime) is not MediaKind.PHOTO:
        return None
    if (output.size_bytes or 0) > UPLOAD_PHOTO_BYTES:
        return Why.PHOTO_TOO_BIG
    return None if _has_a_photos_shape(output) else Why.PHOTO_SHAPE


def _has_a_photos_shape(output: Output) -> bool:
    if not output.width or not output.height:
        return True
    long, short = max(output.width, output.height), min(output.width, output.height)
    return output.width + output.height <= PHOTO_SIDES and long <= PHOTO_RATIO * short
