"""What a file is, told by its bytes and never by its name or by the model that made it. Pure."""

import struct
from dataclasses import dataclass
from typing import Final

HEAD_BYTES: Final = 65536
"""How much of a file is enough to know its type and, for pictures, its size."""

UNKNOWN_MIME: Final = "application/octet-stream"
EXTENSIONS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "application/json": "json",
}
JPEG_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """The type of a file, and the size in pixels where it is a picture we can read."""

    mime: str
    width: int | None = None
    height: int | None = None

    @property
    def extension(self) -> str:
        """A fitting end for the file's name."""
        return EXTENSIONS.get(self.mime, "bin")


def sniff(head: bytes) -> Kind:
    """Tell what a file is from its first bytes."""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:  # noqa: PLR2004  the header with the size
        width, height = struct.unpack(">II", head[16:24])
        return Kind(mime="image/png", width=width, height=height)
    if head.startswith(b"\xff\xd8\xff"):
        return _jpeg(head)
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:  # noqa: PLR2004  likewise
        width, height = struct.unpack("<HH", head[6:10])
        return Kind(mime="image/gif", width=width, height=height)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    return Kind(mime=_other(head))


def _jpeg(head: bytes) -> Kind:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:  # noqa: PLR2004  a JPEG marker
        marker, length = head[at + 1], struct.unpack(">H", head[at + 2 : at + 4])[0]
        if marker in JPEG_SIZES:
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return Kind(mime="image/jpeg", width=width, height=height)
        at += 2 + length
    return Kind(mime="image/jpeg")


def _webp(head: bytes) -> Kind:
    if head[12:16] == b"VP8X" and len(head) >= 30:  # noqa: PLR2004  the extended header
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
        return Kind(mime="image/webp", width=width, height=height)
    return Kind(mime="image/webp")


def _other(head: bytes) -> str:
    if head[4:8] == b"ftyp":
        return "audio/mp4" if head[8:11] == b"M4A" else "video/mp4"
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav"
    starts = {
        b"\x1a\x45\xdf\xa3": "video/webm",
        b"ID3": "audio/mpeg",
        b"\xff\xfb": "audio/mpeg",
        b"\xff\xf3": "audio/mpeg",
        b"OggS": "audio/ogg",
        b"fLaC": "audio/flac",
        b"%PDF": "application/pdf",
        b"PK\x03\x04": "application/zip",
    }
    found = next((mime for start, mime in starts.items() if head.startswith(start)), None)
    if found is not None:
        return found
    return "application/json" if head.lstrip()[:1] in {b"{", b"["} else UNKNOWN_MIME
