"""What the phases of a check work with: the real configuration, a session that is rolled back, a separate schema.

What one session can do is done on the real tables and rolled back: no other session sees it, and its jobs get ids of
their own, because a sequence does not roll back. What needs two sessions that see each other's commits is done in
the schema `photomat_check`, made by the real migrations on the real server and dropped afterwards. Running instances never look
there, so they never claim, show or charge a job of the check. A check that is killed leaves at most that schema; the next one
drops it.

What a check reports: phases of findings, each with its severity and how to fix it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from photomat.app.settings import Settings
from photomat.db.installation import insert_stamp
from photomat.db.migrate import migrate
from photomat.db.pool import OneSession, Pool, Transaction, connect
from photomat.db.url import with_schema
from photomat.kernel.ids import BotId
from photomat.kie.port import Account

if TYPE_CHECKING:
    from aiogram import Bot

SESSION: Final = "photomat check"
SCHEMA: Final = "photomat_check"
LOCK_KEY: Final = 0x70686F746F636865  # "photoche" in bytes
DROP_TIMEOUT_S: Final = 30
CHECK_BOT: Final = BotId(0)
"""No real bot has this id: it owns the schema of the check."""
PHASES: Final = (
    "storage",
    "atomic operations",
    "callback handler",
    "delivery",
    "migrations",
    "idempotency",
    "balance",
)
"""The phases of the production check, in order."""


class AnotherCheckRuns(Exception):
    """Another check holds the schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """`bot` and `account` are None in the sandbox, which has no keys."""

    settings: Settings
    dsn: str
    pool: Pool
    bot: "Bot | None"
    account: Account | None

    @property
    def direct(self) -> str:
        """The database without the pooler."""
        return self.settings.direct_database_url or self.dsn


@asynccontextmanager
async def rolled_back(dsn: str) -> AsyncIterator[Pool]:
    """Yield a session on the real tables; everything it does is rolled back."""
    connection = await connect(dsn, name=SESSION)
    try:
        everything = connection.transaction()
        await everything.start()
        try:
            yield OneSession(connection, await _owning_bot(connection))
        finally:
            await everything.rollback()
    finally:
        await connection.close(timeout=5)


@asynccontextmanager
async def own_schema(dsn: str) -> AsyncIterator[str]:
    """Yield the URL of a separate, freshly migrated schema on this database; one check at a time."""
    guard = await connect(dsn, name=SESSION)
    try:
        if not await guard.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY):
            raise AnotherCheckRuns
        await guard.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", timeout=DROP_TIMEOUT_S)
        await guard.execute(f"CREATE SCHEMA {SCHEMA}")
        try:
            inside = with_schema(dsn, SCHEMA)
            await migrate(inside)
            yield inside
        finally:
            await guard.execute(f"DROP SCHEMA {SCHEMA} CASCADE", timeout=DROP_TIMEOUT_S)
    finally:
        await guard.close(timeout=5)


async def _owning_bot(tx: Transaction) -> BotId:
    """The bot that owns the database; a database without owner gets the check's bot until the rollback."""
    await insert_stamp(tx, bot_id=CHECK_BOT, currency="RUB")
    return BotId(await tx.fetchval("SELECT bot_id FROM installation"))


class Level(StrEnum):
    """Only a failure makes the command fail."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`fix` says what to do about a warning or a failure."""

    level: Level
    what: str
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    number: int
    name: str
    findings: Sequence[Finding]

    @property
    def level(self) -> Level:
        """The worst level of its findings."""
        levels = {finding.level for finding in self.findings}
        return next((level for level in (Level.FAILURE, Level.WARNING) if level in levels), Level.OK)


def ok(what: str) -> Finding:
    return Finding(level=Level.OK, what=what)


def warning(what: str, fix: str) -> Finding:
    return Finding(level=Level.WARNING, what=what, fix=fix)


def failure(what: str, fix: str) -> Finding:
    return Finding(level=Level.FAILURE, what=what, fix=fix)


def verify(holds: object, what: str, fix: str) -> Finding:
    """Report that `what` holds, or a failure."""
    return ok(what) if holds else failure(f"Not so: {what}", fix)
