"""Windows Media (ASF): whether it is video (WMV) or audio (WMA), and its length. Pure.

The length is the larger of what its properties state and the end of its last packet. The packets are followed by indexes:
objects of their own, whose bytes must not be read as packets.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from photomat.media.reader import WMA_SAMPLES, Reader, without_padding, without_samples

FILE_PROPERTIES: Final = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")
STREAM_PROPERTIES: Final = bytes.fromhex("9107dcb7b7a9cf118ee600c00c205365")
AUDIO_STREAM: Final = bytes.fromhex("409e69f84d5bcf11a8fd00805f5c442b")
VIDEO_STREAM: Final = bytes.fromhex("c0ef19bc4d5bcf11a8fd00805f5c442b")
DATA_OBJECT: Final = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")
INDEXES: Final = frozenset(
    bytes.fromhex(each)
    for each in (
        "90080033b1e5cf1189f400a0c90349cb",
        "d329e2d6da35d111903400a0c90349be",
        "f803b1fead12644c840f2a1d2f7ad48c",
        "d03fb73c4a0c0348953dedf7b6228f0c",
    )
)
"""Simple index, index, media object index, timecode index."""

HEADER_BYTES: Final = 2**20
FIRST_OBJECT: Final = 30
DATA_HEADER: Final = 50
OBJECT_HEADER: Final = 24
STREAM_PROPERTIES_BYTES: Final = 78
"""The part of the object before what its kind of stream states."""

NUMBER_BYTES: Final = (0, 1, 2, 4)
"""How long the numbers before a packet's times are, by their codes."""


@dataclass(slots=True, kw_only=True)
class Asf:
    """What the header states: lengths in units of 100 ns and in milliseconds, the size of a packet, and the streams."""

    duration: int = 0
    preroll_ms: int = 0
    packet_bytes: int = 0
    has_video: bool = False
    sample_rate: int = 0
    reached_ms: int = 0
    width: int = 0
    height: int = 0

    @property
    def seconds(self) -> Decimal | None:
        stated = Decimal(self.duration) / 10_000_000 - Decimal(self.preroll_ms) / 1000
        seconds = max(stated, Decimal(self.reached_ms - self.preroll_ms) / 1000, Decimal(0))
        if self.has_video:
            return without_padding(seconds) or None
        return without_samples(seconds, WMA_SAMPLES, self.sample_rate) or None


def read_asf(reader: Reader) -> Asf:
    """Read the header, and the times of every packet."""
    found = Asf()
    header_bytes = min(reader.number(16, 8, little=True), reader.size)
    for name, at, size in _objects(reader, FIRST_OBJECT, header_bytes):
        if name == FILE_PROPERTIES:
            found.duration = reader.number(at + 64, 8, little=True)
            found.preroll_ms = reader.number(at + 80, 8, little=True)
            found.packet_bytes = reader.number(at + 92, 4, little=True)
        elif name == STREAM_PROPERTIES and size > STREAM_PROPERTIES_BYTES:
            _read_stream(reader, at, found)
    for name, at, size in _objects(reader, header_bytes, reader.size):
        if name == DATA_OBJECT and found.packet_bytes:
            end = _end_of_packets(reader, at, size)
            places = range(at + DATA_HEADER, end - 16, found.packet_bytes)
            found.reached_ms = max((_reached_ms(reader, each) for each in places), default=0)
            return found
    return found


def _read_stream(reader: Reader, at: int, found: Asf) -> None:
    kind, specific = reader.read(at + 24, 16), at + STREAM_PROPERTIES_BYTES
    if kind == VIDEO_STREAM:
        found.has_video = True
        found.width = reader.number(specific, 4, little=True)
        found.height = reader.number(specific + 4, 4, little=True)
    elif kind == AUDIO_STREAM:
        found.sample_rate = reader.number(specific + 4, 4, little=True)


def _objects(reader: Reader, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Consecutive objects: name, place, size with their header."""
    at = start
    while at + OBJECT_HEADER <= end:
        name, size = reader.read(at, 16), reader.number(at + 16, 8, little=True)
        yield name, at, size
        if size < OBJECT_HEADER:
            return
        at += size


def _end_of_packets(reader: Reader, at: int, size: int) -> int:
    """Where the packets end: before an index. A data object whose size leads anywhere else goes on to the end of the file."""
    end = at + size
    is_stated = end == reader.size or (end < reader.size and reader.some(end, 16) in INDEXES)
    return end if is_stated else reader.size


def _reached_ms(reader: Reader, at: int) -> int:
    """Until when a packet lasts; the numbers before its times have no fixed length."""
    reader.spend(2)
    head = reader.some(at, 32)
    after = 1 + (head[0] & 0x0F) if head[0] & 0x80 else 0
    flags = head[after]
    times = after + 2 + sum(NUMBER_BYTES[flags >> shift & 3] for shift in (5, 1, 3))
    sent, lasts = head[times : times + 4], head[times + 4 : times + 6]
    return int.from_bytes(sent, "little") + int.from_bytes(lasts, "little")
