"""Vorbis: how many samples its packets hold. Pure.

A packet names one of the stream's modes, and a mode is short or long. The modes stand at the end of the third header packet,
behind tables of any size, and are therefore read from its end.
"""

from dataclasses import dataclass, field
from typing import Final

from photomat.files.reader import Cut

MODE_BITS: Final = 41
"""One bit says whether it is long; window and transform (16 bits each) are always 0; 8 bits name a mapping."""

COUNT_BITS: Final = 6
MOST_MODES: Final = 64
MOST_MAPPINGS: Final = 64
MODES_BYTES: Final = (MOST_MODES * MODE_BITS + COUNT_BITS) // 8 + 2


@dataclass(slots=True, kw_only=True)
class VorbisBlocks:
    """The lengths of the two kinds of blocks, the end of the header packet with the modes, and the block before."""

    short: int
    long: int
    setup: bytes = b""
    modes: tuple[bool, ...] = field(default=())
    before: int = 0

    def add_setup(self, part: bytes) -> None:
        """Add bytes of the header packet; only its end matters."""
        self.setup = (self.setup + part)[-MODES_BYTES:]

    def samples(self, packet: bytes) -> int:
        """How many samples an audio packet adds: blocks overlap, the first one adds none. Raises Cut without modes."""
        self.modes = self.modes or read_modes(self.setup)
        if packet[0] & 1:
            return 0
        number = packet[0] >> 1 & (1 << (len(self.modes) - 1).bit_length()) - 1
        block = self.long if number < len(self.modes) and self.modes[number] else self.short
        added = (self.before + block) // 4 if self.before else 0
        self.before = block
        return added


def read_modes(setup: bytes) -> tuple[bool, ...]:
    """Which modes are long. Raises Cut where the packet does not end with modes."""
    bits = int.from_bytes(setup, "little")
    end = bits.bit_length() - 1
    found, modes = tuple[bool, ...](), tuple[bool, ...]()
    while end >= MODE_BITS + COUNT_BITS and len(modes) < MOST_MODES:
        end -= MODE_BITS
        mode = bits >> end
        if mode >> 1 & 0xFFFFFFFF or mode >> 33 & 0xFF >= MOST_MAPPINGS:
            break
        modes = (bool(mode & 1), *modes)
        if (bits >> end - COUNT_BITS & (1 << COUNT_BITS) - 1) + 1 == len(modes):
            found = modes
    if not found:
        raise Cut
    return found
