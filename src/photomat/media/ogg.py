"""The length of Opus, Vorbis, Speex and FLAC in Ogg. Pure.

Pages state the position the audio has reached, and packets have lengths of their own. The larger counts, unless the page cuts
off no more than padding. Concurrent streams last as long as the longest, consecutive ones add up.

A packet of Vorbis names one of the stream's modes, short or long. The modes are at the end of the third header packet, behind
tables of any size, so they are read from its end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from photomat.media.flac import StreamInfo, read_frame, stream_info
from photomat.media.reader import Reader, Truncated, most_samples, without_samples

MODE_BITS: Final = 41
"""One bit says whether it is long; window and transform (16 bits each) are always 0; 8 bits name a mapping."""
COUNT_BITS: Final = 6
MAX_MODES: Final = 64
MAX_MAPPINGS: Final = 64
MODES_BYTES: Final = (MAX_MODES * MODE_BITS + COUNT_BITS) // 8 + 2
GOES_ON, BEGINS = 1, 2
PAGE_HEADER: Final = 27
MAX_PAGE_HEADER_LENGTH: Final = PAGE_HEADER + 255
FULL: Final = 255
OPUS_RATE: Final = 48000
OPUS_PARTS: Final = {range(12): (480, 960, 1920, 2880), range(12, 16): (480, 960), range(16, 32): (120, 240, 480, 960)}
"""How many samples a part of a packet holds, by the first five bits of it."""
MAX_PACKET_LENGTH: Final = 5760
"""Opus fills up its last packet, and the last page says where the audio really ends."""
SPEEX_FRAME: Final = 160
"""Samples of a frame of the narrowest mode; each wider one doubles them. Decoders do not look at the stated size."""
HEADERS: Final = {"opus": 2, "vorbis": 3, "speex": 2, "flac": 1}
STREAM_HEAD: Final = 80
FRAME_HEAD: Final = 16
SEARCHED_BYTES: Final = 2**16


@dataclass(slots=True, kw_only=True)
class VorbisBlocks:
    """The lengths of the two kinds of blocks, the end of the header packet with the modes, and the block before."""

    short: int
    long: int
    setup: bytes = b""
    modes: tuple[bool, ...] = field(default=())
    before: int = 0

    def add_setup(self, part: bytes) -> None:
        """Add bytes of the header packet; only its end matters."""
        self.setup = (self.setup + part)[-MODES_BYTES:]

    def samples(self, packet: bytes) -> int:
        """How many samples an audio packet adds: blocks overlap, the first one adds none. Raises Truncated without modes."""
        self.modes = self.modes or read_modes(self.setup)
        if packet[0] & 1:
            return 0
        number = packet[0] >> 1 & (1 << (len(self.modes) - 1).bit_length()) - 1
        block = self.long if number < len(self.modes) and self.modes[number] else self.short
        added = (self.before + block) // 4 if self.before else 0
        self.before = block
        return added


def read_modes(setup: bytes) -> tuple[bool, ...]:
    """Which modes are long. Raises Truncated where the packet does not end with modes."""
    bits = int.from_bytes(setup, "little")
    end = bits.bit_length() - 1
    found, modes = tuple[bool, ...](), tuple[bool, ...]()
    while end >= MODE_BITS + COUNT_BITS and len(modes) < MAX_MODES:
        end -= MODE_BITS
        mode = bits >> end
        if mode >> 1 & 0xFFFFFFFF or mode >> 33 & 0xFF >= MAX_MAPPINGS:
            break
        modes = (bool(mode & 1), *modes)
        if (bits >> end - COUNT_BITS & (1 << COUNT_BITS) - 1) + 1 == len(modes):
            found = modes
    if not found:
        raise Truncated
    return found


@dataclass(slots=True, kw_only=True)
class Stream:
    codec: str
    rate: int
    pre_skip: int = 0
    least: int = 0
    info: StreamInfo | None = None
    blocks: VorbisBlocks | None = None
    reached: int = 0
    packets: int = 0
    counted: int = 0

    @property
    def filling(self) -> int:
        """How many more samples its packets may hold than the last page states: the audio is cut off there."""
        block = self.blocks.long if self.blocks is not None else 0
        filling = {"opus": MAX_PACKET_LENGTH, "vorbis": 2 * block, "speex": 2 * self.least}.get(self.codec, 0)
        return min(filling, most_samples(self.rate))

    @property
    def declared(self) -> int:
        """How many samples it declares; 0: unknown."""
        return self.info.samples if self.info is not None else 0

    @property
    def seconds(self) -> Decimal:
        is_cut_off = 0 <= self.counted - self.reached <= self.filling
        last = self.reached if is_cut_off else max(self.reached, self.counted)
        seconds = Decimal(last - self.pre_skip) / self.rate if self.rate else Decimal(0)
        return without_samples(seconds, self.filling, self.rate) if self.codec == "speex" else seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class OggPage:
    """Its stream, the position reached, and where its packets begin and how long they are.

    `continued` is the part of a packet that began in the page before.
    """

    flags: int
    reached: int
    serial: bytes
    packets: list[tuple[int, int]] = field(default_factory=list)
    continued: tuple[int, int] | None = None


def ogg_seconds(reader: Reader) -> Decimal | None:
    """The longest of concurrent streams, plus that of those that follow them."""
    return sum((_longest(beside) for beside in _chained(reader)), Decimal(0)) or None


def ogg_is_truncated(reader: Reader) -> bool:
    """Whether a stream of FLAC declares more samples than it holds; other codecs declare nothing."""
    streams = (stream for beside in _chained(reader) for stream in beside.values())
    return any(stream.declared > max(stream.reached, stream.counted) for stream in streams)


def _chained(reader: Reader) -> Iterator[dict[bytes, Stream]]:
    """The concurrent streams by serial number, one group after the other."""
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
        return Stream(codec="opus", rate=OPUS_RATE, pre_skip=int.from_bytes(packet[10:12], "little"))
    if packet.startswith(b"\x01vorbis") and len(packet) > 28:  # noqa: PLR2004  as far as the lengths of its blocks
        blocks = VorbisBlocks(short=1 << (packet[28] & 15), long=1 << (packet[28] >> 4))
        return Stream(codec="vorbis", rate=int.from_bytes(packet[12:16], "little"), blocks=blocks)
    if packet.startswith(b"Speex   ") and len(packet) >= 72:  # noqa: PLR2004  as far as its frames
        rate, mode, frame, frames = (int.from_bytes(packet[at : at + 4], "little") for at in (36, 40, 56, 64))
        return Stream(codec="speex", rate=rate, least=max(frame, SPEEX_FRAME << min(mode, 2)) * max(1, frames))
    if packet.startswith(b"\x7fFLAC") and len(packet) >= 51:  # noqa: PLR2004  with the block that describes the stream
        info = stream_info(packet[17:51])
        return Stream(codec="flac", rate=info.rate, info=info)
    return None


def _count(reader: Reader, page: OggPage, stream: Stream) -> None:
    stream.reached = max(stream.reached, page.reached)
    if page.continued is not None and stream.packets == HEADERS[stream.codec]:
        _add_setup(reader, *page.continued, stream)
    for at, size in page.packets:
        stream.packets += 1
        if stream.packets == HEADERS[stream.codec]:
            _add_setup(reader, at, size, stream)
        if stream.packets > HEADERS[stream.codec] and size:
            stream.counted += _packet_samples(reader, at, stream)


def _add_setup(reader: Reader, at: int, size: int, stream: Stream) -> None:
    """Keep the end of the last header packet of Vorbis, which may go on over several pages."""
    if stream.blocks is not None:
        skipped = max(0, size - MODES_BYTES)
        stream.blocks.add_setup(reader.some(at + skipped, size - skipped))


def _packet_samples(reader: Reader, at: int, stream: Stream) -> int:
    match stream.codec:
        case "opus":
            return _opus_samples(reader.some(at, 2))
        case "flac" if stream.info is not None:
            frame = read_frame(reader.some(at, FRAME_HEAD), stream.info)
            stream.rate = min(stream.rate, frame.rate) if frame is not None else stream.rate
            return frame.samples if frame is not None else 0
        case "vorbis" if stream.blocks is not None:
            return stream.blocks.samples(reader.read(at, 1))
        case _:
            return stream.least


def _opus_samples(packet: bytes) -> int:
    """The length of a part times their number."""
    config, number = packet[0] >> 3, packet[0] & 3
    part = next(sizes[config % len(sizes)] for configs, sizes in OPUS_PARTS.items() if config in configs)
    return part * ((1, 2, 2)[number] if number < 3 else packet[1] & 63 if len(packet) > 1 else 0)  # noqa: PLR2004  a code


def _pages(reader: Reader) -> Iterator[OggPage]:
    """Every page; other bytes are skipped."""
    at = 0
    while at + PAGE_HEADER <= reader.size:
        head = reader.some(at, MAX_PAGE_HEADER_LENGTH)
        if head[:4] != b"OggS":
            window = reader.some(at, SEARCHED_BYTES)
            found = window.find(b"OggS", 1)
            at += found if found > 0 else max(1, len(window) - 3)
            continue
        table = head[PAGE_HEADER : PAGE_HEADER + head[26]]
        start = at + PAGE_HEADER + len(table)
        reached = int.from_bytes(head[6:14], "little", signed=True)
        reader.spend(2 + len(table) // 4)
        packets = _packets(table, start)
        rest = packets.pop(0) if head[5] & GOES_ON and packets else None
        yield OggPage(flags=head[5], reached=reached, serial=head[14:18], packets=packets, continued=rest)
        at = start + sum(table)


def _packets(table: bytes, start: int) -> list[tuple[int, int]]:
    """The packets in a page, as far as they are in it."""
    found, at, size = list[tuple[int, int]](), start, 0
    for length in table:
        size += length
        if length < FULL:
            found.append((at, size))
            at, size = at + size, 0
    return [*found, (at, size)] if size else found
