"""Create the provider's task at most once, from the request frozen at purchase.

    claim (lease) ─▶ files uploaded, claim released
    claim with a place in the budget (lease) ─▶ intent (commit) ─▶ createTask ─▶ task id (commit)

Files are uploaded before a job takes its place in the budget, with the lease renewed meanwhile.

Killed before the intent: the lease expires and the job is claimed again; an upload may be repeated. Killed after the intent, or
the answer lost: the outcome is unknown and the job is never submitted again automatically. Its callback finds it by the signed
URL even if the task id was never stored; past the give-up time the hold is released. A definite refusal fails the job or
returns it to the queue. A stopping instance sends nothing: a claim without an intent is released.

Requests are prepared concurrently and sent in the order of the claims (`SendQueue`). A request that has started and is held up
by its connection delays the next one by no more than their average distance, so the order costs no throughput. Intents of
requests that are about to leave share a commit, at most `MOST_INTENTS` of them: a kill before the first request leaves them all
unknown. An intent whose request was not sent, because the program stops or its turn came too late, is taken back. Replies that
arrive together share a commit too; a task id that cannot be stored affects its own job only.

Until it is stored, Kie's answer is known to this process alone, so storing it is retried through any outage of the database.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from photomat.db.pool import Pool, is_permanent, one_statement, transaction
from photomat.jobs import settle, store, timeline
from photomat.jobs.claims import CREATES, stop_on_error
from photomat.jobs.inputs import InputLost
from photomat.jobs.job import Job, JobStatus, Times
from photomat.jobs.orphans import Match, match_tasks
from photomat.jobs.strikes import ban_after_strike, note_provider_refusal
from photomat.jobs.timeline import Tag
from photomat.kernel.clock import backoff_s, monotonic, sleep_until_set
from photomat.kernel.error_report import describe
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId, TaskId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trace import span
from photomat.kie.port import Busy, Paused, Provider, QueueFull, TaskRefused
from photomat.moderation.refusal import NO_STRIKES, StrikePolicy
from photomat.work import budget
from photomat.work.batch_writer import BatchWriter
from photomat.work.loop import ClaimLost, while_renewing

PAUSE_S: Final = 60
PAUSED_BY: Final = "kie-"
STORE_AGAIN_FIRST_S: Final = 0.2
STORE_AGAIN_MOST_S: Final = 2.0
MAX_WAIT_S: Final = 10.0
"""The most a request waits for its turn; less than a lease."""
PLACE_LASTS_S: Final = 2.0
"""How long a place in the budget is valid: it is meant for a request that is sent now."""
TOO_LATE: Final = "it waited longer than its place in the budget lasts"
MOST_INTENTS: Final = 8
"""So many requests of a process may be between their intent and the wire: a kill leaves their outcome unknown."""
log = get_logger()


def paused_by(code: int) -> str:
    """The reason stored with the blocked budget: Kie's code alone."""
    return f"{PAUSED_BY}{code}"


def is_pause(reason: str) -> bool:
    """Whether a budget was blocked because Kie takes no orders from us, which has no known end."""
    return reason.startswith(PAUSED_BY)


class SendTicket:
    """The place of one request in the order of sending."""

    def __init__(self, before: "SendTicket | None", *, apart_s: float, near: asyncio.Semaphore) -> None:
        self._before = before
        self._apart_s = apart_s
        self._near = near
        self._is_near = False
        self._started = asyncio.Event()
        self._finished = asyncio.Event()

    async def come_near(self) -> None:
        """Wait until few requests are before this one."""
        await self._near.acquire()
        self._is_near = True

    async def wait_turn(self) -> None:
        before, self._before = self._before, None
        if before is not None:
            await sleep_until_set(before._started, MAX_WAIT_S)  # noqa: SLF001  the same class
            await sleep_until_set(before._finished, self._apart_s)  # noqa: SLF001  likewise
        self._started.set()

    def finish(self) -> None:
        """The request is on the wire, or never will be: the next one may start."""
        self._started.set()
        self._finished.set()
        if self._is_near:
            self._is_near = False
            self._near.release()


class SendQueue:
    """The requests of one process in order, `apart_s` apart on average."""

    def __init__(self, *, apart_s: float) -> None:
        self._apart_s = apart_s
        self._near = asyncio.Semaphore(MOST_INTENTS)
        self._last: SendTicket | None = None

    def join(self) -> SendTicket:
        self._last = SendTicket(self._last, apart_s=self._apart_s, near=self._near)
        return self._last


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateReply:
    """The task that Kie created for a job."""

    job_id: JobId
    task_id: TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """What storing a reply did: the job's status, None if it was stored before; the orphans it explained."""

    status: JobStatus | None
    matched: tuple[Match, ...]


