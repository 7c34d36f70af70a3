"""Bytes of a file at any place, with bounds: a file that is cut ends in `Cut`, one made to keep us busy in `Endless`."""

import os
from typing import BinaryIO, Final

MOST_AT_ONCE: Final = 2**20
MOST_STEPS: Final = 300_000
"""Enough for the frames of two hours of sound; less than a second of work."""

WINDOW_BYTES: Final = 4096


class Cut(ValueError):
    """The file ends before what it promised."""


class Endless(Cut):
    """The file does not come to an end within the work we spend on one; whatever was found so far says too little."""


class Reader:
    """Reads a file at given places; every read counts as a step. Small reads near each other cost one of the disk's."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._steps = 0
        self._window = b""
        self._window_at = 0
        self.size = file.seek(0, os.SEEK_END)

    def read(self, at: int, count: int) -> bytes:
        """Exactly so many bytes from there."""
        found = self.some(at, count)
        if len(found) < count:
            raise Cut
        return found

    def some(self, at: int, count: int) -> bytes:
        """So many bytes from there, fewer where the file ends."""
        self.spend()
        if at < 0 or not 0 <= count <= MOST_AT_ONCE:
            raise Cut
        if count > WINDOW_BYTES:
            self._file.seek(at)
            return self._file.read(count)
        within = at - self._window_at
        if within < 0 or within + count > len(self._window):
            self._file.seek(at)
            self._window, self._window_at, within = self._file.read(WINDOW_BYTES), at, 0
        return self._window[within : within + count]

    def number(self, at: int, count: int, *, little: bool = False) -> int:
        """An unsigned number of so many bytes."""
        return int.from_bytes(self.read(at, count), "little" if little else "big")

    def spend(self, steps: int = 1) -> None:
        """Count work that was done on bytes already read."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise Endless
