"""The ground a check stands on: the real configuration, a session whose work is rolled back, a schema of its own.

What one session can do is done on the real tables and rolled back: nobody else ever sees it, and its jobs have numbers of
their own, because a sequence does not roll back. What needs two sessions that see each other's commits is done in the
schema `photomat_check`, made by the real migrations on the real server and dropped again; running instances never look
there, so no test job is ever claimed, shown or paid for by one of them.

What a check found: a sentence, how bad it is, and how to mend it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from aiogram import Bot

from photomat.app.settings import Settings
from photomat.db.installation import insert_stamp
from photomat.db.migrate import migrate
from photomat.db.pool import OneSession, Pool, Transaction, connect
from photomat.db.url import with_schema
from photomat.kernel.ids import BotId
from photomat.kie.port import Account

SESSION: Final = "photomat check"
SCHEMA: Final = "photomat_check"
LOCK_KEY: Final = 0x70686F746F636865  # "photoche" in bytes
DROP_TIMEOUT_S: Final = 30
TRIAL_BOT: Final = BotId(0)
"""No bot has this number: it owns the check's schema."""
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
    """The schema of the check is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the phases work with. Without keys there is no bot and no account: the sandbox."""

    settings: Settings
    dsn: str
    pool: Pool
    bot: Bot | None
    account: Account | None

    @property
    def direct(self) -> str:
        """The database past a pooler."""
        return self.settings.direct_database_url or self.dsn


@asynccontextmanager
async def rolled_back(dsn: str) -> AsyncIterator[Pool]:
    """A session on the real tables, of which nothing remains."""
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
    """The address of a freshly migrated schema of the check's own on this database; one check at a time."""
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
    """The bot whose database this is; one that no program has started on counts as the check's own until the rollback."""
    await insert_stamp(tx, bot_id=TRIAL_BOT, currency="RUB")
    return BotId(await tx.fetchval("SELECT bot_id FROM installation"))


class Level(StrEnum):
    """How bad it is: only a failure makes the command fail."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was done and what came of it; `mend` says what to do where it is not well."""

    level: Level
    what: str
    mend: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase with everything it found."""

    number: int
    name: str
    findings: Sequence[Finding]

    @property
    def level(self) -> Level:
        """As bad as the worst of what was found."""
        levels = {finding.level for finding in self.findings}
        return next((level for level in (Level.FAILURE, Level.WARNING) if level in levels), Level.OK)


def fine(what: str) -> Finding:
    """It is as it should be."""
    return Finding(level=Level.OK, what=what)


def doubtful(what: str, mend: str) -> Finding:
    """It works, and somebody should look."""
    return Finding(level=Level.WARNING, what=what, mend=mend)


def broken(what: str, mend: str) -> Finding:
    """It does not work."""
    return Finding(level=Level.FAILURE, what=what, mend=mend)


def proved(holds: object, what: str, mend: str) -> Finding:
    """The thing was done: it holds, or it is broken."""
    return fine(what) if holds else broken(f"Not so: {what}", mend)
