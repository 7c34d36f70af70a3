"""Plays the made-up sound: a short tune on a friendly scale, always the same for the same words."""

import array
import io
import math
import random
import sys
import wave
import zlib
from typing import Final

from photomat_sandbox.kie.results import ResultFile

RATE_HZ: Final = 16_000
NOTES: Final = 8
NOTE_S: Final = 0.25
PENTATONIC_HZ: Final = (261.6, 293.7, 329.6, 392.0, 440.0, 523.3)
LOUDNESS: Final = 9_000


def tune(file: ResultFile) -> bytes:
    """Play two seconds into a WAV file."""
    seed = zlib.crc32(f"{file.prompt}#{file.index}".encode())
    chance = random.Random(seed)  # noqa: S311 - a tune, not a secret
    samples = array.array("h")
    for _ in range(NOTES):
        samples.extend(_note(chance.choice(PENTATONIC_HZ)))
    if sys.byteorder == "big":
        samples.byteswap()
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE_HZ)
        sound.writeframes(samples.tobytes())
    return out.getvalue()


def _note(pitch_hz: float) -> list[int]:
    """Play one note that fades, with a little of its octave."""
    length = int(RATE_HZ * NOTE_S)
    turn = 2 * math.pi * pitch_hz / RATE_HZ
    return [
        round(
            LOUDNESS * math.exp(-3 * n / length) * min(1, n / 80) * (math.sin(turn * n) + 0.3 * math.sin(2 * turn * n))
        )
        for n in range(length)
    ]
