"""Plays the made-up sound: a short tune on a friendly scale, always the same for the same words."""

import array
import io
import math
import random
import sys
import wave
import zlib
from typing import Final

from photomat_sandbox.kie import mp3
from photomat_sandbox.kie.results import SOUND_S, ResultFile

RATE_HZ: Final = 16_000
NOTE_S: Final = 0.252
"""Seven frames of MP3."""

NOTES: Final = round(SOUND_S / NOTE_S)
PENTATONIC_HZ: Final = (261.6, 293.7, 329.6, 392.0, 440.0, 523.3)
LOUDNESS: Final = 9_000
GRANULES_A_NOTE: Final = round(NOTE_S / (mp3.FRAME_S / 2))


def wav(file: ResultFile) -> bytes:
    """Play the tune into a WAV file."""
    samples = array.array("h")
    for pitch in melody(file):
        samples.extend(_note(pitch))
    if sys.byteorder == "big":
        samples.byteswap()
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE_HZ)
        sound.writeframes(samples.tobytes())
    return out.getvalue()


def mp3_frames(file: ResultFile, *, notes: int = NOTES) -> list[bytes]:
    """Play the tune, or its beginning, as the frames of an MP3 file; a note fades while it sounds."""
    return mp3.frames(
        [
            mp3.Tones(pitches_hz=(pitch, 2 * pitch), quieter=n)
            for pitch in melody(file)[:notes]
            for n in range(GRANULES_A_NOTE)
        ]
    )


def melody(file: ResultFile) -> list[float]:
    """Compose the pitches of a file's tune."""
    seed = zlib.crc32(f"{file.prompt}#{file.name.rpartition('-')[2]}#{file.index}".encode())
    chance = random.Random(seed)  # noqa: S311 - a tune, not a secret
    return [chance.choice(PENTATONIC_HZ) for _ in range(NOTES)]


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
