"""One piece of media inside a message, and how the Bot API writes it down."""

from dataclasses import dataclass

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.file_ids import make_file_id
from photomat_sandbox.telegram.file_store import FileStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
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
    def restored(row: JsonObject) -> "Media":
        """Read media back from a state file."""
        small = row.get("thumbnail")
        sizes = tuple(tuple(size) for size in row["sizes"])
        return Media(**{**row, "sizes": sizes, "thumbnail": tuple(small) if small else None})


def as_fields(media: Media, files: FileStore, *, bot_id: int) -> JsonObject:
    """Give the fields that a Message carries because of this media."""
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


def _described(media: Media, files: FileStore, *, bot_id: int) -> JsonObject:
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


def as_visible(media: Media) -> JsonObject:
    """Give the media as the chat page shows it."""
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
