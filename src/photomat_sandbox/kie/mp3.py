"""The smallest honest MP3: every frame stands alone and holds a few pure tones, written straight as spectral lines.

Any decoder plays it, and no codec library is needed to write it. MPEG-1 Layer III, one channel, 32 kHz, 32 kbit/s. A line is
silent or sounds with one strength, so every line lies in the "count1" region, whose second code table is four plain bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RATE_HZ: Final = 32_000
BITRATE: Final = 32_000
FRAME_SAMPLES: Final = 1152
FRAME_BYTES: Final = 144
FRAME_S: Final = FRAME_SAMPLES / RATE_HZ
HEADER: Final = b"\xff\xfb\x18\xc0"  # Layer III without checksum, 32 kbit/s at 32 kHz, one channel
LINES: Final = 576
QUAD: Final = 4
LOUDEST: Final = 200
"""The gain of a line at its loudest; one step less is a decibel and a half quieter."""

SIGNS: Final = ("0011", "0110")
"""A steady tone turns by a quarter from granule to granule; which way depends on whether its line is odd. 1 is negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tones:
    """What sounds in one granule, half a frame: some pitches, so many steps quieter than the loudest."""

    pitches_hz: Sequence[float]
    quieter: int = 0


def frames(granules: Sequence[Tones]) -> list[bytes]:
    """Encode granules, two to a frame."""
    return [_frame(granules[at : at + 2], at) for at in range(0, len(granules) - 1, 2)]


def _frame(pair: Sequence[Tones], at: int) -> bytes:
    spectra = [_spectrum(tones, at + n) for n, tones in enumerate(pair)]
    side = "0" * (9 + 5 + 4) + "".join(
        _granule(len(spectrum), tones) for spectrum, tones in zip(spectra, pair, strict=True)
    )
    bits = (side + "".join(spectra)).ljust((FRAME_BYTES - len(HEADER)) * 8, "0")
    return HEADER + int(bits, 2).to_bytes(FRAME_BYTES - len(HEADER), "big")


def _granule(length: int, tones: Tones) -> str:
    """Describe a granule: its bits, no big values, its gain, no scale factors, and the plain table for small values."""
    gain = LOUDEST - tones.quieter
    return f"{length:012b}{0:09b}{gain:08b}" + "0" * (4 + 1 + 15 + 4 + 3 + 1 + 1) + "1"


def _spectrum(tones: Tones, number: int) -> str:
    lines = {min(LINES - 1, int(pitch / (RATE_HZ / 2 / LINES))) for pitch in tones.pitches_hz}
    quads = (range(start, start + QUAD) for start in range(0, max(lines, default=-1) + 1, QUAD))
    return "".join(_quad(quad, lines, number) for quad in quads)


def _quad(quad: range, lines: set[int], number: int) -> str:
    """Four lines: a zero bit for each that sounds, then the signs of those."""
    sounding = [line for line in quad if line in lines]
    marks = "".join("0" if line in lines else "1" for line in quad)
    return marks + "".join(SIGNS[line % 2][number % QUAD] for line in sounding)
