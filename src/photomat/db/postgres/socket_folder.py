"""The folder of the server's socket: only its user and we can enter it.

It lies in the data folder as `socket` when the whole path fits into a Unix address and needs no quoting; else `socket`
is a link to a private folder below the temporary one, found and removed by the next start even after a crash.
"""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

from photomat.db.postgres.privileges import ServerUser

PORT: Final = 5432
MAX_ADDRESS_BYTES: Final = 100
PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9_./+-]+")
TEMPORARY_PREFIX: Final = "photomat-socket-"


def make_socket_folder(data_dir: Path, user: ServerUser) -> Path:
    """A fresh folder for the socket; what a dead owner left is removed first."""
    remove_socket_folder(data_dir)
    place = data_dir / "socket"
    address = f"{place}/.s.PGSQL.{PORT}"
    if len(address.encode()) <= MAX_ADDRESS_BYTES and PLAIN_PATH.fullmatch(address):
        folder = place
        folder.mkdir(mode=0o700)
    else:
        folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
        place.symlink_to(folder)
    user.own(folder)
    return folder


def find_socket_folder(data_dir: Path) -> Path:
    """Where the running server's socket is."""
    return (data_dir / "socket").resolve()


def remove_socket_folder(data_dir: Path) -> None:
    """Remove the folder, wherever it is; nothing is done when there is none."""
    place = data_dir / "socket"
    if place.is_symlink():
        target = place.readlink()
        if target.name.startswith(TEMPORARY_PREFIX):
            shutil.rmtree(target, ignore_errors=True)
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)
