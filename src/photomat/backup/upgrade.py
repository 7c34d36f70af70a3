"""What would happen if this version of the program were started on the shop's database; nothing is changed.

The migrations are read, not guessed at: which tables each locks, how large those are, whether older programs can go on. Whether
they work on this shop's data is tried on a scratch copy (`proof.py`), with the audit behind them.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from photomat import __version__
from photomat.db.migrate import BREAKING_PATTERN, Migration, pending_migrations
from photomat.db.pool import Connection
from photomat.db.postgres.release import newer_is_due
from photomat.db.rows import require_row
from photomat.db.schema_check import missing, needed
from photomat.kernel.errors import Startup

COMMENT: Final = re.compile(r"--[^\n]*")
NEW_TABLE: Final = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", re.IGNORECASE)
INDEXED: Final = re.compile(r"CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)", re.IGNORECASE)
EXCLUSIVE: Final = re.compile(
    r"(?:ALTER TABLE (?:ONLY )?|DROP TABLE (?:IF EXISTS )?|TRUNCATE (?!ON )(?:TABLE )?|LOCK TABLE )([\w, ]+?)"
    r"(?=\s+(?:ADD|DROP|ALTER|RENAME|SET|IN|VALIDATE|ENABLE|DISABLE)\b|;|\n)",
    re.IGNORECASE,
)
REWRITTEN: Final = re.compile(r"UPDATE (\w+)\s+SET", re.IGNORECASE)
LARGE: Final = 1 << 30
MIB: Final = 1 << 20
OLD_BACKUP: Final = timedelta(days=1)
LONG_TRANSACTION: Final = timedelta(minutes=1)
OLDEST_PYTHON: Final = (3, 11)
DISK_SHARE: Final = 0.5
"""Migrations may write as much again as half of the database: new indexes, rewritten rows."""


class UpgradeVerdict(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeFinding:
    verdict: UpgradeVerdict
    name: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLocks:
    """What one migration does to tables that exist: `exclusive` stops readers too, `writers` only those who write."""

    exclusive: tuple[str, ...]
    writers: tuple[str, ...]


def locks_of(migration: Migration) -> TableLocks:
    """Read the locks of existing tables from a file's text; a table it creates has no other readers."""
    sql = COMMENT.sub("", migration.sql)
    new = {name.lower() for name in NEW_TABLE.findall(sql)}
    named = [name.strip().lower() for found in EXCLUSIVE.findall(sql) for name in found.split(",")]
    writers = [name.lower() for pattern in (INDEXED, REWRITTEN) for name in pattern.findall(sql)]
    return TableLocks(
        exclusive=tuple(sorted({name for name in named if name} - new)), writers=tuple(sorted(set(writers) - new))
    )


async def examine_database(
    connection: Connection, *, today: date, is_embedded: bool, free_bytes: int
) -> list[UpgradeFinding]:
    """Everything the live database says, in the order an operator reads it."""
    try:
        pending, newer = await pending_migrations(connection)
    except Startup as error:
        return [_fail("migrations", str(error))]
    return [
        *await _migrations(connection, pending, newer),
        *await _schema(connection, pending),
        await _server(connection, today=today, is_embedded=is_embedded),
        _python(),
        await _disk(connection, free_bytes),
        await _backup(connection),
        await _sessions(connection),
        *await _instances(connection),
    ]


async def _migrations(
    connection: Connection, pending: Sequence[Migration], newer: Sequence[str]
) -> list[UpgradeFinding]:
    if newer:
        return [
            _warn(
                "migrations",
                f"The database is newer than this program: it has {', '.join(newer)}. Older programs run on it.",
            )
        ]
    if not pending:
        return [_ok("migrations", "None is pending.")]
    sizes = await _sizes(connection)
    return [_about_migration(each, sizes) for each in pending]


def _about_migration(migration: Migration, sizes: Mapping[str, int]) -> UpgradeFinding:
    locks = locks_of(migration)
    exclusive = _with_sizes(locks.exclusive, sizes)
    writers = _with_sizes(locks.writers, sizes)
    words = [f"{migration.name} would run."]
    if exclusive:
        words.append(f"It locks {exclusive} for a moment, and waits for transactions that use it.")
    if writers:
        words.append(f"Who writes to {writers} waits while it is read.")
    sentence = " ".join(words)
    if BREAKING_PATTERN.match(migration.name):
        return _warn(
            "migrations",
            f"{sentence} Older programs cannot run afterwards: stop all instances first; going back needs a backup.",
        )
    is_long = any(sizes.get(name, 0) > LARGE for name in locks.writers)
    return (
        _warn("migrations", f"{sentence} The table is large: choose a quiet hour.")
        if is_long
        else _ok("migrations", sentence)
    )


