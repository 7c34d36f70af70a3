"""Media inside a message: what its bytes are, the rules for photos, and how the Bot API writes it.

A photo is recompressed to JPEG and gets smaller sizes; any other file keeps its bytes. A "video" that is no video becomes a
document, as it does for real.
"""

import asyncio
import hashlib
import io
from dataclasses import dataclass
from typing import Final

from PIL import Image, UnidentifiedImageError

from photomat_sandbox.file_formats import Shape, measure, sniff
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.file_on_disk import Content, FileOnDisk, sha256_of
from photomat_sandbox.telegram.files import FileStore, make_file_id

MAX_PHOTO_BYTES: Final = 10_485_760
MAX_SIDES_SUM: Final = 10_000
MAX_RATIO: Final = 20
MAX_SIDE: Final = 2560
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
"""The types TDLib gives to files whose bytes do not show it."""
VIDEO_MIMES: Final = {"video/mp4", "video/webm", "video/quicktime"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMedia:
    """What a file is in a chat; `sizes` lists the photo's files from small to large as (number, width, height)."""

    kind: str
    number: int
    unique_id: str
    mime: str
    size_bytes: int
    source_sha256: str
    width: int = 0
    height: int = 0
    duration: int = 0
    file_name: str = ""
    title: str = ""
    performer: str = ""
    sizes: tuple[tuple[int, int, int], ...] = ()
    # The small picture beside a player, as (number, width, height).
    thumbnail: tuple[int, int, int] | None = None
    thumbnail_id: str = ""

    @staticmethod
    def restored(row: JsonObject) -> "ChatMedia":
        small = row.get("thumbnail")
        sizes = tuple(tuple(size) for size in row["sizes"])
        return ChatMedia(**{**row, "sizes": sizes, "thumbnail": tuple(small) if small else None})


def as_fields(media: ChatMedia, files: FileStore, *, bot_id: int) -> JsonObject:
    """Return the fields that a Message has because of this media."""
    if media.kind == "photo":
        return {"photo": [_photo_size(size, files, bot_id=bot_id) for size in media.sizes]}
    described = _described(media, files, bot_id=bot_id)
    if media.kind == "animation":
        document = {key: value for key, value in described.items() if key not in {"width", "height", "duration"}}
        return {"animation": described, "document": document}
    return {media.kind: described}


def _photo_size(size: tuple[int, int, int], files: FileStore, *, bot_id: int) -> JsonObject:
    number, width, height = size
    file = files.files[number]
    return {
        "file_id": make_file_id(bot_id=bot_id, kind="photo", number=number),
        "file_unique_id": file.unique_id,
        "width": width,
        "height": height,
        "file_size": file.size_bytes,
    }


def _described(media: ChatMedia, files: FileStore, *, bot_id: int) -> JsonObject:
    file = files.files[media.number]
    fields: JsonObject = {
        "file_id": make_file_id(bot_id=bot_id, kind=media.kind, number=file.number),
        "file_unique_id": file.unique_id,
        "file_size": file.size_bytes,
        "mime_type": media.mime,
    }
    if media.kind in {"video", "animation"}:
        fields |= {"width": media.width, "height": media.height}
    if media.kind in {"video", "animation", "audio", "voice"}:
        fields["duration"] = media.duration
    if media.kind != "voice" and media.file_name:
        fields["file_name"] = media.file_name
    if media.thumbnail is not None:
        fields["thumbnail"] = _photo_size(media.thumbnail, files, bot_id=bot_id)
    if media.kind == "audio":
        fields |= {key: value for key, value in (("title", media.title), ("performer", media.performer)) if value}
    return fields


def as_visible(media: ChatMedia) -> JsonObject:
    """Return the media as the chat page shows it."""
    return {
        "file_unique_id": media.unique_id,
        "url": f"/sandbox/files/{media.unique_id}",
        "mime": media.mime,
        "width": media.width,
        "height": media.height,
        "duration": media.duration,
        "file_name": media.file_name or None,
        "size_bytes": media.size_bytes,
        "title": media.title or None,
        "performer": media.performer or None,
        "thumbnail_url": f"/sandbox/files/{media.thumbnail_id}" if media.thumbnail_id else None,
        "source_sha256": media.source_sha256,
    }


async def make_media(
    files: FileStore,
    data: Content,
    *,
    kind: str,
    name: str = "",
    hints: Shape | None = None,
    title: str = "",
    performer: str = "",
) -> ChatMedia:
    """Store the bytes and describe them as media of this kind, or refuse them."""
    if not data:
        raise bad_request("file must be non-empty")
    if kind == "photo":
        return await _make_photo(files, data)
    mime = _mime_of(data, kind=kind, name=name)
    real_kind = _real_kind(kind, mime)
    file = await asyncio.to_thread(files.add, data, kind=real_kind, mime=mime, name=name)
    shape = measure(data, mime)
    hints = hints or Shape()
    return ChatMedia(
        kind=real_kind,
        number=file.number,
        unique_id=file.unique_id,
        mime=mime,
        size_bytes=len(data),
        source_sha256=await asyncio.to_thread(sha256_of, data),
        width=hints.width or shape.width,
        height=hints.height or shape.height,
        duration=hints.duration or shape.duration,
        file_name=name,
        title=title,
        performer=performer,
    )


async def _make_photo(files: FileStore, data: Content) -> ChatMedia:
    if isinstance(data, FileOnDisk) or len(data) > MAX_PHOTO_BYTES:
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
    return ChatMedia(
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
    """Recompress anything but a JPEG of a size that chats show; refuse impossible dimensions."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
            if width + height > MAX_SIDES_SUM or max(width, height) > MAX_RATIO * min(width, height):
                raise bad_request("PHOTO_INVALID_DIMENSIONS")
            if image.format == "JPEG" and max(width, height) <= MAX_SIDE:
                image.load()
                return data, width, height
            picture = image.convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise bad_request("IMAGE_PROCESS_FAILED") from error
    picture.thumbnail((MAX_SIDE, MAX_SIDE))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=87)
    return buffer.getvalue(), *picture.size


def detected_kind(data: Content, kind: str) -> str:
    """Return the kind an upload is shown as: a document that is music, a video or a GIF is shown as that."""
    return DETECTED.get(sniff(data), kind) if kind == "document" else kind


def small_jpeg(data: Content) -> tuple[int, int] | None:
    """Return the size of a valid thumbnail; None when it breaks the rules."""
    if isinstance(data, FileOnDisk):
        return None
    try:
        with Image.open(io.BytesIO(data)) as image:
            fits = image.format == "JPEG" and max(image.size) <= THUMBNAIL_SIDE and len(data) < THUMBNAIL_BYTES
            return image.size if fits else None
    except (UnidentifiedImageError, OSError):
        return None


def _mime_of(data: Content, *, kind: str, name: str) -> str:
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
