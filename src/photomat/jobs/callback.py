"""Store callbacks and wake their jobs. A callback is evidence; the outcome is read from Kie by `poll.py`.

Callbacks that arrive together share one commit and are answered after it (`work/batch_writer.py`): one bad body does not affect
the others. Without a database the caller answers 503, and Kie repeats the callback.

Nearly every callback names a job that has its task: a batch of them is one statement (`_store_usual`), which locks the jobs,
inserts the bodies, wakes the jobs that are not done and records it in their timelines. The others need a transaction
(`_store_unusual`): a job without a task id (its create reply is under way, or lost) gets it here, and the create reply
overrides it; the rest is stored as orphans. A crash between the two means no answer, and Kie repeats all of them.

Both lock the jobs first and insert then, each in one order, so that two instances given the same do not deadlock.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from structlog.typing import FilteringBoundLogger

from photomat.db.installation import require_still_ours
from photomat.db.pool import Pool, Transaction, one_statement, transaction
from photomat.db.rows import Row
from photomat.jobs.job import JobStatus
from photomat.jobs.orphans import match_tasks
from photomat.kernel.error_report import describe
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId
from photomat.kernel.logs import ensure_correlation_id, get_logger, lines_together
from photomat.kie.state_parser import glance_at
from photomat.work.batch_writer import BatchWriter

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class KieCallback:
    """One verified callback; `job_id` is the job its URL names, None for the URL without one."""

    job_id: JobId | None
    task_id: str
    payload: Mapping[str, Any]
    body: bytes
    digest: bytes = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(f"{self.job_id}:{self.task_id}:".encode() + self.body).digest()
        object.__setattr__(self, "digest", digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one callback did. `is_woken`: its job is looked at again; `orphan`: why no job was found."""

    callback: KieCallback
    is_new: bool
    corr: str | None
    is_woken: bool
    shown_or_showing: bool
    orphan: str | None


@dataclass(slots=True, kw_only=True)
class _LockedJob:
    job_id: int
    corr: str
    status: JobStatus
    task_id: str | None
    shown_or_showing: bool
    is_forgotten: bool


async def update_from_callback(tx: Transaction, callbacks: Sequence[KieCallback]) -> list[Effect]:
    """Store callbacks and wake their jobs, in the caller's transaction."""
    return await _store_all(tx, callbacks, others=partial(_store_unusual, tx), bot_id=None)


async def _store_all(
    tx: Transaction,
    callbacks: Sequence[KieCallback],
    *,
    others: Callable[[Sequence[KieCallback]], Awaitable[Sequence[Effect]]],
    bot_id: int | None,
) -> list[Effect]:
    """Store what is usual in one statement, and `others` if there are any; the effects in the order of the callbacks."""
    usual = await _store_usual(tx, callbacks, bot_id=bot_id)
    unusual = [callback for number, callback in enumerate(callbacks) if number not in usual]
    rest = iter(await others(unusual) if unusual else ())
    return [usual.get(number) or next(rest) for number in range(len(callbacks))]


async def _store_usual(tx: Transaction, callbacks: Sequence[KieCallback], *, bot_id: int | None) -> dict[int, Effect]:
    """Store those whose job has this task, and wake it; by their numbers. None with the `bot_id` of another database."""
    rows = await tx.fetch(
        """
        WITH given AS (
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[])
                     WITH ORDINALITY AS given (named, task_id, digest, body, number)
        ), job AS MATERIALIZED (
            SELECT job_id, corr, status, external_task_id AS task_id,
                   status = 'done' AND (delivered_at IS NOT NULL OR delivering_at IS NOT NULL) AS shown_or_showing
              FROM generation_jobs
             WHERE external_task_id = ANY($2::text[]) AND forgotten_at IS NULL
               AND ($5::bigint IS NULL OR (SELECT photomat_our_bot($5)) IS NOT NULL)
             ORDER BY job_id
               FOR UPDATE
        ), usual AS MATERIALIZED (
            SELECT number, named, digest, body, job.*, row_number() OVER (PARTITION BY digest ORDER BY number) = 1 AS is_first
              FROM given JOIN job USING (task_id)
             WHERE named IS NULL OR named = job_id
        ), new AS (
            INSERT INTO callbacks (job_id, task_id, digest, body)
            SELECT named, task_id, digest, body FROM usual ORDER BY digest
                ON CONFLICT ON CONSTRAINT callbacks_once DO NOTHING
            RETURNING digest
        ), woken AS (
            UPDATE generation_jobs AS job
               SET due_at = photomat_now(), woken_via = 'callback', intent_at = coalesce(intent_at, photomat_now()),
                   status = CASE WHEN status IN ('pending', 'submitting') THEN 'running' ELSE status END,
                   leased_until = CASE WHEN status IN ('pending', 'submitting') THEN NULL ELSE leased_until END
             WHERE job_id IN (SELECT job_id FROM usual WHERE status <> 'done')
            RETURNING job_id, external_task_id
        ), event AS (
            INSERT INTO job_events (job_id, tag, detail)
            SELECT job_id, 'woken', jsonb_build_object('via', 'callback', 'task_id', external_task_id) FROM woken
             WHERE job_id IN (SELECT job_id FROM usual JOIN new USING (digest))
        )
        SELECT number, corr, is_first AND new.digest IS NOT NULL AS is_new, status <> 'done' AS is_woken, shown_or_showing
          FROM usual LEFT JOIN new USING (digest)
        """,
        [callback.job_id for callback in callbacks],
        [callback.task_id for callback in callbacks],
        [callback.digest for callback in callbacks],
        [callback.body for callback in callbacks],
        bot_id,
    )
    return {row["number"] - 1: _usual_effect(row, callbacks[row["number"] - 1]) for row in rows}


