"""Which database a command works on: DATABASE_URL, or the embedded one, started or found running."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.cli.embedded import folder_in_use, start_real, start_sandbox, start_without_keys
from photomat.db.away import UNMIGRATED
from photomat.db.embedded import find_running
from photomat.kernel.errors import Startup
from photomat.settings import Settings

PASSING_FILESYSTEMS: Final = frozenset({"overlay", "aufs", "tmpfs", "ramfs"})


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
