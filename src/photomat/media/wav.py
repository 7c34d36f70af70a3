"""The length of WAV, AIFF and AMR. Pure.

A WAV's header states the bytes per second and the size; neither counts where the rest of the file implies more. ADPCM and GSM
come in blocks of a fixed number of samples, the last one padded: the `fact` chunk states how many count.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from photomat.media.mpeg_audio import mp3_seconds
from photomat.media.reader import MP3_SAMPLES, Reader, most_samples, without_samples

NOT_STATED: Final = frozenset({0, 0xFFFFFFFF})
EXTENDED: Final = 0xFFFE
PLAIN: Final = frozenset({1, 3, 6, 7})
"""Numbers as they are, and the two laws of telephony: so many bits a sample."""

MS_ADPCM, IMA_ADPCM, GSM = 2, 0x11, 0x31
GSM_BLOCK: Final = 65
FILLED_BLOCKS: Final = 2
MPEG: Final = frozenset({0x50, 0x55})
PRINTABLE: Final = range(0x20, 0x7F)

AIFF_COMMON: Final = 18
AIFF_PLAIN: Final = frozenset({b"none", b"sowt", b"twos", b"raw ", b"in24", b"in32", b"fl32", b"fl64"})
AIFF_BLOCKS: Final = {b"ulaw": (1, 1), b"alaw": (1, 1), b"ima4": (34, 64), b"gsm ": (33, 160)}
"""Bytes of a block of one channel, and the samples in it."""

AMR_NARROW, AMR_WIDE = b"#!AMR\n", b"#!AMR-WB\n"
AMR_BYTES: Final = {
    AMR_NARROW: (12, 13, 15, 17, 19, 20, 26, 31, 5, 0, 0, 0, 0, 0, 0, 0),
    AMR_WIDE: (17, 23, 32, 36, 40, 46, 50, 58, 60, 5, 0, 0, 0, 0, 0, 0),
}
"""How many bytes follow the first one of a frame, by its mode."""

AMR_FRAME_S: Final = Decimal("0.02")


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How the audio of a WAV is encoded.

    `bytes_a_second` is the least its header can mean; encoded in blocks, each holds `block_samples`.
    """

    code: int
    rate: int
    bytes_a_second: Decimal
    block_bytes: int = 0
    block_samples: int = 0


def wav_seconds(reader: Reader) -> Decimal | None:
    """Its bytes over the fewest that can make a second, its blocks, or the frames of MP3 within it."""
    found: Format | None = None
    first, size_bytes, stated = 0, 0, 0
    for name, at, size in _chunks(reader):
        if name == b"fmt ":
            written = _format(reader, at, size)
            found = written if found is None or written.bytes_a_second < found.bytes_a_second else found
        elif name == b"fact":
            stated = max(stated, reader.number(at, 4, little=True))
        elif name == b"data":
            first, size_bytes = first or at, size_bytes + size
    if found is None or not first:
        return None
    if found.block_samples:
        return _blocks_seconds(found, size_bytes, stated)
    seconds = Decimal(size_bytes) / found.bytes_a_second if found.bytes_a_second else None
    if found.code in MPEG:
        counted = mp3_seconds(reader, first)
        return None if counted is None else max(counted, without_samples(seconds or counted, MP3_SAMPLES, found.rate))
    return seconds if found.code in PLAIN else None


