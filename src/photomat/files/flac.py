"""FLAC: how long it is. Pure.

Its first block says how many samples there are, which anybody can change; every frame says how many it holds, under a checksum,
and the frames are counted. A file without frames has no length.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from photomat.files.frames import after_tags
from photomat.files.reader import MOST_AT_ONCE, Cut, Reader

BLOCK_HEADER: Final = 4
IS_LAST: Final = 0x80
LONGEST_HEADER: Final = 16
SEARCHED_BYTES: Final = 2**16
BLOCKS: Final = {1: 192, **{code: 144 << code for code in range(2, 6)}, **{code: 1 << code for code in range(8, 16)}}
"""Samples of a frame by their code; 6 and 7 leave them to a number at the end of the header."""

RATE_BYTES: Final = {12: 1, 13: 2, 14: 2}
NO_RATE: Final = 15
MOST_TOLD: Final = 8
"""A file that tells of so many times more than it holds is broken, or lies."""


class Frame(NamedTuple):
    """A frame: its samples, and what all frames of a file have in common."""

    samples: int
    sort: tuple[int, int]


def flac_seconds(reader: Reader) -> Decimal | None:
    """How long a FLAC is: what it tells or what it holds, whichever is more."""
    start = after_tags(reader)
    if reader.read(start, 4) != b"fLaC" or reader.number(start + 4, 1) & 0x7F:
        raise Cut
    packed = reader.number(start + 18, 8)
    rate, told = packed >> 44, packed & (2**36 - 1)
    counted = sum(frame.samples for frame in _frames(reader, _after_blocks(reader, start + 4)))
    if not rate or not counted or told > counted * MOST_TOLD:
        return None
    return Decimal(max(told, counted)) / rate


def _after_blocks(reader: Reader, at: int) -> int:
    """Where the frames begin, behind pictures and remarks."""
    while True:
        kind, size = reader.number(at, 1), reader.number(at + 1, 3)
        at += BLOCK_HEADER + size
        if kind & IS_LAST:
            return at


def _frames(reader: Reader, start: int) -> Iterator[Frame]:
    """Every frame with a sound header that is of the first one's sort."""
    first_at, first = _first(reader, start)
    mark, at = reader.read(first_at, 2), first_at
    while at < reader.size:
        window = reader.some(at, MOST_AT_ONCE)
        found = window.find(mark)
        while found >= 0 and (found + LONGEST_HEADER <= len(window) or at + len(window) >= reader.size):
            reader.spend(2)
            frame = _frame(window[found : found + LONGEST_HEADER])
            if frame is not None and frame.sort == first.sort:
                yield frame
            found = window.find(mark, found + 1)
        at += max(1, found) if found >= 0 else max(1, len(window) - 1)


def _first(reader: Reader, start: int) -> tuple[int, Frame]:
    window = reader.some(start, SEARCHED_BYTES)
    for at in range(len(window) - 1):
        if window[at] == 0xFF and window[at + 1] & 0xFE == 0xF8:  # noqa: PLR2004  the mark of a frame
            frame = _frame(window[at : at + LONGEST_HEADER])
            if frame is not None:
                return start + at, frame
    raise Cut


def _frame(head: bytes) -> Frame | None:
    """The frame that begins with these bytes, if its header is whole."""
    if len(head) < 6:  # noqa: PLR2004  the shortest header
        return None
    block, rate = head[2] >> 4, head[2] & 15
    digits = 1 if head[4] < 0x80 else 8 - (head[4] ^ 0xFF).bit_length()  # noqa: PLR2004  written as UTF-8 writes letters
    more = {6: 1, 7: 2}.get(block, 0)
    at = 4 + digits
    end = at + more + RATE_BYTES.get(rate, 0)
    if rate == NO_RATE or block == 0 or head[3] & 1 or end >= len(head) or _checksum(head[:end]) != head[end]:
        return None
    samples = int.from_bytes(head[at : at + more], "big") + 1 if more else BLOCKS[block]
    return Frame(samples, (rate, head[3] >> 1 & 7))


def _checksum(data: bytes) -> int:
    value = 0
    for byte in data:
        value = _CHECKSUMS[value ^ byte]
    return value


def _checksum_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte << 1 ^ (0x07 if byte & 0x80 else 0)) & 0xFF
    return byte


_CHECKSUMS: Final = tuple(_checksum_of(byte) for byte in range(256))
