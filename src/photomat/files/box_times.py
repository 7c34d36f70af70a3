"""Times in the boxes of films: lengths that are told, and tables of samples that are counted. Pure."""

import sys
from array import array
from dataclasses import dataclass
from operator import mul
from typing import Final

from photomat.files.reader import MOST_AT_ONCE, Cut, Reader

DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN = 0x100, 0x200, 0x400, 0x800
FOUR: Final = 4
NUMBERS_A_STEP: Final = 32
"""Numbers of a table are read many at once, and cost so much less than places in the file."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box: what it is, where its content begins and ends; one that is cut ends with what it is in."""

    kind: bytes
    start: int
    end: int
    is_cut: bool = False


def header(reader: Reader, box: Box) -> tuple[int, int]:
    """Units a second, and the length in them, of a header; a length of all ones is not known."""
    is_long = reader.read(box.start, 1) == b"\x01"
    at, width = (box.start + 20, 8) if is_long else (box.start + 12, 4)
    timescale, length = reader.number(at, 4), reader.number(at + 4, width)
    return timescale, 0 if length == (1 << 8 * width) - 1 else length


def told_of_fragments(reader: Reader, mehd: Box) -> int:
    """How long a film in fragments is said to be."""
    is_long = reader.read(mehd.start, 1) == b"\x01"
    return reader.number(mehd.start + 4, 8 if is_long else 4)


def begins(reader: Reader, tfdt: Box) -> int:
    """When the samples of a fragment begin."""
    is_long = reader.read(tfdt.start, 1) == b"\x01"
    return reader.number(tfdt.start + 4, 8 if is_long else 4)


@dataclass(frozen=True, slots=True)
class Edit:
    """An entry of an edit list: how long it plays, in the movie's units, and where in the track, in the track's own units.

    A length of 0 plays on to the track's end. A place of -1 plays nothing: the track begins later.
    """

    length: int
    media_time: int

    @property
    def is_empty(self) -> bool:
        """Whether nothing is played meanwhile."""
        return self.media_time < 0


def edits(reader: Reader, elst: Box) -> list[Edit]:
    """The edit list of a track; one that is cut short is read as far as it goes."""
    is_long = reader.read(elst.start, 1) == b"\x01"
    count, half = reader.number(elst.start + 4, 4), 8 if is_long else 4
    width = 2 * half + 4
    there = min(count, (elst.end - elst.start - 8) // width)
    not_known = (1 << 8 * half) - 1
    found = []
    for number in range(there):
        at = elst.start + 8 + width * number
        length = reader.number(at, half)
        place = int.from_bytes(reader.read(at + half, half), "big", signed=True)
        found.append(Edit(0 if length == not_known else length, place))
    return found


def of_samples(reader: Reader, stts: Box, samples: int) -> int:
    """How long the samples of a track last; those the table leaves out last as long as its last ones."""
    numbers = _numbers(
        reader, stts.start + 8, min(2 * reader.number(stts.start + 4, 4), (stts.end - stts.start - 8) // 4)
    )
    counts, lengths = numbers[0::2], numbers[1::2]
    left_out = max(0, samples - sum(counts))
    return int(sum(map(mul, counts, lengths))) + (left_out * lengths[-1] if lengths else 0)


def of_run(reader: Reader, trun: Box, usual: int) -> int:
    """How long the samples of a run last."""
    flags, count = reader.number(trun.start + 1, 3), reader.number(trun.start + 4, 4)
    if not flags & DURATION_GIVEN:
        return count * usual
    at = trun.start + 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
    width = sum(bool(flags & given) for given in (DURATION_GIVEN, SIZE_GIVEN, FLAGS_GIVEN, OFFSET_GIVEN))
    if at + FOUR * width * count > trun.end:
        raise Cut
    return sum(_numbers(reader, at, width * count)[::width])


def _numbers(reader: Reader, at: int, count: int) -> "array[int]":
    """So many numbers of four bytes."""
    reader.spend(count // NUMBERS_A_STEP)
    found = array("I")
    while count > 0:
        some = min(count, MOST_AT_ONCE // FOUR)
        found.frombytes(reader.read(at, FOUR * some))
        at, count = at + FOUR * some, count - some
    if sys.byteorder == "little":
        found.byteswap()
    return found
