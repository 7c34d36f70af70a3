"""The proof of a backup: restored into a scratch database, counted, migrated and audited there.

The scratch database is a PostgreSQL of our own in a folder that is removed afterwards, so that the shop's server has nothing to
do with it and the file is known to work on another machine; only where the shop's server is newer than ours is it a database
of its own there.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.audit.run import FIGURES, INVARIANTS, violations
from photomat.backup.dump import count_rows
from photomat.backup.file import Manifest
from photomat.backup.older import FIRST_WITH_TIMEOUT, load_into_older
from photomat.backup.programs import ProgramFailed, program, run, target_of
from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import Connection, connect
from photomat.db.postgres.release import MAJOR
from photomat.db.schema_check import require_schema
from photomat.db.url import quote_identifier, with_schema
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import Startup

SCRATCH_PREFIX: Final = "scratch-"
SCRATCH_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "20",
}
"""Nothing in it needs to survive a crash."""
RESTORE_OPTIONS: Final = ("--no-owner", "--no-privileges", "--exit-on-error")
AT_ONCE: Final = ("--no-password", "--single-transaction")
SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupProof:
    """What a restored copy was found to be; `problems` are empty if the backup is good."""

    problems: tuple[str, ...]
    rows: int
    invariants: int
    migrated: tuple[str, ...]
    seconds: float


@contextmanager
def scratch_server(data_dir: Path) -> Iterator[str]:
    """A PostgreSQL that exists for this block; call it in the main thread, outside of an event loop."""
    home = data_dir / "scratch"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=home))
    lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        server = Embedded.start(folder, settings=SCRATCH_SETTINGS)
        try:
            yield server.dsn
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_scratch(data_dir: Path) -> None:
    """Remove what killed proofs left; one under way, of another backup or of a check, holds the lock of its folder."""
    for folder in (data_dir / "scratch").glob(f"{SCRATCH_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def can_use_our_server(manifest: Manifest) -> bool:
    return int(manifest.server.partition(".")[0]) <= int(MAJOR)


async def load(dsn: str, path: Path, manifest: Manifest) -> None:
    """Load a dump into an empty database, all of it or nothing."""
    options = (*RESTORE_OPTIONS, f"--schema={manifest.pg_schema}")
    major, target = int(manifest.server.partition(".")[0]), target_of(dsn)
    is_old = await _major_of(dsn) < FIRST_WITH_TIMEOUT
    with path.open("rb") as stream:
        if is_old:
            await load_into_older(options, server_major=major, stdin=stream, target=target)
        else:
            restore = program("pg_restore", server_major=major)
            await run(restore, *options, *AT_ONCE, target=target, stdin=stream)


async def _major_of(dsn: str) -> int:
    connection = await connect(dsn, name="photomat proof", patience_s=10)
    try:
        return connection.get_server_version().major
    finally:
        await connection.close(timeout=5)


async def prove(dsn: str, path: Path, manifest: Manifest) -> BackupProof:
    """Restore into this empty database and examine it; what is wrong is a problem, not an error."""
    began = monotonic()
    migrated: list[str] = []
    try:
        dsn = await _in_its_schema(dsn, manifest.pg_schema)
        connection = await connect(dsn, name="photomat proof", patience_s=10)
        try:
            await load(dsn, path, manifest)
            problems = await _compare(connection, manifest)
            migrated = await migrate(dsn)
            await require_schema(connection)
            invariants, broken = await _audit(connection)
        finally:
            await connection.close(timeout=5)
    except (ProgramFailed, Startup) as error:
        problems, invariants, broken = [str(error)], 0, []
    return BackupProof(
        problems=(*problems, *broken),
        rows=sum(manifest.rows.values()),
        invariants=invariants,
        migrated=tuple(migrated),
        seconds=round(monotonic() - began, 1),
    )


async def _in_its_schema(dsn: str, schema: str) -> str:
    """The URL of this database with the schema the tables were in, which is made if it is not there."""
    connection = await connect(dsn, name="photomat proof", patience_s=10)
    try:
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_identifier(schema)}")
    finally:
        await connection.close(timeout=5)
    return with_schema(dsn, schema)


async def _compare(connection: Connection, manifest: Manifest) -> list[str]:
    """Whether every table has the rows it had, and every account its total."""
    found = await count_rows(connection)
    differing = [
        f"{name} has {found.get(name, 0)} rows instead of {manifest.rows.get(name, 0)}"
        for name in sorted({*found, *manifest.rows})
        if found.get(name) != manifest.rows.get(name)
    ]
    figures = {row["name"]: row["figure"] for row in await connection.fetch(FIGURES, timeout=600)}
    if figures != dict(manifest.figures):
        differing.append("the totals of the books differ")
    return differing


async def _audit(connection: Connection) -> tuple[int, list[str]]:
    found = await violations(connection)
    return len(INVARIANTS), [f"{one.name}: {one.sentence} {', '.join(one.offenders[:SHOWN])}" for one in found]
