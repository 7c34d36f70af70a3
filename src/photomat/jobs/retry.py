"""Look or submit again now, because an operator says so. An intent is never submitted again: that could pay Kie twice.

A job stopped by our own error goes on from where it stood. A failed or canceled one is looked at once more: what Kie made of it
after all becomes a gift or an offer.
"""

from dataclasses import dataclass
from enum import StrEnum

from photomat.db.pool import Transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import JobStatus
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId


class Again(StrEnum):
    """What will happen next, or why nothing will."""

    SUBMIT = "submit"
    LOOK = "look"
    DONE_ALREADY = "done already"
    INTENT = "intent"
    NO_TASK = "no task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """The answer to a retry; `went` says whether the job is due now."""

    again: Again

    @property
    def went(self) -> bool:
        """Whether something happens now."""
        return self.again in {Again.SUBMIT, Again.LOOK}


async def retry_job(tx: Transaction, job_id: JobId) -> Retry | None:
    """Make a job due now where that is safe; None when there is no such job."""
    row = await tx.fetchrow("SELECT status, external_task_id FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    if row is None:
        return None
    retry = Retry(again=_next_step(JobStatus(row["status"]), row["external_task_id"]))
    if retry.went:
        await store.make_due(tx, job_id)
        await timeline.record(tx, job_id, Tag.RETRIED, again=retry.again)
    return retry


def _next_step(status: JobStatus, task_id: str | None) -> Again:
    if status is JobStatus.PENDING:
        return Again.SUBMIT
    if status is JobStatus.DONE:
        return Again.DONE_ALREADY
    if task_id is not None:
        return Again.LOOK
    return Again.INTENT if status is JobStatus.SUBMITTING else Again.NO_TASK
