"""Jobs that wait to be submitted, besides the claim that submits them: uploads before it, give-up, claims given back.

One function, one statement. Every write that follows a claim tests its fence.
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.jobs.job import Job
from photomat.jobs.store import job_of
from photomat.kernel.ids import InstanceId

UPLOADS_DUE: Final = """
    SELECT 1 FROM generation_jobs
     WHERE status = 'pending' AND needs_files AND least(due_at, submit_at) <= photomat_now()
       AND (leased_until IS NULL OR leased_until <= photomat_now())"""


async def claim_uploads(pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId) -> list[Job]:
    """Claim jobs whose files must be uploaded before they can be submitted, in the order they will be."""
    rows = await pool.fetch(
        """
        WITH due AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE status = 'pending' AND needs_files AND least(due_at, submit_at) <= photomat_now()
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($4))
             ORDER BY submit_turn, job_id LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        UPDATE generation_jobs AS job
           SET fence = job.fence + 1, leased_until = photomat_now() + $2::interval, leased_by = $3, attempts = attempts + 1
          FROM due
         WHERE job.job_id = due.job_id
        RETURNING job.*, photomat_now() AS claimed_at
        """,
        limit,
        lease,
        instance,
        pool.bot_id,
    )
    return [job_of(row) for row in rows]


async def claim_expired(
    pool: Pool, *, limit: int, given_up_after: timedelta, lease: timedelta, instance: InstanceId
) -> list[Job]:
    """Claim jobs that have waited to be submitted for longer than the give-up time; ending them needs no call."""
    rows = await pool.fetch(
        """
        WITH due AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE status = 'pending' AND created_at <= photomat_now() - $4::interval
               AND least(due_at, submit_at) <= photomat_now()
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        UPDATE generation_jobs AS job
           SET fence = job.fence + 1, leased_until = photomat_now() + $2::interval, leased_by = $3, attempts = attempts + 1
          FROM due
         WHERE job.job_id = due.job_id
        RETURNING job.*, photomat_now() AS claimed_at
        """,
        limit,
        lease,
        instance,
        given_up_after,
        pool.bot_id,
    )
    return [job_of(row) for row in rows]


async def record_files(tx: Transaction, job: Job) -> bool:
    """The job's files are at Kie: give the claim back, the job waits for its turn to be submitted."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET needs_files = false, leased_until = NULL, last_error = NULL
             WHERE job_id = $1 AND fence = $2 AND status = 'pending'
            RETURNING true
            """,
            job.job_id,
            job.fence,
        )
    )


async def release_claim(tx: Transaction, job: Job) -> bool:
    """Give back the claim of a job that was not started."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET leased_until = NULL
             WHERE job_id = $1 AND fence = $2 AND status = 'pending'
            RETURNING true
            """,
            job.job_id,
            job.fence,
        )
    )


async def renew_claim(pool: Pool, job: Job, *, lease: timedelta) -> bool:
    """Begin the lease of a job about to be submitted anew; False when the claim is no longer ours."""
    return bool(
        await pool.fetchval(
            """
            UPDATE generation_jobs SET leased_until = photomat_now() + $3::interval
             WHERE job_id = $1 AND fence = $2 AND status = 'pending' AND leased_until IS NOT NULL
            RETURNING true
            """,
            job.job_id,
            job.fence,
            lease,
        )
    )
