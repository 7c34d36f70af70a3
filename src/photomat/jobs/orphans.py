"""Callbacks nobody could place: stored, matched by task id every minute and whenever one becomes known, and kept.

A match only wakes the job: the one reader of the truth looks at the task, and the result goes the ordinary way.
"""

from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger

SHOUT_AFTER: Final = "1 hour"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What one pass did."""

    matched: int
    waiting: int


async def match_task(tx: Transaction, *, task_id: str) -> int:
    """A task id became known: close its orphans and wake its job."""
    rows = await tx.fetch(
        """
        WITH closed AS (
            UPDATE orphan_callbacks SET processed_at = photomat_now()
             WHERE task_id = $1 AND processed_at IS NULL
            RETURNING task_id),
        woken AS (
            UPDATE generation_jobs SET due_at = photomat_now(), woken_via = 'orphan'
             WHERE external_task_id IN (SELECT task_id FROM closed) AND status <> 'done'
            RETURNING job_id)
        SELECT (SELECT job_id FROM woken) AS job_id FROM closed
        """,
        task_id,
    )
    woken = {JobId(row["job_id"]): {"via": "orphan", "task_id": task_id} for row in rows if row["job_id"] is not None}
    await timeline.record_all(tx, woken, Tag.WOKEN)
    return len(rows)


async def reconcile_orphans(pool: Pool, *, limit: int = 100) -> Reconciled:
    """One pass: match what can be matched, shout about what has waited for an hour."""
    task_ids = await pool.fetch(
        """
        SELECT DISTINCT orphan.task_id FROM orphan_callbacks AS orphan
          JOIN generation_jobs AS job ON job.external_task_id = orphan.task_id
         WHERE orphan.processed_at IS NULL LIMIT $1
        """,
        limit,
    )
    matched = 0
    for row in task_ids:
        async with transaction(pool) as tx:
            matched += await match_task(tx, task_id=row["task_id"])
        failpoint("orphan.after_match")
        log.info("ORPHAN_RECONCILE", task_id=row["task_id"], matched=1)
    await _shout(pool)
    waiting: int = await pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL")
    return Reconciled(matched=matched, waiting=waiting)


async def _shout(pool: Pool) -> None:
    rows = await pool.fetch(
        """
        UPDATE orphan_callbacks SET shouted_at = photomat_now()
         WHERE processed_at IS NULL AND shouted_at IS NULL AND received_at < photomat_now() - $1::text::interval
        RETURNING orphan_id, task_id, error
        """,
        SHOUT_AFTER,
    )
    for row in rows:
        log.error(
            "ORPHAN_CALLBACK", orphan_id=row["orphan_id"], task_id=row["task_id"], waiting="1 hour", error=row["error"]
        )
