"""Stored audits: what each night's audit found and the totals of the books; and sealed days.

Every night has one proof, by a unique key, however often and by however many instances it is run; an operator may store more. A
day is sealed an hour after it ended, when no transaction of it can still be uncommitted: its digest includes that of the day
before, so a change of the past shows in every later row. Old proofs are pruned, sealed days never.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from photomat.audit.books import UNSEALED_DAYS
from photomat.audit.run import INVARIANTS, TIMEOUT_S, Examination, Violation, examine
from photomat.audit.slices import check_the_night
from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.logs import get_logger
from photomat.work.retention import OldRows

BEGINS: Final = timedelta(hours=2)
"""A night's proof is due from two o'clock on (UTC), when the day before can be sealed."""

OLD_PROOFS: Final = OldRows(table="audit_runs", age="at")
"""What may be deleted."""

OFFENDERS_KEPT: Final = 5
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A stored audit; `night` is None for one of an operator's. `violations` has a few offenders each."""

    run_id: int
    at: datetime
    night: date | None
    seconds: float
    invariants: int
    violations: Sequence[Mapping[str, object]]
    figures: Mapping[str, int]


async def prove_the_night(pool: Pool) -> bool:
    """Store the proof of this night and seal the days that are over; False if there is one already."""
    night = await pool.fetchval(
        """
        SELECT night FROM (SELECT ((photomat_now() - $1::interval) AT TIME ZONE 'UTC')::date AS night) AS tonight
         WHERE NOT EXISTS (SELECT FROM audit_runs WHERE audit_runs.night = tonight.night)
        """,
        BEGINS,
    )
    if night is None:
        return False
    async with transaction(pool) as tx:
        await seal_days(tx)
    found = await _examine_the_night(pool, night)
    await _store(pool, found, night=night)
    if found.violations:
        log.error("AUDIT_RED", night=str(night), violations=", ".join(one.name for one in found.violations))
    else:
        log.info("AUDIT_KEPT", night=str(night), invariants=found.invariants, seconds=found.seconds)
    return True


async def _examine_the_night(pool: Pool, night: date) -> Examination:
    """All history and the totals, in slices."""
    checked = await check_the_night(pool, night)
    return Examination(
        violations=checked.violations,
        figures=checked.figures,
        invariants=len(INVARIANTS),
        seconds=checked.seconds,
    )


async def keep_proof(pool: Pool, *, night: date | None = None) -> Examination:
    """Audit everything now, as a whole, and store the result."""
    async with pool.acquire() as connection:
        found = await examine(connection)
    await _store(pool, found, night=night)
    return found


async def _store(pool: Pool, found: Examination, *, night: date | None) -> None:
    await pool.execute(
        """
        INSERT INTO audit_runs (night, seconds, invariants, violations, figures) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT ON CONSTRAINT audit_runs_one_a_night DO NOTHING
        """,
        night,
        found.seconds,
        found.invariants,
        [_small(one) for one in found.violations],
        dict(found.figures),
    )


async def kept_proofs(pool: Pool, *, limit: int = 30) -> list[Proof]:
    """The last proofs, newest first."""
    rows = await pool.fetch(
        """
        SELECT run_id, at, night, seconds, invariants, violations, figures
          FROM audit_runs ORDER BY at DESC, run_id DESC LIMIT $1
        """,
        limit,
    )
    return [Proof(**dict(row)) for row in rows]


async def seal_days(tx: Transaction) -> int:
    """Seal every day that ended an hour ago or more; return how many."""
    await tx.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_S}s'")
    before = await tx.fetchval("SELECT digest FROM sealed_days ORDER BY day DESC LIMIT 1") or b""
    days = await tx.fetch(
        f"""
        SELECT day, transactions, books FROM ({UNSEALED_DAYS}) AS days
         WHERE day < ((photomat_now() - interval '1 hour') AT TIME ZONE 'UTC')::date
         ORDER BY day
        """,  # noqa: S608  our own constant
        timeout=TIMEOUT_S,
    )
    for row in days:
        before = hashlib.sha256(before + row["books"]).digest()
        await tx.execute(
            """
            INSERT INTO sealed_days (day, transactions, digest) VALUES ($1, $2, $3)
            ON CONFLICT ON CONSTRAINT sealed_days_pkey DO NOTHING
            """,
            row["day"],
            row["transactions"],
            before,
        )
    return len(days)


def _small(one: Violation) -> dict[str, object]:
    return {"name": one.name, "count": len(one.offenders), "offenders": list(one.offenders[:OFFENDERS_KEPT])}
