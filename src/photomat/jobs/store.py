"""The life of a job as statements: claims, intent, task id, looks and outcomes. One function, one statement.

The delivery columns belong to `delivery/lock.py`; here they are only raised (`card_wanted`), never lowered.
Every claim raises `fence`; every write that follows a claim tests it, and changing no row means: stop, write nothing.
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.jobs.job import Job, JobStatus
from photomat.jobs.request import request_from_json
from photomat.kernel.ids import BotId, ChatId, Fence, InstanceId, JobId, MessageId, TaskId, UserId
from photomat.kernel.money import Money

SUBMITS_DUE: Final = """
    SELECT 1 FROM generation_jobs
     WHERE status = 'pending' AND NOT needs_files AND least(due_at, submit_at) <= photomat_now()
       AND (leased_until IS NULL OR leased_until <= photomat_now())"""
LOOKS_DUE: Final = """
    SELECT 1 FROM generation_jobs
     WHERE status <> 'pending' AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())"""

MOST_IN_HAND: Final = 64
"""How many jobs a claim looks past because they are claimed or locked just now."""


async def claim_submits(
    tx: Transaction, *, bot_id: int | None, limit: int, lease: timedelta, instance: InstanceId
) -> list[Job]:
    """Claim jobs whose task is to be created, in their order; a claim that runs out may be claimed again, an intent may not.

    A job with a frozen request is due by `submit_at`, where no older program looks. A job waits while an older one of its user
    is claimed by another instance, or locked: a user's jobs leave in the order they were bought.
    """
    rows = await tx.fetch(
        """
        WITH head AS MATERIALIZED (
            SELECT submit_turn, job_id, user_id, leased_by, coalesce(leased_until > photomat_now(), false) AS is_leased
              FROM generation_jobs
             WHERE status = 'pending' AND NOT needs_files AND least(due_at, submit_at) <= photomat_now()
               AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY submit_turn, job_id LIMIT $1::bigint + $4::bigint
        ), waiting AS MATERIALIZED (
            SELECT submit_turn, job_id, user_id FROM head
             WHERE NOT is_leased
               AND NOT EXISTS (SELECT FROM head AS older
                                WHERE older.user_id = head.user_id AND older.is_leased AND older.leased_by <> $3
                                  AND (older.submit_turn, older.job_id) < (head.submit_turn, head.job_id))
        ), free AS MATERIALIZED (
            SELECT job.submit_turn, job.job_id, job.user_id FROM generation_jobs AS job JOIN waiting USING (job_id)
             WHERE status = 'pending' AND NOT needs_files AND least(due_at, submit_at) <= photomat_now()
               AND (leased_until IS NULL OR leased_until <= photomat_now())
             ORDER BY job.submit_turn, job.job_id LIMIT $1::bigint FOR UPDATE OF job SKIP LOCKED
        ), due AS MATERIALIZED (
            SELECT job_id FROM free
             WHERE NOT EXISTS (SELECT FROM waiting AS older
                                WHERE older.user_id = free.user_id
                                  AND (older.submit_turn, older.job_id) < (free.submit_turn, free.job_id)
                                  AND older.job_id NOT IN (SELECT job_id FROM free))
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
        MOST_IN_HAND,
        bot_id,
    )
    return sorted((job_of(row) for row in rows), key=lambda job: (job.turn, job.job_id))


async def record_intent(tx: Transaction, job: Job, *, decide_after: timedelta) -> bool:
    """Say that the request is about to leave; from here on nobody submits this job again by itself.

    Should its answer never come, the job is looked at again when it is `decide_after` old.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET status = 'submitting', intent_at = photomat_now(),
                   due_at = greatest(created_at + $3::interval, photomat_now() + interval '1 second')
             WHERE job_id = $1 AND fence = $2 AND status = 'pending' AND leased_until > photomat_now()
            RETURNING true
            """,
            job.job_id,
            job.fence,
            decide_after,
        )
    )


