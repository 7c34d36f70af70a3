"""Runs the audit: every invariant against one snapshot, reading only, so it may run beside live traffic at any time."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from photomat.audit.invariant import Invariant
from photomat.audit.invariants import INVARIANTS
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
    """What was found at one moment, what the books added up to then, and how long the look took."""

    violations: list[Violation]
    figures: Mapping[str, int]
    invariants: int
    seconds: float


async def violations(connection: Connection, invariants: Sequence[Invariant] = INVARIANTS) -> list[Violation]:
    """What is wrong, worst first; an empty list is the good answer. The connection must not be in a transaction."""
    async with _one_moment(connection):
        return await _violations(connection, invariants)


async def examine(connection: Connection) -> Examination:
    """Everything that is wrong, and the figures of the same moment. The connection must not be in a transaction."""
    began = monotonic()
    async with _one_moment(connection):
        found = await _violations(connection, INVARIANTS)
        figures = {row["name"]: row["figure"] for row in await connection.fetch(FIGURES, timeout=TIMEOUT_S)}
    return Examination(
        violations=found, figures=figures, invariants=len(INVARIANTS), seconds=round(monotonic() - began, 3)
    )


@asynccontextmanager
async def _one_moment(connection: Connection) -> AsyncIterator[None]:
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_S}s'")
        yield


async def _violations(connection: Connection, invariants: Sequence[Invariant]) -> list[Violation]:
    return [
        Violation(name=invariant.name, sentence=invariant.sentence, offenders=offenders)
        for invariant in invariants
        if (offenders := await _offenders(connection, invariant))
    ]


async def _offenders(connection: Connection, invariant: Invariant) -> tuple[str, ...]:
    query = f"SELECT * FROM ({invariant.sql}) AS offenders LIMIT {MOST_OFFENDERS}"  # noqa: S608  our own constants
    rows = await connection.fetch(query, timeout=TIMEOUT_S)
    return tuple(" ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
