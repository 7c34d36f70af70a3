"""The row of a job as statements, in the order of its life: bought, claimed, submitted, polled, settled.

Each claim raises `fence`, and each later write of the claim tests it: a write that changes no row returns False, and its caller
stops. Statements that end a job have no fence; the caller has locked the row (`lock_status`) and moves the money in the same
transaction. The delivery columns belong to `delivery/lock.py`: here a card is only made due (`card_wanted`, `deliver_at`).
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from photomat.catalog.pricing import USD_PER_CREDIT
from photomat.db.floors import Queue
from photomat.db.pool import Pool, Transaction, on_commit
from photomat.db.rows import Row, row_as
from photomat.jobs.job import Job, JobStatus, NewJob, idempotency_key, request_from_json
from photomat.jobs.timeline import RECORD_CREATED, RECORD_INTENT, RECORD_SUBMITTED
from photomat.kernel.ids import DraftId, Fence, InstanceId, JobId, MessageId, TaskId, UserId
from photomat.kernel.metrics import JOBS_CREATED, JOBS_ENDED
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.kie.results import Detail
from photomat.work.budget import CURRENT_TURN, PLACES, SPEND, SPEND_IN_TURN, Budget
from photomat.work.controls import KIE

WAITS: Final = (
    "status = 'pending' AND least(due_at, submit_at) <= photomat_now() AND submit_turn >= coalesce({floor}, 0::bigint)"
)
FIRST_ROUND: Final = """
    SELECT min(submit_turn) - 32 FROM generation_jobs
     WHERE status = 'pending' AND stopped_at IS NULL AND submit_turn >= coalesce({floor}, 0::bigint)"""
"""A busy queue comes to a few dozen new rounds in a second; so many less than the oldest waiting one."""
UPLOADS: Final = Queue(
    due=f"""
    SELECT 1 FROM generation_jobs
     WHERE {WAITS} AND needs_files AND (leased_until IS NULL OR leased_until <= photomat_now())""",  # noqa: S608  a constant of ours
    oldest=FIRST_ROUND,
)
SUBMITS: Final = Queue(
    due=f"""
    SELECT 1 FROM generation_jobs
     WHERE {WAITS} AND NOT needs_files AND (leased_until IS NULL OR leased_until <= photomat_now())""",  # noqa: S608  a constant of ours
    oldest=FIRST_ROUND,
)
LOOK_IS_DUE: Final = "due_at <= photomat_now() AND due_at >= coalesce({floor}, '-infinity'::timestamptz)"
LOOKS: Final = Queue(
    due=f"""
    SELECT 1 FROM generation_jobs
     WHERE status <> 'pending' AND {LOOK_IS_DUE} AND (leased_until IS NULL OR leased_until <= photomat_now())""",  # noqa: S608  a constant of ours
    oldest=f"""
    SELECT least(min(due_at), photomat_now()) - interval '1 second' FROM generation_jobs
     WHERE status <> 'pending' AND {LOOK_IS_DUE}""",  # noqa: S608  a constant of ours
)
IS_PENDING: Final = "coalesce(status, '') = 'pending'"
"""For jobs that are found by their key, and no condition of an index. So few are pending at any time that the planner would
rather read an index of those, and beside a transaction that has been open for long it holds all that were.
"""
DELIVER_NOW: Final = (
    "deliver_at = CASE WHEN card_shown = card_wanted THEN greatest(deliver_at, photomat_now()) ELSE deliver_at END"
)
"""What may make a card due sets its place to now; a card that waits already keeps its place, and its pause."""
DELIVER_SOON: Final = """
    deliver_at = CASE WHEN card_shown = card_wanted OR delivering_at IS NOT NULL
                      THEN greatest(deliver_at, photomat_now() + interval '1 second') ELSE deliver_at END"""
"""A card that is up to date, or is being edited, shows this a second later: one edit less where the result is quick."""
MAY_BE_SUBMITTED: Final = f"""
    NOT (SELECT photomat_paused('{KIE}')) AND NOT (SELECT photomat_paused_models()) @> ARRAY[model]"""
"""What operators have not paused; it is tested again with the intent.

