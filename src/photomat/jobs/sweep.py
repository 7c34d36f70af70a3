"""Duties around jobs: free claims of dead instances, re-arm stuck jobs, find loose holds, delete old rows.

Claims expire after LEASE_S; freeing them is only faster. An intent is never submitted again: its status is no
longer `pending`, so only its polling is resumed. Jobs without a next step, and holds without a live job, should not exist: they
come from a bug or a manual change in the database, and are logged as errors. Stopped jobs wait for a person, and a loose hold
is released by an operator alone. Stuck cards are re-armed in `delivery/lock.py`.

Jobs, holds and outputs are never deleted; callbacks and events of old jobs are, by `partitions.py`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.wallet import ledger
from photomat.wallet.ledger import holds_of_job
from photomat.work.retention import OldRows

LOOSE_HOLDS: Final = """
    WITH lately AS MATERIALIZED (
        SELECT reference, user_id, amount, job_id, held_at FROM holds WHERE held_at > photomat_now() - interval '1 day'
        UNION SELECT reference, holds.user_id, amount, job_id, held_at FROM generation_jobs JOIN holds USING (job_id)
               WHERE settled_at > photomat_now() - interval '1 day')
    SELECT reference, lately.user_id, amount, job_id, status
      FROM lately LEFT JOIN hold_closings USING (reference) LEFT JOIN generation_jobs USING (job_id)
     WHERE closed_as IS NULL AND (status IN ('pending', 'submitting', 'running')) IS NOT TRUE
     ORDER BY held_at LIMIT $1"""
"""Of the last day; the nightly audit checks all of them."""
READINGS: Final = OldRows(table="kie_readings", age="read_at")
MAX_LOGGED: Final = 20
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseHold:
    """An open hold whose job is over; `status` is None when there is no such job."""

    reference: str
    user_id: int
    amount: int
    job_id: JobId
    status: str | None


class ReleaseOutcome(StrEnum):
    RELEASED = "released"
    NO_SUCH_HOLD = "no such hold"
    ENDED_BEFORE = "ended before"
    JOB_LIVES = "job lives"
    OWED = "owed"


async def free_claims_of_dead_instances(pool: Pool) -> int:
    """Free submit and poll claims of dead instances; return how many."""
    rows = await pool.fetch(
        """
        UPDATE generation_jobs SET leased_until = NULL
         WHERE (due_at IS NOT NULL OR submit_at IS NOT NULL) AND leased_until > photomat_now()
           AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING job_id
        """,
        DEAD_AFTER,
    )
    return len(rows)


async def rearm_stuck_jobs(pool: Pool) -> int:
    """Make submits and polls without a next step due; return how many."""
    return await rearm(pool, "jobs", _rearm_steps)


async def rearm(pool: Pool, what: str, make_due: Callable[[Transaction], Awaitable[list[JobId]]]) -> int:
    """Make due what has no next step, with an event and a log line for the operator."""
    async with transaction(pool) as tx:
        jobs = await make_due(tx)
        await timeline.record_all(tx, {job: {"by": "sweep", "what": what} for job in jobs}, Tag.REARMED)
    if jobs:
        log.error("SWEPT", what=what, count=len(jobs), jobs=",".join(map(str, jobs[:MAX_LOGGED])))
    return len(jobs)


async def _rearm_steps(tx: Transaction) -> list[JobId]:
    rows = await tx.fetch(
        """
        WITH stuck AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE settled_at IS NULL AND stopped_at IS NULL AND coalesce(due_at, submit_at, 'infinity') = 'infinity'
               AND (leased_until IS NULL OR leased_until <= photomat_now())
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET due_at = photomat_now(), leased_until = NULL
          FROM stuck
         WHERE job.job_id = stuck.job_id
           AND settled_at IS NULL AND stopped_at IS NULL AND coalesce(due_at, submit_at, 'infinity') = 'infinity'
        RETURNING job.job_id
        """
    )
    return [JobId(row["job_id"]) for row in rows]


async def find_loose_holds(pool: Pool, *, limit: int = MAX_LOGGED) -> list[LooseHold]:
    """Open holds of the last days whose job is settled or does not exist, oldest first."""
    rows = await pool.fetch(LOOSE_HOLDS, limit)
    return [LooseHold(**dict(row)) for row in rows]


async def report_loose_holds(pool: Pool) -> int:
    """Log the loose holds, again at every pass until an operator has released them."""
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


async def release_loose_hold(tx: Transaction, reference: str) -> ReleaseOutcome:
    """ReleaseOutcome a hold whose job can no longer close it and does not owe it."""
    job_id = await ledger.job_of_hold(tx, reference)
    if job_id is None:
        return ReleaseOutcome.NO_SUCH_HOLD
    job = await tx.fetchrow("SELECT status, gift FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    status = None if job is None else JobStatus(job["status"])
    closings = {hold.reference: hold.closed_as for hold in await holds_of_job(tx, job_id)}
    if closings[reference] is not None:
        return ReleaseOutcome.ENDED_BEFORE
    if status is not None and status not in TERMINAL:
        return ReleaseOutcome.JOB_LIVES
    if job is not None and status is JobStatus.DONE and not job["gift"] and "charge" not in closings.values():
        return ReleaseOutcome.OWED
    return ReleaseOutcome.RELEASED if await ledger.release(tx, reference=reference) else ReleaseOutcome.ENDED_BEFORE
