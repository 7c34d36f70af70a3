"""What an operator may do with callbacks that have no job and with submits that got no answer: each with a row in the journal.

Giving up on a submit without an answer is `actions.cancel`: the money goes back, and a late result becomes an offer.
"""

from collections.abc import Mapping
from typing import Final

from asyncpg.exceptions import UniqueViolationError

from photomat.db.pool import Pool, Transaction
from photomat.jobs.attach import AttachOutcome, attach_orphan, dismiss_orphan, record_found_task
from photomat.kernel.ids import JobId
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence

MAX_TASK_LENGTH: Final = 128
SAYS: Final[Mapping[AttachOutcome, str]] = {
    AttachOutcome.ATTACHED: "attach-done",
    AttachOutcome.NO_SUCH_JOB: "attach-no-job",
    AttachOutcome.NO_SUCH_ORPHAN: "attach-no-orphan",
    AttachOutcome.NOT_SENT: "attach-not-sent",
    AttachOutcome.OTHER_TASK: "attach-other-task",
    AttachOutcome.TAKEN: "attach-taken",
    AttachOutcome.DONE: "attach-job-done",
}


async def attach(pool: Pool, orphan_id: int, job_id: JobId, *, operator: str, reason: str) -> ActionResult:
    """Give a waiting orphan to a job: the callback is stored there, and Kie is asked for the outcome."""

    async def act(tx: Transaction) -> ActionResult:
        return _result(await attach_orphan(tx, orphan_id=orphan_id, job_id=job_id), job_id)

    return await journaled(
        pool,
        act,
        action="attach orphan",
        operator=operator,
        reason=reason,
        job_id=job_id,
        reference=f"orphan:{orphan_id}",
    )


async def dismiss(pool: Pool, orphan_id: int, *, operator: str, reason: str) -> ActionResult:
    """Close an orphan that belongs to none of our jobs."""

    async def act(tx: Transaction) -> ActionResult:
        is_closed = await dismiss_orphan(tx, orphan_id)
        return ActionResult(done=is_closed, says=Sentence("orphan-dismissed" if is_closed else "attach-no-orphan"))

    return await journaled(
        pool, act, action="dismiss orphan", operator=operator, reason=reason, reference=f"orphan:{orphan_id}"
    )


async def enter_task(pool: Pool, job_id: JobId, task_id: str, *, operator: str, reason: str) -> ActionResult:
    """Give a submit without an answer the task id that Kie's own log shows; it is looked at now."""
    written = task_id.strip()

    async def act(tx: Transaction) -> ActionResult:
        if not 0 < len(written) <= MAX_TASK_LENGTH or not written.isprintable() or " " in written:
            return ActionResult(done=False, says=Sentence("attach-bad-task"))
        try:
            async with tx.transaction():
                outcome = await record_found_task(tx, job_id=job_id, task_id=written)
        except UniqueViolationError:  # another job got this task a moment ago
            outcome = AttachOutcome.TAKEN
        return _result(outcome, job_id)

    return await journaled(pool, act, action="enter task", operator=operator, reason=reason, job_id=job_id)


def _result(outcome: AttachOutcome, job_id: JobId) -> ActionResult:
    return ActionResult(done=outcome is AttachOutcome.ATTACHED, says=Sentence(SAYS[outcome], job=job_id))