Written with `@>`, which the planner takes for true of nearly all rows: it goes on reading the queue in its order.
"""
EXPIRED: Final = f"""
    SELECT job_id FROM generation_jobs
     WHERE {IS_PENDING} AND num_nulls(intent_at, settled_at) = 2
       AND created_at <= photomat_now() - {{given_up_after}}::interval
       AND least(due_at, submit_at) <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())"""  # noqa: S608  a constant of ours
"""Jobs that were not submitted within the give-up time."""
MAX_SKIPPED: Final = 64
"""How many claimed or locked jobs a claim may skip."""
CLAIM_DUE: Final = """
    UPDATE generation_jobs AS job
       SET fence = job.fence + 1, leased_until = photomat_now() + $2::interval, leased_by = $3, attempts = attempts + 1
      FROM due
     WHERE job.job_id = due.job_id
    RETURNING job.*, photomat_now() AS claimed_at"""
"""How a claim ends whose `WITH` has locked the jobs `due`: $2 is the lease, $3 the instance."""


async def insert_jobs(tx: Transaction, jobs: Sequence[NewJob], *, queue: str, sell: str) -> dict[DraftId, JobId]:
    """Insert the jobs of drafts of different users, each with the beginning of its timeline; return those made.

    A job that exists, or whose card shows another one, is left out. `sell` marks the drafts of the rows `made`, in the same
    statement. A job is submitted in the round of the queue after the current one, or after the last waiting job of its user.
    """
    rows = await tx.fetch(
        f"""
        WITH made AS (
            INSERT INTO generation_jobs (job_id, idempotency_key, corr, draft_id, bot_id, chat_id, card_message_id, user_id,
                                         model, kind, inputs, language, price, currency, quote, request, title, needs_files,
                                         submit_turn)
            OVERRIDING SYSTEM VALUE
            SELECT coalesce(new.job_id, nextval(pg_get_serial_sequence('generation_jobs', 'job_id'))), new.idempotency_key,
                   new.corr, new.draft_id, new.bot_id, new.chat_id, new.card_message_id, new.user_id, new.model, new.kind,
                   new.inputs, new.language, new.price, new.currency, new.quote, new.request, new.title, new.needs_files,
                   1 + greatest(0, ({CURRENT_TURN.format(name="$19")}),
                                (SELECT max(submit_turn) FROM generation_jobs AS job
                                  WHERE job.user_id = new.user_id AND settled_at IS NULL AND {IS_PENDING}))
              FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                          $8::bigint[], $9::text[], $10::text[], $11::jsonb[], $12::text[], $13::bigint[], $14::text[],
                          $15::jsonb[], $16::jsonb[], $17::text[], $18::bool[])
                   AS new (job_id, idempotency_key, corr, draft_id, bot_id, chat_id, card_message_id, user_id, model, kind,
                           inputs, language, price, currency, quote, request, title, needs_files)
                ON CONFLICT DO NOTHING
            RETURNING job_id, draft_id, model, price
        ), event AS ({RECORD_CREATED}), sold AS ({sell})
        SELECT job_id, draft_id FROM made
        """,  # noqa: S608  constants of the slices that own the tables
        [new.job_id for new in jobs],
        [idempotency_key(new.draft_id) for new in jobs],
        [new.corr for new in jobs],
        [new.draft_id for new in jobs],
        [new.bot_id for new in jobs],
        [new.chat_id for new in jobs],
        [new.card_message_id for new in jobs],
        [new.user_id for new in jobs],
        [new.model for new in jobs],
        [new.kind for new in jobs],
        [dict(new.inputs) for new in jobs],
        [new.language for new in jobs],
        [new.quote.price.minor for new in jobs],
        [new.quote.price.currency for new in jobs],
        [new.quote.as_json() for new in jobs],
        [None if new.request is None else new.request.as_json() for new in jobs],
        [new.title for new in jobs],
        [new.needs_files for new in jobs],
        queue,
    )
    made = {DraftId(row["draft_id"]): JobId(row["job_id"]) for row in rows}
    for new in jobs:
        if new.draft_id in made:
            on_commit(tx, JOBS_CREATED.labels(kind=new.kind).inc)
    return made


def _count_end(tx: Transaction, kind: str | None, outcome: str) -> None:
    """Count an end once its transaction is committed; without a kind no row was changed."""
    if kind is not None:
        on_commit(tx, JOBS_ENDED.labels(kind=kind, outcome=outcome).inc)


async def find_by_draft(tx: Transaction, draft_id: DraftId) -> tuple[JobId, str, MessageId] | None:
    row = await tx.fetchrow(
        "SELECT job_id, corr, card_message_id FROM generation_jobs WHERE idempotency_key = $1",
        idempotency_key(draft_id),
    )
    return None if row is None else (JobId(row["job_id"]), row["corr"], MessageId(row["card_message_id"]))


async def claim_uploads(pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId) -> list[Job]:
    rows = await pool.fetch(
        f"""
        WITH due AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE {WAITS.format(floor="$5")} AND needs_files
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($4))
               AND {MAY_BE_SUBMITTED}
             ORDER BY submit_turn, job_id LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        {CLAIM_DUE}
        """,  # noqa: S608  constants of this module
        limit,
        lease,
        instance,
        pool.bot_id,
        pool.floors.of("uploads"),
    )
    return [job_of(row) for row in rows]


async def record_files_uploaded(tx: Transaction, job: Job) -> bool:
    return await _fenced(
        tx,
        job,
        f"""
        UPDATE generation_jobs SET needs_files = false, leased_until = NULL, last_error = NULL
         WHERE job_id = $1 AND fence = $2 AND {IS_PENDING}
        RETURNING true
        """,  # noqa: S608  a constant of ours
    )


async def claim_expired(
    pool: Pool, *, limit: int, given_up_after: timedelta, lease: timedelta, instance: InstanceId
) -> list[Job]:
    """Claim jobs that were not submitted within the give-up time; failing them needs no call to Kie."""
    rows = await pool.fetch(
        f"""
        WITH due AS MATERIALIZED (
            {EXPIRED.format(given_up_after="$4")} AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        {CLAIM_DUE}
        """,
        limit,
        lease,
        instance,
        given_up_after,
        pool.bot_id,
    )
    return [job_of(row) for row in rows]


class ClaimedSubmits(NamedTuple):
    """Jobs to submit in their order, how many the budget allowed (None: nothing is due, or it has no row), and other work."""

    jobs: list[Job]
    places: int | None
    is_due: bool
    has_expired: bool


async def claim_submits(
    pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId, creates: Budget, given_up_after: timedelta
) -> ClaimedSubmits:
    """Claim jobs whose task is to be created, in order, with their places in the budget, whose row stays locked until then.

    An expired claim may be claimed again, an intent may not. A job with a frozen request is due by `submit_at`, which versions
    before frozen requests do not read. A job waits while an older one of its user is claimed by another instance, or locked: a
    user's jobs leave in the order they were bought. Nothing is locked or written while no job is due.
    """
    rows = await pool.fetch(
        f"""
        WITH head AS MATERIALIZED (
            SELECT submit_turn, job_id, user_id, leased_by, coalesce(leased_until > photomat_now(), false) AS is_leased
              FROM generation_jobs
             WHERE {WAITS.format(floor="$10")} AND NOT needs_files
               AND bot_id = (SELECT photomat_our_bot($5)) AND {MAY_BE_SUBMITTED}
             ORDER BY submit_turn, job_id LIMIT $1::bigint + $4::bigint
        ), places AS MATERIALIZED (
            {PLACES.format(name="$6", limit="$7", window="$8")} AND EXISTS (SELECT FROM head WHERE NOT is_leased) FOR UPDATE
        ), waiting AS MATERIALIZED (
            SELECT submit_turn, job_id, user_id FROM head
             WHERE NOT is_leased
               AND NOT EXISTS (SELECT FROM head AS older
                                WHERE older.user_id = head.user_id AND older.is_leased AND older.leased_by <> $3
                                  AND (older.submit_turn, older.job_id) < (head.submit_turn, head.job_id))
        ), free AS MATERIALIZED (
            SELECT job.submit_turn, job.job_id, job.user_id FROM generation_jobs AS job JOIN waiting USING (job_id)
             WHERE {IS_PENDING} AND NOT needs_files AND least(due_at, submit_at) <= photomat_now()
               AND (leased_until IS NULL OR leased_until <= photomat_now())
             ORDER BY job.submit_turn, job.job_id LIMIT least($1::bigint, coalesce((SELECT calls FROM places), 0))
               FOR UPDATE OF job SKIP LOCKED
        ), due AS MATERIALIZED (
            SELECT job_id FROM free
             WHERE NOT EXISTS (SELECT FROM waiting AS older
                                WHERE older.user_id = free.user_id
                                  AND (older.submit_turn, older.job_id) < (free.submit_turn, free.job_id)
                                  AND older.job_id NOT IN (SELECT job_id FROM free))
        ), claimed AS ({CLAIM_DUE}
        ), asked AS (
            SELECT count(*)::int AS calls, max(submit_turn) AS turn FROM claimed
        ), spent AS ({SPEND_IN_TURN.format(name="$6", window="$8")})
        SELECT claimed.*, places.calls, EXISTS (SELECT FROM head WHERE NOT is_leased) AS is_due,
               EXISTS ({EXPIRED.format(given_up_after="$9")}) AS has_expired
          FROM (SELECT) AS once LEFT JOIN places ON true LEFT JOIN claimed ON true
        """,  # noqa: S608  constants of ours
        limit,
        lease,
        instance,
        MAX_SKIPPED,
        pool.bot_id,
        creates.name,
        creates.limit,
        timedelta(seconds=creates.window_s),
        given_up_after,
        pool.floors.of("submits"),
    )
    jobs = [job_of(row) for row in rows if row["job_id"] is not None]
    jobs.sort(key=lambda job: (job.turn, job.job_id))
    return ClaimedSubmits(jobs, rows[0]["calls"], rows[0]["is_due"], rows[0]["has_expired"])


async def renew_claim(pool: Pool, job: Job, *, lease: timedelta) -> bool:
    return bool(
        await pool.fetchval(
            f"""
            UPDATE generation_jobs SET leased_until = photomat_now() + $3::interval
             WHERE job_id = $1 AND fence = $2 AND {IS_PENDING} AND leased_until IS NOT NULL
            RETURNING true
            """,  # noqa: S608  a constant of ours
            job.job_id,
            job.fence,
            lease,
        )
    )


async def release_claim(tx: Transaction, job: Job) -> bool:
    return await _fenced(
        tx,
        job,
        f"""
        UPDATE generation_jobs SET leased_until = NULL
         WHERE job_id = $1 AND fence = $2 AND {IS_PENDING}
        RETURNING true
        """,  # noqa: S608  a constant of ours
    )


async def record_intents(tx: Transaction, jobs: Sequence[Job], *, decide_after: Sequence[timedelta]) -> set[JobId]:
    """Record that requests are about to leave; from here on these jobs are never submitted again automatically.

    If no answer comes, a job is polled when it is `decide_after` old. Left out are those whose claim was lost, and those that
    were canceled or paused after it. Rows are locked in one order, that of callbacks and orphans.
    """
    rows = await tx.fetch(
        f"""
        WITH sent AS MATERIALIZED (
            SELECT job.job_id, decide_after
              FROM generation_jobs AS job
              JOIN unnest($1::bigint[], $2::bigint[], $3::interval[]) AS claimed (job_id, fence, decide_after)
                ON job.job_id = claimed.job_id AND job.fence = claimed.fence
             WHERE {IS_PENDING} AND leased_until > photomat_now() AND {MAY_BE_SUBMITTED}
             ORDER BY job.job_id
               FOR UPDATE OF job
        ), changed AS (
            UPDATE generation_jobs AS job
               SET status = 'submitting', intent_at = photomat_now(),
                   due_at = greatest(created_at + sent.decide_after, photomat_now() + interval '1 second')
              FROM sent
             WHERE job.job_id = sent.job_id
            RETURNING job.job_id, attempts
        ), event AS ({RECORD_INTENT})
        SELECT job_id FROM changed
        """,  # noqa: S608  constants of ours
        [job.job_id for job in jobs],
        [job.fence for job in jobs],
        list(decide_after),
    )
    return {JobId(row["job_id"]) for row in rows}


class StoredTasks(NamedTuple):
    """The status of each job whose task was stored, and whether callbacks of these tasks wait as orphans."""

    statuses: dict[JobId, JobStatus]
    have_orphans: bool


async def record_tasks(tx: Transaction, tasks: Mapping[JobId, TaskId], *, look_after: timedelta) -> StoredTasks:
    """Store the task ids of create replies, which override those from callbacks: one intent has one reply.

    No fence: a callback may have caused a poll to claim the job before the create reply was stored. Idempotent: left out is a
    job whose reply is stored already, or that had no intent.
    """
    rows = await tx.fetch(
        f"""
        WITH answered AS MATERIALIZED (
            SELECT job.job_id, task_id
              FROM generation_jobs AS job
              JOIN unnest($1::bigint[], $2::text[]) AS reply (job_id, task_id) ON job.job_id = reply.job_id
             WHERE intent_at IS NOT NULL AND (submitted_at IS NULL OR external_task_id <> task_id)
             ORDER BY job.job_id
               FOR UPDATE OF job
        ), changed AS (
            UPDATE generation_jobs AS job
               SET external_task_id = task_id, submitted_at = photomat_now(), last_error = NULL,
                   due_at = CASE WHEN status IN ('submitting', 'failed', 'canceled') AND woken_via IS NULL
                                 THEN photomat_now() + $3::interval ELSE due_at END,
                   leased_until = CASE WHEN status = 'submitting' THEN NULL ELSE leased_until END,
                   status = CASE WHEN status = 'submitting' THEN 'running' ELSE status END,
                   card_wanted = card_wanted + CASE WHEN status = 'submitting' THEN 1 ELSE 0 END,
                   {DELIVER_SOON}
              FROM answered
             WHERE job.job_id = answered.job_id
            RETURNING job.job_id, task_id, status
        ), event AS ({RECORD_SUBMITTED})
        SELECT job_id, status, have_orphans
          FROM (SELECT EXISTS (SELECT FROM orphan_callbacks
                                WHERE orphan_callbacks.task_id = ANY($2::text[]) AND processed_at IS NULL) AS have_orphans
               ) AS once
          LEFT JOIN changed ON true
        """,  # noqa: S608  a constant statement of the timeline
        list(tasks),
        list(tasks.values()),
        look_after,
    )
    statuses = {JobId(row["job_id"]): JobStatus(row["status"]) for row in rows if row["job_id"] is not None}
    return StoredTasks(statuses, rows[0]["have_orphans"])


async def record_found_task(tx: Transaction, job_id: JobId, task_id: str) -> None:
    """Store a task id that an operator found for a submit without an answer, and make the job due; a create reply overrides it.

    The caller has locked the row and found no task in it.
    """
    await tx.execute(
        f"""
        UPDATE generation_jobs
           SET external_task_id = $2, due_at = photomat_now(), woken_via = 'retry', last_error = NULL,
               leased_until = CASE WHEN status = 'submitting' THEN NULL ELSE leased_until END,
               status = CASE WHEN status = 'submitting' THEN 'running' ELSE status END,
               card_wanted = card_wanted + CASE WHEN status = 'submitting' THEN 1 ELSE 0 END,
               {DELIVER_NOW}
         WHERE job_id = $1 AND external_task_id IS NULL
        """,  # noqa: S608  a constant of ours
        job_id,
        task_id,
    )


async def return_to_pending(tx: Transaction, job: Job, *, after: timedelta, error: str) -> bool:
    """Nothing was created, definitely: the job waits for its next attempt, and its card is corrected."""
    return await _fenced(
        tx,
        job,
        f"""
        UPDATE generation_jobs
           SET status = 'pending', intent_at = NULL, due_at = photomat_now() + $3::interval, leased_until = NULL,
               last_error = $4, card_wanted = card_wanted + CASE WHEN status = 'submitting' THEN 1 ELSE 0 END,
               {DELIVER_NOW}
         WHERE job_id = $1 AND fence = $2 AND status IN ('pending', 'submitting') AND external_task_id IS NULL
        RETURNING true
        """,  # noqa: S608  a constant of ours
        after,
        error,
    )


async def record_unknown(tx: Transaction, job: Job, *, error: str) -> bool:
    """The outcome of createTask is unknown: the job waits for its callback or its timeout, never for another submit."""
    return await _fenced(
        tx,
        job,
        """
        UPDATE generation_jobs SET leased_until = NULL, last_error = $3
         WHERE job_id = $1 AND fence = $2 AND status = 'submitting'
        RETURNING true
        """,
        error,
    )


class ClaimedLooks(NamedTuple):
    """Jobs to poll, whether any was due, and how many queries the budget allowed for them; None without its row."""

    jobs: list[Job]
    is_due: bool
    queries: int | None


async def claim_looks(
    pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId, queries: Budget
) -> ClaimedLooks:
    """Claim jobs to poll: running ones, unknown submits whose time limits are due, and settled ones that were woken.

    Those that need a query to Kie, the woken ones first, are claimed with their places in the budget, whose row stays locked
    until then. Nothing is locked or written while no job is due.
    """
    rows = await pool.fetch(
        f"""
        WITH work AS MATERIALIZED (SELECT EXISTS ({LOOKS.due.format(floor="$8")}) AS is_due
        ), places AS MATERIALIZED (
            {PLACES.format(name="$4", limit="$6", window="$7")} AND (SELECT is_due FROM work) FOR UPDATE
        ), silent AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status <> 'pending' AND {LOOK_IS_DUE.format(floor="$8")} AND (external_task_id IS NULL OR status = 'done')
               AND (leased_until IS NULL OR leased_until <= photomat_now()) AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
        ), woken AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status NOT IN ('pending', 'done') AND {LOOK_IS_DUE.format(floor="$8")} AND external_task_id IS NOT NULL
               AND woken_via IS NOT NULL AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT least($1, coalesce((SELECT calls FROM places), 0)) FOR UPDATE SKIP LOCKED
        ), polled AS MATERIALIZED (
            SELECT job_id, woken_via FROM generation_jobs
             WHERE status NOT IN ('pending', 'done') AND {LOOK_IS_DUE.format(floor="$8")} AND external_task_id IS NOT NULL
               AND woken_via IS NULL AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND bot_id = (SELECT photomat_our_bot($5))
             ORDER BY due_at LIMIT least($1, coalesce((SELECT calls FROM places), 0)) - (SELECT count(*) FROM woken)
               FOR UPDATE SKIP LOCKED
        ), due AS MATERIALIZED (
            SELECT * FROM silent UNION ALL SELECT * FROM woken UNION ALL SELECT * FROM polled LIMIT $1
        ), claimed AS (
            UPDATE generation_jobs AS job
               SET fence = job.fence + 1, leased_until = photomat_now() + $2::interval, leased_by = $3,
                   attempts = attempts + 1, woken_via = NULL
              FROM due
             WHERE job.job_id = due.job_id
            RETURNING job.*, due.woken_via AS claimed_via, photomat_now() AS claimed_at
        ), asked AS (
            SELECT count(*)::int AS calls FROM claimed WHERE external_task_id IS NOT NULL AND status <> 'done'
        ), spent AS ({SPEND.format(name="$4", window="$7")})
        SELECT claimed.*, is_due, places.calls FROM work LEFT JOIN places ON true LEFT JOIN claimed ON true
        """,  # noqa: S608  constants of ours
        limit,
        lease,
        instance,
        queries.name,
        pool.bot_id,
        queries.limit,
        timedelta(seconds=queries.window_s),
        pool.floors.of("looks"),
    )
    jobs = [job_of(row, via=row["claimed_via"]) for row in rows if row["job_id"] is not None]
    return ClaimedLooks(jobs, rows[0]["is_due"], rows[0]["calls"])


async def schedule_look(
    tx: Transaction,
    job: Job,
    *,
    after: timedelta | None,
    empty: bool,
    via: str | None,
    progress: int,
    seen: bool = False,
    is_slow: bool = False,
) -> bool:
    """Release the claim and schedule the next poll (None: never); a wake-up that came meanwhile is kept.

    A task `seen` at Kie is no longer lost. Progress makes the card due only while the card is up to date; that the job is
    slow makes it due once.
    """
    return await _fenced(
        tx,
        job,
        f"""
        UPDATE generation_jobs
           SET due_at = CASE WHEN woken_via IS NULL THEN photomat_now() + $3::interval ELSE photomat_now() END,
               leased_until = NULL, troubles = 0, woken_via = coalesce(woken_via, $4),
               empty_since = CASE WHEN $5 THEN coalesce(empty_since, photomat_now()) ELSE empty_since END,
               card_wanted = card_wanted + CASE WHEN status = 'running' AND ($6 > progress AND card_shown = card_wanted
                                                                             OR $8 AND slow_at IS NULL)
                                                THEN 1 ELSE 0 END,
               {DELIVER_NOW},
               slow_at = CASE WHEN $8 AND status = 'running' THEN coalesce(slow_at, photomat_now()) ELSE slow_at END,
               last_error = CASE WHEN $7 THEN NULL ELSE last_error END,
               progress = greatest(progress, $6)
         WHERE job_id = $1 AND fence = $2
        RETURNING true
        """,  # noqa: S608  a constant of ours
        after,
        via,
        empty,
        progress,
        seen,
        is_slow,
    )


async def record_overdue(tx: Transaction, job: Job) -> bool:
    """Record once that the job takes longer than usual for its kind; the card shows it."""
    return await _fenced(
        tx,
        job,
        """
        UPDATE generation_jobs SET overdue_at = photomat_now(), card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1 AND fence = $2 AND overdue_at IS NULL AND status IN ('submitting', 'running')
        RETURNING true
        """,
    )


async def record_lost(tx: Transaction, job: Job, *, error: str) -> bool:
    """Record that Kie does not know the task; False when that is recorded already."""
    return await _fenced(
        tx,
        job,
        """
        UPDATE generation_jobs SET last_error = $3
         WHERE job_id = $1 AND fence = $2 AND status = 'running' AND last_error IS DISTINCT FROM $3
        RETURNING true
        """,
        error,
    )


async def record_trouble(tx: Transaction, job: Job, *, after: timedelta, error: str, counted: bool) -> int | None:
    """Release the claim after an error of ours and retry later; return the errors in a row, None when the claim was lost."""
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


async def make_card_due(tx: Transaction, job_id: JobId, message_id: MessageId) -> None:
    """Something that the card shows has changed; nothing happens when its message is another one."""
    await tx.execute(
        """
        UPDATE generation_jobs SET card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1 AND card_message_id = $2
        """,
        job_id,
        message_id,
    )


async def record_stopped(tx: Transaction, job: Job, *, error: str) -> bool:
    """Stop the job until an operator acts; the card says so."""
    return await _fenced(
        tx,
        job,
        """
        UPDATE generation_jobs
           SET stopped_at = photomat_now(), last_error = $3, due_at = NULL, leased_until = NULL,
               card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1 AND fence = $2 AND settled_at IS NULL
        RETURNING true
        """,
        error,
    )


async def make_due(tx: Transaction, job_id: JobId) -> None:
    """Make the job due now, a stopped one too; a current claim is left to expire."""
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


async def lock_status(tx: Transaction, job_id: JobId, fence: Fence | None) -> JobStatus | None:
    """Lock the job's row and read its status; None when the claim was lost."""
    status = await tx.fetchval(
        "SELECT status FROM generation_jobs WHERE job_id = $1 AND ($2::bigint IS NULL OR fence = $2) FOR UPDATE",
        job_id,
        fence,
    )
    return None if status is None else JobStatus(status)


