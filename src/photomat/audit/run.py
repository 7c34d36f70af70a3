"""Runs the audit: every invariant in a read-only snapshot of its own, so it may run beside live traffic.

Everything is checked by `photomat audit`, and at night in slices (`slices.py`); by day what is new (`by_day.py`). The queries
read every table and trust no constraint, trigger or cached sum: they are the second opinion.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg

from photomat.audit.books import BOOKS
from photomat.audit.fiscal import FISCAL
from photomat.audit.invariant import Invariant
from photomat.audit.jobs import JOBS
from photomat.audit.payments import PAYMENTS
from photomat.db.pool import Connection
from photomat.kernel.clock import monotonic
from photomat.kernel.logs import get_logger

INVARIANTS: Final = (*BOOKS, *JOBS, *PAYMENTS, *FISCAL)
MAX_OFFENDERS: Final = 100
TIMEOUT_S: Final = 300
GRACE_S: Final = 5
"""For the server's own limit to come first."""
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
"""Totals in minor units: the wallets of all users, and every other account by its name."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A broken invariant with the first hundred rows that break it."""

    name: str
    sentence: str
    offenders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The result of a full audit."""

    violations: list[Violation]
    figures: Mapping[str, int]
    invariants: int
    seconds: float


async def violations(connection: Connection, invariants: Sequence[Invariant] = INVARIANTS) -> list[Violation]:
    """Check all history.

    Each invariant is one statement with a snapshot of its own: a transaction around all of them would keep the server from
    vacuuming for as long as they take. The connection must not be in a transaction.
    """
    return [found for one in invariants if (found := await find_violation(connection, one, one.sql)) is not None]


async def examine(connection: Connection) -> Examination:
    """Check all history and compute the totals. The connection must not be in a transaction."""
    began = monotonic()
    found = await violations(connection)
    figures = await totals(connection)
    return Examination(
        violations=found, figures=figures, invariants=len(INVARIANTS), seconds=round(monotonic() - began, 3)
    )


async def totals(connection: Connection) -> dict[str, int]:
    """The figures of the books, in one snapshot so that they add up."""
    return await read_figures(connection, FIGURES)


async def read_figures(connection: Connection, sql: str, *arguments: object) -> dict[str, int]:
    """Figures by their names; with arguments those of a range."""
    async with _unhurried(connection, whole=not arguments):
        rows = await connection.fetch(sql, *arguments, timeout=TIMEOUT_S + GRACE_S)
    return {row["name"]: row["figure"] for row in rows}


async def find_violation(
    connection: Connection, invariant: Invariant, sql: str, *arguments: object
) -> Violation | None:
    """Run an invariant's query, or with arguments a cut of it, in a short snapshot of its own.

    Materialized, so that it is planned for all rows: a plan for the first hundred offenders is very slow when there are none.
    One that takes too long, or cannot read a value, is a violation too: what is not checked may be wrong, and the others are
    checked all the same.
    """
    query = f"WITH offenders AS MATERIALIZED ({sql}) SELECT * FROM offenders LIMIT {MAX_OFFENDERS}"  # noqa: S608  our own constants
    try:
        async with _unhurried(connection, whole=not arguments):
            rows = await connection.fetch(query, *arguments, timeout=TIMEOUT_S + GRACE_S)
    except (asyncpg.QueryCanceledError, asyncpg.DataError, TimeoutError) as error:
        reason = str(error) or f"no answer within {TIMEOUT_S} s"
        log.error("AUDIT_UNCHECKED", invariant=invariant.name, error=reason)
        offenders: tuple[str, ...] = (f"could not be checked: {reason}",)
    else:
        offenders = tuple(" ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
    return Violation(name=invariant.name, sentence=invariant.sentence, offenders=offenders) if offenders else None


@asynccontextmanager
async def _unhurried(connection: Connection, *, whole: bool) -> AsyncIterator[None]:
    """A read-only transaction with a long statement timeout, planned for its own arguments.

    Only what is about `whole` tables may read one; a range of it is read by index.
    """
    plans = "enable_seqscan = on" if whole else "random_page_cost = 1.1"
    async with connection.transaction(readonly=True):
        await connection.execute(
            f"SET LOCAL statement_timeout = '{TIMEOUT_S}s'; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL {plans}"
        )
        yield
