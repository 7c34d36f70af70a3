"""Store callbacks and wake their jobs. A callback is evidence; the outcome is read from Kie by `poll.py`.

A batch is one transaction of three statements: insert the bodies, lock the jobs, wake them and record it in their timelines;
the rest is stored as orphans. A job without a task id (its create reply is under way, or lost) gets it here; the create reply
overrides it.

Callbacks that arrive together share one commit and are answered after it. A batch that fails is stored one by one, so one bad
body does not affect the others. Without a database the caller answers 503, and Kie repeats the callback.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

from photomat.db.installation import require_still_ours
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import row_as
from photomat.jobs.job import JobStatus
from photomat.jobs.orphans import match_tasks
from photomat.kernel.error_report import describe
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId
from photomat.kernel.logs import ensure_correlation_id, get_logger
from photomat.kie.state_parser import glance_at

MAX_TOGETHER: Final = 500
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
    """What one callback did. `orphan`: why no job was found."""

    callback: KieCallback
    is_new: bool
    corr: str | None
    status: JobStatus | None
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
    new = await _insert(tx, callbacks)
    jobs = _Batch(await _lock_jobs(tx, callbacks))
    effects = []
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
            status=job.status if job else None,
            shown_or_showing=job is not None and job.shown_or_showing,
            orphan=orphan,
        )

    def _why_orphan(self, callback: KieCallback, job: _LockedJob | None) -> str | None:
        if job is None:
            return "no such job" if callback.job_id is not None else "no job has this task"
        if job.task_id not in {None, callback.task_id}:
            return f"job {job.job_id} has another task"
        return "another job has this task" if self._by_task.get(callback.task_id, job) is not job else None


async def _insert(tx: Transaction, callbacks: Sequence[KieCallback]) -> set[bytes]:
    """Insert in one order, so that two instances given the same callbacks do not deadlock."""
    rows = await tx.fetch(
        """
        INSERT INTO callbacks (job_id, task_id, digest, body)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[]) AS new (job_id, task_id, digest, body)
         ORDER BY digest
            ON CONFLICT ON CONSTRAINT callbacks_once DO NOTHING
        RETURNING digest
        """,
        [callback.job_id for callback in callbacks],
        [callback.task_id for callback in callbacks],
        [callback.digest for callback in callbacks],
        [callback.body for callback in callbacks],
    )
    return {row["digest"] for row in rows}


async def _lock_jobs(tx: Transaction, callbacks: Sequence[KieCallback]) -> list[_LockedJob]:
    rows = await tx.fetch(
        """
        SELECT job_id, corr, status, external_task_id AS task_id,
               status = 'done' AND (delivered_at IS NOT NULL OR delivering_at IS NOT NULL) AS shown_or_showing,
               forgotten_at IS NOT NULL AS is_forgotten
          FROM generation_jobs
         WHERE job_id = ANY($1::bigint[]) OR external_task_id = ANY($2::text[])
         ORDER BY job_id
           FOR UPDATE
        """,
        [callback.job_id for callback in callbacks if callback.job_id is not None],
        [callback.task_id for callback in callbacks],
    )
    return [row_as(_LockedJob, row, status=JobStatus(row["status"])) for row in rows]


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


@dataclass(slots=True)
class CallbackInbox:
    """Collects callbacks and stores them together. `store` returns when the callback is committed."""

    pool: Pool
    wake: Callable[[str], None]
    _waiting: list[tuple[KieCallback, asyncio.Future[None]]] = field(default_factory=list)
    _flushed: list[tuple[KieCallback, asyncio.Future[None]]] = field(default_factory=list)
    _flushing: bool = False

    async def store(self, callback: KieCallback) -> None:
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((callback, stored))
        if not self._flushing:
            try:
                await self._flush_all()
            except asyncio.CancelledError:
                stored.cancel()
                self._give_up()
                raise
        await stored

    async def _flush_all(self) -> None:
        """The first caller also stores what arrives meanwhile."""
        self._flushing = True
        try:
            while self._waiting:
                self._flushed, self._waiting = self._waiting[:MAX_TOGETHER], self._waiting[MAX_TOGETHER:]
                await self._flush(self._flushed)
        finally:
            self._flushing = False

    def _give_up(self) -> None:
        """The caller that stored for the others was canceled: fail their waits, Kie repeats what was not answered."""
        for _, stored in (*self._flushed, *self._waiting):
            _finish(stored, OutcomeUnknown("storing was stopped"))
        self._waiting.clear()

    async def _flush(self, batch: list[tuple[KieCallback, asyncio.Future[None]]]) -> None:
        try:
            effects = await self._commit([callback for callback, _ in batch])
        except Exception as error:  # noqa: BLE001  each caller gets its own answer
            if len(batch) == 1:
                log.error("CALLBACK_ERROR", task_id=batch[0][0].task_id, error=describe(error))
                _finish(batch[0][1], error)
                return
            for single in batch:
                await self._flush([single])
            return
        for _, stored in batch:
            _finish(stored, None)
        for effect in effects:
            _log_effect(effect)
        self.wake("looks")

    async def _commit(self, callbacks: Sequence[KieCallback]) -> list[Effect]:
        failpoint("callback.before_store")
        async with transaction(self.pool) as tx:
            await require_still_ours(tx, self.pool.bot_id)
            effects = await update_from_callback(tx, callbacks)
            failpoint("callback.before_commit")
        failpoint("callback.after_store")
        return effects


def _finish(stored: asyncio.Future[None], error: Exception | None) -> None:
    if stored.done():
        return
    if error is None:
        stored.set_result(None)
    else:
        stored.set_exception(error)


def _log_effect(effect: Effect) -> None:
    callback = effect.callback
    corr = ensure_correlation_id(effect.corr)
    log = get_logger().bind(corr=corr, job_id=callback.job_id, task_id=callback.task_id)
    log.info("CALLBACK_RECEIVED")
    glance = glance_at(callback.payload)
    log.info("CALLBACK_PARSED", state=glance.state, urls=glance.urls, error=glance.fail_code or "none")
    if effect.orphan is not None:
        log.warning("ORPHAN_CALLBACK", reason=effect.orphan)
    if not effect.is_new:
        log.info("CALLBACK_DUPLICATE")
    if effect.shown_or_showing:
        log.info("DELIVER_LOCK_SKIP", reason="already delivered or delivering", via="callback")
