"""Which database a command works on: DATABASE_URL, or the embedded one, started or found running.

Which embedded database a command starts: the shop's in DATA_DIR, or the sandbox's in a folder of its own below it.

An earlier version kept the sandbox in DATA_DIR itself. Its database moves to the sandbox's folder before anything else is
started: the real shop never finds play money in its database, and the sandbox finds its chats again. The database moves last: a
move that was interrupted is done again by the next start, and a missing password of an embedded database is made anew.
The copies in DATA_DIR/results stay where they are, because a real shop with DATABASE_URL may have written some of them under
the same job numbers; the sandbox shows its history from its simulated Telegram, or copies a result again.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.app.settings import SANDBOX_FOLDER, Settings
from photomat.db.embedded import Embedded, find_running, is_owned
from photomat.db.installation import owner_of
from photomat.db.pool import UNMIGRATED
from photomat.db.postgres.cluster import cluster_folder, password_file
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger

log = get_logger()
PASSING_FILESYSTEMS: Final = frozenset({"overlay", "aufs", "tmpfs", "ramfs"})


def start_real(data_dir: Path) -> Embedded:
    """Start the embedded database of the real shop; what an earlier sandbox left in its place is moved first."""
    embedded = Embedded.start(data_dir)
    if not _is_play_money(embedded):
        return embedded
    embedded.stop()
    _move(data_dir)
    return Embedded.start(data_dir)


def start_sandbox(folder: Path) -> Embedded:
    """Start the embedded database of the sandbox; that of an earlier version is moved here first."""
    shop = _shop_above(folder)
    if shop is not None:
        shop.stop()
    return Embedded.start(folder)


def start_without_keys(folder: Path) -> Embedded:
    """Start the only embedded database there is, for a command without keys: the sandbox's, or else the shop's in DATA_DIR."""
    return _shop_above(folder) or Embedded.start(folder)


def folder_in_use(folder: Path) -> Path:
    """The folder of the server a command without keys finds running: the sandbox's, or else the shop's in DATA_DIR."""
    return folder.parent if is_owned(folder.parent) and not is_owned(folder) else folder


def has_database(folder: Path) -> bool:
    """Whether a command without keys has an embedded database to read."""
    return any(cluster_folder(place).exists() for place in (folder, folder.parent))


def _shop_above(folder: Path) -> Embedded | None:
    """The server in DATA_DIR where there is no sandbox yet and it holds no play money; an earlier sandbox is moved instead."""
    home = folder.parent
    if cluster_folder(folder).exists() or not cluster_folder(home).exists() or is_owned(home):
        return None
    embedded = Embedded.start(home)
    if not _is_play_money(embedded):
        return embedded
    embedded.stop()
    _move(home)
    return None


def _is_play_money(embedded: Embedded) -> bool:
    try:
        return asyncio.run(owner_of(embedded.dsn)).is_sandbox
    except BaseException:
        embedded.stop()
        raise


def _move(data_dir: Path) -> None:
    folder = data_dir / SANDBOX_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if cluster_folder(folder).exists():
        raise Startup(
            f"{cluster_folder(data_dir)} is the database of an earlier sandbox and holds play money,"
            f" and {cluster_folder(folder)} is there too: move one of them away, then start again."
        )
    password_file(data_dir).replace(password_file(folder))
    cluster_folder(data_dir).rename(cluster_folder(folder))
    log.warning("SANDBOX_MOVED", source=str(data_dir), to=str(folder))


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """Where it is, and how to start it again should it die by itself (nothing to do for one that is not ours)."""

    dsn: str
    tend: Callable[[], object]


@contextmanager
def owned_database(settings: Settings) -> Iterator[Database]:
    """The database of a running bot: the one given, or an embedded one we own until the end."""
    if settings.database_url is not None:
        yield Database(dsn=settings.database_url, tend=lambda: None)
        return
    if settings.sandboxed:
        embedded = start_sandbox(settings.data_dir)
    else:
        refuse_a_passing_disk(settings)
        embedded = start_real(settings.data_dir)
    try:
        yield Database(dsn=embedded.dsn, tend=embedded.tend)
    finally:
        embedded.stop()


@contextmanager
def reachable_database(settings: Settings) -> Iterator[str]:
    """The database for a tool beside a running bot, or on its own."""
    try:
        if settings.database_url is None and settings.sandboxed:
            with _without_keys(settings.data_dir) as dsn:
                yield dsn
            return
        running = None if settings.database_url else find_running(settings.data_dir)
        if running is not None:
            yield running
            return
        with owned_database(settings) as database:
            yield database.dsn
    except UNMIGRATED as error:
        raise Startup(f"The database lacks something ({error}): run `photomat migrate` first.") from error


@contextmanager
def _without_keys(folder: Path) -> Iterator[str]:
    """The embedded database a command without keys means: the one that runs, else the one there is, else the sandbox's."""
    running = find_running(folder_in_use(folder))
    if running is not None:
        yield running
        return
    embedded = start_without_keys(folder)
    try:
        yield embedded.dsn
    finally:
        embedded.stop()


def refuse_a_passing_disk(settings: Settings) -> None:
    """Money must not live on a disk that is wiped at the next deploy."""
    if settings.embedded_ok or not disk_may_not_last(settings.data_dir):
        return
    raise Startup(
        "This disk does not last (Render, or a container without a volume at DATA_DIR), and the embedded database would"
        " lose everybody's money with it: set DATABASE_URL to a PostgreSQL, or mount a volume at DATA_DIR"
        " (EMBEDDED_OK=1 if you know better)."
    )


def disk_may_not_last(data_dir: Path) -> bool:
    """Whether DATA_DIR lies on a disk that goes away with the machine."""
    place, kind = _mount_of(data_dir.resolve())
    return kind in PASSING_FILESYSTEMS or ("RENDER" in os.environ and place == "/")


def _mount_of(path: Path) -> tuple[str, str]:
    """The mount point a path lies on and its file system, as Linux tells; unknown elsewhere."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ("/", "unknown")
    mounts = [(fields[4], fields[fields.index("-") + 1]) for fields in (line.split() for line in lines)]
    holding = [mount for mount in mounts if path.is_relative_to(mount[0])]
    return max(holding, key=lambda mount: len(mount[0]), default=("/", "unknown"))