def _usual_effect(row: Row, callback: KieCallback) -> Effect:
    return Effect(
        callback=callback,
        is_new=row["is_new"],
        corr=row["corr"],
        is_woken=row["is_woken"],
        shown_or_showing=row["shown_or_showing"],
        orphan=None,
    )


async def _store_unusual(
    tx: Transaction, callbacks: Sequence[KieCallback], *, bot_id: int | None = None
) -> list[Effect]:
    """Store callbacks of any kind; with `bot_id` only in a database of that bot, else raise Transient."""
    new, locked = await _lock_and_insert(tx, callbacks, bot_id=bot_id)
    if bot_id is not None and not new:
        await require_still_ours(tx, bot_id)
    jobs, effects = _Batch(locked), []
    for callback in callbacks:
        effects.append(jobs.apply(callback, is_new=callback.digest in new))
        new.discard(callback.digest)
    await _wake(tx, jobs.woken, jobs.newly)
    await _drop_forgotten(tx, jobs.forgotten)
    if jobs.learned:
        await match_tasks(tx, jobs.learned)
    await _insert_orphans(tx, [effect for effect in effects if effect.orphan is not None and effect.is_new])
    return effects


class _Batch:
    """The locked jobs of a batch, and which of them it wakes."""

    def __init__(self, locked: Sequence[_LockedJob]) -> None:
        self._by_id = {job.job_id: job for job in locked}
        self._by_task = {job.task_id: job for job in locked if job.task_id is not None}
        self.woken: dict[int, str] = {}
        self.newly: set[int] = set()
        self.learned: set[str] = set()
        self.forgotten: list[bytes] = []

    def apply(self, callback: KieCallback, *, is_new: bool) -> Effect:
        """Find the job of a callback and wake it, or record why it is an orphan."""
        named = callback.job_id
        job = self._by_task.get(callback.task_id) if named is None else self._by_id.get(named)
        orphan = self._why_orphan(callback, job)
        if job is not None and job.is_forgotten:
            orphan = None
            self.forgotten.append(callback.digest)
        elif job is not None and orphan is None and job.status is not JobStatus.DONE:
            if job.task_id is None:
                self.learned.add(callback.task_id)
            job.task_id = callback.task_id
            self._by_task[callback.task_id] = job
            self.woken[job.job_id] = callback.task_id
            if is_new:
                self.newly.add(job.job_id)
        return Effect(
            callback=callback,
            is_new=is_new,
            corr=job.corr if job else None,
            is_woken=job is not None and job.job_id in self.woken,
            shown_or_showing=job is not None and job.shown_or_showing,
            orphan=orphan,
        )

    def _why_orphan(self, callback: KieCallback, job: _LockedJob | None) -> str | None:
        if job is None:
            return "no such job" if callback.job_id is not None else "no job has this task"
        if job.task_id not in {None, callback.task_id}:
            return f"job {job.job_id} has another task"
        return "another job has this task" if self._by_task.get(callback.task_id, job) is not job else None


async def _lock_and_insert(
    tx: Transaction, callbacks: Sequence[KieCallback], *, bot_id: int | None
) -> tuple[set[bytes], list[_LockedJob]]:
    """The digests that are new, and the jobs."""
    rows = await tx.fetch(
        """
        WITH job AS MATERIALIZED (
            SELECT job_id, corr, status, external_task_id AS task_id,
                   status = 'done' AND (delivered_at IS NOT NULL OR delivering_at IS NOT NULL) AS shown_or_showing,
                   forgotten_at IS NOT NULL AS is_forgotten
              FROM generation_jobs
             WHERE job_id = ANY($1::bigint[]) OR external_task_id = ANY($2::text[])
             ORDER BY job_id
               FOR UPDATE
        ), new AS (
            INSERT INTO callbacks (job_id, task_id, digest, body)
            SELECT given.*
              FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) AS given (job_id, task_id, digest, body),
                   (SELECT count(*) FROM job) AS locked_before
             WHERE $5::bigint IS NULL OR (SELECT photomat_our_bot($5)) IS NOT NULL
             ORDER BY digest
                ON CONFLICT ON CONSTRAINT callbacks_once DO NOTHING
            RETURNING digest
        )
        SELECT digest, NULL::bigint AS job_id, NULL AS corr, NULL AS status, NULL AS task_id, NULL::bool AS shown_or_showing,
               NULL::bool AS is_forgotten
          FROM new
         UNION ALL
        SELECT NULL, job_id, corr, status, task_id, shown_or_showing, is_forgotten FROM job
        """,
        [callback.job_id for callback in callbacks],
        [callback.task_id for callback in callbacks],
        [callback.digest for callback in callbacks],
        [callback.body for callback in callbacks],
        bot_id,
    )
    new = {row["digest"] for row in rows if row["digest"] is not None}
    return new, [_locked_job(row) for row in rows if row["digest"] is None]


