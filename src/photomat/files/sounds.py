"""Sound in other containers, WAV and WMA: how long it is. Pure.

A header says how many bytes make a second, and how long it all is; neither is believed where the rest says more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from photomat.files.frames import mp3_seconds
from photomat.files.reader import Reader

NOT_TOLD: Final = frozenset({0, 0xFFFFFFFF})
EXTENDED: Final = 0xFFFE
PLAIN: Final = frozenset({1, 3, 6, 7})
"""Numbers as they are, and the two laws of telephony: so many bits a sample."""

HALVES: Final = frozenset({2, 0x11})
"""Differences: four bits a sample."""

MPEG: Final = frozenset({0x50, 0x55})
PRINTABLE: Final = range(0x20, 0x7F)

FILE_PROPERTIES: Final = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
DATA_OBJECT: Final = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")
DATA_HEADER: Final = 50
WMA_HEADER_BYTES: Final = 2**20
NUMBER_BYTES: Final = (0, 1, 2, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How the sound of a WAV is written; `bytes_a_second` is the least its header can mean."""

    code: int
    bytes_a_second: Decimal


def wav_seconds(reader: Reader) -> Decimal | None:
    """How long a WAV is: its bytes over the least that can make a second; frames of MP3 within it are counted."""
    found: Format | None = None
    first, size_bytes = 0, 0
    for name, at, size in _chunks(reader):
        if name == b"fmt ":
            written = _format(reader, at, size)
            found = written if found is None or written.bytes_a_second < found.bytes_a_second else found
        elif name == b"data":
            first, size_bytes = first or at, size_bytes + size
    if found is None or not first:
        return None
    seconds = Decimal(size_bytes) / found.bytes_a_second if found.bytes_a_second else None
    if found.code in MPEG:
        counted = mp3_seconds(reader, first)
        return None if counted is None else max(counted, seconds or counted)
    return seconds if found.code in PLAIN | HALVES else None


def _chunks(reader: Reader) -> Iterator[tuple[bytes, int, int]]:
    """The parts: name, place and size. Sound that does not say its size, or is followed by no part, goes on to the end."""
    at = 12
    while at + 8 <= reader.size:
        name, size = reader.read(at, 4), reader.number(at + 4, 4, little=True)
        at += 8
        there = reader.size - at
        behind = at + size + size % 2
        if name == b"data" and (size in NOT_TOLD or size > there or not _is_part(reader, behind)):
            yield name, at, there
            return
        yield name, at, min(size, there)
        at = behind


def _is_part(reader: Reader, at: int) -> bool:
    name = reader.some(at, 4)
    return at >= reader.size - 1 or all(byte in PRINTABLE for byte in name)


def _format(reader: Reader, at: int, size: int) -> Format:
    code, channels = reader.number(at, 2, little=True), reader.number(at + 2, 2, little=True)
    rate, told = reader.number(at + 4, 4, little=True), reader.number(at + 8, 4, little=True)
    align, bits = reader.number(at + 12, 2, little=True), reader.number(at + 14, 2, little=True)
    if code == EXTENDED and size >= 26:  # noqa: PLR2004  as far as the code it stands for
        code = reader.number(at + 24, 2, little=True)
    counts = [Decimal(told)]
    if code in PLAIN:
        counts += [Decimal(rate * align), Decimal(rate * channels * -(-bits // 8))]
    elif code in HALVES:
        counts += [Decimal(rate * channels) / 2]
    return Format(code=code, bytes_a_second=min((count for count in counts if count), default=Decimal(0)))


def wma_seconds(reader: Reader) -> Decimal | None:
    """How long a WMA is: as its properties say, or as its last packets do."""
    head = reader.some(0, WMA_HEADER_BYTES)
    at = head.find(FILE_PROPERTIES)
    if at < 0:
        return None
    length, preroll = reader.number(at + 64, 8, little=True), reader.number(at + 80, 8, little=True)
    told = Decimal(length) / 10_000_000 - Decimal(preroll) / 1000
    data, size = head.find(DATA_OBJECT), reader.number(at + 92, 4, little=True)
    if data < 0 or not size:
        return told
    reached = max((_reached(reader, at) for at in range(data + DATA_HEADER, reader.size - 16, size)), default=0)
    return max(told, Decimal(reached - preroll) / 1000)


def _reached(reader: Reader, at: int) -> int:
    """Until when a packet's sound lasts, in thousandths; the numbers before its times have no fixed length."""
    reader.spend(2)
    head = reader.some(at, 32)
    after = 1 + (head[0] & 0x0F) if head[0] & 0x80 else 0
    flags = head[after]
    times = after + 2 + sum(NUMBER_BYTES[flags >> shift & 3] for shift in (5, 1, 3))
    sent, lasts = head[times : times + 4], head[times + 4 : times + 6]
    return int.from_bytes(sent, "little") + int.from_bytes(lasts, "little")
