"""Which user the server runs as, and with which rights.

PostgreSQL refuses to run as root. As root we run it as an unprivileged user who owns the data folder and nothing else;
as any other user we simply run it. No permission of a folder above the data is ever changed: where such a folder is
closed to the server's user (a fresh `mktemp -d`, `/root`), above the data or above PostgreSQL's own programs, the server
is given the one capability to walk through.
"""

import os
import pwd
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.kernel.errors import Startup

CANDIDATES: Final = ("nobody", "daemon", "postgres")
LAUNCHER: Final = Path(__file__).with_name("launch.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUser:
    """The user that runs the server; `change` if it is not our own."""

    uid: int
    gid: int
    change: bool

    def own(self, path: Path) -> None:
        """Hand a file or folder that we made to the server."""
        if self.change:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def choose_user(cluster: Path) -> ServerUser:
    """Ourselves, or as root the owner of the data that is there, or a user without rights."""
    if os.geteuid() != 0:
        return _ourselves()
    if cluster.exists() and cluster.stat().st_uid != 0:
        owner = cluster.stat()
        return ServerUser(uid=owner.st_uid, gid=owner.st_gid, change=True)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return ServerUser(uid=entry.pw_uid, gid=entry.pw_gid, change=True)
    raise Startup(
        f"PostgreSQL does not run as root and none of {', '.join(CANDIDATES)} is a user here; "
        "start Photomat as another user or set DATABASE_URL."
    )


def command_line(user: ServerUser, command: list[str], *, data: Path) -> list[str]:
    """The command run by the launcher, with the rights to reach its program and the data."""
    who = (user.uid, user.gid) if user.change else (-1, -1)
    words = [str(word) for word in (os.getpid(), *who)]
    passage = _passage(user, program=Path(command[0]), data=data) if user.change else "none"
    return [sys.executable, "-I", "-S", str(LAUNCHER), *words, passage, *command]


def _ourselves() -> ServerUser:
    uid = os.geteuid()
    try:
        pwd.getpwuid(uid)
    except KeyError:
        raise Startup(
            f"PostgreSQL needs a name for its user and user id {uid} has none in /etc/passwd; "
            "start Photomat as a named user or set DATABASE_URL."
        ) from None
    return ServerUser(uid=uid, gid=os.getegid(), change=False)


def _passage(user: ServerUser, *, program: Path, data: Path) -> str:
    if not _may_execute(program.stat(), user):
        return "execute"
    above = {*program.absolute().parents, *program.resolve().parents, *data.resolve().parents}
    return "none" if all(_may_execute(folder.stat(), user) for folder in above) else "search"


def _may_execute(place: os.stat_result, user: ServerUser) -> bool:
    """The execute bit lets a user start a program, and pass through a folder."""
    if place.st_uid == user.uid:
        return bool(place.st_mode & stat.S_IXUSR)
    if place.st_gid == user.gid:
        return bool(place.st_mode & stat.S_IXGRP)
    return bool(place.st_mode & stat.S_IXOTH)
