"""Opus, Vorbis, Speex and FLAC in Ogg: how long they are. Pure.

Pages say which place the sound has reached; the packets in them say how long they are themselves. The larger counts. Streams
that run beside each other last as long as the longest, streams one after the other add up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from photomat.files.flac import declared_in, frame_samples
from photomat.files.padding import without_samples
from photomat.files.reader import Reader

PAGE_HEADER: Final = 27
LONGEST_PAGE_HEADER: Final = PAGE_HEADER + 255
GOES_ON, BEGINS = 1, 2
FULL: Final = 255
OPUS_RATE: Final = 48000
OPUS_PARTS: Final = {range(12): (480, 960, 1920, 2880), range(12, 16): (480, 960), range(16, 32): (120, 240, 480, 960)}
"""How many samples a part of a packet holds, by the first five bits of it."""

LONGEST_PACKET: Final = 5760
"""Opus fills up its last packet, and the last page says where the sound really ends."""

HEADERS: Final = {"opus": 2, "vorbis": 3, "speex": 2, "flac": 1}
STREAM_HEAD: Final = 80
FRAME_HEAD: Final = 16
SEARCHED_BYTES: Final = 2**16


@dataclass(slots=True, kw_only=True)
class Stream:
    """One sound within the file."""

    codec: str
    rate: int
    unheard: int = 0
    least: int = 0
    declared: int = 0
    reached: int = 0
    packets: int = 0
    counted: int = 0

    @property
    def filling(self) -> int:
        """How many samples more than the last page says its packets may hold: their sound is cut off there."""
        return {"opus": LONGEST_PACKET, "vorbis": 4 * self.least, "speex": 2 * self.least}.get(self.codec, 0)

    @property
    def seconds(self) -> Decimal:
        """How long it is."""
        is_cut_off = 0 <= self.counted - self.reached <= self.filling
        last = self.reached if is_cut_off else max(self.reached, self.counted)
        seconds = Decimal(last - self.unheard) / self.rate if self.rate else Decimal(0)
        return without_samples(seconds, self.filling, self.rate) if self.codec == "speex" else seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: whose it is, what place it has reached, and where its packets begin and how long they are."""

    flags: int
    reached: int
    serial: bytes
    packets: list[tuple[int, int]] = field(default_factory=list)


def ogg_seconds(reader: Reader) -> Decimal | None:
    """How long sound in Ogg is: the longest of the streams beside each other, and then of those that follow them."""
    return sum((_longest(beside) for beside in _chained(reader)), Decimal(0)) or None


def ogg_is_truncated(reader: Reader) -> bool:
    """Whether a stream of FLAC declares more samples than it holds; other codecs declare nothing."""
    streams = (stream for beside in _chained(reader) for stream in beside.values())
    return any(stream.declared > max(stream.reached, stream.counted) for stream in streams)


def _chained(reader: Reader) -> Iterator[dict[bytes, Stream]]:
    """The streams that run beside each other, by their serial numbers; one such group after the other."""
    beside, is_heading = dict[bytes, Stream](), True
    for page in _pages(reader):
        if page.flags & BEGINS and not is_heading:
            yield beside
            beside = {}
        is_heading = bool(page.flags & BEGINS)
        if page.serial not in beside and page.packets:
            stream = _stream(reader.some(page.packets[0][0], STREAM_HEAD))
            beside |= {page.serial: stream} if stream is not None else {}
        if page.serial in beside:
            _count(reader, page, beside[page.serial])
    yield beside


def _longest(beside: dict[bytes, Stream]) -> Decimal:
    return max((stream.seconds for stream in beside.values()), default=Decimal(0))


def _stream(packet: bytes) -> Stream | None:
    if packet.startswith(b"OpusHead"):
        return Stream(codec="opus", rate=OPUS_RATE, unheard=int.from_bytes(packet[10:12], "little"))
    if packet.startswith(b"\x01vorbis") and len(packet) > 28:  # noqa: PLR2004  as far as the lengths of its blocks
        return Stream(codec="vorbis", rate=int.from_bytes(packet[12:16], "little"), least=1 << (packet[28] & 15) >> 1)
    if packet.startswith(b"Speex   ") and len(packet) >= 72:  # noqa: PLR2004  as far as its frames
        rate, frame, frames = (int.from_bytes(packet[at : at + 4], "little") for at in (36, 56, 64))
        return Stream(codec="speex", rate=rate, least=frame * max(1, frames))
    if packet.startswith(b"\x7fFLAC") and len(packet) >= 51:  # noqa: PLR2004  with the block that describes the stream
        rate, declared = declared_in(packet[17:51])
        return Stream(codec="flac", rate=rate, declared=declared)
    return None


def _count(reader: Reader, page: Page, stream: Stream) -> None:
    stream.reached = max(stream.reached, page.reached)
    for at, size in page.packets:
        stream.packets += 1
        if stream.packets > HEADERS[stream.codec] and size:
            stream.counted += _packet_samples(reader, at, stream)


def _packet_samples(reader: Reader, at: int, stream: Stream) -> int:
    match stream.codec:
        case "opus":
            return _opus_samples(reader.some(at, 2))
        case "flac":
            return frame_samples(reader.some(at, FRAME_HEAD))
        case _:
            return stream.least


def _opus_samples(packet: bytes) -> int:
    """How long an Opus packet is: the length of a part, and how many there are."""
    config, number = packet[0] >> 3, packet[0] & 3
    part = next(sizes[config % len(sizes)] for configs, sizes in OPUS_PARTS.items() if config in configs)
    return part * ((1, 2, 2)[number] if number < 3 else packet[1] & 63 if len(packet) > 1 else 0)  # noqa: PLR2004  a code


def _pages(reader: Reader) -> Iterator[Page]:
    """Every page; what is no page is stepped over."""
    at = 0
    while at + PAGE_HEADER <= reader.size:
        head = reader.some(at, LONGEST_PAGE_HEADER)
        if head[:4] != b"OggS":
            window = reader.some(at, SEARCHED_BYTES)
            found = window.find(b"OggS", 1)
            at += found if found > 0 else max(1, len(window) - 3)
            continue
        table = head[PAGE_HEADER : PAGE_HEADER + head[26]]
        start = at + PAGE_HEADER + len(table)
        reached = int.from_bytes(head[6:14], "little", signed=True)
        reader.spend(2 + len(table) // 4)
        yield Page(flags=head[5], reached=reached, serial=head[14:18], packets=_packets(table, start, head[5]))
        at = start + sum(table)


def _packets(table: bytes, start: int, flags: int) -> list[tuple[int, int]]:
    """The packets that begin in a page; one that goes on from the page before began there."""
    found, at, size, is_rest = list[tuple[int, int]](), start, 0, bool(flags & GOES_ON)
    for length in table:
        size += length
        if length < FULL:
            found += [] if is_rest else [(at, size)]
            at, size, is_rest = at + size, 0, False
    return found if not size or is_rest else [*found, (at, size)]
