"""Length and sides of video and audio in Matroska and WebM. Pure.

The stated length is not trusted where a block comes later. A browser that records states no length and leaves the sizes of its
clusters open.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Final, NamedTuple

from photomat.media.reader import (
    AAC_SAMPLES,
    AUDIO_S,
    MAX_AT_ONCE,
    TIMESTAMP_S,
    Endless,
    Reader,
    Truncated,
    without_padding,
)


class Id(IntEnum):
    SEGMENT = 0x18538067
    INFO = 0x1549A966
    TIMESCALE = 0x2AD7B1
    DURATION = 0x4489
    TRACKS = 0x1654AE6B
    TRACK = 0xAE
    TRACK_TYPE = 0x83
    TRACK_SCALE = 0x23314F
    VIDEO = 0xE0
    AUDIO = 0xE1
    SAMPLING = 0xB5
    WIDTH = 0xB0
    HEIGHT = 0xBA
    CLUSTER = 0x1F43B675
    CLUSTER_TIME = 0xE7
    GROUP = 0xA0
    BLOCK = 0xA1
    SIMPLE_BLOCK = 0xA3
    BLOCK_DURATION = 0x9B


OPENED: Final = frozenset(
    map(int, (Id.SEGMENT, Id.INFO, Id.TRACKS, Id.TRACK, Id.VIDEO, Id.AUDIO, Id.CLUSTER, Id.GROUP))
)
READ: Final = frozenset(map(int, Id)) - OPENED
PICTURES: Final = 1
MAX_ID_LENGTH: Final = 4
MAX_SIZE: Final = 8
MAX_HEADER_LENGTH: Final = 32
"""An element's name and size, and of a block the track and the time as well."""

USUAL_UNIT_NS: Final = 1_000_000
A_SECOND_NS: Final = 1_000_000_000


class Element(NamedTuple):
    id: int
    start: int
    end: int


@dataclass(slots=True, kw_only=True)
class Recording:
    """What the elements state; of whatever is stated twice, the larger."""

    unit_ns: int = 0
    track_scale: Decimal = Decimal(1)
    units: Decimal = Decimal(0)
    cluster_at: int = 0
    block_at: int = 0
    last_unit: int = 0
    kinds: set[int] = field(default_factory=set)
    width: int = 0
    height: int = 0
    sampling: Decimal = Decimal(0)

    @property
    def seconds(self) -> Decimal | None:
        """The stated length, or that of its last block."""
        units = max(self.units, self.last_unit * self.track_scale)
        seconds = units * (self.unit_ns or USUAL_UNIT_NS) / A_SECOND_NS
        return without_padding(seconds, self._padding_s) or None

    @property
    def _padding_s(self) -> Decimal:
        """What the audio encoder may have added; the video beside it is delayed by as much."""
        if self.kinds == {PICTURES}:
            return TIMESTAMP_S
        return max(AUDIO_S, AAC_SAMPLES / self.sampling) if self.sampling else AUDIO_S

    @property
    def is_audio_only(self) -> bool:
        return bool(self.kinds) and PICTURES not in self.kinds


def read_recording(reader: Reader) -> Recording:
    """Read the elements; a recording that breaks off lasts until there."""
    found = Recording()
    try:
        for element in _elements(reader):
            if element.id in READ:
                _read(reader, element, found)
    except Endless:
        raise
    except Truncated:
        if not found.kinds:
            raise
    return found


def _read(reader: Reader, element: Element, found: Recording) -> None:
    match element.id:
        case Id.BLOCK | Id.SIMPLE_BLOCK:
            head = reader.some(element.start, MAX_SIZE + 2)
            _, after = _vint(head, 0, MAX_SIZE, keep_mark=False)
            (offset,) = struct.unpack_from(">h", head, after)
            found.block_at = found.cluster_at + offset
            found.last_unit = max(found.last_unit, found.block_at)
        case Id.BLOCK_DURATION:
            found.last_unit = max(found.last_unit, found.block_at + _number(reader, element))
        case Id.CLUSTER_TIME:
            found.cluster_at = _number(reader, element)
        case Id.TIMESCALE:
            found.unit_ns = max(found.unit_ns, _number(reader, element))
        case Id.TRACK_SCALE:
            found.track_scale = max(found.track_scale, _real(reader, element))
        case Id.DURATION:
            found.units = max(found.units, _real(reader, element))
        case _:
            _read_track(reader, element, found)


def _read_track(reader: Reader, element: Element, found: Recording) -> None:
    match element.id:
        case Id.TRACK_TYPE:
            found.kinds.add(_number(reader, element))
        case Id.SAMPLING:
            found.sampling = _real(reader, element)
        case Id.WIDTH:
            found.width = max(found.width, _number(reader, element))
        case Id.HEIGHT:
            found.height = max(found.height, _number(reader, element))


def _elements(reader: Reader) -> Iterator[Element]:
    """Every element in order; those that hold what matters are entered, so that an open size does no harm."""
    at, base, window = 0, 0, b""
    while at < reader.size:
        if at + MAX_HEADER_LENGTH > base + len(window) < reader.size:
            base, window = at, reader.some(at, MAX_AT_ONCE)
        reader.spend()
        name, after = _vint(window, at - base, MAX_ID_LENGTH, keep_mark=True)
        size, start = _vint(window, after, MAX_SIZE, keep_mark=False)
        yield Element(name, base + start, base + start + size)
        at = base + (start if name in OPENED else start + size)


def _vint(head: bytes, at: int, longest: int, *, keep_mark: bool) -> tuple[int, int]:
    """A number of as many bytes as its first one states, and where it ends."""
    length = 9 - head[at].bit_length() if at < len(head) else longest + 1
    if length > longest or at + length > len(head):
        raise Truncated
    value = int.from_bytes(head[at : at + length], "big")
    return value if keep_mark else value & (2 ** (7 * length) - 1), at + length


def _number(reader: Reader, element: Element) -> int:
    return reader.number(element.start, min(element.end - element.start, MAX_SIZE))


def _real(reader: Reader, element: Element) -> Decimal:
    size = element.end - element.start
    (value,) = struct.unpack({4: ">f", 8: ">d"}.get(size, ">0s"), reader.read(element.start, min(size, MAX_SIZE)))
    return Decimal(value) if isinstance(value, float) and value > 0 else Decimal(0)