async def lock_running(tx: Transaction, claims: Mapping[JobId, Fence | None]) -> set[JobId]:
    """Lock the rows of these jobs; return those that are not settled and whose claim was not lost."""
    rows = await tx.fetch(
        """
        SELECT job_id FROM generation_jobs JOIN unnest($1::bigint[], $2::bigint[]) AS claim (job_id, fence) USING (job_id)
         WHERE status IN ('pending', 'submitting', 'running') AND (claim.fence IS NULL OR generation_jobs.fence = claim.fence)
         ORDER BY job_id FOR UPDATE OF generation_jobs
        """,
        list(claims),
        list(claims.values()),
    )
    return {JobId(row["job_id"]) for row in rows}


class NewOutput(NamedTuple):
    job_id: JobId
    position: int
    url: str
    detail: Detail


async def insert_outputs(tx: Transaction, outputs: Sequence[NewOutput]) -> None:
    await tx.execute(
        """
        INSERT INTO job_outputs (job_id, position, url, track_id, title, cover_url, seconds)
        SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[])
            ON CONFLICT DO NOTHING
        """,
        [one.job_id for one in outputs],
        [one.position for one in outputs],
        [one.url for one in outputs],
        [one.detail.track_id for one in outputs],
        [one.detail.title for one in outputs],
        [one.detail.cover_url for one in outputs],
        [one.detail.seconds for one in outputs],
    )


