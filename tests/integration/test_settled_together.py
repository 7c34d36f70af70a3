"""Results settled and cards marked together: each has its own fence, and one that fails harms nobody."""

import asyncio
from collections.abc import Sequence

from photomat.db.pool import Pool, transaction
from photomat.delivery import lock
from photomat.delivery.marks import Mark, record_marks
from photomat.jobs.settle import FoundResult, Success, settle_results
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import Fence, JobId
from photomat.wallet import ledger
from photomat.work.batch_writer import BatchWriter
from support.database import pool_of
from support.jobs import DELIVERY_LEASE, ONE, PRICE, URL, a_done_job, a_running_job, a_user, claim_looks, row_of
from support.jobs import LEASE as CLAIM_LEASE


async def test_results_are_settled_together_and_one_whose_claim_was_lost_is_left_out(database: str) -> None:
    async with pool_of(database) as pool:
        user, other = await a_user(pool), await a_user(pool, user_id=5_000_002)
        jobs = [await a_running_job(pool, who, task_id=f"t-{n}") for n, who in enumerate((other, user, user))]
        claimed = await _claimed(pool, jobs)
        lost = _found(jobs[1], claimed[jobs[1]] - 1)
        results = [_found(jobs[0], claimed[jobs[0]]), lost, _found(jobs[2], claimed[jobs[2]])]
        async with transaction(pool) as tx:
            assert await settle_results(tx, results) == {jobs[0], jobs[2]}
        assert [(await row_of(pool, job))["status"] for job in jobs] == ["done", "running", "done"]
        async with transaction(pool) as tx:
            assert [(await ledger.balance(tx, user_id=who)).posted.minor for who in (user, other)] == [
                10_000 - PRICE
            ] * 2
            assert await settle_results(tx, results) == set(), "a second time changes nothing"


async def test_a_hold_that_is_gone_fails_its_own_job_and_the_others_are_charged(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{n}") for n in range(3)]
        claimed = await _claimed(pool, jobs)
        async with transaction(pool) as tx:
            await ledger.release(tx, reference=f"job:{jobs[1]}")

        async def write(results: Sequence[FoundResult]) -> list[bool]:
            async with transaction(pool) as tx:
                settled = await settle_results(tx, results)
            return [result.job_id in settled for result in results]

        together = BatchWriter(write)
        answers = await asyncio.gather(
            *(together.add(_found(job, claimed[job])) for job in jobs), return_exceptions=True
        )
        assert [answer if isinstance(answer, bool) else type(answer) for answer in answers] == [True, Corrupt, True]
        assert [(await row_of(pool, job))["status"] for job in jobs] == ["done", "running", "done"]
        async with transaction(pool) as tx:  # for the audit: the job of the released hold ends as failed
            await tx.execute(
                "UPDATE generation_jobs SET status = 'failed', settled_at = photomat_now() WHERE job_id = $1", jobs[1]
            )


async def test_cards_are_marked_together_and_one_whose_lock_was_taken_over_is_left_out(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_done_job(pool, user) for _ in range(3)]
        cards = {
            card.job_id: card
            for card in await lock.try_acquire_delivery_lock(pool, limit=9, lease=DELIVERY_LEASE, instance=ONE)
        }
        await pool.execute("UPDATE generation_jobs SET delivery_fence = delivery_fence + 1 WHERE job_id = $1", jobs[1])
        marks = [Mark(card=cards[job], ring_kind="done", repeat_later=False) for job in jobs]
        async with transaction(pool) as tx:
            marked = await record_marks(tx, marks)
        assert set(marked) == {jobs[0], jobs[2]}
        rows = [await row_of(pool, job) for job in jobs]
        assert [row["delivered_at"] is not None for row in rows] == [True, False, True]
        assert [row["ring_due_at"] is not None for row in rows] == [True, False, True]
        async with transaction(pool) as tx:
            assert await record_marks(tx, marks) == {}, "a mark is recorded once"


async def _claimed(pool: Pool, jobs: Sequence[JobId]) -> dict[JobId, int]:
    await pool.execute(
        "UPDATE generation_jobs SET due_at = photomat_now() WHERE job_id = ANY($1::bigint[])", list(jobs)
    )
    return {job.job_id: int(job.fence) for job in await claim_looks(pool, limit=9, lease=CLAIM_LEASE, instance=ONE)}


def _found(job_id: JobId, fence: int) -> FoundResult:
    return FoundResult(job_id=job_id, success=Success(urls=(URL,)), price=PRICE, via="poll", fence=Fence(fence))
