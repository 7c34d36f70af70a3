"""Claims within the limits of Kie: a job is claimed together with its place in the budget, or not at all.

A job without a place is not touched: however many wait, waiting writes nothing. The budget's row is locked for the moment of
the claim, so instances claim one after the other, and the order of jobs holds for all of them. A process killed after a claim
loses its places for the length of the window; the jobs are claimed again when the lease has run out.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.jobs import store, waiting_store
from photomat.jobs.job import Job, JobStatus
from photomat.kernel.ids import InstanceId
from photomat.work import budget
from photomat.work.budget import Budget, NoRoom

CREATES: Final = "kie:creates"
QUERIES: Final = "kie:queries"
CREATES_WINDOW_S: Final = 10.5
QUERIES_WINDOW_S: Final = 1.05


def creates_budget(allowed: int) -> Budget:
    """createTask, of which Kie allows so many in 10 s."""
    return budget.below(CREATES, allowed=allowed, window_s=CREATES_WINDOW_S)


def queries_budget(allowed: int) -> Budget:
    """Queries, of which Kie allows so many in a second."""
    return budget.below(QUERIES, allowed=allowed, window_s=QUERIES_WINDOW_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Claims of one instance. Each raises NoRoom where jobs are due and the budget allows none of them now."""

    pool: Pool
    instance: InstanceId
    lease: timedelta
    timeout: timedelta
    creates: Budget
    queries: Budget

    async def submits(self, limit: int) -> list[Job]:
        """Jobs whose task is created now, in their order, each with its place; and jobs to be given up, which need none."""
        expired = await waiting_store.claim_expired(
            self.pool, limit=limit, given_up_after=self.timeout, lease=self.lease, instance=self.instance
        )
        if expired or not await self.pool.fetchval(f"SELECT EXISTS ({store.SUBMITS_DUE})"):
            return expired
        await self._require_room(self.creates)
        async with transaction(self.pool) as tx:
            places = min(limit, await budget.lock(tx, self.creates))
            jobs = await store.claim_submits(
                tx, bot_id=self.pool.bot_id, limit=places, lease=self.lease, instance=self.instance
            )
            if jobs:
                await budget.spend(tx, self.creates, calls=len(jobs), turn=jobs[-1].turn)
        return jobs

    async def uploads(self, limit: int) -> list[Job]:
        """Jobs whose files are uploaded now; none while Kie takes no tasks."""
        if await budget.blocked_because(self.pool, self.creates.name) is not None:
            return []
        return await waiting_store.claim_uploads(self.pool, limit=limit, lease=self.lease, instance=self.instance)

    async def looks(self, limit: int) -> list[Job]:
        """Jobs to be looked at now; those Kie must be asked about each with its place."""
        if not await self.pool.fetchval(f"SELECT EXISTS ({store.LOOKS_DUE})"):
            return []
        free = await budget.room(self.pool, self.queries)
        if not free.calls:
            async with transaction(self.pool) as tx:
                silent = await store.claim_looks(
                    tx, bot_id=self.pool.bot_id, limit=limit, questions=0, lease=self.lease, instance=self.instance
                )
            if not silent:
                raise NoRoom(f"no room in {self.queries.name}", retry_after_s=free.wait_s)
            return silent
        async with transaction(self.pool) as tx:
            places = min(limit, await budget.lock(tx, self.queries))
            jobs = await store.claim_looks(
                tx, bot_id=self.pool.bot_id, limit=limit, questions=places, lease=self.lease, instance=self.instance
            )
            asked = sum(job.task_id is not None and job.status is not JobStatus.DONE for job in jobs)
            if asked:
                await budget.spend(tx, self.queries, calls=asked)
        return jobs

    async def _require_room(self, of: Budget) -> None:
        free = await budget.room(self.pool, of)
        if not free.calls:
            raise NoRoom(f"no room in {of.name}", retry_after_s=free.wait_s)
