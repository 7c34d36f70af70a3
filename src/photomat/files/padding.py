"""Encoder padding is never billed. Pure.

Most audio codecs add silence: a delay in front, and filling up to a whole frame at the end. Where a file states both (LAME
tag, edit list, Ogg granule positions, `fact` chunk) they are subtracted exactly, up to `MOST_PADDING_S`. Where it does not, a
length that exceeds a whole second by no more than the codec can have added is taken as that whole second, so that a clip cut to
ten seconds is billed as ten.

More than `MOST_PADDING_S` is subtracted only where decoders drop it too: what the edit list of an unfragmented MP4 does not
play, and the pre-skip of Opus.
"""

from decimal import ROUND_FLOOR, Decimal
from typing import Final

MOST_PADDING_S: Final = Decimal("0.3")
"""No codec adds more: one block of ADPCM at 8 kHz is 0.26 s. A statement that more of a stream is padding is not believed."""

TIMESTAMP_S: Final = Decimal("0.003")
"""Containers round their timestamps to milliseconds, several of them on the way to a length."""

MP3_SAMPLES: Final = 2304
"""Delay of encoder and decoder (1105 samples), and one frame to fill up."""

AAC_SAMPLES: Final = 3136
"""Up to 2112 samples of delay, and one frame to fill up."""

WMA_SAMPLES: Final = 4096
SOUND_S: Final = Decimal("0.07")
"""For containers that do not state their codec's frames: three frames of AAC, or one long packet of Opus and its delay."""


def without_padding(seconds: Decimal, most: Decimal = TIMESTAMP_S) -> Decimal:
    """The whole second that `seconds` exceeds by at most this much, or `seconds` as it is."""
    whole = seconds.to_integral_value(rounding=ROUND_FLOOR)
    return whole if whole and seconds - whole <= min(most, MOST_PADDING_S) else seconds


def without_samples(seconds: Decimal, samples: int, rate: int) -> Decimal:
    """The same, for padding of at most so many samples."""
    return without_padding(seconds, max(Decimal(samples) / rate, TIMESTAMP_S)) if rate else seconds


def most_samples(rate: int) -> int:
    """How many samples of a stream can be padding."""
    return int(MOST_PADDING_S * rate)