async def write_unread(tx: Transaction, job_id: JobId, *, fields: Sequence[str]) -> None:
    """Record the fields of the answer that no rule could read, for the operator's alert."""
    await tx.execute("UPDATE generation_jobs SET unread_fields = $2 WHERE job_id = $1", job_id, list(fields))


async def write_done(
    tx: Transaction, results: Mapping[JobId, Mapping[str, Any]], *, money: str, gift: bool
) -> dict[JobId, UserId]:
    """Finish jobs with their results and record it in their timelines; return whose they are.

    A result has `urls` and `via`; `object` and `consumed`, the credits Kie took, where there are any. The cost is that at the
    rate of the job's quote, which early jobs do not have.
    """
    rows = await tx.fetch(
        """
        WITH changed AS (
            UPDATE generation_jobs AS job
               SET status = 'done', settled_at = photomat_now(), gift = $4, found_via = result ->> 'via',
                   result_urls = ARRAY(SELECT jsonb_array_elements_text(result -> 'urls')), result_object = result -> 'object',
                   credits_consumed = coalesce((result ->> 'consumed')::numeric, credits_consumed),
                   cost = coalesce(
                       ceil((result ->> 'consumed')::numeric * $5::numeric * (quote ->> 'usd_rate')::numeric), cost),
                   due_at = NULL, leased_until = NULL, fail_code = NULL, fail_reason = NULL,
                   card_wanted = card_wanted + 1, deliver_at = photomat_now()
              FROM unnest($1::bigint[], $2::jsonb[]) AS found (job_id, result)
             WHERE job.job_id = found.job_id
            RETURNING job.job_id, user_id, kind, found_via
        ), event AS (
            INSERT INTO job_events (job_id, tag, detail)
            SELECT job_id, 'settled', jsonb_build_object('money', $3::text, 'via', found_via) FROM changed
        )
        SELECT job_id, user_id, kind FROM changed
        """,
        list(results),
        [dict(result) for result in results.values()],
        money,
        gift,
        USD_PER_CREDIT * MINOR_PER_MAJOR,
    )
    for row in rows:
        _count_end(tx, row["kind"], "gift" if gift else "done")
    return {JobId(row["job_id"]): UserId(row["user_id"]) for row in rows}


