"""What a callback does: evidence is stored, a job is woken. It is never the verdict.

One transaction for a whole batch, five statements whatever its size: raw bodies in, the jobs they speak of locked, those
jobs woken, their timelines told, the strangers to the orphans. A job that does not know its task yet (its create reply is
on its way, or lost) learns it here; the create reply will still win.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from photomat.db.pool import Transaction
from photomat.jobs import timeline
from photomat.jobs.job import JobStatus
from photomat.jobs.orphans import match_tasks
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """One checked callback: the job its address names (None for the address without one), its task, its body."""

    job_id: JobId | None
    task_id: str
    payload: Mapping[str, Any]
    body: bytes

    @property
    def digest(self) -> bytes:
        """Tells a repeated callback from a new one."""
        return hashlib.sha256(f"{self.job_id}:{self.task_id}:".encode() + self.body).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one callback did. `orphan` says why nobody could place it."""

    callback: Callback
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


async def update_from_callback(tx: Transaction, callbacks: Sequence[Callback]) -> list[Effect]:
    """Store callbacks, wake the jobs they speak of, put the others to the orphans."""
    new = await _insert(tx, callbacks)
    jobs = _Jobs(await _lock_jobs(tx, callbacks))
    effects = []
    for callback in callbacks:
        effects.append(jobs.place(callback, is_new=callback.digest in new))
        new.discard(callback.digest)
    await _wake(tx, jobs.woken)
    await timeline.record_all(tx, jobs.told, Tag.WOKEN)
    if jobs.learned:
        await match_tasks(tx, jobs.learned)
    await _keep_orphans(tx, [effect for effect in effects if effect.orphan is not None and effect.is_new])
    return effects


class _Jobs:
    """The locked jobs of a batch, and which of them are woken by it."""

    def __init__(self, locked: Sequence[_LockedJob]) -> None:
        self._by_id = {job.job_id: job for job in locked}
        self._by_task = {job.task_id: job for job in locked if job.task_id is not None}
        self.woken: dict[int, str] = {}
        self.told: dict[JobId, dict[str, str]] = {}
        self.learned: set[str] = set()

    def place(self, callback: Callback, *, is_new: bool) -> Effect:
        """Find the job of a callback and wake it, or say why it is an orphan."""
        named = callback.job_id
        job = self._by_task.get(callback.task_id) if named is None else self._by_id.get(named)
        orphan = self._why_orphan(callback, job)
        if job is not None and orphan is None and job.status is not JobStatus.DONE:
            if job.task_id is None:
                self.learned.add(callback.task_id)
            job.task_id = callback.task_id
            self._by_task[callback.task_id] = job
            self.woken[job.job_id] = callback.task_id
            if is_new:
                self.told[JobId(job.job_id)] = {"via": "callback", "task_id": callback.task_id}
        return Effect(
            callback=callback,
            is_new=is_new,
            corr=job.corr if job else None,
            status=job.status if job else None,
            shown_or_showing=job is not None and job.shown_or_showing,
            orphan=orphan,
        )

    def _why_orphan(self, callback: Callback, job: _LockedJob | None) -> str | None:
        if job is None:
            return "no such job" if callback.job_id is not None else "no job has this task"
        if job.task_id not in {None, callback.task_id}:
            return f"job {job.job_id} has another task"
        return "another job has this task" if self._by_task.get(callback.task_id, job) is not job else None


async def _insert(tx: Transaction, callbacks: Sequence[Callback]) -> set[bytes]:
    """Store them in one order for all: two instances given the same callbacks never wait for each other in a circle."""
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


async def _lock_jobs(tx: Transaction, callbacks: Sequence[Callback]) -> list[_LockedJob]:
    """Every job the batch names, by id or by task, locked in one order for all."""
    rows = await tx.fetch(
        """
        SELECT job_id, corr, status, external_task_id,
               status = 'done' AND (delivered_at IS NOT NULL OR delivering_at IS NOT NULL) AS shown_or_showing
          FROM generation_jobs
         WHERE job_id = ANY($1::bigint[]) OR external_task_id = ANY($2::text[])
         ORDER BY job_id
           FOR UPDATE
        """,
        [callback.job_id for callback in callbacks if callback.job_id is not None],
        [callback.task_id for callback in callbacks],
    )
    return [
        _LockedJob(
            job_id=row["job_id"],
            corr=row["corr"],
            status=JobStatus(row["status"]),
            task_id=row["external_task_id"],
            shown_or_showing=row["shown_or_showing"],
        )
        for row in rows
    ]


async def _wake(tx: Transaction, woken: Mapping[int, str]) -> None:
    """Look now."""
    await tx.execute(
        """
        UPDATE generation_jobs AS job
           SET due_at = photomat_now(), woken_via = 'callback', external_task_id = coalesce(external_task_id, woken.task_id),
               intent_at = coalesce(intent_at, photomat_now()),
               status = CASE WHEN status IN ('pending', 'submitting') THEN 'running' ELSE status END,
               leased_until = CASE WHEN status IN ('pending', 'submitting') THEN NULL ELSE leased_until END
          FROM unnest($1::bigint[], $2::text[]) AS woken (job_id, task_id)
         WHERE job.job_id = woken.job_id
        """,
        list(woken.keys()),
        list(woken.values()),
    )


async def _keep_orphans(tx: Transaction, orphans: Sequence[Effect]) -> None:
    await tx.execute(
        """
        INSERT INTO orphan_callbacks (task_id, payload, error)
        SELECT * FROM unnest($1::text[], $2::jsonb[], $3::text[])
        """,
        [effect.callback.task_id for effect in orphans],
        [dict(effect.callback.payload) for effect in orphans],
        [effect.orphan for effect in orphans],
    )
