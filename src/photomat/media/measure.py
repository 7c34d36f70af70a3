"""Kind, format, length and sides of a file by its content, whatever its name or declared type.

Prices depend on lengths, so a header alone is not trusted: a length is counted, or the larger of the stated and the counted
one, without the encoder's padding (`reader.py`), rounded up to a millisecond. Junk never raises: what cannot be read is left
out. Work and memory are bounded, and a file that needs more has no length. It reads, so it is called in a thread.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, DecimalException
from pathlib import Path
from typing import BinaryIO, Final

from photomat.catalog.answers import FileFacts
from photomat.catalog.input import FILE_KINDS, FileKind
from photomat.media.asf import read_asf
from photomat.media.flac import flac_seconds
from photomat.media.images import jpeg_sides, tiff_sides
from photomat.media.matroska import read_recording
from photomat.media.mp4 import read_movie, read_picture
from photomat.media.mpeg_audio import aac_seconds, after_tags, mp3_seconds
from photomat.media.ogg import ogg_seconds
from photomat.media.reader import Reader, Truncated
from photomat.media.sniff import HEAD_BYTES, ZIP_MIME, FileType, sniff, zipped
from photomat.media.wav import aiff_seconds, amr_seconds, wav_seconds

MAX_SIDE: Final = 1_000_000
MAX_S: Final = Decimal(10_000_000)
TO_A_MILLISECOND: Final = Decimal("0.001")
JUNK: Final = (
    Truncated,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
    struct.error,
    DecimalException,
    ZeroDivisionError,
)

SECONDS: Final[dict[str, Callable[[Reader], Decimal | None]]] = {
    "audio/mpeg": mp3_seconds,
    "audio/aac": aac_seconds,
    "audio/wav": wav_seconds,
    "audio/flac": flac_seconds,
    "audio/ogg": ogg_seconds,
    "audio/aiff": aiff_seconds,
    "audio/amr": amr_seconds,
}
SIDES: Final[dict[str, Callable[[Reader], tuple[int, int] | None]]] = {
    "image/jpeg": jpeg_sides,
    "image/tiff": tiff_sides,
    "image/heic": read_picture,
    "image/heif": read_picture,
    "image/avif": read_picture,
}
BOXES: Final = frozenset({"video/mp4", "video/quicktime", "audio/mp4"})
ASF: Final = "audio/x-ms-wma"
MATROSKA: Final = {"video/webm": "audio/webm", "video/x-matroska": "audio/x-matroska"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    facts: FileFacts
    mime: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    mime: str
    seconds: Decimal | None = None
    sides: tuple[int, int] | None = None


def measure_path(path: Path) -> Measured:
    with path.open("rb") as file:
        return measure(file)


def head_is_enough(data: bytes) -> bool:
    """Whether the first bytes of a file state all that is measured, as those of nearly every picture do."""
    kind = sniff(data[:HEAD_BYTES])
    return kind.mime.startswith("image/") and kind.width is not None and kind.height is not None


def measure(file: BinaryIO) -> Measured:
    """What the file is; its whole content is read only where needed."""
    reader = Reader(file)
    kind = sniff(reader.some(0, HEAD_BYTES))
    sides = None if kind.width is None or kind.height is None else (kind.width, kind.height)
    first = _Found(mime=_certain(reader, kind), sides=sides)
    try:
        found = _deeper(reader, first)
    except JUNK:
        found = first
    width, height = _within(found.sides)
    facts = FileFacts(
        kind=_kind(found.mime),
        format=FileType(mime=found.mime).extension,
        size_bytes=reader.size,
        seconds=_length(found.seconds),
        width=width,
        height=height,
    )
    return Measured(facts=facts, mime=found.mime)


def _certain(reader: Reader, kind: FileType) -> str:
    """The type where it needs more than the first bytes: what follows the tags of audio, the names in an archive."""
    try:
        if kind.mime == "audio/mpeg" and (start := after_tags(reader)):
            behind = sniff(reader.some(start, 64)).mime
            return behind if behind in {"audio/flac", "audio/aac"} else kind.mime
        if kind.mime == ZIP_MIME:
            return zipped(reader.some(max(0, reader.size - HEAD_BYTES), HEAD_BYTES))
    except JUNK:
        return kind.mime
    return kind.mime


def _deeper(reader: Reader, first: _Found) -> _Found:
    mime = first.mime
    if mime in SECONDS:
        return replace(first, seconds=SECONDS[mime](reader))
    if mime in SIDES and first.sides is None:
        return replace(first, sides=SIDES[mime](reader))
    if mime in BOXES:
        movie = read_movie(reader)
        return _Found(mime="audio/mp4" if movie.is_audio_only else mime, seconds=movie.seconds, sides=movie.sides)
    if mime == ASF:
        asf = read_asf(reader)
        return _Found(
            mime="video/x-ms-wmv" if asf.has_video else mime, seconds=asf.seconds, sides=(asf.width, asf.height)
        )
    if mime in MATROSKA:
        recording = read_recording(reader)
        real = MATROSKA[mime] if recording.is_audio_only else mime
        return _Found(mime=real, seconds=recording.seconds, sides=(recording.width, recording.height))
    return first


def _kind(mime: str) -> FileKind:
    family = mime.partition("/")[0]
    return next((kind for kind in FILE_KINDS if kind == family), "document")


def _within(sides: tuple[int, int] | None) -> tuple[int | None, int | None]:
    if sides is None or not all(0 < side <= MAX_SIDE for side in sides):
        return None, None
    return sides


def _length(seconds: Decimal | None) -> Decimal | None:
    if seconds is None or not seconds.is_finite() or not 0 < seconds <= MAX_S:
        return None
    return seconds.quantize(TO_A_MILLISECOND, rounding=ROUND_CEILING)
