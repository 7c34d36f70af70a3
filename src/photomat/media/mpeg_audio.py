"""The length of audio in frames, MP3 and AAC. Pure.

Every frame is counted, whatever the first one states, and the encoder's padding is subtracted (`reader.py`). An MP3 that
declares more frames than it holds is truncated. Junk between frames is skipped, as players do. A file with more frames than we
count (`Reader`) has no length.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias

from photomat.media.reader import (
    AAC_SAMPLES,
    MAX_AT_ONCE,
    MP3_SAMPLES,
    Reader,
    Truncated,
    without_padding,
    without_samples,
)

SEARCHED_BYTES: Final = 65536
TAG_HEADER: Final = 10
FRAME_HEADER: Final = 7
"""The longer of the two."""

MISCOUNTED_FRAMES: Final = 1
XING_FIELDS: Final = {1: 4, 2: 4, 4: 100, 8: 4}
"""Number of frames, number of bytes, table of places, quality: each there if its bit is set."""

LAME_NAMES: Final = (b"LAME", b"Lavf", b"Lavc", b"L3.9")
MAX_STATED_PADDING: Final = 4 * 1152
MARK: Final = 0xFF
MONO: Final = 3
LAYERS: Final = {3: 1, 2: 2, 1: 3}
KBITS: Final = {
    (True, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0),
    (True, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0),
    (True, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (False, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0),
    (False, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
    (False, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
}
"""By version 1 or not, and layer."""

RATES: Final = {3: (44100, 48000, 32000, 0), 2: (22050, 24000, 16000, 0), 0: (11025, 12000, 8000, 0)}
AAC_RATES: Final = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350, 0, 0, 0)


class MpegFrame(NamedTuple):
    """Its length in bytes, its samples, and how many of them make a second."""

    size: int
    samples: int
    rate: int


class Declared(NamedTuple):
    """What the first frame of an MP3 states: how many frames follow, and how many of their samples are padding."""

    frames: int
    padding: int | None = None


ReadFrame: TypeAlias = Callable[[bytes, int], MpegFrame | None]


def after_tags(reader: Reader) -> int:
    at = 0
    while reader.some(at, 3) == b"ID3":
        digits = reader.read(at + 6, 4)
        if max(digits) > 0x7F:  # noqa: PLR2004  no tag: its size is written in seven bits a byte
            break
        at += TAG_HEADER + (digits[0] << 21 | digits[1] << 14 | digits[2] << 7 | digits[3])
    return at


def mp3_seconds(reader: Reader, start: int | None = None) -> Decimal | None:
    """The length of an MP3, or of one that begins within another file."""
    first, declared, seconds = _mp3_counts(reader, start)
    if declared is not None and declared.padding is not None:
        stated = Decimal(declared.frames * first.samples) / first.rate
        exact = max(seconds - Decimal(declared.padding) / first.rate, Decimal(0))
        return (
            without_padding(exact) if seconds <= stated else without_samples(exact, MP3_SAMPLES, first.rate)
        ) or None
    return without_samples(seconds, MP3_SAMPLES, first.rate) or None


def mp3_is_truncated(reader: Reader) -> bool:
    """Whether an MP3 declares more frames than it holds; encoders disagree about counting the declaring frame itself."""
    first, declared, counted = _mp3_counts(reader, None)
    frames = declared.frames if declared is not None else 0
    return frames - MISCOUNTED_FRAMES > counted * first.rate / first.samples


def aac_seconds(reader: Reader) -> Decimal | None:
    at, first = _first(reader, after_tags(reader), aac_frame)
    return without_samples(counted_seconds(reader, at, aac_frame), AAC_SAMPLES, first.rate)


def mp3_frame(head: bytes, at: int = 0) -> MpegFrame | None:
    return MP3_FRAMES.get(head[at + 1] << 8 | head[at + 2]) if at + 3 < len(head) and head[at] == MARK else None


def aac_frame(head: bytes, at: int = 0) -> MpegFrame | None:
    if at + 6 >= len(head) or head[at] != MARK or head[at + 1] & 0xF6 != 0xF0:  # noqa: PLR2004  the mark of a frame
        return None
    rate = AAC_RATES[head[at + 2] >> 2 & 15]
    size = (head[at + 3] & 3) << 11 | head[at + 4] << 3 | head[at + 5] >> 5
    blocks = (head[at + 6] & 3) + 1
    return MpegFrame(size, 1024 * blocks, rate) if rate and size > 7 else None  # noqa: PLR2004  longer than its header


def counted_seconds(reader: Reader, start: int, read_frame: ReadFrame) -> Decimal:
    """The length of all frames from here on; junk between them is skipped."""
    lengths = Counter((frame.rate, frame.samples) for frame in _frames(reader, start, read_frame))
    return sum((Decimal(samples * count) / rate for (rate, samples), count in lengths.items()), Decimal(0))


def _frames(reader: Reader, start: int, read_frame: ReadFrame) -> Iterator[MpegFrame]:
    """Every complete frame. After junk one counts that is like the one before, or is followed by another."""
    at, base, window, before, is_next = start, start, b"", None, True
    while at < reader.size:
        if at + FRAME_HEADER > base + len(window) < reader.size:
            base, window = at, reader.some(at, MAX_AT_ONCE)
        reader.spend()
        frame = read_frame(window, at - base)
        if frame is not None and (is_next or _is_real(reader, at, frame, before, read_frame)):
            at, before, is_next = at + frame.size, frame, True
            if at <= reader.size:
                yield frame
        else:
            found = window.find(b"\xff", at - base + 1)
            at, is_next = base + (found if found >= 0 else len(window)), False


def _is_real(reader: Reader, at: int, frame: MpegFrame, before: MpegFrame | None, read_frame: ReadFrame) -> bool:
    if before is not None and frame.rate == before.rate and frame.samples == before.samples:
        return True
    behind = at + frame.size
    return behind >= reader.size or read_frame(reader.some(behind, FRAME_HEADER), 0) is not None


def _first(reader: Reader, start: int, read_frame: ReadFrame) -> tuple[int, MpegFrame]:
    """The first frame that is followed by another one, or by the end."""
    window = reader.some(start, SEARCHED_BYTES)
    at = window.find(b"\xff")
    while at >= 0:
        frame = read_frame(window, at)
        if frame is not None and _is_real(reader, start + at, frame, None, read_frame):
            return start + at, frame
        at = window.find(b"\xff", at + 1)
    raise Truncated


def _mp3_counts(reader: Reader, start: int | None) -> tuple[MpegFrame, Declared | None, Decimal]:
    """The first frame, what it declares where it is not audio itself, and the length of all audio frames."""
    at, first = _first(reader, after_tags(reader) if start is None else start, mp3_frame)
    declared = _declared(reader, at, first)
    return first, declared, counted_seconds(reader, at if declared is None else at + first.size, mp3_frame)


def _declared(reader: Reader, at: int, frame: MpegFrame) -> Declared | None:
    head = reader.read(at, 4)
    is_mono, is_version_1 = head[3] >> 6 == MONO, head[1] >> 3 & 3 == 3  # noqa: PLR2004  as the table of rates has it
    tag_at = at + 4 + ((17 if is_mono else 32) if is_version_1 else (9 if is_mono else 17))
    tag = reader.some(tag_at, 12)
    if tag[:4] in {b"Xing", b"Info"} and len(tag) == 12:  # noqa: PLR2004  flags and the number behind them
        flags = tag[7]
        after = tag_at + 8 + sum(size for bit, size in XING_FIELDS.items() if flags & bit)
        return Declared(int.from_bytes(tag[8:12], "big") if flags & 1 else 0, _lame_padding(reader.some(after, 24)))
    other = reader.some(at + 36, min(18, frame.size))
    return Declared(int.from_bytes(other[14:18], "big")) if other[:4] == b"VBRI" else None


def _lame_padding(extension: bytes) -> int | None:
    """Delay and filling in samples, twelve bits each, as LAME and compatible encoders state them."""
    if not extension.startswith(LAME_NAMES) or len(extension) < 24:  # noqa: PLR2004  as far as the padding
        return None
    delay = extension[21] << 4 | extension[22] >> 4
    filling = (extension[22] & 0x0F) << 8 | extension[23]
    return delay + filling if delay + filling <= MAX_STATED_PADDING else None


def _mp3_frames() -> dict[int, MpegFrame]:
    """Every possible frame, by the two bytes behind its first one."""
    found = {}
    for second in range(0xE0, 0x100):
        version, layer = second >> 3 & 3, LAYERS.get(second >> 1 & 3)
        for third in range(256):
            if version in RATES and layer is not None:
                rate, kbit = RATES[version][third >> 2 & 3], KBITS[version == 3, layer][third >> 4]  # noqa: PLR2004  version 1
                if rate and kbit:
                    found[second << 8 | third] = _mp3_frame(version, layer, rate, kbit, padding=third >> 1 & 1)
    return found


def _mp3_frame(version: int, layer: int, rate: int, kbit: int, *, padding: int) -> MpegFrame:
    if layer == 1:
        return MpegFrame((12 * kbit * 1000 // rate + padding) * 4, 384, rate)
    samples = 576 if layer == 3 and version != 3 else 1152  # noqa: PLR2004  short frames of layer III in later versions
    return MpegFrame(samples // 8 * kbit * 1000 // rate + padding, samples, rate)


MP3_FRAMES: Final = _mp3_frames()
