"""Holds without a live job: money set aside for nobody.

A hold ends in the transaction that ends its job, so there should be none: one that exists comes from a mistake of ours or from
a hand in the database. Nothing gives the money back by itself, because nobody knows yet what went wrong: it is said aloud until
an operator has looked and released it. The job's row is locked before the wallet, as everywhere.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.wallet import ledger

MOST_SAID: Final = 20
LATELY: Final = timedelta(days=1)
"""How long ago a hold was made, or its job settled, to be looked at here; the audit of every night looks at all holds."""

LOOSE_HOLDS: Final = """
    WITH lately AS MATERIALIZED (
        SELECT reference, user_id, amount, job_id, held_at FROM holds WHERE held_at > photomat_now() - $2::interval
        UNION SELECT reference, holds.user_id, amount, job_id, held_at FROM generation_jobs JOIN holds USING (job_id)
               WHERE settled_at > photomat_now() - $2::interval)
    SELECT reference, lately.user_id, amount, job_id, status
      FROM lately LEFT JOIN hold_closings USING (reference) LEFT JOIN generation_jobs USING (job_id)
     WHERE closed_as IS NULL AND (status IN ('pending', 'submitting', 'running')) IS NOT TRUE
     ORDER BY held_at LIMIT $1"""

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseHold:
    """An open hold and how its job stands; `status` is None where there is no such job."""

    reference: str
    user_id: int
    amount: int
    job_id: JobId
    status: str | None


class Release(StrEnum):
    """What came of releasing a hold by hand."""

    RELEASED = "released"
    NO_SUCH_HOLD = "no such hold"
    ENDED_BEFORE = "ended before"
    JOB_LIVES = "job lives"
    OWED = "owed"


async def find_loose_holds(pool: Pool, *, limit: int = MOST_SAID) -> list[LooseHold]:
    """Open holds of the last days whose job is settled or does not exist, oldest first."""
    rows = await pool.fetch(LOOSE_HOLDS, limit, LATELY)
    return [LooseHold(**dict(row)) for row in rows]


async def shout_about_loose_holds(pool: Pool) -> int:
    """Say which holds nobody will ever end; again at every pass, until an operator has."""
    found = await find_loose_holds(pool)
    for hold in found:
        log.error(
            "HOLD_WITHOUT_JOB",
            reference=hold.reference,
            user_id=hold.user_id,
            job_id=hold.job_id,
            amount=hold.amount,
            status=hold.status or "no such job",
        )
    return len(found)


async def release_loose_hold(tx: Transaction, reference: str) -> Release:
    """Give the money of a hold back, where its job can no longer end it and does not owe it."""
    job_id = await job_of_hold(tx, reference)
    if job_id is None:
        return Release.NO_SUCH_HOLD
    job = await tx.fetchrow("SELECT status, gift FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    status = None if job is None else JobStatus(job["status"])
    if await tx.fetchval("SELECT true FROM hold_closings WHERE reference = $1", reference):
        return Release.ENDED_BEFORE
    if status is not None and status not in TERMINAL:
        return Release.JOB_LIVES
    if job is not None and status is JobStatus.DONE and not job["gift"] and not await _was_charged(tx, job_id):
        return Release.OWED
    return Release.RELEASED if await ledger.release(tx, reference=reference) else Release.ENDED_BEFORE


async def job_of_hold(source: Pool | Transaction, reference: str) -> JobId | None:
    """Which job a hold was made for."""
    job_id = await source.fetchval("SELECT job_id FROM holds WHERE reference = $1", reference)
    return None if job_id is None else JobId(job_id)


async def _was_charged(tx: Transaction, job_id: JobId) -> bool:
    return bool(
        await tx.fetchval(
            "SELECT true FROM holds JOIN hold_closings USING (reference) WHERE job_id = $1 AND closed_as = 'charge'",
            job_id,
        )
    )