async def record_task(tx: Transaction, job_id: JobId, task_id: TaskId, *, look_after: timedelta) -> JobStatus | None:
    """Store the task id of the create reply, which always wins: there was one intent, so there is one reply.

    No fence here: a callback may have put the job into a look's hands before its own create reply was stored. Idempotent:
    None where this reply is stored already, and where there was no intent.
    """
    status = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET external_task_id = $2, submitted_at = photomat_now(), last_error = NULL,
               due_at = CASE WHEN status IN ('submitting', 'failed', 'canceled') AND woken_via IS NULL
                             THEN photomat_now() + $3::interval ELSE due_at END,
               leased_until = CASE WHEN status = 'submitting' THEN NULL ELSE leased_until END,
               status = CASE WHEN status = 'submitting' THEN 'running' ELSE status END,
               card_wanted = card_wanted + CASE WHEN status = 'submitting' THEN 1 ELSE 0 END
         WHERE job_id = $1 AND intent_at IS NOT NULL AND (submitted_at IS NULL OR external_task_id <> $2)
        RETURNING status
        """,
        job_id,
        task_id,
        look_after,
    )
    return None if status is None else JobStatus(status)


async def return_to_pending(tx: Transaction, job: Job, *, after: timedelta, error: str) -> bool:
    """Nothing was created for sure: the job waits for its next try, and a card that said otherwise says so.

    Guarded by the claim that held it.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET status = 'pending', intent_at = NULL, due_at = photomat_now() + $3::interval, leased_until = NULL,
                   last_error = $4, card_wanted = card_wanted + CASE WHEN status = 'submitting' THEN 1 ELSE 0 END
             WHERE job_id = $1 AND fence = $2 AND status IN ('pending', 'submitting') AND external_task_id IS NULL
            RETURNING true
            """,
            job.job_id,
            job.fence,
            after,
            error,
        )
    )


async def record_unknown(tx: Transaction, job: Job, *, error: str) -> bool:
    """The create's outcome is unknown: the job waits for its callback or for time, never for another submit."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET leased_until = NULL, last_error = $3
             WHERE job_id = $1 AND fence = $2 AND status = 'submitting'
            RETURNING true
            """,
            job.job_id,
            job.fence,
            error,
        )
    )


async def claim_looks(
    tx: Transaction,
    *,
    bot_id: int | None,
    limit: int,
    lease: timedelta,
    instance: InstanceId,
    questions: int | None = None,
) -> list[Job]:
    """Claim jobs to be looked at: running ones, unknown submits whose time rules are due, and late news.

    At most `questions` of them are jobs Kie must be asked about (None: as many as `limit`), the woken ones first.
    """
    rows = await tx.fetch(
        """
        WITH silent AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status <> 'pending' AND due_at <= photomat_now() AND (external_task_id IS NULL OR status = 'done')
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
        ), woken AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status NOT IN ('pending', 'done') AND due_at <= photomat_now() AND external_task_id IS NOT NULL
               AND woken_via IS NOT NULL AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT $4::bigint FOR UPDATE SKIP LOCKED
        ), polled AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status NOT IN ('pending', 'done') AND due_at <= photomat_now() AND external_task_id IS NOT NULL
               AND woken_via IS NULL AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT $4::bigint - (SELECT count(*) FROM woken) FOR UPDATE SKIP LOCKED
        ), due AS MATERIALIZED (
            SELECT * FROM silent UNION ALL SELECT * FROM woken UNION ALL SELECT * FROM polled LIMIT $1
        )
        UPDATE generation_jobs AS job
           SET fence = job.fence + 1, leased_until = photomat_now() + $2::interval, leased_by = $3, attempts = attempts + 1,
               woken_via = NULL
          FROM due
         WHERE job.job_id = due.job_id
        RETURNING job.*, due.woken_via AS claimed_via, photomat_now() AS claimed_at
        """,
        limit,
        lease,
        instance,
        limit if questions is None else questions,
        bot_id,
    )
    return [job_of(row, via=row["claimed_via"]) for row in rows]


async def schedule_look(
    tx: Transaction,
    job: Job,
    *,
    after: timedelta | None,
    empty: bool,
    via: str | None,
    progress: int,
    seen: bool = False,
) -> bool:
    """Give the claim back and say when to look again (None: never); a wake-up that came meanwhile is not lost.

    A task that was `seen` at Kie is not lost (any more).

    Progress raises the card only when the card is up to date: it never piles up behind more important news.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET due_at = CASE WHEN woken_via IS NULL THEN photomat_now() + $3::interval ELSE photomat_now() END,
                   leased_until = NULL, troubles = 0, woken_via = coalesce(woken_via, $4),
                   empty_since = CASE WHEN $5 THEN coalesce(empty_since, photomat_now()) ELSE empty_since END,
                   card_wanted = card_wanted + CASE WHEN $6 > progress AND card_shown = card_wanted AND status = 'running'
                                                    THEN 1 ELSE 0 END,
                   last_error = CASE WHEN $7 THEN NULL ELSE last_error END,
                   progress = greatest(progress, $6)
             WHERE job_id = $1 AND fence = $2
            RETURNING true
            """,
            job.job_id,
            job.fence,
            after,
            via,
            empty,
            progress,
            seen,
        )
    )


async def record_trouble(tx: Transaction, job: Job, *, after: timedelta, error: str, counted: bool) -> int | None:
    """Something failed on this job: give the claim back, try later; say how often we did in a row, None if not ours."""
    troubles: int | None = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET troubles = troubles + $5, leased_until = NULL, due_at = photomat_now() + $3::interval, last_error = $4
         WHERE job_id = $1 AND fence = $2
        RETURNING troubles
        """,
        job.job_id,
        job.fence,
        after,
        error,
        int(counted),
    )
    return troubles


