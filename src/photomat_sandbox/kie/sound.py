"""Result audio: a short tune, always the same for the same words, as WAV or as a minimal MP3.

MP3 frames are independent and hold a few pure tones, written as spectral lines: any decoder plays them, and no codec
library is needed. MPEG-1 Layer III, one channel, 32 kHz, 32 kbit/s. A line is silent or sounds with one strength, so
every line lies in the "count1" region, whose second code table is four plain bits.
"""

import array
import io
import math
import random
import sys
import wave
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat_sandbox.kie.results import ResultFile
from photomat_sandbox.kie.tasks import SOUND_S

MP3_RATE_HZ: Final = 32_000
BITRATE: Final = 32_000
FRAME_SAMPLES: Final = 1152
FRAME_BYTES: Final = 144
FRAME_S: Final = FRAME_SAMPLES / MP3_RATE_HZ
HEADER: Final = b"\xff\xfb\x18\xc0"  # Layer III without checksum, 32 kbit/s at 32 kHz, one channel
LINES: Final = 576
QUAD: Final = 4
LOUDEST: Final = 200
"""The gain of a line at its loudest; one step less is a decibel and a half quieter."""
SIGNS: Final = ("0011", "0110")
"""A steady tone turns by a quarter from granule to granule; which way depends on whether its line is odd. 1 is negative."""
WAV_RATE_HZ: Final = 16_000
NOTE_S: Final = 0.252
"""Seven frames of MP3."""
NOTES: Final = round(SOUND_S / NOTE_S)
PENTATONIC_HZ: Final = (261.6, 293.7, 329.6, 392.0, 440.0, 523.3)
LOUDNESS: Final = 9_000
GRANULES_A_NOTE: Final = round(NOTE_S / (FRAME_S / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tones:
    """The pitches of one granule (half a frame), `quieter` steps below the loudest."""

    pitches_hz: Sequence[float]
    quieter: int = 0


def encode_mp3(granules: Sequence[Tones]) -> list[bytes]:
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
    """Write a granule's header: its length, no big values, its gain, no scale factors, and the plain table for small values."""
    gain = LOUDEST - tones.quieter
    return f"{length:012b}{0:09b}{gain:08b}" + "0" * (4 + 1 + 15 + 4 + 3 + 1 + 1) + "1"


def _spectrum(tones: Tones, number: int) -> str:
    lines = {min(LINES - 1, int(pitch / (MP3_RATE_HZ / 2 / LINES))) for pitch in tones.pitches_hz}
    quads = (range(start, start + QUAD) for start in range(0, max(lines, default=-1) + 1, QUAD))
    return "".join(_quad(quad, lines, number) for quad in quads)


def _quad(quad: range, lines: set[int], number: int) -> str:
    """Encode four lines: a zero bit for each that sounds, then their signs."""
    sounding = [line for line in quad if line in lines]
    marks = "".join("0" if line in lines else "1" for line in quad)
    return marks + "".join(SIGNS[line % 2][number % QUAD] for line in sounding)


def render_wav(file: ResultFile) -> bytes:
    """Render the tune as a WAV file."""
    samples = array.array("h")
    notes = {pitch: array.array("h", _note(pitch)) for pitch in PENTATONIC_HZ}
    for pitch in melody(file):
        samples.extend(notes[pitch])
    if sys.byteorder == "big":
        samples.byteswap()
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(WAV_RATE_HZ)
        sound.writeframes(samples.tobytes())
    return out.getvalue()


def mp3_frames(file: ResultFile, *, notes: int | None = None) -> list[bytes]:
    """Render the tune, or its beginning, as MP3 frames; each note fades out."""
    return encode_mp3(
        [
            Tones(pitches_hz=(pitch, 2 * pitch), quieter=n)
            for pitch in melody(file)[:notes]
            for n in range(GRANULES_A_NOTE)
        ]
    )


def melody(file: ResultFile) -> list[float]:
    """Compose the pitches of a file's tune."""
    seed = zlib.crc32(f"{file.prompt}#{file.name.rpartition('-')[2]}#{file.index}".encode())
    rng = random.Random(seed)  # noqa: S311 - a tune, not a secret
    return [rng.choice(PENTATONIC_HZ) for _ in range(max(1, round(file.seconds / NOTE_S)))]


def _note(pitch_hz: float) -> list[int]:
    """Compute the samples of one fading note, with a little of its octave."""
    length = int(WAV_RATE_HZ * NOTE_S)
    turn = 2 * math.pi * pitch_hz / WAV_RATE_HZ
    return [
        round(
            LOUDNESS * math.exp(-3 * n / length) * min(1, n / 80) * (math.sin(turn * n) + 0.3 * math.sin(2 * turn * n))
        )
        for n in range(length)
    ]
