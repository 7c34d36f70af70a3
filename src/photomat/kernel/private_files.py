"""Folders and files that only our own user can read, whatever the umask: they hold customers' inputs and results."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
GROUP_AND_OTHERS: Final = 0o077


def make_private(folder: Path) -> None:
    """Make a folder of mode 0700; an existing one keeps its mode, and parents get the usual one."""
    try:
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except FileNotFoundError:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def open_private(path: Path) -> BinaryIO:
    """Open a new or emptied file of mode 0600 for writing."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE), "wb")


def tighten(folder: Path) -> int:
    """Make a folder, its subfolders and their files private; return the number of folders changed.

    A folder that is private already is skipped, so that a start stays quick with many results. A file we may not change is
    left as it is.
    """
    if not folder.is_dir():
        return 0
    return sum(_close(each) for each in _open_folders(folder))


def _open_folders(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        inner = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    yield from (each for each in (folder, *inner) if _is_open(each))


def _close(folder: Path) -> bool:
    try:
        folder.chmod(FOLDER_MODE)
        for entry in folder.iterdir():
            if stat.S_ISREG(entry.lstat().st_mode) and _is_open(entry):
                entry.chmod(FILE_MODE)
    except OSError:
        return False
    return True


def _is_open(path: Path) -> bool:
    try:
        return bool(path.lstat().st_mode & GROUP_AND_OTHERS)
    except OSError:
        return False
