"""A disk of a few megabytes, to be filled by a test; where none can be mounted (not root), the test is skipped and says so."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """Mount a disk of its own at the folder."""
    folder.mkdir()
    folder.chmod(0o755)
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here; run this test as root")
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


def fill_up(folder: Path) -> Path:
    """Take all the room there is, to the last byte; deleting the file gives it back."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            while _is_written(file, b"x" * size):
                pass
    return ballast


def _is_written(file: FileIO, block: bytes) -> bool:
    try:
        return file.write(block) == len(block)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
