"""Bytes of a file at any place, with bounds: a file that is cut, or made to keep us busy, ends in `Cut` and nothing else."""

import os
from typing import BinaryIO, Final

MOST_AT_ONCE: Final = 2**20
MOST_READS: Final = 400_000
"""Enough for the frames of five hours of sound; about a second of work."""


class Cut(ValueError):
    """The file ends before what it promised, or never comes to an end."""


class Reader:
    """Reads a file at given places; every read counts."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._reads = 0
        self.size = file.seek(0, os.SEEK_END)

    def read(self, at: int, count: int) -> bytes:
        """Exactly so many bytes from there."""
        found = self.some(at, count)
        if len(found) < count:
            raise Cut
        return found

    def some(self, at: int, count: int) -> bytes:
        """So many bytes from there, fewer where the file ends."""
        self._reads += 1
        if at < 0 or not 0 <= count <= MOST_AT_ONCE or self._reads > MOST_READS:
            raise Cut
        self._file.seek(at)
        return self._file.read(count)

    def number(self, at: int, count: int, *, little: bool = False) -> int:
        """An unsigned number of so many bytes."""
        return int.from_bytes(self.read(at, count), "little" if little else "big")
