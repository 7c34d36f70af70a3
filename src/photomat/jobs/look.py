"""The one reader of the truth for callbacks and polling: storage first, then recordInfo, then settle.

Woken by a callback at once, else paced by age and kind. Whoever comes second finds the job settled and stops. A claim lost in
here changes nothing: every write tests its fence. Killed anywhere: the lease runs out and somebody looks again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.jobs import settle, store, timeline
from photomat.jobs.job import TERMINAL, Job, JobStatus, Times
from photomat.jobs.stop import bearing_trouble
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import TaskId
from photomat.kernel.logs import correlated, get_logger
from photomat.kie.port import Provider
from photomat.kie.state_parser import KieState, Reading
from photomat.work import budget
from photomat.work.budget import Budget

QUERIES: Final = Budget(name="kie:queries", limit=9, window_s=1.05)
"""Kie takes 10 queries a second; a little is left for what happens on the way."""

PACE: Final = (
    (timedelta(seconds=30), timedelta(seconds=2)),
    (timedelta(minutes=2), timedelta(seconds=5)),
    (timedelta(minutes=15), timedelta(seconds=15)),
    (timedelta(hours=1), timedelta(minutes=1)),
)
SLOWEST: Final = timedelta(minutes=5)
SLOW_KINDS: Final = frozenset({"video", "music"})
RETRY_S: Final = 5.0
LAST_LOOK_GRACE: Final = timedelta(minutes=1)
"""The last look must really be one: so much longer it is tried when Kie, or our own pace, does not let us look."""

USUAL_S: Final = {"image": 25.0, "audio": 30.0, "video": 180.0}
USUAL_OTHERWISE_S: Final = 60.0
log = get_logger()


def next_look(age: timedelta, kind: str, first: timedelta) -> timedelta:
    """When to look again at a job of this age and kind: quick at first, then slower and slower."""
    pace = next((every for until, every in PACE if age < until), SLOWEST)
    return max(first, pace * 2 if kind in SLOW_KINDS else pace)


def progress_of(age: timedelta, kind: str) -> int:
    """How far a job of this age and kind usually is, in steps of ten, never quite there."""
    usual_s = USUAL_S.get(kind, USUAL_OTHERWISE_S)
    return min(90, 10 * int(9 * age.total_seconds() / usual_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class Looker:
    """Looks at claimed jobs."""

    pool: Pool
    provider: Provider
    times: Times
    wake: Callable[[str], None]

    async def look(self, job: Job) -> None:
        """Take one claimed job a step nearer to its end."""
        with correlated(job.corr, job_id=job.job_id):
            failpoint("look.after_claim")
            async with bearing_trouble(self.pool, job, self.wake):
                await self._look(job)

    async def _look(self, job: Job) -> None:
        if job.status is JobStatus.DONE:
            await self._again(job, None)
            return
        try:
            reading = None if job.task_id is None else await self._read(job, job.task_id)
        except Transient as error:
            if job.age < self.times.timeout + min(self.times.timeout, LAST_LOOK_GRACE):
                await self._say_if_overdue(job)
                await self._again(job, timedelta(seconds=error.retry_after_s or RETRY_S), keep_via=True)
                return
            reading = None
        failpoint("look.after_answer")
        await self._act(job, reading)

    async def _read(self, job: Job, task_id: TaskId) -> Reading | None:
        """Ask Kie; None while it does not know the task. Raises Transient when there is no usable answer."""
        wait_s = await budget.take(self.pool, QUERIES)
        if wait_s:
            raise Transient("waiting for Kie's rate limit", retry_after_s=wait_s)
        try:
            answer = await self.provider.record(task_id)
        except Transient as error:
            log.info("POLL_TICK", i=job.attempts, task_id=task_id, http_ok=False, error=str(error))
            raise
        log.info("POLL_TICK", i=job.attempts, task_id=task_id, http_ok=True, via=_via(job))
        state = answer.reading.state if answer.reading else "unknown"
        log.info("POLL_STATE", i=job.attempts, task_id=task_id, state=state)
        return answer.reading

    async def _act(self, job: Job, reading: Reading | None) -> None:
        outcome = self._outcome(job, reading)
        if outcome is not None:
            await self._settle(job, outcome)
            return
        if job.status in TERMINAL:
            hopeful = job.status is JobStatus.CANCELED and job.age < self.times.timeout
            await self._again(job, self._pace(job) if hopeful else None)
            return
        await self._say_if_overdue(job)
        empty = reading is not None and reading.state is KieState.SUCCESS
        await self._again(job, self._pace(job), empty=empty)

    async def _say_if_overdue(self, job: Job) -> None:
        if job.overdue_at is not None or job.age < self.times.overdue_of(job.kind):
            return
        async with transaction(self.pool) as tx:
            said = await store.record_overdue(tx, job)
            if said:
                await timeline.record(tx, job.job_id, Tag.OVERDUE, age_s=int(job.age.total_seconds()))
        if said:
            log.info("JOB_OVERDUE", age_s=int(job.age.total_seconds()))
            self.wake("deliveries")

    def _outcome(self, job: Job, reading: Reading | None) -> settle.Outcome | None:
        """What the reading and the clock decide together; None means: not decided yet."""
        if reading is not None and reading.state is KieState.SUCCESS and (reading.urls or reading.result_object):
            return settle.Success(urls=reading.urls, result_object=reading.result_object)
        if job.status in TERMINAL:
            return None
        if reading is not None and reading.state is KieState.FAIL:
            return settle.Failure(code=f"kie-{reading.fail_code or 'fail'}", reason=reading.error)
        if reading is not None and reading.state is KieState.SUCCESS and self._empty_for_too_long(job):
            return settle.Failure(code="empty", reason="Kie says success and gives no result")
        if job.age >= self.times.timeout:
            return settle.Failure(code="timeout", reason="no result within the give-up time")
        return None

    def _empty_for_too_long(self, job: Job) -> bool:
        return job.empty_since is not None and job.claimed_at - job.empty_since >= self.times.empty_result_grace

    def _pace(self, job: Job) -> timedelta:
        """The next look, but never past the moment at which the job is overdue or given up."""
        pace = self.times.timeout if job.task_id is None else next_look(job.age, job.kind, self.times.poll_first)
        marks = [self.times.timeout - job.age]
        if job.overdue_at is None:
            marks.append(self.times.overdue_of(job.kind) - job.age)
        ahead = [mark for mark in marks if mark > timedelta(0)]
        return min([pace, *ahead]) + timedelta(milliseconds=5)

    async def _settle(self, job: Job, outcome: settle.Outcome) -> None:
        async with transaction(self.pool) as tx:
            settled = await settle.settle(
                tx, job.job_id, outcome, price=job.price.minor, via=_via(job), fence=job.fence
            )
        failpoint("settle.after_commit")
        if settled is settle.Settled.NOTHING:
            log.info("SETTLE_SKIP", reason="settled before, or the claim was lost")
            await self._again(job, None)
            return
        word = "done" if isinstance(outcome, settle.Success) else "failed"
        code = outcome.code if isinstance(outcome, settle.Failure) else None
        log.info("JOB_SETTLED", outcome=word, money=settled, via=_via(job), code=code)
        if settled in {settle.Settled.GIFT, settle.Settled.OFFERED}:
            log.warning("LATE_SUCCESS", money=settled, task_id=job.task_id)
        self.wake("deliveries")

    async def _again(self, job: Job, after: timedelta | None, *, empty: bool = False, keep_via: bool = False) -> None:
        async with transaction(self.pool) as tx:
            await store.schedule_look(
                tx,
                job,
                after=after,
                empty=empty,
                via=job.woken_via if keep_via else None,
                progress=progress_of(job.age, job.kind),
            )
        self.wake("deliveries")


def _via(job: Job) -> str:
    return job.woken_via or "poll"
