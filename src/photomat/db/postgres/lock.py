"""One owner for a data folder: an exclusive lock on `photomat.lock`, held as long as the owner lives.

The kernel gives the lock back when its holder dies, however it dies; the file itself stays and its content, the
owner's process id, is only for people.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from photomat.kernel.errors import Startup

FILE_NAME: Final = "photomat.lock"
PATIENCE_S: Final = 1.0
"""Longer than anybody's glance at the lock (`is_owned`), and enough for an owner that is just leaving."""

RETRY_PAUSE_S: Final = 0.02


class OwnerLock:
    """The right to run the server of one data folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, data_dir: Path) -> "OwnerLock":
        """Become the owner, or name the one who is."""
        descriptor = os.open(data_dir / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + PATIENCE_S
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
                os.close(descriptor)
                raise Startup(
                    f"{data_dir} is in use by another Photomat, process {owner}; stop it (kill {owner}), "
                    "or give this one its own DATA_DIR, or set DATABASE_URL for both."
                )
            time.sleep(RETRY_PAUSE_S)
        with suppress(OSError):  # a full disk is for the server to report; the lock holds without its note
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        """Let the next owner in."""
        os.close(self._descriptor)


def is_owned(data_dir: Path) -> bool:
    """Whether some process owns the folder right now."""
    try:
        descriptor = os.open(data_dir / FILE_NAME, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