async def record_overdue(tx: Transaction, job: Job) -> bool:
    """The job takes longer than its kind usually does: say so on the card, once."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET overdue_at = photomat_now(), card_wanted = card_wanted + 1, deliver_at = photomat_now()
             WHERE job_id = $1 AND fence = $2 AND overdue_at IS NULL AND status IN ('submitting', 'running')
            RETURNING true
            """,
            job.job_id,
            job.fence,
        )
    )


async def record_lost(tx: Transaction, job: Job, *, error: str) -> bool:
    """Kie does not know the task of this job; False when that was said before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET last_error = $3
             WHERE job_id = $1 AND fence = $2 AND status = 'running' AND last_error IS DISTINCT FROM $3
            RETURNING true
            """,
            job.job_id,
            job.fence,
            error,
        )
    )


async def make_due(tx: Transaction, job_id: JobId) -> None:
    """Let the job be claimed now, a stopped one too; a claim somebody holds is left to run out."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET due_at = photomat_now(), stopped_at = NULL,
               card_wanted = card_wanted + CASE WHEN stopped_at IS NULL THEN 0 ELSE 1 END,
               deliver_at = CASE WHEN stopped_at IS NULL THEN deliver_at ELSE photomat_now() END
         WHERE job_id = $1
        """,
        job_id,
    )


async def find_job_by_task_id(pool: Pool, task_id: str) -> JobId | None:
    """Which job this task belongs to."""
    job_id = await pool.fetchval("SELECT job_id FROM generation_jobs WHERE external_task_id = $1", task_id)
    return None if job_id is None else JobId(job_id)


def job_of(row: Row, *, via: str | None = None) -> Job:
    """A claimed row as a job; it must hold `claimed_at` besides."""
    task_id = row["external_task_id"]
    return Job(
        job_id=JobId(row["job_id"]),
        corr=row["corr"],
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        chat_id=ChatId(row["chat_id"]),
        card_message_id=MessageId(row["card_message_id"]),
        model=row["model"],
        kind=row["kind"],
        inputs=row["inputs"],
        request=request_from_json(row["request"], row["inputs"]),
        price=Money(row["price"], row["currency"]),
        status=JobStatus(row["status"]),
        task_id=None if task_id is None else TaskId(task_id),
        fence=Fence(row["fence"]),
        attempts=row["attempts"],
        turn=row["submit_turn"],
        troubles=row["troubles"],
        woken_via=via,
        created_at=row["created_at"],
        intent_at=row["intent_at"],
        overdue_at=row["overdue_at"],
        empty_since=row["empty_since"],
        claimed_at=row["claimed_at"],
    )
