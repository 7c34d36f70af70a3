"""Migrations, forward only.

Each file runs once, in one transaction with its row in `schema_migrations`; of two starting processes one applies a file
and the other finds it applied. A file edited after it ran, a gap and a duplicate number are refused by name before anything
changes. A server that is too old, or a role without the rights, is refused in one sentence that says what to do.

A program may run on a newer schema, so that versions overlap at a deploy and an operator can go one version back. So migrations
only add. One that older programs cannot work with is named `NNNN_breaks_what.sql`, and older programs refuse to start.

The advisory lock is taken in every transaction and the applied rows are read under it: a killed process leaves nothing behind,
and it works through a transaction pooler.

The previous version keeps working meanwhile. A statement that waits for a table lock blocks all later ones, so a file that does
not get its locks quickly (before the server's deadlock check) is rolled back and retried as a whole, for minutes. Therefore a
file takes its locks first, and one that blocks readers does nothing slow.
"""

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import asyncpg
import structlog

from photomat.db.pool import Connection, Transaction, connect
from photomat.db.rows import require_row
from photomat.db.url import quote_identifier
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import Startup

OLDEST_VERSION: Final = 150_000
"""As in server_version_num."""
NAME_PATTERN: Final = re.compile(r"(?P<number>\d{4})_[a-z0-9_]+\.sql")
BREAKING_PATTERN: Final = re.compile(r"\d{4}_breaks_")
LOCK_KEY: Final = 0x70686F746F6D6174  # "photomat" in bytes
FILE_TIMEOUT_S: Final = 600
LOCK_TIMEOUT_MS: Final = 200
"""Per table. Four of them stay below deadlock_timeout (1 s), after which PostgreSQL ends one of the sessions."""
LOCK_PATIENCE_S: Final = 300.0
RETRY_PAUSE_S: Final = 1.0
"""Longer than one try blocks the others."""
LOCK_ERRORS: Final = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)
HAS_JOURNAL: Final = (
    "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations')"
)
"""Asked first: CREATE TABLE IF NOT EXISTS needs the right to create even if the table exists."""
CREATE_JOURNAL: Final = """
    CREATE TABLE IF NOT EXISTS schema_migrations (
        number     integer     NOT NULL,
        name       text        NOT NULL,
        checksum   text        NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT schema_migrations_pkey PRIMARY KEY (number)
    )
"""
log = structlog.get_logger()


async def require_server(connection: Connection, *, files: int) -> None:
    """Refuse a server that is too old, and a role that cannot apply the migrations that are not applied yet."""
    row = await require_row(
        connection,
        """
        SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS called,
               current_user AS role, current_schema() AS schema, current_setting('search_path') AS search_path,
               coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create,
               to_regclass('schema_migrations') IS NOT NULL AS has_journal
        """,
    )
    refuse_old_version(row["version"], called=row["called"])
    if row["schema"] is None:
        raise Startup(
            f"No schema of the search path {row['search_path']} can be used by the role {row['role']}: create it with"
            f" CREATE SCHEMA … AUTHORIZATION {quote_identifier(row['role'])}, or correct `schema` in DATABASE_URL."
        )
    if row["may_create"]:
        return
    applied = await connection.fetchval("SELECT count(*) FROM schema_migrations") if row["has_journal"] else 0
    if applied < files:
        raise Startup(
            f"The role {row['role']} may not create tables in the schema {row['schema']}: run GRANT CREATE ON SCHEMA"
            f" {quote_identifier(row['schema'])} TO {quote_identifier(row['role'])} as the database's owner, then start again."
        )


