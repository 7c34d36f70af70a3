"""Take out of a forgotten user's jobs what they wrote and got; numbers, model, price, times and status stay.

Repeated, it changes nothing. A job that was forgotten is polled no more: its fence is raised, so a look under way writes
nothing, and callbacks that still come wake nothing and are not kept (`callback.py`).
"""

from typing import Final

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId

MAY_DELETE_EVENTS: Final = "SELECT set_config('photomat.pruning', 'on', true)"


async def has_running_jobs(tx: Transaction, user_id: UserId) -> bool:
    return bool(
        await tx.fetchval("SELECT true FROM generation_jobs WHERE user_id = $1 AND settled_at IS NULL LIMIT 1", user_id)
    )


async def forget_jobs(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take the words and results out of a batch of settled jobs, with everything that is kept beside them."""
    rows = await tx.fetch(
        """
        SELECT job_id, external_task_id FROM generation_jobs
         WHERE user_id = $1 AND forgotten_at IS NULL AND settled_at IS NOT NULL ORDER BY job_id LIMIT $2 FOR UPDATE
        """,
        user_id,
        limit,
    )
    jobs = [JobId(row["job_id"]) for row in rows]
    tasks = [row["external_task_id"] for row in rows if row["external_task_id"] is not None]
    await _forget_answers(tx, jobs, tasks)
    await _forget_events(tx, jobs)
    await tx.execute("DELETE FROM result_marks WHERE job_id = ANY($1::bigint[])", jobs)
    await _forget_outputs(tx, jobs)
    await _forget_rows(tx, jobs)
    return len(jobs)


async def forget_late_callbacks(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete what Kie and our own records have added to jobs after they were forgotten."""
    rows = await tx.fetch(
        """
        SELECT DISTINCT job.job_id, external_task_id FROM generation_jobs AS job
         WHERE user_id = $1 AND forgotten_at IS NOT NULL
           AND (EXISTS (SELECT FROM callbacks WHERE callbacks.job_id = job.job_id)
                OR EXISTS (SELECT FROM job_outputs AS output WHERE output.job_id = job.job_id AND output.kept_as IS NOT NULL)
                OR EXISTS (SELECT FROM job_events AS event WHERE event.job_id = job.job_id)
                OR EXISTS (SELECT FROM orphan_callbacks AS orphan WHERE orphan.task_id = job.external_task_id))
         ORDER BY job.job_id LIMIT $2
        """,
        user_id,
        limit,
    )
    jobs = [JobId(row["job_id"]) for row in rows]
    await _forget_answers(tx, jobs, [row["external_task_id"] for row in rows if row["external_task_id"] is not None])
    await _forget_events(tx, jobs)
    await _forget_outputs(tx, jobs)
    return len(jobs)


async def _forget_answers(tx: Transaction, jobs: list[JobId], tasks: list[str]) -> None:
    await tx.execute(
        "DELETE FROM callbacks WHERE job_id = ANY($1::bigint[]) OR (job_id IS NULL AND task_id = ANY($2::text[]))",
        jobs,
        tasks,
    )
    await tx.execute(
        "DELETE FROM orphan_callbacks WHERE task_id = ANY($2::text[]) OR error = ANY($1::text[])",
        [f"job {job_id} has another task" for job_id in jobs],
        tasks,
    )


async def _forget_events(tx: Transaction, jobs: list[JobId]) -> None:
    await tx.execute(MAY_DELETE_EVENTS)
    await tx.execute("DELETE FROM job_events WHERE job_id = ANY($1::bigint[])", jobs)


async def _forget_outputs(tx: Transaction, jobs: list[JobId]) -> None:
    """How many outputs there were and of which kind stays; where they are does not."""
    await tx.execute(
        """
        UPDATE job_outputs
           SET url = '', title = NULL, cover_url = NULL, track_id = NULL, file_id = NULL, kept_as = NULL, kept_at = NULL,
               keep_at = NULL
         WHERE job_id = ANY($1::bigint[])
        """,
        jobs,
    )


async def _forget_rows(tx: Transaction, jobs: list[JobId]) -> None:
    await tx.execute(
        """
        UPDATE generation_jobs
           SET forgotten_at = photomat_now(), inputs = '{}', request = NULL,
               result_urls = CASE WHEN result_urls IS NOT NULL THEN '{}'::text[] END,
               result_object = CASE WHEN result_object IS NOT NULL THEN '{}'::jsonb END,
               fail_reason = NULL, last_error = NULL, unread_fields = NULL,
               due_at = NULL, woken_via = NULL, leased_until = NULL, fence = fence + 1
         WHERE job_id = ANY($1::bigint[])
        """,
        jobs,
    )