async def write_offered(
    tx: Transaction, job_id: JobId, *, urls: Sequence[str], result_object: Mapping[str, Any] | None, via: str
) -> bool:
    """Offer a result that came after the cancel on the card, for its price; False when it was offered before."""
    kind = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET offered_at = photomat_now(), result_urls = $2, result_object = $3, found_via = $4, due_at = NULL,
               leased_until = NULL, card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1 AND status = 'canceled' AND offered_at IS NULL
        RETURNING kind
        """,
        job_id,
        list(urls),
        None if result_object is None else dict(result_object),
        via,
    )
    _count_end(tx, kind, "offered")
    return kind is not None


async def write_failed(tx: Transaction, job_id: JobId, *, code: str, reason: str | None, via: str) -> None:
    kind = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET status = 'failed', settled_at = photomat_now(), fail_code = $2, fail_reason = $3, found_via = $4,
               due_at = NULL, leased_until = NULL, card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1
        RETURNING kind
        """,
        job_id,
        code,
        reason,
        via,
    )
    _count_end(tx, kind, "failed")


async def write_cost(tx: Transaction, job_id: JobId, *, consumed: Decimal) -> None:
    """Store the credits Kie took and their cost at the rate of the job's quote, which early jobs do not have."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET credits_consumed = $2, cost = ceil($2::numeric * $3::numeric * (quote ->> 'usd_rate')::numeric)
         WHERE job_id = $1
        """,
        job_id,
        consumed,
        USD_PER_CREDIT * MINOR_PER_MAJOR,
    )