@dataclass(slots=True, kw_only=True)
class Submitter:
    """Submits claimed jobs. `resolve` gives the body of a job's request without references (`InputResolver`).

    `callback_url` gives the signed URL of a job, None without a public one; `stopping`: this instance was asked to stop.
    """

    pool: Pool
    provider: Provider
    times: Times
    callback_url: Callable[[JobId], str | None]
    wake: Callable[[str], None]
    resolve: Callable[[Job], Awaitable[Mapping[str, Any]]]
    stopping: Callable[[], bool]
    send_queue: SendQueue
    strikes: Callable[[], StrikePolicy] = lambda: NO_STRIKES
    _intents: BatchWriter[Job, bool] = field(init=False)
    _replies: BatchWriter[CreateReply, StoredReply] = field(init=False)

    def __post_init__(self) -> None:
        self._intents = BatchWriter(self._record_intents)
        self._replies = BatchWriter(self._record_replies)

    async def upload(self, job: Job) -> None:
        """Upload the job's files.

        The body is not needed yet: the URLs are stored in `input_files`, and `submit` reads them again.
        """
        with correlated(job.corr, job_id=job.job_id), span("job.upload"):
            async with stop_on_error(self.pool, job, self.wake):
                if await self._body(job) is not None:
                    async with transaction(self.pool) as tx:
                        await store.record_files_uploaded(tx, job)
                    self.wake("submits")

    async def submit(self, job: Job) -> None:
        """Take one job, claimed with a place in the budget, through intent and createTask."""
        with correlated(job.corr, job_id=job.job_id), span("job.submit"):
            failpoint("submit.after_claim")
            async with stop_on_error(self.pool, job, self.wake):
                await self._submit(job)

    async def _submit(self, job: Job) -> None:
        began = monotonic()
        body = await self._body(job)
        if body is None:
            return
        ticket = self.send_queue.join()
        try:
            await ticket.come_near()
            if monotonic() - began > PLACE_LASTS_S:
                await self._release(job, TOO_LATE)
            elif await self._intend(job):
                await self._send(job, body, ticket, began)
        finally:
            ticket.finish()

    async def _body(self, job: Job) -> Mapping[str, Any] | None:
        """What Kie is sent; None when the job is not submitted now, which is recorded."""
        if job.age >= self.times.timeout:
            await self._fail(job, settle.Failure(code="timeout", reason="it could not be submitted in time"))
            return None
        if self.stopping():
            await self._release(job, "stopping")
            return None
        try:
            return await self._resolved(job)
        except InputLost as error:
            await self._fail(job, settle.Failure(code=error.code, reason=error.reason))
        except ClaimLost:
            log.info("SUBMIT_SKIP", reason="claim lost while files were uploaded")
        except Paused as error:
            await self._pause(job, error)
        except Transient as error:
            await self._put_back(job, error.retry_after_s or backoff_s(job.attempts, most_s=60), str(error))
        return None

    async def _resolved(self, job: Job) -> Mapping[str, Any]:
        """The request without references; its files are uploaded while the lease is renewed."""
        if job.request.is_complete:
            return job.request.body
        lease = self.times.lease
        return await while_renewing(
            lambda: self.resolve(job),
            renew=lambda: store.renew_claim(self.pool, job, lease=lease),
            lease=lease,
        )

    async def _intend(self, job: Job) -> bool:
        """Commit the intent, together with those of other requests; False when nothing may be sent."""
        if self.stopping():
            await self._release(job, "stopping")
            return False
        failpoint("submit.before_intent")
        if not await self._intents.add(job):
            await self._release(job, "claim lost, job canceled, or paused by an operator")
            return False
        failpoint("submit.after_intent")
        return True

    async def _record_intents(self, jobs: Sequence[Job]) -> list[bool]:
        decide_after = [min(self.times.overdue_of(job.kind), self.times.timeout) for job in jobs]
        ours = await store.record_intents(one_statement(self.pool), jobs, decide_after=decide_after)
        return [job.job_id in ours for job in jobs]

    async def _send(self, job: Job, body: Mapping[str, Any], ticket: SendTicket, began: float) -> None:
        """Send the request when its turn comes; a request that was not sent is taken back with its intent."""
        await ticket.wait_turn()
        if self.stopping():
            await self._put_back(job, 0, "stopping", is_due=True)
        elif monotonic() - began > PLACE_LASTS_S:
            await self._put_back(job, 0, TOO_LATE, is_due=True)
        else:
            await self._create(job, body, ticket)

    async def _create(self, job: Job, body: Mapping[str, Any], ticket: SendTicket) -> None:
        try:
            task_id = await self.provider.create_task(
                model=job.model,
                inputs=body,
                callback_url=self.callback_url(job.job_id),
                protocol=job.request.protocol,
                on_sent=ticket.finish,
            )
        except Paused as error:
            paused = error
            await _until_stored(lambda: self._pause(job, paused))
        except QueueFull as error:
            wait_s, reason = backoff_s(job.attempts, most_s=60), str(error)
            await _until_stored(lambda: self._put_back(job, wait_s, reason))
        except (Busy, Transient) as error:
            wait_s, reason = error.retry_after_s or backoff_s(job.attempts, most_s=60), str(error)
            await _until_stored(lambda: self._back_off(job, wait_s, reason))
        except TaskRefused as error:
            failure = settle.Failure(code=f"refused-{error.code}", reason=error.reason)
            await _until_stored(lambda: self._fail(job, failure))
        except OutcomeUnknown as error:
            reason = str(error)
            await _until_stored(lambda: self._unknown(job, reason))
        else:
            failpoint("submit.after_create")
            await self._store_task(job, task_id)

    async def _store_task(self, job: Job, task_id: TaskId) -> None:
        """Store the id of an existing task; a conflict in the database leaves the outcome unknown."""
        try:
            await _until_stored(lambda: self._record_reply(job, task_id), task_id=task_id)
        except Exception as error:  # noqa: BLE001  the job must not stay claimed
            reason = describe(error)
            await _until_stored(lambda: self._unknown(job, reason))

    async def _unknown(self, job: Job, error: str) -> None:
        failpoint("submit.before_unknown")
        async with transaction(self.pool) as tx:
            if await store.record_unknown(tx, job, error=error):
                await timeline.record(tx, job.job_id, Tag.UNKNOWN, error=error)
        log.warning("SUBMIT_UNKNOWN", error=error)

    async def _record_reply(self, job: Job, task_id: TaskId) -> None:
        stored = await self._replies.add(CreateReply(job_id=job.job_id, task_id=task_id))
        failpoint("submit.after_record")
        log.info("JOB_SUBMITTED", task_id=task_id, model=job.model, status=stored.status)
        if stored.matched or stored.status is not JobStatus.RUNNING:
            self.wake("looks")
        for match in stored.matched:
            log.info("ORPHAN_RECONCILE", task_id=task_id, orphan_id=match.orphan_id)

    async def _record_replies(self, replies: Sequence[CreateReply]) -> list[StoredReply]:
        """Store task ids. Orphans that came in this moment, or were not matched before a kill, are left to the next pass."""
        tasks = {reply.job_id: reply.task_id for reply in replies}
        failpoint("submit.before_commit")
        statuses, have_orphans = await store.record_tasks(
            one_statement(self.pool), tasks, look_after=self.times.poll_first
        )
        matched: list[Match] = []
        if have_orphans:
            async with transaction(self.pool) as tx:
                matched = await match_tasks(tx, tasks.values())
        return [
            StoredReply(
                status=statuses.get(reply.job_id),
                matched=tuple(match for match in matched if match.task_id == reply.task_id),
            )
            for reply in replies
        ]

    async def _pause(self, job: Job, error: Paused) -> None:
        log.error("SUBMIT_PAUSED", error=str(error), next_try_s=PAUSE_S)
        await self._back_off(job, PAUSE_S, paused_by(error.code))

    async def _back_off(self, job: Job, wait_s: float, reason: str) -> None:
        """Block all submits for a while; this job stays first in the queue."""
        await budget.block(self.pool, CREATES, seconds=wait_s, reason=reason)
        await self._put_back(job, wait_s, reason, is_due=True)

    async def _release(self, job: Job, reason: str) -> None:
        async with transaction(self.pool) as tx:
            await store.release_claim(tx, job)
        log.info("SUBMIT_SKIP", reason=reason)

    async def _put_back(self, job: Job, wait_s: float, error: str, *, is_due: bool = False) -> None:
        """Nothing was created. With `is_due` the job keeps its place behind the blocked budget."""
        after = timedelta(seconds=0 if is_due else wait_s)
        async with transaction(self.pool) as tx:
            if await store.return_to_pending(tx, job, after=after, error=error):
                await timeline.record(tx, job.job_id, Tag.PUT_BACK, wait_s=round(wait_s, 1), error=error)
        self.pool.floors.lower("submits", job.turn)
        log.info("SUBMIT_RETRY", wait_s=round(wait_s, 1), reason=error)
        self.wake("deliveries")

    async def _fail(self, job: Job, failure: settle.Failure) -> None:
        async with transaction(self.pool) as tx:
            settled = await settle.settle(tx, job.job_id, failure, price=job.price.minor, via="submit", fence=job.fence)
            is_strike = await note_provider_refusal(tx, job, failure, settled, self.strikes())
        failpoint("settle.after_commit")
        log.info("JOB_SETTLED", outcome="failed", money=settled, code=failure.code)
        self.wake("deliveries")
        if is_strike:
            await ban_after_strike(self.pool, job.user_id, self.strikes())


async def _until_stored(write: Callable[[], Awaitable[None]], *, task_id: TaskId | None = None) -> None:
    """Repeat an idempotent write until the database accepts it; raise only what would fail every time.

    The task id is logged, so that an operator finds the task even if the process dies first.
    """
    failures = 0
    try:
        while True:
            try:
                return await write()
            except Exception as error:
                if is_permanent(error):
                    raise
                wait_s = backoff_s(failures, first_s=STORE_AGAIN_FIRST_S, most_s=STORE_AGAIN_MOST_S)
                log.warning("ANSWER_NOT_STORED", task_id=task_id, error=describe(error), wait_s=round(wait_s, 1))
                failures += 1
                await asyncio.sleep(wait_s)
    except asyncio.CancelledError:
        log.error("ANSWER_LOST", task_id=task_id)
        raise