def _blocks_seconds(form: Format, size_bytes: int, stated: int) -> Decimal | None:
    """The samples that all blocks hold; fewer where the stated number ends within the last, padded ones.

    Decoders ignore the stated number, and blocks may be of any size: what it leaves out must not exceed padding.
    """
    held = -(-size_bytes // form.block_bytes) * form.block_samples
    if not form.rate:
        return None
    filled = min(FILLED_BLOCKS * form.block_samples - 1, most_samples(form.rate))
    if held - filled <= stated < held:
        return Decimal(stated) / form.rate
    return without_samples(Decimal(held) / form.rate, form.block_samples, form.rate)


def _chunks(reader: Reader) -> Iterator[tuple[bytes, int, int]]:
    """Name, place and size. Audio without a size, or not followed by a chunk, goes on to the end of the file."""
    at = 12
    while at + 8 <= reader.size:
        name, size = reader.read(at, 4), reader.number(at + 4, 4, little=True)
        at += 8
        there = reader.size - at
        behind = at + size + size % 2
        if name == b"data" and (size in NOT_STATED or size > there or not _is_part(reader, behind)):
            yield name, at, there
            return
        yield name, at, min(size, there)
        at = behind


def _is_part(reader: Reader, at: int) -> bool:
    name = reader.some(at, 4)
    return at >= reader.size - 1 or all(byte in PRINTABLE for byte in name)


def _format(reader: Reader, at: int, size: int) -> Format:
    code, channels = reader.number(at, 2, little=True), reader.number(at + 2, 2, little=True)
    rate, stated = reader.number(at + 4, 4, little=True), reader.number(at + 8, 4, little=True)
    align, bits = reader.number(at + 12, 2, little=True), reader.number(at + 14, 2, little=True)
    if code == EXTENDED and size >= 26:  # noqa: PLR2004  as far as the code it stands for
        code = reader.number(at + 24, 2, little=True)
    block_samples = _block_samples(code, align, channels)
    if block_samples:
        bytes_a_second = Decimal(rate * align) / block_samples
        return Format(
            code=code, rate=rate, bytes_a_second=bytes_a_second, block_bytes=align, block_samples=block_samples
        )
    counts = [Decimal(stated)]
    if code in PLAIN:
        counts += [Decimal(rate * align), Decimal(rate * channels * -(-bits // 8))]
    least = min((count for count in counts if count), default=Decimal(0))
    return Format(code=code, rate=rate, bytes_a_second=least)


def _block_samples(code: int, block_bytes: int, channels: int) -> int:
    """Samples of a block: of ADPCM four bits each behind a header for each channel. 0 where there are no blocks."""
    if code == GSM:
        return 320 if block_bytes == GSM_BLOCK else 0
    header, in_header = {MS_ADPCM: (7, 2), IMA_ADPCM: (4, 1)}.get(code, (0, 0))
    if not header or not channels or block_bytes <= header * channels:
        return 0
    return (block_bytes - header * channels) * 2 // channels + in_header


def aiff_seconds(reader: Reader) -> Decimal | None:
    """The samples its audio has bytes for; None where it is compressed in an unknown way."""
    at, rate, block_bytes, block_samples, size_bytes = 12, Decimal(0), 0, 0, 0
    while at + 8 <= reader.size:
        name, size = reader.read(at, 4), reader.number(at + 4, 4)
        if name == b"COMM":
            rate, bits = _extended(reader.read(at + 16, 10)), reader.number(at + 14, 2)
            code = reader.read(at + 26, 4).lower() if size >= AIFF_COMMON + 4 else b"none"
            each, block_samples = (-(-bits // 8), 1) if code in AIFF_PLAIN else AIFF_BLOCKS.get(code, (0, 0))
            block_bytes = reader.number(at + 8, 2) * each
        elif name == b"SSND":
            size_bytes += min(size, reader.size - at - 8) - 8
        at += 8 + size + size % 2
    if not rate or not block_bytes or size_bytes <= 0:
        return None
    return size_bytes // block_bytes * block_samples / rate


def _extended(number: bytes) -> Decimal:
    """An 80-bit floating-point number."""
    exponent, fraction = int.from_bytes(number[:2], "big") & 0x7FFF, int.from_bytes(number[2:], "big")
    shift = exponent - 16383 - 63
    return Decimal(fraction << shift) if shift > 0 else Decimal(fraction) / (1 << -shift)


def amr_seconds(reader: Reader) -> Decimal | None:
    start = next(name for name in AMR_BYTES if reader.some(0, len(name)) == name)
    at, frames = len(start), 0
    while at < reader.size:
        at, frames = at + 1 + AMR_BYTES[start][reader.number(at, 1) >> 3 & 15], frames + 1
    return frames * AMR_FRAME_S
