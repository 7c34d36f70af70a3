"""Films and sound in Matroska and WebM: how long they are, and how large. Pure.

A browser that records says no length and leaves the sizes of its clusters open; then the last block tells.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Final

from photomat.files.reader import Cut, Reader


class Id(IntEnum):
    """The elements that matter."""

    SEGMENT = 0x18538067
    INFO = 0x1549A966
    TIMESCALE = 0x2AD7B1
    DURATION = 0x4489
    TRACKS = 0x1654AE6B
    TRACK = 0xAE
    TRACK_TYPE = 0x83
    VIDEO = 0xE0
    WIDTH = 0xB0
    HEIGHT = 0xBA
    CLUSTER = 0x1F43B675
    CLUSTER_TIME = 0xE7
    GROUP = 0xA0
    BLOCK = 0xA1
    SIMPLE_BLOCK = 0xA3


OPENED: Final = frozenset({Id.SEGMENT, Id.INFO, Id.TRACKS, Id.TRACK, Id.VIDEO, Id.CLUSTER, Id.GROUP})
PICTURES: Final = 1
LONGEST_ID: Final = 4
LONGEST_SIZE: Final = 8
A_SECOND_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Element:
    """An element: what it is, where its content begins and ends."""

    id: int
    start: int
    end: int


@dataclass(slots=True, kw_only=True)
class Recording:
    """What the elements say."""

    unit_ns: int = 1_000_000
    units: Decimal | None = None
    cluster_at: int = 0
    last_unit: int = 0
    kinds: set[int] = field(default_factory=set)
    width: int = 0
    height: int = 0

    @property
    def seconds(self) -> Decimal | None:
        """How long it is."""
        units = self.units or Decimal(self.last_unit)
        return units * self.unit_ns / A_SECOND_NS or None

    @property
    def is_sound_alone(self) -> bool:
        """Whether there is sound and nothing to see."""
        return bool(self.kinds) and PICTURES not in self.kinds


def read_recording(reader: Reader) -> Recording:
    """Read what the elements say; a recording that breaks off lasts until there."""
    found = Recording()
    try:
        for element in _elements(reader):
            if element.id == Id.CLUSTER and found.units is not None:
                break
            _read(reader, element, found)
    except Cut:
        if not found.kinds:
            raise
    return found


def _read(reader: Reader, element: Element, found: Recording) -> None:
    match element.id:
        case Id.TIMESCALE:
            found.unit_ns = _number(reader, element)
        case Id.DURATION:
            found.units = _real(reader, element)
        case Id.TRACK_TYPE:
            found.kinds.add(_number(reader, element))
        case Id.WIDTH:
            found.width = _number(reader, element)
        case Id.HEIGHT:
            found.height = _number(reader, element)
        case Id.CLUSTER_TIME:
            found.cluster_at = _number(reader, element)
        case Id.BLOCK | Id.SIMPLE_BLOCK:
            _, after = _vint(reader, element.start, LONGEST_SIZE, keep_mark=False)
            (offset,) = struct.unpack(">h", reader.read(after, 2))
            found.last_unit = max(found.last_unit, found.cluster_at + offset)


def _elements(reader: Reader) -> Iterator[Element]:
    """Every element in order; those that hold what matters are gone into, so that an open size does no harm."""
    at = 0
    while at < reader.size:
        name, after = _vint(reader, at, LONGEST_ID, keep_mark=True)
        size, start = _vint(reader, after, LONGEST_SIZE, keep_mark=False)
        yield Element(name, start, start + size)
        at = start if name in OPENED else start + size


def _vint(reader: Reader, at: int, longest: int, *, keep_mark: bool) -> tuple[int, int]:
    """A number of as many bytes as its first one says, and where it ends."""
    length = 9 - reader.number(at, 1).bit_length()
    if length > longest:
        raise Cut
    value = reader.number(at, length)
    return value if keep_mark else value & (2 ** (7 * length) - 1), at + length


def _number(reader: Reader, element: Element) -> int:
    return reader.number(element.start, min(element.end - element.start, LONGEST_SIZE))


def _real(reader: Reader, element: Element) -> Decimal | None:
    size = element.end - element.start
    (value,) = struct.unpack({4: ">f", 8: ">d"}.get(size, ">0s"), reader.read(element.start, min(size, LONGEST_SIZE)))
    return Decimal(value) if isinstance(value, float) and value > 0 else None
