"""Read a file at any position, within bounds: a truncated file raises `Truncated`, one made to keep us busy `Endless`. Pure.

Encoder padding is never billed. Most audio codecs add silence: a delay in front, and filling up to a whole frame at the end.
Where a file states both (LAME tag, edit list, Ogg granule positions, `fact` chunk) they are subtracted exactly, up to
`MAX_PADDING_S`. Where it does not, a length that exceeds a whole second by no more than the codec can have added is taken as
that whole second, so that a clip cut to ten seconds is billed as ten.

More than `MAX_PADDING_S` is subtracted only where decoders drop it too: what the edit list of an unfragmented MP4 does not
play, and the pre-skip of Opus.
"""

import os
from decimal import ROUND_FLOOR, Decimal
from typing import BinaryIO, Final

MAX_AT_ONCE: Final = 2**20
MAX_STEPS: Final = 300_000
"""Enough for the frames of two hours of audio; less than a second of work."""
WINDOW_BYTES: Final = 4096
MAX_PADDING_S: Final = Decimal("0.3")
"""No codec adds more: one block of ADPCM at 8 kHz is 0.26 s. A statement that more of a stream is padding is not believed."""
TIMESTAMP_S: Final = Decimal("0.003")
"""Containers round their timestamps to milliseconds, several of them on the way to a length."""
MP3_SAMPLES: Final = 2304
"""Delay of encoder and decoder (1105 samples), and one frame to fill up."""
AAC_SAMPLES: Final = 3136
"""Up to 2112 samples of delay, and one frame to fill up."""
WMA_SAMPLES: Final = 4096
AUDIO_S: Final = Decimal("0.07")
"""For containers that do not state their codec's frames: three frames of AAC, or one long packet of Opus and its delay."""


class Truncated(ValueError):
    """The file ends before what it promised."""


class Endless(Truncated):
    """The file needs more work than we spend on one, so its facts stay unknown."""


class Reader:
    """Reads a file at given places; every read counts as a step. Small reads near each other are one read of the disk."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._steps = 0
        self._window = b""
        self._window_at = 0
        self.size = file.seek(0, os.SEEK_END)

    def read(self, at: int, count: int) -> bytes:
        """Exactly so many bytes; raises Truncated."""
        found = self.some(at, count)
        if len(found) < count:
            raise Truncated
        return found

    def some(self, at: int, count: int) -> bytes:
        """So many bytes, fewer where the file ends."""
        self.spend()
        if at < 0 or not 0 <= count <= MAX_AT_ONCE:
            raise Truncated
        if count > WINDOW_BYTES:
            self._file.seek(at)
            return self._file.read(count)
        within = at - self._window_at
        if within < 0 or within + count > len(self._window):
            self._file.seek(at)
            self._window, self._window_at, within = self._file.read(WINDOW_BYTES), at, 0
        return self._window[within : within + count]

    def number(self, at: int, count: int, *, little: bool = False) -> int:
        return int.from_bytes(self.read(at, count), "little" if little else "big")

    def spend(self, steps: int = 1) -> None:
        """Count work that was done on bytes already read."""
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise Endless


def without_padding(seconds: Decimal, most: Decimal = TIMESTAMP_S) -> Decimal:
    """The whole second that `seconds` exceeds by at most this much, or `seconds` as it is."""
    whole = seconds.to_integral_value(rounding=ROUND_FLOOR)
    return whole if whole and seconds - whole <= min(most, MAX_PADDING_S) else seconds


def without_samples(seconds: Decimal, samples: int, rate: int) -> Decimal:
    """The same, for padding of at most so many samples."""
    return without_padding(seconds, max(Decimal(samples) / rate, TIMESTAMP_S)) if rate else seconds


def most_samples(rate: int) -> int:
    """How many samples of a stream can be padding."""
    return int(MAX_PADDING_S * rate)
