"""The type of a file by its first bytes, never by its name or the model that made it. Pure."""

import struct
from dataclasses import dataclass
from typing import Final

HEAD_BYTES: Final = 65536
"""How much of a file is enough to know its type and, for most pictures, its size."""

UNKNOWN_MIME: Final = "application/octet-stream"
HTML_MIME: Final = "text/html"
ZIP_MIME: Final = "application/zip"
DOCX_MIME: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX_MIME: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
EXTENSIONS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/bmp": "bmp",
    "image/tiff": "tiff",
    "image/heic": "heic",
    "image/heif": "heif",
    "image/avif": "avif",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-matroska": "mkv",
    "video/x-msvideo": "avi",
    "video/x-ms-wmv": "wmv",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/aac": "aac",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/flac": "flac",
    "audio/x-ms-wma": "wma",
    "audio/webm": "webm",
    "audio/x-matroska": "mka",
    "audio/aiff": "aiff",
    "audio/amr": "amr",
    "application/pdf": "pdf",
    ZIP_MIME: "zip",
    DOCX_MIME: "docx",
    PPTX_MIME: "pptx",
    "application/json": "json",
    HTML_MIME: "html",
}
BRANDS: Final = {
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"hevc": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
    b"avif": "image/avif",
    b"avis": "image/avif",
}
RIFFS: Final = {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
STARTS: Final = (
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "audio/x-ms-wma"),
    (b"#!AMR\n", "audio/amr"),
    (b"#!AMR-WB\n", "audio/amr"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF", "application/pdf"),
)
QUICKTIME_STARTS: Final = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip"})
"""Boxes with which a QuickTime video without a brand may begin."""

JPEG_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


@dataclass(frozen=True, slots=True, kw_only=True)
class FileType:
    """The width and height are known for pictures we can read."""

    mime: str
    width: int | None = None
    height: int | None = None

    @property
    def extension(self) -> str:
        return EXTENSIONS.get(self.mime, "bin")


def sniff(head: bytes) -> FileType:
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:  # noqa: PLR2004  the header with the size
        width, height = struct.unpack(">II", head[16:24])
        return FileType(mime="image/png", width=width, height=height)
    if head.startswith(b"\xff\xd8\xff"):
        return _jpeg(head)
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:  # noqa: PLR2004  likewise
        width, height = struct.unpack("<HH", head[6:10])
        return FileType(mime="image/gif", width=width, height=height)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    if head.startswith(b"BM") and head[6:10] == bytes(4) and len(head) >= 26:  # noqa: PLR2004  likewise
        width, height = struct.unpack("<ii", head[18:26])
        return FileType(mime="image/bmp", width=width, height=abs(height))
    return FileType(mime=_other(head))


def _jpeg(head: bytes) -> FileType:
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:  # noqa: PLR2004  a JPEG marker
        if head[at + 1] == 0xFF:  # noqa: PLR2004  filled up before the next marker
            at += 1
            continue
        marker, length = head[at + 1], struct.unpack(">H", head[at + 2 : at + 4])[0]
        if marker in JPEG_SIZES:
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return FileType(mime="image/jpeg", width=width, height=height)
        at += 2 + length
    return FileType(mime="image/jpeg")


def _webp(head: bytes) -> FileType:
    """The three variants of WebP (extended, lossless, lossy) store their sides differently."""
    if len(head) < 30:  # noqa: PLR2004  the longest of the three headers
        return FileType(mime="image/webp")
    width = height = None
    if head[12:16] == b"VP8X":
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
    elif head[12:16] == b"VP8L" and head[20] == 0x2F:  # noqa: PLR2004  its signature
        bits = int.from_bytes(head[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif head[12:16] == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = (side & 0x3FFF for side in struct.unpack("<HH", head[26:30]))
    return FileType(mime="image/webp", width=width, height=height)


def _other(head: bytes) -> str:
    if head[4:8] == b"ftyp":
        return BRANDS.get(head[8:12], "video/mp4")
    if head[4:8] in QUICKTIME_STARTS:
        return "video/quicktime"
    if head[:4] in {b"RIFF", b"RF64"}:
        return RIFFS.get(head[8:12], UNKNOWN_MIME)
    if head[:4] == b"FORM" and head[8:12] in {b"AIFF", b"AIFC"}:
        return "audio/aiff"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/x-matroska" if b"matroska" in head[:64] else "video/webm"
    if head.startswith(b"PK\x03\x04"):
        return zipped(head)
    return next((mime for start, mime in STARTS if head.startswith(start)), None) or _audio_frame(head) or _text(head)


def zipped(window: bytes) -> str:
    """Which document an archive is, by the names in a part of it."""
    if b"word/document.xml" in window:
        return DOCX_MIME
    return PPTX_MIME if b"ppt/presentation.xml" in window else ZIP_MIME


def _audio_frame(head: bytes) -> str | None:
    """Audio that begins with a frame: eleven bits set, then the kind of frame."""
    if len(head) < 2 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:  # noqa: PLR2004  the mark of a frame
        return None
    if head[1] & 0xF6 == 0xF0:  # noqa: PLR2004  twelve bits set, and no layer: AAC
        return "audio/aac"
    is_layer_3 = head[1] & 0x06 == 0x02 and head[1] & 0x18 != 0x08  # noqa: PLR2004  a known version, layer III
    return "audio/mpeg" if is_layer_3 else None


def _text(head: bytes) -> str:
    start = head.lstrip()[:14].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return HTML_MIME
    return "application/json" if start[:1] in {b"{", b"["} else UNKNOWN_MIME
