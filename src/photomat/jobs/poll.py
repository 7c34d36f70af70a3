"""Poll a task and settle its job: the one place that reads a task's state, for callbacks and polling alike.

A callback makes a job due at once; otherwise polling slows down with the task's age, for hours, and videos are polled half as
often. "Not yet" is never "no": only Kie's own failure or the give-up time ends a job. Every write tests the claim's fence.
Killed anywhere: the lease expires and the job is polled again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.jobs import settle, store, timeline
from photomat.jobs.claims import QUERIES, stop_on_error
from photomat.jobs.history import usual_seconds
from photomat.jobs.job import TERMINAL, Job, JobStatus, Times
from photomat.jobs.strikes import ban_after_strike, note_provider_refusal
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import TaskId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trace import span
from photomat.kie.port import Busy, Provider
from photomat.kie.state_parser import KieState, Reading
from photomat.moderation.refusal import NO_STRIKES, StrikePolicy
from photomat.work import budget
from photomat.work.batch_writer import BatchWriter

PACE: Final = (
    (timedelta(seconds=30), timedelta(seconds=2)),
    (timedelta(minutes=2), timedelta(seconds=5)),
    (timedelta(minutes=15), timedelta(seconds=15)),
    (timedelta(hours=1), timedelta(minutes=1)),
)
"""Up to this age of the task: how often it is polled."""
SLOWEST: Final = timedelta(minutes=5)
SLOWER: Final[Mapping[str, int]] = {"video": 2}
VISIBLE_WITHIN: Final = timedelta(seconds=70)
"""A task may be unknown to Kie for a minute after its creation, and the creation itself may take some seconds of it."""
LOST: Final = timedelta(minutes=1)
"""A task unknown to Kie after that is polled no more often than this."""
USUAL_S: Final = {"image": 30, "audio": 60, "video": 180}
USUAL_OTHERWISE_S: Final = 60
"""What counts as usual for a kind while its model has no results of ours."""
SLOW_FROM: Final = timedelta(seconds=60)
SLOW_TIMES: Final = 2
"""A job that took so many times its usual time, and at least `SLOW_FROM`, is slow: its card says so."""
MAX_SHOWN: Final = 90
RETRY_S: Final = 5.0
LAST_LOOK_GRACE: Final = timedelta(minutes=1)
"""How much longer the last poll is retried when Kie does not answer."""
LOST_ERROR: Final = "Kie does not know the task; it is asked again and again, nothing is decided by that"
log = get_logger()


def next_look(age: timedelta, kind: str, first: timedelta, *, lost: bool = False) -> timedelta:
    """The pause before the next poll of a task of this age and kind; at least `first`, a setting."""
    pace = next((every for until, every in PACE if age < until), SLOWEST) * SLOWER.get(kind, 1)
    return max(first, pace, LOST) if lost else max(first, pace)


def progress_of(reading: Reading | None) -> int:
    """Percent in steps of ten, at most 90, as Kie itself reports for a running task; 0 where it reports none."""
    if reading is None or reading.state is not KieState.RUNNING or reading.progress is None:
        return 0
    return min(MAX_SHOWN, 10 * (reading.progress // 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPoller:
    """`strikes` is asked with every refusal of Kie: whether it counts against the user."""

    pool: Pool
    provider: Provider
    times: Times
    wake: Callable[[str], None]
    strikes: Callable[[], StrikePolicy] = lambda: NO_STRIKES
    _results: BatchWriter[settle.FoundResult, bool] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_results", BatchWriter(self._settle_results))

    async def look(self, job: Job) -> None:
        with correlated(job.corr, job_id=job.job_id), span("job.poll"):
            failpoint("look.after_claim")
            async with stop_on_error(self.pool, job, self.wake):
                await self._look(job)

    async def _look(self, job: Job) -> None:
        if job.status is JobStatus.DONE:
            await self._schedule(job, None)
            return
        try:
            reading = None if job.task_id is None else await self._read(job, job.task_id)
        except Transient as error:
            if job.age < self.times.timeout + min(self.times.timeout, LAST_LOOK_GRACE):
                await self._mark_overdue(job)
                after = timedelta(seconds=error.retry_after_s or RETRY_S)
                await self._schedule(job, after, via=job.woken_via)
                return
            reading = None
        failpoint("look.after_answer")
        await self._act(job, reading)

    async def _read(self, job: Job, task_id: TaskId) -> Reading | None:
        """Ask Kie; None while the task is unknown there. Raises Transient when there is no usable answer."""
        failpoint("look.before_ask")
        try:
            reading = await self.provider.record(task_id, protocol=job.request.protocol)
        except Transient as error:
            log.info("POLL_TICK", i=job.attempts, task_id=task_id, http_ok=False, error=str(error))
            if isinstance(error, Busy):
                await budget.block(self.pool, QUERIES, seconds=error.retry_after_s or RETRY_S, reason=str(error))
            raise
        log.info("POLL_TICK", i=job.attempts, task_id=task_id, http_ok=True, via=_via(job))
        log.info("POLL_STATE", i=job.attempts, task_id=task_id, state=reading.state if reading else "unknown")
        return reading

    async def _act(self, job: Job, reading: Reading | None) -> None:
        outcome = self._outcome(job, reading)
        if outcome is not None:
            await self._settle(job, outcome, reading)
            return
        if job.status in TERMINAL:
            failed = reading is not None and reading.state is KieState.FAIL
            may_succeed = job.status is JobStatus.CANCELED and job.age < self.times.timeout and not failed
            await self._schedule(job, self._pace(job) if may_succeed else None)
            return
        await self._mark_overdue(job)
        lost = reading is None and job.task_id is not None and job.age_at_kie >= VISIBLE_WITHIN
        if lost:
            await self._mark_lost(job)
        await self._schedule(job, self._pace(job, lost=lost), reading=reading)

    async def _mark_overdue(self, job: Job) -> None:
        if job.overdue_at is not None or job.age < self.times.overdue_of(job.kind):
            return
        async with transaction(self.pool) as tx:
            is_new = await store.record_overdue(tx, job)
            if is_new:
                await timeline.record(tx, job.job_id, Tag.OVERDUE, age_s=int(job.age.total_seconds()))
        if is_new:
            log.info("JOB_OVERDUE", age_s=int(job.age.total_seconds()))
            self.wake("deliveries")

    async def _mark_lost(self, job: Job) -> None:
        """Record once that Kie does not know the task, though it should by now. Lost is not failed: no money moves."""
        async with transaction(self.pool) as tx:
            is_new = await store.record_lost(tx, job, error=LOST_ERROR)
            if is_new:
                await timeline.record(tx, job.job_id, Tag.LOST, task_id=job.task_id)
        if is_new:
            log.warning("TASK_LOST", task_id=job.task_id, age_s=int(job.age_at_kie.total_seconds()))

    def _outcome(self, job: Job, reading: Reading | None) -> settle.Outcome | None:
        """What the reading and the clock decide together; None: not decided yet."""
        state = None if reading is None else reading.state
        if reading is not None and state is KieState.SUCCESS and (reading.urls or reading.result_object):
            return settle.Success(
                urls=reading.urls,
                result_object=reading.result_object,
                details=reading.details,
                object_as_file=reading.object_as_file,
                unread=reading.unread,
            )
        if job.status in TERMINAL:
            return None
        if reading is not None and state is KieState.FAIL:
            return settle.Failure(code=f"kie-{reading.fail_code or 'fail'}", reason=reading.error)
        if state is KieState.SUCCESS and self._empty_for_too_long(job):
            return settle.Failure(code="empty", reason="Kie says success and gives no result")
        if job.age >= self.times.timeout:
            return settle.Failure(code="timeout", reason="no result within the give-up time")
        return None

    def _empty_for_too_long(self, job: Job) -> bool:
        return job.empty_since is not None and job.claimed_at - job.empty_since >= self.times.empty_result_grace

    def _pace(self, job: Job, *, lost: bool = False) -> timedelta:
        """The pause before the next poll, never past the moment the job becomes overdue or is given up."""
        pace = self.times.timeout
        if job.task_id is not None:
            pace = next_look(job.age_at_kie, job.kind, self.times.poll_first, lost=lost)
        marks = [self.times.timeout - job.age]
        if job.overdue_at is None:
            marks.append(self.times.overdue_of(job.kind) - job.age)
        ahead = [mark for mark in marks if mark > timedelta(0)]
        return min([pace, *ahead]) + timedelta(milliseconds=5)

    async def _settle(self, job: Job, outcome: settle.Outcome, reading: Reading | None) -> None:
        consumed = None if reading is None else reading.credits
        settled, is_strike = settle.Settled.CHARGED, False
        if not isinstance(outcome, settle.Success) or not await self._settle_with_others(job, outcome, consumed):
            settled, is_strike = await self._settle_alone(job, outcome, consumed)
        failpoint("settle.after_commit")
        if settled is settle.Settled.NOTHING:
            log.info("SETTLE_SKIP", reason="settled before, or the claim was lost")
            await self._schedule(job, None)
            return
        word = "done" if isinstance(outcome, settle.Success) else "failed"
        code = outcome.code if isinstance(outcome, settle.Failure) else None
        kie_s = int(reading.took.total_seconds()) if reading is not None and reading.took is not None else None
        log.info("JOB_SETTLED", outcome=word, money=settled, via=_via(job), code=code, kie_s=kie_s)
        if isinstance(outcome, settle.Success) and outcome.unread:
            log.error("RESULT_UNREAD", model=job.model, fields=",".join(outcome.unread), outputs=len(outcome.urls))
        if settled in {settle.Settled.GIFT, settle.Settled.OFFERED}:
            log.warning("LATE_SUCCESS", money=settled, task_id=job.task_id)
        self.wake("deliveries")
        if is_strike:
            await ban_after_strike(self.pool, job.user_id, self.strikes())

    async def _settle_with_others(self, job: Job, success: settle.Success, consumed: Decimal | None) -> bool:
        """Settle the result of a job that still runs in one transaction with others; False if it does not."""
        with span("job.settle"):
            return await self._results.add(
                settle.FoundResult(
                    job_id=job.job_id,
                    success=success,
                    price=job.price.minor,
                    via=_via(job),
                    fence=job.fence,
                    consumed=consumed,
                )
            )

    async def _settle_results(self, results: Sequence[settle.FoundResult]) -> list[bool]:
        async with transaction(self.pool) as tx:
            settled = await settle.settle_results(tx, results)
        return [result.job_id in settled for result in results]

    async def _settle_alone(
        self, job: Job, outcome: settle.Outcome, consumed: Decimal | None
    ) -> tuple[settle.Settled, bool]:
        """Settle any outcome; return also whether it is a strike against the user."""
        async with transaction(self.pool) as tx:
            settled = await settle.settle(
                tx, job.job_id, outcome, price=job.price.minor, via=_via(job), fence=job.fence, consumed=consumed
            )
            return settled, await note_provider_refusal(tx, job, outcome, settled, self.strikes())

    async def _schedule(
        self, job: Job, after: timedelta | None, *, reading: Reading | None = None, via: str | None = None
    ) -> None:
        is_slow = await self._is_slow(job)
        async with transaction(self.pool) as tx:
            await store.schedule_look(
                tx,
                job,
                after=after,
                seen=reading is not None,
                empty=reading is not None and reading.state is KieState.SUCCESS,
                via=via,
                progress=progress_of(reading),
                is_slow=is_slow,
            )
        self.wake("deliveries")
        self.wake("looks")  # a callback may have come meanwhile

    async def _is_slow(self, job: Job) -> bool:
        """Whether a running job has exceeded its usual time; asked only until it is recorded."""
        is_asked = job.status is JobStatus.RUNNING and job.slow_at is None and job.overdue_at is None
        if not is_asked or job.age_at_kie < SLOW_FROM:
            return False
        usual_s = await usual_seconds(self.pool, job.model) or USUAL_S.get(job.kind, USUAL_OTHERWISE_S)
        return job.age_at_kie >= SLOW_TIMES * timedelta(seconds=usual_s)


def _via(job: Job) -> str:
    return job.woken_via or "poll"
