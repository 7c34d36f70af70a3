"""Callbacks without a job: stored, and matched by task id when one becomes known, and every minute.

A match only wakes the job; its result is read from Kie as usual. Jobs are locked first, in one order, then their orphans are
closed: the same order as in callbacks and submits, so there is no deadlock. An orphan stored at the moment its task becomes
known is found by the next pass; a pass reads the newest orphans only, so junk of past years costs nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.work.retention import OldRows

MATCHED_ORPHANS: Final = OldRows(table="orphan_callbacks", age="processed_at")
BATCH: Final = 500
MAX_SEARCHED: Final = 20_000
"""How many of a day's newest orphans a pass reads."""
MAX_COUNTED: Final = 100_000
LOGGED_AFTER: Final = "1 hour"
LOGGED_IN_FULL: Final = 20
MAX_ORPHANS_LOGGED: Final = 20_000
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    orphan_id: int
    task_id: str
    job_id: JobId
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """The result of a pass; `waiting` is counted up to a bound."""

    matches: tuple[Match, ...]
    waiting: int

    @property
    def matched(self) -> int:
        return len(self.matches)


async def match_tasks(tx: Transaction, task_ids: Collection[str]) -> list[Match]:
    """Task ids became known: close their orphans and wake their jobs, in one statement."""
    rows = await tx.fetch(
        """
        WITH known AS MATERIALIZED (
            SELECT job_id, external_task_id, status FROM generation_jobs
             WHERE external_task_id = ANY($1::text[]) ORDER BY job_id FOR UPDATE),
        closed AS (
            UPDATE orphan_callbacks AS orphan SET processed_at = photomat_now()
              FROM known WHERE orphan.task_id = known.external_task_id AND orphan.processed_at IS NULL
            RETURNING orphan.orphan_id, orphan.task_id, known.job_id, known.status),
        woken AS (
            UPDATE generation_jobs SET due_at = photomat_now(), woken_via = 'orphan'
             WHERE job_id IN (SELECT job_id FROM closed) AND status <> 'done'
            RETURNING job_id)
        SELECT orphan_id, task_id, job_id, status, job_id IN (SELECT job_id FROM woken) AS woken
          FROM closed ORDER BY orphan_id
        """,
        list(task_ids),
    )
    woken = {JobId(row["job_id"]): {"via": "orphan", "task_id": row["task_id"]} for row in rows if row["woken"]}
    await timeline.record_all(tx, woken, Tag.WOKEN)
    return [
        Match(orphan_id=row["orphan_id"], task_id=row["task_id"], job_id=JobId(row["job_id"]), status=row["status"])
        for row in rows
    ]


async def reconcile_orphans(pool: Pool, *, batch: int = BATCH) -> Reconciled:
    """One pass: match what can be matched, in batches, and log what has waited for an hour."""
    matches: list[Match] = []
    while task_ids := await _matchable(pool, batch):
        async with transaction(pool) as tx:
            found = await match_tasks(tx, task_ids)
            failpoint("orphan.before_commit")
        failpoint("orphan.after_match")
        for match in found:
            log.info("ORPHAN_RECONCILE", task_id=match.task_id, job_id=match.job_id, orphan_id=match.orphan_id)
        matches += found
        if not found:
            break
    await _report_waiting(pool)
    return Reconciled(matches=tuple(matches), waiting=await _count_waiting(pool))


async def _matchable(pool: Pool, limit: int) -> list[str]:
    """Task ids among the newest orphans that belong to a job by now."""
    rows = await pool.fetch(
        """
        WITH newest AS MATERIALIZED (
            SELECT task_id FROM orphan_callbacks
             WHERE processed_at IS NULL AND received_at > photomat_now() - interval '1 day'
             ORDER BY received_at DESC LIMIT $2)
        SELECT DISTINCT task_id FROM newest JOIN generation_jobs ON external_task_id = task_id LIMIT $1
        """,
        limit,
        MAX_SEARCHED,
    )
    return [row["task_id"] for row in rows]


async def _count_waiting(pool: Pool) -> int:
    waiting: int = await pool.fetchval(
        "SELECT count(*) FROM (SELECT 1 FROM orphan_callbacks WHERE processed_at IS NULL LIMIT $1) AS waiting",
        MAX_COUNTED,
    )
    return waiting


async def _report_waiting(pool: Pool) -> None:
    """Log each orphan that has waited for an hour, once; of many, the first in full and the rest as a number."""
    rows = await pool.fetch(
        """
        UPDATE orphan_callbacks SET shouted_at = photomat_now()
         WHERE orphan_id IN (SELECT orphan_id FROM orphan_callbacks
                              WHERE processed_at IS NULL AND shouted_at IS NULL
                                AND received_at < photomat_now() - $1::text::interval
                              ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING orphan_id, task_id, error
        """,
        LOGGED_AFTER,
        MAX_ORPHANS_LOGGED,
    )
    for row in rows[:LOGGED_IN_FULL]:
        log.error(
            "ORPHAN_CALLBACK", orphan_id=row["orphan_id"], task_id=row["task_id"], waiting="1 hour", error=row["error"]
        )
    if len(rows) > LOGGED_IN_FULL:
        log.error("ORPHAN_CALLBACK", waiting="1 hour", more=len(rows) - LOGGED_IN_FULL)
