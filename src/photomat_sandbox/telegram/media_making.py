"""Bytes become media: the rules for photos, and what Telegram takes a file for.

A photo is recompressed to JPEG and gets smaller sizes; any other file keeps its bytes. A "video" that is no
video becomes a document, as it does for real.
"""

import asyncio
import hashlib
import io
from typing import Final

from PIL import Image, UnidentifiedImageError

from photomat_sandbox.telegram.errors import bad_request
from photomat_sandbox.telegram.file_store import FileStore
from photomat_sandbox.telegram.media import Media
from photomat_sandbox.telegram.media_probe import Shape, measure, sniff

MAX_PHOTO_BYTES: Final = 10_485_760
MAX_SIDES_SUM: Final = 10_000
MAX_RATIO: Final = 20
LARGEST_SIDE: Final = 2560
SMALLER_SIDES: Final = (90, 320, 800, 1280)
THUMBNAIL_SIDE: Final = 320
THUMBNAIL_BYTES: Final = 200_000
DETECTED: Final = {"image/gif": "animation", "video/mp4": "video", "audio/mpeg": "audio", "audio/mp4": "audio"}
TYPES_BY_EXTENSION: Final = {
    **dict.fromkeys(("txt", "text", "log"), "text/plain"),
    "csv": "text/csv",
    "json": "application/json",
    "srt": "application/x-subrip",
    "xml": "application/xml",
}
"""What TDLib makes of files whose bytes tell nothing."""
VIDEO_MIMES: Final = {"video/mp4", "video/webm", "video/quicktime"}


async def make_media(
    files: FileStore,
    data: bytes,
    *,
    kind: str,
    name: str = "",
    hints: Shape | None = None,
    title: str = "",
    performer: str = "",
) -> Media:
    """Keep the bytes and describe them as media of this kind, or refuse them."""
    if not data:
        raise bad_request("file must be non-empty")
    if kind == "photo":
        return await _make_photo(files, data)
    mime = _mime_of(data, kind=kind, name=name)
    real_kind = _real_kind(kind, mime)
    file = files.add(data, kind=real_kind, mime=mime, name=name)
    shape = measure(data, mime)
    hints = hints or Shape()
    return Media(
        kind=real_kind,
        number=file.number,
        unique_id=file.unique_id,
        mime=mime,
        size_bytes=len(data),
        source_sha256=hashlib.sha256(data).hexdigest(),
        width=hints.width or shape.width,
        height=hints.height or shape.height,
        duration=hints.duration or shape.duration,
        file_name=name,
        title=title,
        performer=performer,
    )


async def _make_photo(files: FileStore, data: bytes) -> Media:
    if len(data) > MAX_PHOTO_BYTES:
        raise bad_request(
            f"file of size {len(data)} bytes is too big for a photo; the maximum size is {MAX_PHOTO_BYTES} bytes"
        )
    jpeg, width, height = await asyncio.to_thread(_as_jpeg, data)
    largest = files.add(jpeg, kind="photo", mime="image/jpeg")
    longest = max(width, height)
    sizes = []
    for side in SMALLER_SIDES:
        if side < longest:
            wide, high = max(1, width * side // longest), max(1, height * side // longest)
            sizes.append((files.add_smaller_size(largest, width=wide, height=high).number, wide, high))
    sizes.append((largest.number, width, height))
    return Media(
        kind="photo",
        number=largest.number,
        unique_id=largest.unique_id,
        mime="image/jpeg",
        size_bytes=len(jpeg),
        source_sha256=hashlib.sha256(data).hexdigest(),
        width=width,
        height=height,
        sizes=tuple(sizes),
    )


def _as_jpeg(data: bytes) -> tuple[bytes, int, int]:
    """Recompress what is not yet a JPEG of a size that chats show; refuse impossible shapes."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
            if width + height > MAX_SIDES_SUM or max(width, height) > MAX_RATIO * min(width, height):
                raise bad_request("PHOTO_INVALID_DIMENSIONS")
            if image.format == "JPEG" and max(width, height) <= LARGEST_SIDE:
                image.load()
                return data, width, height
            picture = image.convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise bad_request("IMAGE_PROCESS_FAILED") from error
    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=87)
    return buffer.getvalue(), *picture.size


def detected_kind(data: bytes, kind: str) -> str:
    """Say what becomes of an uploaded file: a document that is music, a film or a GIF is shown as that, unless told not to."""
    return DETECTED.get(sniff(data), kind) if kind == "document" else kind


def small_jpeg(data: bytes) -> tuple[int, int] | None:
    """Give the sides of a picture that may stand beside a player; None when it breaks the rules."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            fits = image.format == "JPEG" and max(image.size) <= THUMBNAIL_SIDE and len(data) < THUMBNAIL_BYTES
            return image.size if fits else None
    except (UnidentifiedImageError, OSError):
        return None


def _mime_of(data: bytes, *, kind: str, name: str) -> str:
    found = sniff(data)
    if found == "application/octet-stream":
        found = TYPES_BY_EXTENSION.get(name.lower().rpartition(".")[2], found)
    if found == "application/octet-stream" and kind == "audio" and name.lower().endswith((".mp3", ".m4a")):
        return "audio/mpeg"
    return found


def _real_kind(kind: str, mime: str) -> str:
    fits = {
        "video": mime in VIDEO_MIMES,
        "animation": mime in VIDEO_MIMES or mime == "image/gif",
        "audio": mime.startswith("audio/"),
        "voice": mime in {"audio/ogg", "audio/mpeg", "audio/mp4"},
    }
    return kind if fits.get(kind, True) else "document"
