"""Claims within Kie's limits: a job is claimed together with its place in the budget, or not at all.

Waiting jobs are not written to. The budget's row is locked during the claim, so instances claim one after the other and the
order of jobs holds for all of them. Killed after a claim: its places are lost for one window, and the jobs are claimed again
when the lease expires.

A job whose step raises is retried a few times, then stopped for an operator (`stop_on_error`); a `Corrupt` state stops it at
once. Errors of an unreachable database are not counted.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, is_unavailable, transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import Job
from photomat.jobs.timeline import Tag
from photomat.kernel.clock import backoff_s
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import InstanceId
from photomat.kernel.logs import get_logger
from photomat.work import budget
from photomat.work.budget import Budget, NoRoom

CREATES: Final = "kie:creates"
QUERIES: Final = "kie:queries"
CREATES_WINDOW_S: Final = 10.5
QUERIES_WINDOW_S: Final = 1.05
MAX_TROUBLES: Final = 6
log = get_logger()


def creates_budget(allowed: int) -> Budget:
    return budget.below(CREATES, allowed=allowed, window_s=CREATES_WINDOW_S)


def queries_budget(allowed: int) -> Budget:
    return budget.below(QUERIES, allowed=allowed, window_s=QUERIES_WINDOW_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The claims of one instance. Each raises NoRoom when jobs are due and the budget allows none of them now."""

    pool: Pool
    instance: InstanceId
    lease: timedelta
    timeout: timedelta
    creates: Budget
    queries: Budget

    async def submits(self, limit: int) -> list[Job]:
        """Jobs to submit now, in order, each with its place in the budget; or jobs to give up, which need none."""
        claimed = await self._submits(limit)
        if claimed.places is None and claimed.is_due:
            await budget.open_budget(self.pool, self.creates)
            claimed = await self._submits(limit)
        if claimed.jobs:
            return claimed.jobs
        expired = await self._expired(limit) if claimed.has_expired else []
        if not expired and claimed.places == 0:
            wait_s = (await budget.room(self.pool, self.creates)).wait_s
            raise NoRoom(f"no room in {self.creates.name}", retry_after_s=wait_s)
        return expired

    async def _submits(self, limit: int) -> store.ClaimedSubmits:
        return await store.claim_submits(
            self.pool,
            limit=limit,
            lease=self.lease,
            instance=self.instance,
            creates=self.creates,
            given_up_after=self.timeout,
        )

    async def _expired(self, limit: int) -> list[Job]:
        return await store.claim_expired(
            self.pool, limit=limit, given_up_after=self.timeout, lease=self.lease, instance=self.instance
        )

    async def uploads(self, limit: int) -> list[Job]:
        if await budget.blocked_because(self.pool, self.creates.name) is not None:
            return []
        return await store.claim_uploads(self.pool, limit=limit, lease=self.lease, instance=self.instance)

    async def looks(self, limit: int) -> list[Job]:
        """Jobs to poll now; those that need a query each with its place. Without room, those that need none."""
        jobs, is_due, queries = await self._looks(limit)
        if is_due and queries is None:
            await budget.open_budget(self.pool, self.queries)
            more, is_due, queries = await self._looks(limit - len(jobs))
            jobs += more
        if is_due and not jobs and not queries:
            wait_s = (await budget.room(self.pool, self.queries)).wait_s
            raise NoRoom(f"no room in {self.queries.name}", retry_after_s=wait_s)
        return jobs

    async def _looks(self, limit: int) -> store.ClaimedLooks:
        return await store.claim_looks(
            self.pool, limit=limit, lease=self.lease, instance=self.instance, queries=self.queries
        )


@asynccontextmanager
async def stop_on_error(pool: Pool, job: Job, wake: Callable[[str], None]) -> AsyncIterator[None]:
    """Retry the job later when the block raises; stop it after `MAX_TROUBLES` in a row."""
    try:
        yield
    except Corrupt as error:
        report_crash(error, "JOB_STOPPED")
        await _stop(pool, job, wake, str(error))
    except Exception as error:  # noqa: BLE001  whatever it was, the customer must not wait forever
        counted = not is_unavailable(error)
        if counted:
            report_crash(error, "JOB_TROUBLE")
        after = timedelta(seconds=backoff_s(job.troubles, first_s=2, most_s=60))
        async with transaction(pool) as tx:
            troubles = await store.record_trouble(tx, job, after=after, error=describe(error), counted=counted)
        log.error("JOB_TROUBLE", error=describe(error), troubles=troubles, counted=counted)
        if counted and troubles is not None and troubles >= MAX_TROUBLES:
            await _stop(pool, job, wake, describe(error))


async def _stop(pool: Pool, job: Job, wake: Callable[[str], None], error: str) -> None:
    async with transaction(pool) as tx:
        stopped = await store.record_stopped(tx, job, error=error)
        if stopped:
            await timeline.record(tx, job.job_id, Tag.STOPPED, error=error)
    log.error("JOB_STOPPED", error=error, stopped=stopped)
    wake("deliveries")