def _locked_job(row: Row) -> _LockedJob:
    return _LockedJob(
        job_id=row["job_id"],
        corr=row["corr"],
        status=JobStatus(row["status"]),
        task_id=row["task_id"],
        shown_or_showing=row["shown_or_showing"],
        is_forgotten=row["is_forgotten"],
    )


async def _wake(tx: Transaction, woken: Mapping[int, str], newly: AbstractSet[int]) -> None:
    """Make jobs due; those woken by a callback that is not a repetition get an event."""
    if not woken:
        return
    await tx.execute(
        """
        WITH woken AS (SELECT * FROM unnest($1::bigint[], $2::text[], $3::bool[]) AS given (job_id, task_id, is_new)),
        event AS (
            INSERT INTO job_events (job_id, tag, detail)
            SELECT job_id, 'woken', jsonb_build_object('via', 'callback', 'task_id', task_id) FROM woken WHERE is_new
        )
        UPDATE generation_jobs AS job
           SET due_at = photomat_now(), woken_via = 'callback', external_task_id = coalesce(external_task_id, woken.task_id),
               intent_at = coalesce(intent_at, photomat_now()),
               status = CASE WHEN status IN ('pending', 'submitting') THEN 'running' ELSE status END,
               leased_until = CASE WHEN status IN ('pending', 'submitting') THEN NULL ELSE leased_until END
          FROM woken
         WHERE job.job_id = woken.job_id
        """,
        list(woken.keys()),
        list(woken.values()),
        [job_id in newly for job_id in woken],
    )


async def _drop_forgotten(tx: Transaction, digests: Sequence[bytes]) -> None:
    """What comes for a job of a forgotten user is not kept, and changes nothing."""
    if digests:
        await tx.execute("DELETE FROM callbacks WHERE digest = ANY($1::bytea[])", list(digests))


async def _insert_orphans(tx: Transaction, orphans: Sequence[Effect]) -> None:
    if not orphans:
        return
    await tx.execute(
        """
        INSERT INTO orphan_callbacks (task_id, payload, error)
        SELECT * FROM unnest($1::text[], $2::jsonb[], $3::text[])
        """,
        [effect.callback.task_id for effect in orphans],
        [dict(effect.callback.payload) for effect in orphans],
        [effect.orphan for effect in orphans],
    )


class CallbackInbox:
    """Collects callbacks and stores them together. `store` returns when the callback is committed."""

    def __init__(self, pool: Pool, wake: Callable[[str], None]) -> None:
        self._pool = pool
        self._wake = wake
        self._together = BatchWriter(self._store_all, rests=0)

    async def store(self, callback: KieCallback) -> None:
        try:
            await self._together.add(callback)
        except Exception as error:
            log.error("CALLBACK_ERROR", task_id=callback.task_id, error=describe(error))
            raise

    async def _store_all(self, callbacks: Sequence[KieCallback]) -> list[None]:
        failpoint("callback.before_store")
        once, bot_id = one_statement(self._pool), self._pool.bot_id
        effects = await _store_all(once, callbacks, others=self._store_unusual, bot_id=bot_id)
        failpoint("callback.after_store")
        if any(effect.is_woken for effect in effects):
            self._wake("looks")
        with lines_together():
            bound = log.bind()
            for effect in effects:
                _log_effect(bound, effect)
        return [None] * len(callbacks)

    async def _store_unusual(self, callbacks: Sequence[KieCallback]) -> list[Effect]:
        async with transaction(self._pool) as tx:
            effects = await _store_unusual(tx, callbacks, bot_id=self._pool.bot_id)
            failpoint("callback.before_commit")
        return effects


def _log_effect(log: FilteringBoundLogger, effect: Effect) -> None:
    callback, glance = effect.callback, glance_at(effect.callback.payload)
    log = log.bind(corr=ensure_correlation_id(effect.corr), job_id=callback.job_id, task_id=callback.task_id)
    log.info("CALLBACK_RECEIVED")
    log.info("CALLBACK_PARSED", state=glance.state, urls=glance.urls, error=glance.fail_code or "none")
    if effect.orphan is not None:
        log.warning("ORPHAN_CALLBACK", reason=effect.orphan)
    if not effect.is_new:
        log.info("CALLBACK_DUPLICATE")
    if effect.shown_or_showing:
        log.info("DELIVER_LOCK_SKIP", reason="already delivered or delivering", via="callback")
