"""Runs the audit: every invariant against a snapshot of its own, reading only, so it may run beside live traffic."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.audit.invariant import Invariant
from photomat.audit.invariants import INVARIANTS
from photomat.audit.new_rows import BOUNDS
from photomat.db.pool import Connection
from photomat.kernel.clock import monotonic

MOST_OFFENDERS: Final = 100
TIMEOUT_S: Final = 300

FIGURES: Final = """
    SELECT 'wallets: ' || currency AS name, sum(posted)::bigint AS figure FROM wallets GROUP BY currency
    UNION ALL SELECT 'held: ' || currency, sum(held)::bigint FROM wallets GROUP BY currency
    UNION ALL SELECT 'owed: ' || currency, sum(owed)::bigint FROM wallets GROUP BY currency
    UNION ALL SELECT account || ': ' || currency, sum(amount)::bigint FROM entries WHERE user_id IS NULL
     GROUP BY account, currency
    UNION ALL SELECT 'users', count(*) FROM wallets
    UNION ALL SELECT 'transactions', count(*) FROM ledger_transactions
    UNION ALL SELECT 'open holds', count(*) FROM holds LEFT JOIN hold_closings USING (reference) WHERE closed_as IS NULL
    UNION ALL SELECT 'came in by payments, ' || currency, sum(credit)::bigint FROM payments GROUP BY currency
    UNION ALL SELECT 'went back to payers, ' || currency, sum(amount)::bigint
                FROM payment_refunds JOIN payments USING (payment_id) WHERE state = 'done' GROUP BY currency
    UNION ALL SELECT 'wanted refunds', count(*) FROM payment_refunds WHERE state = 'wanted'
    UNION ALL SELECT 'open differences', count(*) FROM differences WHERE resolved_at IS NULL
    ORDER BY name
"""
"""What the books add up to, in minor units: the wallets of all users, and every other account by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """An invariant that does not hold, with the rows that break it, the first hundred of them."""

    name: str
    sentence: str
    offenders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found, what the books added up to, and how long the look took."""

    violations: list[Violation]
    figures: Mapping[str, int]
    invariants: int
    seconds: float


async def violations(connection: Connection, invariants: Sequence[Invariant] = INVARIANTS) -> list[Violation]:
    """Check all history; what is wrong, worst first. An empty list is the good answer.

    Each invariant is one statement with a snapshot of its own: a transaction around all of them would keep the server from
    tidying up for as long as they take. The connection must not be in a transaction.
    """
    return [found for one in invariants if (found := await _violation(connection, one, one.sql)) is not None]


async def new_violations(
    connection: Connection, invariants: Sequence[Invariant], *, since: datetime, first_transaction: int
) -> list[Violation]:
    """Check what was written since then only, as far as the invariants have a scope for that (`new_rows.py`)."""
    found = []
    for one in invariants:
        if one.new is None:
            continue
        scope = ", ".join(part for part in (BOUNDS, one.new) if part)
        sql = f"WITH {scope} SELECT * FROM ({one.sql}) AS every"  # noqa: S608  our own constants
        found.append(await _violation(connection, one, sql, since, first_transaction))
    return [one for one in found if one is not None]


async def examine(connection: Connection) -> Examination:
    """Everything that is wrong, and what the books add up to then. The connection must not be in a transaction."""
    began = monotonic()
    found = await violations(connection)
    async with _unhurried(connection):
        figures = {row["name"]: row["figure"] for row in await connection.fetch(FIGURES, timeout=TIMEOUT_S)}
    return Examination(
        violations=found, figures=figures, invariants=len(INVARIANTS), seconds=round(monotonic() - began, 3)
    )


async def _violation(connection: Connection, invariant: Invariant, sql: str, *arguments: object) -> Violation | None:
    query = f"SELECT * FROM ({sql}) AS offenders LIMIT {MOST_OFFENDERS}"  # noqa: S608  our own constants
    async with _unhurried(connection):
        rows = await connection.fetch(query, *arguments, timeout=TIMEOUT_S)
    offenders = tuple(" ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
    return Violation(name=invariant.name, sentence=invariant.sentence, offenders=offenders) if offenders else None


@asynccontextmanager
async def _unhurried(connection: Connection) -> AsyncIterator[None]:
    """A short transaction of one statement, which may take longer than others and is planned for its own arguments."""
    async with connection.transaction(readonly=True):
        await connection.execute(
            f"SET LOCAL statement_timeout = '{TIMEOUT_S}s'; SET LOCAL plan_cache_mode = force_custom_plan"
        )
        yield
