"""The smallest honest H.264: every frame stands alone and carries its samples uncompressed (I_PCM macroblocks).

Any decoder plays it, and no codec library is needed to write it. Baseline profile, 4:2:0, both sides of a picture
multiples of 16.
"""

import re
from typing import Final

from PIL import Image

BLOCK_PX: Final = 16
BASELINE: Final = 66
BASELINE_FLAGS: Final = 0xC0
LEVEL_3: Final = 30
I_PCM: Final = 25
I_SLICE_ONLY: Final = 7
NEXT_PCM_BLOCK: Final = b"\x0d\x00"  # ue(25) and seven bits of padding: after samples we always stand on a byte


class Bits:
    """Bits on their way to bytes, with the standard's Exp-Golomb numbers."""

    def __init__(self) -> None:
        self._text = ""

    def fixed(self, value: int, width: int) -> "Bits":
        """Append a number of a fixed width."""
        self._text += f"{value:0{width}b}"
        return self

    def ue(self, *values: int) -> "Bits":
        """Append unsigned Exp-Golomb numbers."""
        for value in values:
            digits = f"{value + 1:b}"
            self._text += "0" * (len(digits) - 1) + digits
        return self

    def padded(self) -> bytes:
        """Give the bytes, filled up with zeros."""
        text = self._text + "0" * (-len(self._text) % 8)
        return int(text, 2).to_bytes(len(text) // 8, "big")

    def stopped(self) -> bytes:
        """Give the bytes, ended with the standard's stop bit."""
        return self.fixed(1, 1).padded()


def sequence_parameters(width: int, height: int) -> bytes:
    """Describe the stream: size, and pictures in the order they are shown."""
    bits = Bits().ue(0, 0, 2, 1).fixed(0, 1)
    bits.ue(width // BLOCK_PX - 1, height // BLOCK_PX - 1)
    # Whole frames, 8x8 inference; no cropping, no display information.
    bits.fixed(0b1100, 4)
    return _unit(0x67, bytes((BASELINE, BASELINE_FLAGS, LEVEL_3)) + bits.stopped())


def picture_parameters() -> bytes:
    """Describe the pictures: variable-length codes, one slice group, the deblocking filter can be switched off."""
    bits = Bits().ue(0, 0).fixed(0b00, 2).ue(0, 0, 0).fixed(0b000, 3).ue(0, 0, 0).fixed(0b100, 3)
    return _unit(0x68, bits.stopped())


def frame(image: Image.Image, number: int) -> bytes:
    """Encode one picture; `number` tells neighbours apart."""
    luma, blue, red = _planes(image)
    head = Bits().ue(0, I_SLICE_ONLY, 0).fixed(0, 4).ue(number % 2).fixed(0b00, 2).ue(0, 1, I_PCM)
    blocks: list[bytes] = []
    for top in range(0, image.height, BLOCK_PX):
        for left in range(0, image.width, BLOCK_PX):
            blocks.append(_samples(luma, left, top, BLOCK_PX))
            blocks[-1] += _samples(blue, left // 2, top // 2, BLOCK_PX // 2)
            blocks[-1] += _samples(red, left // 2, top // 2, BLOCK_PX // 2)
    return _unit(0x65, head.padded() + NEXT_PCM_BLOCK.join(blocks) + b"\x80")


def _planes(image: Image.Image) -> tuple[Image.Image, Image.Image, Image.Image]:
    """Split into brightness and two half-size colours, in the narrow range that video uses."""
    luma, blue, red = image.convert("YCbCr").split()
    half = (image.width // 2, image.height // 2)
    return (
        luma.point([16 + round(value * 219 / 255) for value in range(256)]),
        blue.resize(half).point([16 + round(value * 224 / 255) for value in range(256)]),
        red.resize(half).point([16 + round(value * 224 / 255) for value in range(256)]),
    )


def _samples(plane: Image.Image, left: int, top: int, side: int) -> bytes:
    return plane.crop((left, top, left + side, top + side)).tobytes()


def _unit(head: int, payload: bytes) -> bytes:
    """Make a NAL unit: a third byte keeps two zeros from looking like the start of the next unit."""
    return bytes((head,)) + re.sub(rb"\x00\x00(?=[\x00-\x03])", b"\x00\x00\x03", payload)
