"""Sound in frames, MP3 and AAC: how long it is. Pure.

Frames are counted, unless an MP3 says in its first one how many there are: a rate that changes on the way makes any estimate
wrong. A file with more frames than we count is estimated from those we did.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from photomat.files.reader import Cut, Reader

SEARCHED_BYTES: Final = 65536
MOST_GAPS: Final = 100
MOST_FRAMES: Final = 300_000
TAG_HEADER: Final = 10
FRAME_HEADER: Final = 7
"""The longer of the two."""

MPEG1: Final = 3
LAYER_3: Final = 1
MONO: Final = 3
KBITS: Final = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
}
MP3_RATES: Final = {3: (44100, 48000, 32000, 0), 2: (22050, 24000, 16000, 0), 0: (11025, 12000, 8000, 0)}
AAC_RATES: Final = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame: its length in bytes, how many samples it holds, and how many of them make a second."""

    size: int
    samples: int
    rate: int
    has_tag_at: int = 0


ReadFrame: TypeAlias = Callable[[bytes], Frame | None]


def after_tags(reader: Reader) -> int:
    """Where the sound begins behind the tags at the front."""
    at = 0
    while reader.some(at, 3) == b"ID3":
        size = 0
        for byte in reader.read(at + 6, 4):
            size = size << 7 | byte & 0x7F
        at += TAG_HEADER + size
    return at


def mp3_seconds(reader: Reader) -> Decimal | None:
    """How long an MP3 is."""
    at, frame = _first(reader, after_tags(reader), mp3_frame)
    told = _told_frames(reader, at, frame)
    if told:
        return Decimal(told * frame.samples) / frame.rate
    return _counted(reader, at, mp3_frame)


def aac_seconds(reader: Reader) -> Decimal | None:
    """How long AAC in ADTS frames is."""
    at, _ = _first(reader, after_tags(reader), aac_frame)
    return _counted(reader, at, aac_frame)


def mp3_frame(head: bytes) -> Frame | None:
    """The frame that begins with these bytes, if one does."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:  # noqa: PLR2004  the mark of a frame
        return None
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    is_first = version == MPEG1
    kbit = KBITS[is_first][head[2] >> 4]
    rate = MP3_RATES[version][head[2] >> 2 & 3] if version in MP3_RATES else 0
    if layer != LAYER_3 or not kbit or not rate:
        return None
    samples = 1152 if is_first else 576
    is_mono = head[3] >> 6 == MONO
    tag_at = 4 + ((17 if is_mono else 32) if is_first else (9 if is_mono else 17))
    return Frame(samples // 8 * kbit * 1000 // rate + (head[2] >> 1 & 1), samples, rate, tag_at)


def aac_frame(head: bytes) -> Frame | None:
    """The frame that begins with these bytes, if one does."""
    if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:  # noqa: PLR2004  the mark of a frame
        return None
    rate = AAC_RATES[head[2] >> 2 & 15]
    size = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    blocks = (head[6] & 3) + 1
    return Frame(size, 1024 * blocks, rate) if rate and size > 7 else None  # noqa: PLR2004  longer than its header


def _first(reader: Reader, start: int, read_frame: ReadFrame) -> tuple[int, Frame]:
    """The first frame that is followed by another one, or by the end."""
    window = reader.some(start, SEARCHED_BYTES)
    at = window.find(b"\xff")
    while at >= 0:
        frame = read_frame(window[at : at + FRAME_HEADER])
        if frame is not None:
            behind = start + at + frame.size
            if behind >= reader.size or read_frame(reader.some(behind, FRAME_HEADER)) is not None:
                return start + at, frame
        at = window.find(b"\xff", at + 1)
    raise Cut


def _told_frames(reader: Reader, at: int, frame: Frame) -> int:
    """How many frames the first one says there are; it tells nothing in most files of one rate."""
    tag = reader.some(at + frame.has_tag_at, 12)
    if tag[:4] in {b"Xing", b"Info"} and len(tag) == 12 and tag[7] & 1:  # noqa: PLR2004  flags and the number behind them
        return int.from_bytes(tag[8:12], "big")
    other = reader.some(at + 36, 18)
    return int.from_bytes(other[14:18], "big") if other[:4] == b"VBRI" else 0


def _counted(reader: Reader, start: int, read_frame: ReadFrame) -> Decimal | None:
    """The length of all frames; a little rubbish in between is stepped over."""
    at, gaps, samples = start, 0, Counter[int]()
    for _ in range(MOST_FRAMES):
        frame = read_frame(reader.some(at, FRAME_HEADER))
        if frame is None:
            gaps += 1
            try:
                at, frame = _first(reader, at, read_frame)
            except Cut:
                break
        if gaps > MOST_GAPS:
            break
        samples[frame.rate] += frame.samples
        at += frame.size
    seconds = sum((Decimal(count) / rate for rate, count in samples.items()), Decimal(0))
    is_whole = at >= reader.size - SEARCHED_BYTES
    return seconds if is_whole or at == start else seconds * (reader.size - start) / (at - start)
