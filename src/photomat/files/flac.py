"""FLAC: how long it is. Pure.

Its first block says how many samples there are, which anybody can change; every frame says how many it holds, under a checksum,
and the frames are counted. A file without frames has no length, and one that tells of more than it holds is truncated.
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
STREAM_INFO: Final = 34
LONGEST_FRAME: Final = 2**19
"""A frame of 65535 samples in two channels of 24 bits, and a little more."""


class Frame(NamedTuple):
    """A frame: its samples, and what all frames of a file have in common."""

    samples: int
    sort: tuple[int, int]


class Counts(NamedTuple):
    """The sampling rate, how many samples are declared (0 if that is not known) and found, where the last frame begins."""

    rate: int
    declared: int
    found: int
    last_at: int


def flac_seconds(reader: Reader) -> Decimal | None:
    """How long a FLAC is: as long as the frames it holds."""
    counts = _counts(reader)
    return Decimal(counts.found) / counts.rate if counts.rate and counts.found else None


def flac_is_truncated(reader: Reader) -> bool:
    """Whether a FLAC declares more samples than it holds, or ends within its last frame."""
    counts = _counts(reader)
    return counts.declared > counts.found or not _ends_whole(reader, counts.last_at)


def _counts(reader: Reader) -> Counts:
    start = after_tags(reader)
    if reader.read(start, 4) != b"fLaC" or reader.number(start + 4, 1) & 0x7F:
        raise Cut
    rate, declared = declared_in(reader.read(start + 8, STREAM_INFO))
    found, last_at = 0, start
    for at, frame in _frames(reader, _after_blocks(reader, start + 4)):
        found, last_at = found + frame.samples, at
    return Counts(rate, declared, found, last_at)


def _ends_whole(reader: Reader, at: int) -> bool:
    """Whether the frame that begins here ends with its checksum, wherever that is; tags may follow it."""
    value = 0
    for byte in reader.some(at, LONGEST_FRAME):
        value = (value << 8 & 0xFFFF) ^ _CHECKSUMS_16[value >> 8 ^ byte]
        if not value:
            return True
    return False


def declared_in(stream_info: bytes) -> tuple[int, int]:
    """The sampling rate and the number of samples in the block that describes a stream."""
    packed = int.from_bytes(stream_info[10:18], "big")
    return packed >> 44, packed & (2**36 - 1)


def frame_samples(head: bytes) -> int:
    """How many samples the frame that begins with these bytes holds; 0 where none begins."""
    frame = _frame(head) if head[:1] == b"\xff" and len(head) > 1 and head[1] & 0xFE == 0xF8 else None  # noqa: PLR2004  mark
    return 0 if frame is None else frame.samples


def _after_blocks(reader: Reader, at: int) -> int:
    """Where the frames begin, behind pictures and remarks."""
    while True:
        kind, size = reader.number(at, 1), reader.number(at + 1, 3)
        at += BLOCK_HEADER + size
        if kind & IS_LAST:
            return at


def _frames(reader: Reader, start: int) -> Iterator[tuple[int, Frame]]:
    """Every frame with a sound header that is of the first one's sort, and where it begins."""
    first_at, first = _first(reader, start)
    mark, at = reader.read(first_at, 2), first_at
    while at < reader.size:
        window = reader.some(at, MOST_AT_ONCE)
        found = window.find(mark)
        while found >= 0 and (found + LONGEST_HEADER <= len(window) or at + len(window) >= reader.size):
            reader.spend(2)
            frame = _frame(window[found : found + LONGEST_HEADER])
            if frame is not None and frame.sort == first.sort:
                yield at + found, frame
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


def _checksum_16_of(byte: int) -> int:
    value = byte << 8
    for _ in range(8):
        value = (value << 1 ^ (0x8005 if value & 0x8000 else 0)) & 0xFFFF
    return value


def _checksum_of(byte: int) -> int:
    for _ in range(8):
        byte = (byte << 1 ^ (0x07 if byte & 0x80 else 0)) & 0xFF
    return byte


_CHECKSUMS: Final = tuple(_checksum_of(byte) for byte in range(256))
_CHECKSUMS_16: Final = tuple(_checksum_16_of(byte) for byte in range(256))