def _with_sizes(names: Sequence[str], sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({sizes[name] // MIB} MB)" for name in names if name in sizes)


async def _sizes(connection: Connection) -> dict[str, int]:
    rows = await connection.fetch(
        """
        SELECT relname::text AS name, pg_table_size(oid) AS size FROM pg_class
         WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r'
        """
    )
    return {row["name"]: row["size"] for row in rows}


async def _schema(connection: Connection, pending: Sequence[Migration]) -> list[UpgradeFinding]:
    """What the schema lacks although every migration has run; with pending ones the scratch copy tells."""
    if pending:
        return []
    lacking = await missing(connection, needed())
    if lacking:
        return [_fail("schema", f"The database lacks {', '.join(lacking[:12])}: it was changed by hand.")]
    return [_ok("schema", "Every column, key and index this version needs is there.")]


async def _server(connection: Connection, *, today: date, is_embedded: bool) -> UpgradeFinding:
    row = await require_row(
        connection,
        "SELECT current_setting('server_version') AS called, current_setting('server_version_num')::int AS number",
    )
    due = newer_is_due(row["number"] % 10_000, today=today) if is_embedded else None
    if due is not None:
        return _warn("postgresql", f"PostgreSQL {row['called']}; {due}: it comes with `make setup`.")
    return _ok("postgresql", f"PostgreSQL {row['called']}.")


def _python() -> UpgradeFinding:
    called = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return _fail("python", f"Python {called} is too old: {'.'.join(map(str, OLDEST_PYTHON))} or newer is needed.")
    return _ok("python", f"Python {called}, Photomat {__version__}.")


async def _disk(connection: Connection, free_bytes: int) -> UpgradeFinding:
    size: int = await connection.fetchval("SELECT pg_database_size(current_database())")
    sentence = f"The database has {size // MIB} MB, DATA_DIR {free_bytes // MIB} MB free."
    if free_bytes < size * DISK_SHARE:
        return _fail("disk", f"{sentence} Make room first: a full disk stops an upgrade half-way.")
    return _ok("disk", sentence)


async def _backup(connection: Connection) -> UpgradeFinding:
    advice = "Make one now: `photomat backup`."
    if not await connection.fetchval("SELECT to_regclass('backups') IS NOT NULL"):
        return _warn("backup", f"The running version keeps no record of backups. {advice}")
    age: timedelta | None = await connection.fetchval(
        "SELECT photomat_now() - max(started_at) FROM backups WHERE proved_at IS NOT NULL"
    )
    if age is None:
        return _fail("backup", f"There is no proved backup. {advice}")
    hours = int(age.total_seconds() // 3600)
    if age > OLD_BACKUP:
        return _fail("backup", f"The last proved backup is {hours} h old. {advice}")
    return _ok("backup", f"The last proved backup is {hours} h old.")


async def _sessions(connection: Connection) -> UpgradeFinding:
    row = await connection.fetchrow(
        """
        SELECT pid, coalesce(application_name, '') AS name, (clock_timestamp() - xact_start)::text AS lasts
          FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < clock_timestamp() - $1::interval
           AND backend_type = 'client backend'
         ORDER BY xact_start LIMIT 1
        """,
        LONG_TRANSACTION,
    )
    if row is None:
        return _ok("sessions", "No long transaction would keep a migration waiting.")
    return _warn(
        "sessions",
        f"Session {row['pid']} ({row['name']}) keeps a transaction open for {row['lasts']}: it delays locks.",
    )


async def _instances(connection: Connection) -> list[UpgradeFinding]:
    if not await connection.fetchval("SELECT to_regclass('instances') IS NOT NULL"):
        return []
    rows = await connection.fetch(
        "SELECT DISTINCT version FROM instances WHERE seen_at > photomat_now() - interval '1 minute' ORDER BY version"
    )
    running = ", ".join(row["version"] for row in rows)
    return [
        _ok("instances", f"Running now: {running}; old and new may overlap." if running else "No instance is running.")
    ]


def examine_names(given: Sequence[str], known: Sequence[str], *, renamed: Mapping[str, str]) -> list[UpgradeFinding]:
    """Names in `.env` that this version does not know: a spelling mistake, or a setting that is gone."""
    findings = []
    for name in sorted({each.lower() for each in given} - set(known)):
        now = renamed.get(name)
        hint = f"it is called {now.upper()} now" if now else "this version does not know it, and ignores it"
        findings.append(_warn("settings", f"{name.upper()} in .env: {hint}."))
    return findings or [_ok("settings", "Every name in .env is known.")]


def _ok(name: str, sentence: str) -> UpgradeFinding:
    return UpgradeFinding(verdict=UpgradeVerdict.OK, name=name, sentence=sentence)


def _warn(name: str, sentence: str) -> UpgradeFinding:
    return UpgradeFinding(verdict=UpgradeVerdict.WARN, name=name, sentence=sentence)


def _fail(name: str, sentence: str) -> UpgradeFinding:
    return UpgradeFinding(verdict=UpgradeVerdict.FAIL, name=name, sentence=sentence)
