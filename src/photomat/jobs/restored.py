"""Jobs of a restored database: whatever happened to them after the backup is unknown, so none is submitted automatically.

A job that had not been submitted may have been, a moment after the backup. It becomes what a submit without an answer is: its
callback finds it by the signed URL, an operator may attach a task found in Kie's log, and past the give-up time its money is
released. A job with a task is polled as usual. Only an operator submits one again, each by its number.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import row_as
from photomat.jobs import timeline
from photomat.jobs.store import DELIVER_NOW
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId, UserId

WHY: Final = "restored from a backup: whether it was submitted afterwards is not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainJob:
    job_id: JobId
    user_id: UserId
    model: str
    price: int
    currency: str
    status: str
    external_task_id: str | None
    created_at: datetime


class SubmitAgain(StrEnum):
    ALLOWED = "allowed"
    NO_SUCH_JOB = "no such job"
    NOT_UNCERTAIN = "not uncertain"
    HAS_TASK = "has task"


async def make_uncertain(tx: Transaction) -> tuple[int, int]:
    """Mark every job that is not settled; return how many have no task, and how many are known to Kie."""
    rows = await tx.fetch(
        """
        UPDATE generation_jobs
           SET restored_at = photomat_now(), fence = fence + 1, leased_until = NULL, leased_by = NULL,
               intent_at = coalesce(intent_at, photomat_now()),
               last_error = CASE WHEN external_task_id IS NULL THEN $1 ELSE last_error END,
               due_at = CASE WHEN stopped_at IS NULL THEN photomat_now() ELSE due_at END, submit_at = NULL,
               status = CASE status WHEN 'pending' THEN 'submitting' ELSE status END
         WHERE settled_at IS NULL
        RETURNING job_id, external_task_id IS NULL AS is_without_task
        """,
        WHY,
    )
    await timeline.record_all(tx, {JobId(row["job_id"]): {} for row in rows}, Tag.RESTORED)
    without = sum(row["is_without_task"] for row in rows)
    return without, len(rows) - without


async def list_uncertain(pool: Pool, *, limit: int = 100) -> list[UncertainJob]:
    """The jobs of which nothing is known to be at Kie, oldest first."""
    rows = await pool.fetch(
        """
        SELECT job_id, user_id, model, price, currency, status, external_task_id, created_at FROM generation_jobs
         WHERE settled_at IS NULL AND restored_at IS NOT NULL AND external_task_id IS NULL ORDER BY job_id LIMIT $1
        """,
        limit,
    )
    return [row_as(UncertainJob, row) for row in rows]


async def submit_again(tx: Transaction, job_id: JobId) -> SubmitAgain:
    """Let an uncertain job be submitted after all: an operator has made sure that Kie does not have it."""
    row = await tx.fetchrow(
        "SELECT status, restored_at, external_task_id FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id
    )
    if row is None:
        return SubmitAgain.NO_SUCH_JOB
    if row["status"] != "submitting" or row["restored_at"] is None:
        return SubmitAgain.NOT_UNCERTAIN
    if row["external_task_id"] is not None:
        return SubmitAgain.HAS_TASK
    await tx.execute(
        f"""
        UPDATE generation_jobs
           SET status = 'pending', intent_at = NULL, restored_at = NULL, due_at = photomat_now(), leased_until = NULL,
               last_error = NULL, stopped_at = NULL, card_wanted = card_wanted + 1,
               {DELIVER_NOW}
         WHERE job_id = $1
        """,  # noqa: S608  a constant of ours
        job_id,
    )
    await timeline.record(tx, job_id, Tag.RETRIED, again="submit", by="operator")
    return SubmitAgain.ALLOWED
