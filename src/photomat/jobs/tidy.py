"""What may be deleted of jobs. The jobs themselves, their drafts, holds and results' rows never are.

Callbacks: what they said is in the job's row once it is settled. Where a job failed because its result could not be read,
the body is the only evidence, and stays. Orphans: only those that found their job. Drafts: only those nobody bought.
Events: those of jobs that ended long ago, walked in the order of the jobs from where the last pass ended, for the table has
no other order.
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.work.retention import Batch, OldRows

CALLBACKS: Final = OldRows(
    table="callbacks",
    age="received_at",
    only="""
        (old.job_id IS NULL
         OR EXISTS (SELECT FROM generation_jobs AS job
                     WHERE job.job_id = old.job_id AND job.settled_at < photomat_now() - $1::interval
                       AND job.fail_code IS DISTINCT FROM 'empty'))
    """,
)
"""One without a job is kept as an orphan, for as long as it is one."""

ORPHANS: Final = OldRows(table="orphan_callbacks", age="processed_at")
DRAFTS: Final = OldRows(table="drafts", age="expires_at", only="bought_at IS NULL")
READINGS: Final = OldRows(table="kie_readings", age="read_at")

EVENTS: Final = "job_events"
JOBS_AT_ONCE: Final = 200
"""Each has a dozen events or so."""


async def count_old_events(pool: Pool, older_than: timedelta) -> int:
    """Count what the walk would delete."""
    return int(
        await pool.fetchval(
            """
            SELECT count(*) FROM generation_jobs JOIN job_events USING (job_id)
             WHERE job_id > coalesce((SELECT done_to FROM retention_marks WHERE kind = $2), 0)
               AND settled_at < photomat_now() - $1::interval AND at < photomat_now() - $1::interval
            """,
            older_than,
            EVENTS,
        )
    )


async def delete_old_events(pool: Pool, older_than: timedelta, limit: int) -> Batch:
    """Delete the events of the next jobs that ended before that; a job that has not ended keeps its events."""
    async with transaction(pool) as tx:
        rows = await tx.fetch(
            """
            SELECT job_id, settled_at < photomat_now() - $1::interval AS is_over
              FROM (SELECT job_id, created_at, settled_at FROM generation_jobs
                     WHERE job_id > coalesce((SELECT done_to FROM retention_marks WHERE kind = $3), 0)
                     ORDER BY job_id LIMIT $2) AS following
             WHERE created_at < photomat_now() - $1::interval
            """,
            older_than,
            min(limit, JOBS_AT_ONCE),
            EVENTS,
        )
        if not rows:
            return Batch(0, more=False)
        await tx.execute("SELECT set_config('photomat.pruning', 'on', true)")
        done = await tx.execute(
            "DELETE FROM job_events WHERE job_id = ANY ($2::bigint[]) AND at < photomat_now() - $1::interval",
            older_than,
            [row["job_id"] for row in rows if row["is_over"]],
        )
        await tx.execute(
            """
            INSERT INTO retention_marks (kind, done_to) VALUES ($1, $2)
                ON CONFLICT ON CONSTRAINT retention_marks_pkey
                DO UPDATE SET done_to = greatest(retention_marks.done_to, excluded.done_to)
            """,
            EVENTS,
            max(row["job_id"] for row in rows),
        )
    return Batch(int(done.rpartition(" ")[2]), more=len(rows) == min(limit, JOBS_AT_ONCE))
