"""What a media file is by its bytes: its MIME type, width, height and length."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

SIGNATURES: Final = (
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"%PDF", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"OggS", "audio/ogg"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (8, b"WAVE", "audio/x-wav"),
    (0, b"fLaC", "audio/flac"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)
CONTAINERS: Final = {b"moov", b"trak"}
MP4_HEADER_BYTES: Final = 8
MPEG1_LAYER3_KBIT: Final = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)
OPUS_RATE_HZ: Final = 48_000


class Sliceable(Protocol):
    """Bytes, or a file on disk that is sliced like them."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Width, height and duration; zero where unknown."""

    width: int = 0
    height: int = 0
    duration: int = 0


def sniff(data: Sliceable) -> str:
    """Detect the MIME type by the bytes."""
    for offset, signature, mime in SIGNATURES:
        if data[offset : offset + len(signature)] == signature:
            return mime
    return "application/octet-stream"


def measure(data: Any, mime: str) -> Shape:
    """Read width, height and seconds from a video or audio file."""
    if mime in {"video/mp4", "audio/mp4"}:
        return _measure_mp4(data)
    if not isinstance(data, bytes):
        return Shape()
    if mime == "audio/x-wav":
        return Shape(duration=_wav_seconds(data))
    if mime == "audio/mpeg":
        return Shape(duration=_mp3_seconds(data))
    if mime == "audio/ogg":
        return Shape(duration=_ogg_seconds(data))
    return Shape()


def _measure_mp4(data: Sliceable) -> Shape:
    width = height = duration = 0
    for kind, body in _boxes(data):
        if kind == b"mvhd":
            duration = max(duration, _mvhd_seconds(body))
        elif kind == b"tkhd" and len(body) >= MP4_HEADER_BYTES:
            wide, high = struct.unpack(">II", body[-8:])
            width, height = max(width, wide >> 16), max(height, high >> 16)
    return Shape(width=width, height=height, duration=duration)


def _boxes(data: Sliceable) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + MP4_HEADER_BYTES <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + MP4_HEADER_BYTES])
        size = size if size >= MP4_HEADER_BYTES else len(data) - at
        body = data[at + MP4_HEADER_BYTES : at + size]
        yield kind, body
        if kind in CONTAINERS:
            yield from _boxes(body)
        at += size


def _mvhd_seconds(body: bytes) -> int:
    layout, offset = (">IQ", 20) if body[:1] == b"\x01" else (">II", 12)
    if len(body) < offset + struct.calcsize(layout):
        return 0
    timescale, length = struct.unpack_from(layout, body, offset)
    return round(length / timescale) if timescale else 0


def _wav_seconds(data: bytes) -> int:
    bytes_per_second = int.from_bytes(data[28:32], "little")
    return round(len(data) / bytes_per_second) if bytes_per_second else 0


def _mp3_seconds(data: bytes) -> int:
    start = data.find(b"\xff\xfb")
    if start < 0 or start + 2 >= len(data):
        return 0
    kbit = MPEG1_LAYER3_KBIT[data[start + 2] >> 4]
    return round((len(data) - start) * 8 / (kbit * 1000)) if kbit else 0


def _ogg_seconds(data: bytes) -> int:
    """Read the position of the last page; the rate is Opus's unless the first page names another, as Vorbis does."""
    last = data.rfind(b"OggS")
    if last < 0 or len(data) < last + 14:
        return 0
    vorbis = data.find(b"\x01vorbis", 0, 64)
    rate = int.from_bytes(data[vorbis + 12 : vorbis + 16], "little") if vorbis >= 0 else OPUS_RATE_HZ
    return round(int.from_bytes(data[last + 6 : last + 14], "little") / rate) if rate else 0
