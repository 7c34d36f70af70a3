"""The database a command works on: DATABASE_URL, or an embedded one, started or found running.

The embedded database of the real bot is in DATA_DIR, that of the sandbox in a folder below it. An earlier version had the
sandbox in DATA_DIR itself; its database is moved before anything else starts, so that the real bot never finds play money and
the sandbox keeps its chats. The database folder moves last: the next start repeats an interrupted move, and a missing password
is set again. The copies in DATA_DIR/results stay, because a real bot with DATABASE_URL may have written some of them under the
same job ids; the sandbox shows its history from the simulated Telegram, or copies a result again.
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
EPHEMERAL_FILESYSTEMS: Final = frozenset({"overlay", "aufs", "tmpfs", "ramfs"})


def start_real(data_dir: Path) -> Embedded:
    """Start the embedded database of the real bot; an earlier sandbox in its place is moved first."""
    embedded = Embedded.start(data_dir)
    if not _is_play_money(embedded):
        return embedded
    embedded.stop()
    _move(data_dir)
    return Embedded.start(data_dir)


def start_sandbox(folder: Path) -> Embedded:
    """Start the embedded database of the sandbox; one of an earlier version is moved here first."""
    real = _real_database_above(folder)
    if real is not None:
        real.stop()
    return Embedded.start(folder)


def has_database(folder: Path) -> bool:
    """Whether a command without keys has an embedded database to read."""
    return any(cluster_folder(place).exists() for place in (folder, folder.parent))


def _real_database_above(folder: Path) -> Embedded | None:
    """Start the real bot's database in DATA_DIR if the sandbox has none yet; an earlier sandbox there is moved instead."""
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
    """`tend` restarts an embedded server that died; it does nothing for another database."""

    dsn: str
    tend: Callable[[], object]


@contextmanager
def owned_database(settings: Settings) -> Iterator[Database]:
    """Yield the database of a running bot: DATABASE_URL, or an embedded one that we own."""
    if settings.database_url is not None:
        yield Database(dsn=settings.database_url, tend=lambda: None)
        return
    if settings.sandboxed:
        embedded = start_sandbox(settings.data_dir)
    else:
        refuse_ephemeral_disk(settings)
        embedded = start_real(settings.data_dir)
    try:
        yield Database(dsn=embedded.dsn, tend=embedded.tend)
    finally:
        embedded.stop()


@contextmanager
def reachable_database(settings: Settings) -> Iterator[str]:
    """Yield the database for a command, whether a bot is running or not."""
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
    """Yield the embedded database for a command without keys: the running one, else the sandbox's, else the real bot's."""
    running = find_running(folder.parent if is_owned(folder.parent) and not is_owned(folder) else folder)
    if running is not None:
        yield running
        return
    embedded = _real_database_above(folder) or Embedded.start(folder)
    try:
        yield embedded.dsn
    finally:
        embedded.stop()


def refuse_ephemeral_disk(settings: Settings) -> None:
    """Refuse to keep money on a disk that is wiped at the next deploy."""
    if settings.embedded_ok or not is_ephemeral_disk(settings.data_dir):
        return
    raise Startup(
        "This disk does not last (Render, or a container without a volume at DATA_DIR), and the embedded database would"
        " lose all customers' money with it: set DATABASE_URL to a PostgreSQL, or mount a volume at DATA_DIR"
        " (EMBEDDED_OK=1 if you know better)."
    )


def is_ephemeral_disk(data_dir: Path) -> bool:
    """Whether DATA_DIR is on a disk that is lost with the container or machine."""
    place, kind = _mount_of(data_dir.resolve())
    return kind in EPHEMERAL_FILESYSTEMS or ("RENDER" in os.environ and place == "/")


def _mount_of(path: Path) -> tuple[str, str]:
    """The mount point and file system type of a path on Linux; unknown elsewhere."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ("/", "unknown")
    mounts = [(fields[4], fields[fields.index("-") + 1]) for fields in (line.split() for line in lines)]
    holding = [mount for mount in mounts if path.is_relative_to(mount[0])]
    return max(holding, key=lambda mount: len(mount[0]), default=("/", "unknown"))