def refuse_old_version(version: int, *, called: str) -> None:
    """Refuse a server older than we can use, by the number it reports."""
    if version < OLDEST_VERSION:
        raise Startup(
            f"The database is PostgreSQL {called}, and Photomat needs {OLDEST_VERSION // 10_000} or newer:"
            " upgrade the server, or set DATABASE_URL to a newer one."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file; `name` is without the extension."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations(folder: Traversable | None = None) -> list[Migration]:
    """Read a folder's files in order; every file must be named NNNN_what.sql, from 0001 on without a gap."""
    folder = folder or resources.files("photomat.db").joinpath("migrations")
    found = [_read(file) for file in folder.iterdir() if file.name.endswith(".sql")]
    found.sort(key=lambda migration: (migration.number, migration.name))
    for position, migration in enumerate(found, start=1):
        if migration.number != position:
            what = "is there twice" if migration.number < position else "is missing"
            raise Startup(f"Migration {min(migration.number, position):04} {what}, beside {migration.name}.")
    return found


async def migrate(
    dsn: str, files: Sequence[Migration] | None = None, *, patience_s: float = LOCK_PATIENCE_S
) -> list[str]:
    """Apply the pending files and return their names; a file that does not get its locks is retried for `patience_s`."""
    files = read_migrations() if files is None else files
    connection = await connect(dsn, name="photomat migrate", patience_s=10)
    try:
        return await _apply_all(connection, files, patience_s)
    finally:
        await connection.close(timeout=5)


async def pending_migrations(
    connection: Connection, files: Sequence[Migration] | None = None
) -> tuple[list[Migration], list[str]]:
    """What `migrate` would apply now, and what the database has beyond these files; `Startup` where it would refuse."""
    files = read_migrations() if files is None else files
    await require_server(connection, files=len(files))
    if not await connection.fetchval(HAS_JOURNAL):
        return list(files), []
    rows = await connection.fetch("SELECT number, name, checksum FROM schema_migrations ORDER BY number")
    applied = {row["number"]: (row["name"], row["checksum"]) for row in rows}
    _refuse_mismatch(files, applied)
    return [file for file in files if file.number not in applied], _newer_than(files, applied)


async def _apply_all(connection: Connection, files: Sequence[Migration], patience_s: float) -> list[str]:
    await require_server(connection, files=len(files))
    applied_now: list[str] = []
    for _ in range(len(files) + 1):
        done = await _apply_next_with_retries(connection, files, patience_s)
        if done is None:
            break
        log.info("MIGRATION", number=done.number, name=done.name)
        applied_now.append(done.name)
    return applied_now


async def _apply_next_with_retries(
    connection: Connection, files: Sequence[Migration], patience_s: float
) -> Migration | None:
    """Apply the next file, retrying while its locks are taken; None when there is none left."""
    deadline = monotonic() + patience_s
    while True:
        try:
            return await _apply_next(connection, files)
        except asyncpg.InsufficientPrivilegeError as error:
            raise Startup(
                f"The role may not change the database ({error}): run `photomat migrate` as the role that owns the tables."
            ) from error
        except LOCK_ERRORS as error:
            if monotonic() >= deadline:
                raise Startup(
                    f"A migration did not get its locks within {patience_s:.0f} s ({error}): a session keeps a transaction"
                    " open. pg_stat_activity shows which; end it and start again."
                ) from error
            log.warning("MIGRATION_WAITS", error=str(error), for_s=round(deadline - monotonic()))
        await asyncio.sleep(RETRY_PAUSE_S)


async def _apply_next(connection: Connection, files: Sequence[Migration]) -> Migration | None:
    async with connection.transaction():
        applied = await _applied_under_lock(connection)
        _refuse_mismatch(files, applied)
        next_one = next((file for file in files if file.number not in applied), None)
        if next_one is None:
            _warn_if_newer(files, applied)
        else:
            await _apply(connection, next_one)
    return next_one


async def _applied_under_lock(tx: Transaction) -> Mapping[int, tuple[str, str]]:
    """Name and checksum of the applied files by number; holds the migration lock until the transaction ends."""
    await tx.execute(f"SET LOCAL statement_timeout = '{FILE_TIMEOUT_S}s'")
    await tx.execute("SELECT pg_advisory_xact_lock($1)", LOCK_KEY, timeout=FILE_TIMEOUT_S)
    if not await tx.fetchval(HAS_JOURNAL):
        await tx.execute(CREATE_JOURNAL)
    rows = await tx.fetch("SELECT number, name, checksum FROM schema_migrations ORDER BY number")
    return {row["number"]: (row["name"], row["checksum"]) for row in rows}


async def _apply(tx: Transaction, migration: Migration) -> None:
    await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_MS}ms'")
    await tx.execute(migration.sql, timeout=FILE_TIMEOUT_S)
    await tx.execute(
        "INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)",
        migration.number,
        migration.name,
        migration.checksum,
    )


def _refuse_mismatch(files: Sequence[Migration], applied: Mapping[int, tuple[str, str]]) -> None:
    reached = max(applied, default=0)
    edited = [file.name for file in files if file.number in applied and applied[file.number][1] != file.checksum]
    if edited:
        raise Startup(
            f"Migrations were edited after they ran: {', '.join(edited)}. Restore the files and add a new one instead."
        )
    skipped = [file.name for file in files if file.number < reached and file.number not in applied]
    if skipped:
        raise Startup(f"The database is at {reached:04} but never saw {', '.join(skipped)}; restore a backup.")
    breaking = [name for name in _newer_than(files, applied) if BREAKING_PATTERN.match(name)]
    if breaking:
        raise Startup(
            f"The database is newer than this program, which knows up to {len(files):04}, and {breaking[0]} says that "
            "older programs cannot live with it; start the newer program, or restore a backup from before it."
        )


def _newer_than(files: Sequence[Migration], applied: Mapping[int, tuple[str, str]]) -> list[str]:
    return [name for number, (name, _) in sorted(applied.items()) if number > len(files)]


def _warn_if_newer(files: Sequence[Migration], applied: Mapping[int, tuple[str, str]]) -> None:
    newer = _newer_than(files, applied)
    if newer:
        log.warning("SCHEMA_NEWER", database=newer[-1], program=files[-1].name if files else None)


def _read(file: Traversable) -> Migration:
    match = NAME_PATTERN.fullmatch(file.name)
    if match is None:
        raise Startup(f"{file.name} is not a migration's name; they look like 0007_what_it_does.sql.")
    name = file.name.removesuffix(".sql")
    return Migration(number=int(match["number"]), name=name, sql=file.read_text(encoding="utf-8"))