async def write_accepted(tx: Transaction, job_id: JobId) -> None:
    kind = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET status = 'done', settled_at = photomat_now(), card_wanted = card_wanted + 1, deliver_at = photomat_now()
         WHERE job_id = $1 AND status = 'canceled' AND offered_at IS NOT NULL
        RETURNING kind
        """,
        job_id,
    )
    _count_end(tx, kind, "accepted")


async def write_canceled(tx: Transaction, job_id: JobId) -> None:
    """Cancel. A task that is already running is still polled: its result becomes an offer."""
    kind = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET status = 'canceled', settled_at = photomat_now(), card_wanted = card_wanted + 1, deliver_at = photomat_now(),
               due_at = CASE WHEN status = 'pending' THEN NULL ELSE due_at END
         WHERE job_id = $1
        RETURNING kind
        """,
        job_id,
    )
    _count_end(tx, kind, "canceled")


async def find_job_by_task_id(pool: Pool, task_id: str) -> JobId | None:
    job_id = await pool.fetchval("SELECT job_id FROM generation_jobs WHERE external_task_id = $1", task_id)
    return None if job_id is None else JobId(job_id)


def job_of(row: Row, *, via: str | None = None) -> Job:
    """The job of a claimed row, which also has `claimed_at`."""
    return row_as(
        Job,
        row,
        request=request_from_json(row["request"], row["inputs"]),
        price=Money(row["price"], row["currency"]),
        status=JobStatus(row["status"]),
        task_id=row["external_task_id"],
        turn=row["submit_turn"],
        woken_via=via,
    )


async def _fenced(tx: Transaction, job: Job, statement: str, *args: object) -> bool:
    """Run an update of a claimed job ($1) that tests its fence ($2); False when the claim was lost."""
    return bool(await tx.fetchval(statement, job.job_id, job.fence, *args))
