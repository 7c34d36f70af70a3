"""The working folder of a Bot API server that runs with `--local`, read where it is mounted here.

Such a server answers getFile with an absolute path of its own machine or container: WORKING_DIR/BOT_TOKEN/videos/file_1.mp4.
What precedes the bot's own folder is dropped, so the folder may be mounted anywhere. Whatever the server says, only
`<this bot's folder>/<kind>/<file>` below the mount is opened, one component after the other without following symbolic links,
and only a regular file: neither the server's keys, which lie one level higher, nor files of other bots, nor anything outside
can be read, and swapping a component while it is opened leads nowhere. A path contains the token: it is never logged.
"""

import errno
import os
import stat
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from aiogram.client.telegram import FilesPathWrapper

PARTS: Final = 3
"""The bot's folder, the kind of file, the file."""
FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Without O_NONBLOCK opening a pipe would wait for its writer."""
NO_FILE: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO})
UNFINISHED: Final = "temp"
"""The server's folder of files that are still being downloaded."""


class OutsideFolder(Exception):
    """The path is none of a customer's file below the folder; the message says why, without the path."""


class LocalFolder(FilesPathWrapper):
    """Also tells aiogram where the server's files are here."""

    def __init__(self, folder: Path, *, bot_id: int) -> None:
        self.folder = folder
        self._bot_id = bot_id

    def to_local(self, path: Path | str) -> Path | str:
        return self.folder.joinpath(*self._parts(str(path)))

    def to_server(self, path: Path | str) -> Path | str:
        """Unchanged: we upload bytes, never names of files."""
        return path

    def opened(self, path: str) -> BinaryIO:
        """Open a file the server named; raises OutsideFolder, or OSError when it is not there or not readable."""
        parts = self._parts(path)
        try:
            return _opened_below(self.folder, parts)
        except ValueError:
            raise OutsideFolder("the path is no path") from None

    def _parts(self, path: str) -> tuple[str, ...]:
        """The path below the folder."""
        whole = PurePosixPath(path).parts
        at = next((at for at, part in enumerate(whole) if self.is_bots(part)), None)
        if at is None:
            raise OutsideFolder("the path has no folder of this bot")
        parts = whole[at:]
        if len(parts) != PARTS or parts[1] == UNFINISHED or any(part.startswith(".") for part in parts):
            raise OutsideFolder("the path is not <bot>/<kind>/<file>")
        return parts

    def is_bots(self, name: str) -> bool:
        """Whether a folder has this bot's name: its token, with another sign where a file system knows no colon."""
        return name.startswith((f"{self._bot_id}:", f"{self._bot_id}~"))


def _opened_below(folder: Path, parts: tuple[str, ...]) -> BinaryIO:
    inner = os.open(folder, FOLDER_FLAGS)
    try:
        for part in parts[:-1]:
            outer, inner = inner, os.open(part, FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=inner)
            os.close(outer)
        found = os.open(parts[-1], FILE_FLAGS, dir_fd=inner)
    except OSError as error:
        if error.errno in NO_FILE:
            raise OutsideFolder("the path leads through a symbolic link, or is no file") from None
        raise
    finally:
        os.close(inner)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OutsideFolder("the path names no regular file")
    return os.fdopen(found, "rb")
