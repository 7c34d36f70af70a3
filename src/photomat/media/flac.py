"""The length of FLAC. Pure.

The first block states the number of samples, unprotected; every frame states its own under a checksum, and the frames are
counted. A file without frames has no length, and one that declares more samples than it holds is truncated. Decoders follow the
frames where the first block differs, so the slower sampling rate counts. A file whose frames differ in rate or sample size,
which no encoder writes, is unreadable.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from photomat.media.mpeg_audio import after_tags
from photomat.media.reader import MAX_AT_ONCE, Reader, Truncated

BLOCK_HEADER: Final = 4
IS_LAST: Final = 0x80
MAX_HEADER_LENGTH: Final = 16
SEARCHED_BYTES: Final = 2**16
BLOCKS: Final = {1: 192, **{code: 144 << code for code in range(2, 6)}, **{code: 1 << code for code in range(8, 16)}}
"""Samples of a frame by their code; 6 and 7 leave them to a number at the end of the header."""

RATES: Final = (0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000)
"""By their code; 0 is the rate of the first block, and codes behind these leave it to a number at the end of the header."""

RATE_BYTES: Final = {12: 1, 13: 2, 14: 2}
RATE_UNITS: Final = {12: 1000, 13: 1, 14: 10}
SAMPLE_BITS: Final = (0, 8, 12, 0, 16, 20, 24, 32)
"""By their code; 0 is the size of the first block."""

NO_RATE: Final = 15
STREAM_INFO: Final = 34
MARK: Final = re.compile(rb"\xff[\xf8\xf9]")
"""How a frame begins, with a fixed or a variable length of frames."""

MAX_FRAME_LENGTH: Final = 2**19
"""A frame of 65535 samples in two channels of 24 bits, and a little more."""

BYTES_A_STEP: Final = 64
CHANCE_BYTES: Final = 2**20
CHANCE_FRAMES: Final = 8
"""Bytes within frames look like the header of a frame once in some 16 MB."""


class StreamInfo(NamedTuple):
    """The first block: sampling rate, bits of a sample, and the number of samples (0: unknown)."""

    rate: int
    bits: int
    samples: int


class FlacFrame(NamedTuple):
    """Its samples, and what all frames of a file have in common."""

    samples: int
    rate: int
    bits: int

    def is_like(self, other: "FlacFrame") -> bool:
        return (self.rate, self.bits) == (other.rate, other.bits)


class SampleCounts(NamedTuple):
    """The sampling rate, how many samples are declared (0: unknown) and found, where the last frame begins."""

    rate: int
    declared: int
    found: int
    last_at: int


def flac_seconds(reader: Reader) -> Decimal | None:
    counts = _counts(reader)
    return Decimal(counts.found) / counts.rate if counts.rate and counts.found else None


def flac_is_truncated(reader: Reader) -> bool:
    """Whether a FLAC declares more samples than it holds, or ends within its last frame."""
    counts = _counts(reader)
    return counts.declared > counts.found or not _is_complete(reader, counts.last_at)


def _counts(reader: Reader) -> SampleCounts:
    start = after_tags(reader)
    if reader.read(start, 4) != b"fLaC" or reader.number(start + 4, 1) & 0x7F:
        raise Truncated
    info = stream_info(reader.read(start + 8, STREAM_INFO))
    rate, found, last_at = info.rate, 0, start
    for at, frame in _frames(reader, _after_blocks(reader, start + 4), info):
        rate, found, last_at = min(rate, frame.rate), found + frame.samples, at
    return SampleCounts(rate, info.samples, found, last_at)


def _is_complete(reader: Reader, at: int) -> bool:
    """Whether the frame that begins here ends with its checksum, wherever that is; tags may follow it."""
    return next(_checked_ends(reader.some(at, MAX_FRAME_LENGTH)), None) is not None


def _checked_ends(data: bytes) -> Iterator[int]:
    """Where a frame that begins with these bytes may end, by its checksum."""
    value = 0
    for at, byte in enumerate(data, 1):
        value = (value << 8 & 0xFFFF) ^ _CHECKSUMS_16[value >> 8 ^ byte]
        if not value:
            yield at


def stream_info(block: bytes) -> StreamInfo:
    packed = int.from_bytes(block[10:18], "big")
    return StreamInfo(packed >> 44, (packed >> 36 & 31) + 1, packed & (2**36 - 1))


def read_frame(head: bytes, info: StreamInfo) -> FlacFrame | None:
    """The frame that begins with these bytes, if one does."""
    return _frame(head, info) if MARK.match(head) else None


def _after_blocks(reader: Reader, at: int) -> int:
    """Where the frames begin, behind pictures and comments."""
    while True:
        kind, size = reader.number(at, 1), reader.number(at + 1, 3)
        at += BLOCK_HEADER + size
        if kind & IS_LAST:
            return at


def _frames(reader: Reader, start: int, info: StreamInfo) -> Iterator[tuple[int, FlacFrame]]:
    """Every frame like the first one, and where it begins. Raises Truncated where others are frames too."""
    first_at, first = _first(reader, start, info)
    different = 0
    for at, head in _marks(reader, first_at):
        frame = _frame(head, info)
        if frame is not None and frame.is_like(first):
            yield at, frame
        elif frame is not None:
            different += 1
            if different > CHANCE_FRAMES + reader.size // CHANCE_BYTES or _is_followed(reader, at):
                raise Truncated


def _marks(reader: Reader, start: int) -> Iterator[tuple[int, bytes]]:
    """Every place where a frame may begin, and the bytes of its header."""
    at = start
    while at < reader.size:
        window = reader.some(at, MAX_AT_ONCE)
        is_last = at + len(window) >= reader.size
        step = len(window) if is_last else max(1, len(window) - MAX_HEADER_LENGTH)
        for mark in MARK.finditer(window):
            if mark.start() >= step:
                break
            reader.spend(2)
            yield at + mark.start(), window[mark.start() : mark.start() + MAX_HEADER_LENGTH]
        at += max(1, step)


def _is_followed(reader: Reader, at: int) -> bool:
    """Whether the frame that begins here ends with its checksum right before another one, or with the file."""
    data = reader.some(at, MAX_FRAME_LENGTH)
    reader.spend(len(data) // BYTES_A_STEP)
    return any(end == len(data) or MARK.match(data, end) for end in _checked_ends(data))


def _first(reader: Reader, start: int, info: StreamInfo) -> tuple[int, FlacFrame]:
    window = reader.some(start, SEARCHED_BYTES)
    for mark in MARK.finditer(window):
        frame = _frame(window[mark.start() : mark.start() + MAX_HEADER_LENGTH], info)
        if frame is not None:
            return start + mark.start(), frame
    raise Truncated


def _frame(head: bytes, info: StreamInfo) -> FlacFrame | None:
    """The frame that begins with these bytes, if its header is complete."""
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
    stated = int.from_bytes(head[at + more : end], "big") * RATE_UNITS[rate] if rate in RATE_BYTES else RATES[rate]
    return FlacFrame(samples, stated or info.rate, SAMPLE_BITS[head[3] >> 1 & 7] or info.bits)


def _checksum(data: bytes) -> int:
    value = 0
    for byte in data:
        value = _CHECKSUMS[value ^ byte]
    return value


def _crc(byte: int, bits: int, polynomial: int) -> int:
    value = byte << bits - 8
    for _ in range(8):
        value = (value << 1 ^ (polynomial if value >> bits - 1 else 0)) & (1 << bits) - 1
    return value


_CHECKSUMS: Final = tuple(_crc(byte, 8, 0x07) for byte in range(256))
_CHECKSUMS_16: Final = tuple(_crc(byte, 16, 0x8005) for byte in range(256))
