"""What an operator found out about a task: which job an orphan belongs to, or the task id of a submit that got no answer.

It is evidence, as a callback is: stored once under the job's lock, and Kie is asked for the outcome. A task is only given to a
job whose request left for Kie and that has no task yet; a task of another job stays there.
"""

import json
from enum import StrEnum
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.jobs import store, timeline
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.job import JobStatus
from photomat.jobs.orphans import match_tasks
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId

DISMISSED: Final = "dismissed by an operator"


class AttachOutcome(StrEnum):
    """What came of it, or why nothing was changed."""

    ATTACHED = "attached"
    NO_SUCH_JOB = "no such job"
    NO_SUCH_ORPHAN = "no such orphan"
    NOT_SENT = "not sent"
    OTHER_TASK = "other task"
    TAKEN = "taken"
    DONE = "done"


async def attach_orphan(tx: Transaction, *, orphan_id: int, job_id: JobId) -> AttachOutcome:
    """Store a waiting orphan as a callback of this job, which wakes it, and close the orphan."""
    orphan = await tx.fetchrow("SELECT task_id, payload FROM orphan_callbacks WHERE orphan_id = $1", orphan_id)
    if orphan is None:
        return AttachOutcome.NO_SUCH_ORPHAN
    task_id, payload = str(orphan["task_id"]), orphan["payload"]
    problem = await _problem(tx, job_id, task_id)
    if problem is not None:
        return problem
    if not await _close(tx, orphan_id):
        return AttachOutcome.NO_SUCH_ORPHAN
    body = json.dumps(payload, ensure_ascii=False, sort_keys=True).encode()
    await update_from_callback(tx, [KieCallback(job_id=job_id, task_id=task_id, payload=payload, body=body)])
    return AttachOutcome.ATTACHED


async def record_found_task(tx: Transaction, *, job_id: JobId, task_id: str) -> AttachOutcome:
    """Store the task id an operator read in Kie's own log, once, and ask Kie about it now."""
    problem = await _problem(tx, job_id, task_id)
    if problem is not None:
        return problem
    await store.record_found_task(tx, job_id, task_id)
    await match_tasks(tx, [task_id])
    await timeline.record(tx, job_id, Tag.WOKEN, via="operator", task_id=task_id)
    return AttachOutcome.ATTACHED


async def dismiss_orphan(tx: Transaction, orphan_id: int) -> bool:
    """Close an orphan that belongs to no job; False if none waits under this number."""
    return await _close(tx, orphan_id, note=DISMISSED)


async def _problem(tx: Transaction, job_id: JobId, task_id: str) -> AttachOutcome | None:
    """Lock the job, and the one that has this task, in the order of callbacks; say why the task cannot be this job's."""
    rows = await tx.fetch(
        """
        SELECT job_id, status, external_task_id, intent_at FROM generation_jobs
         WHERE job_id = $1 OR external_task_id = $2 ORDER BY job_id FOR UPDATE
        """,
        job_id,
        task_id,
    )
    job = next((row for row in rows if row["job_id"] == job_id), None)
    if job is None:
        return AttachOutcome.NO_SUCH_JOB
    return AttachOutcome.TAKEN if len(rows) > 1 else _unfit(job)


def _unfit(job: Row) -> AttachOutcome | None:
    if job["status"] == JobStatus.DONE:
        return AttachOutcome.DONE
    if job["external_task_id"] is not None:
        return AttachOutcome.OTHER_TASK
    return AttachOutcome.NOT_SENT if job["intent_at"] is None else None


async def _close(tx: Transaction, orphan_id: int, *, note: str | None = None) -> bool:
    return bool(
        await tx.fetchval(
            """
            UPDATE orphan_callbacks SET processed_at = photomat_now(), error = coalesce($2, error)
             WHERE orphan_id = $1 AND processed_at IS NULL
            RETURNING true
            """,
            orphan_id,
            note,
        )
    )
