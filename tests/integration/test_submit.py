"""A task is created at most once: claims are leased and fenced, an intent is never submitted again, answers decide."""

import asyncio
from datetime import timedelta
from typing import Any

from photomat.cluster.instances import Heartbeat
from photomat.cluster.leader import ActiveState
from photomat.db.pool import OneSession, transaction
from photomat.jobs import store
from photomat.jobs.actions import CancelOutcome, cancel_job
from photomat.jobs.sweep import free_claims_of_dead_instances
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import MessageId, TaskId, UserId
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    LEASE,
    ONE,
    PRICE,
    TIMES,
    TWO,
    ToldProvider,
    a_job,
    a_user,
    claim_submit,
    claim_submits,
    money_of,
    row_of,
)
from support.steps import (
    BALANCE,
    submitter,
)
from support.updates import BOT_ID


async def test_a_job_is_claimed_by_one_instance_until_the_lease_runs_out(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        first = await claim_submit(pool, job_id)
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        await shift_clock(pool, LEASE.total_seconds() + 1)
        second = await claim_submit(pool, job_id, instance=TWO)
        assert (second.fence, second.attempts) == (first.fence + 1, first.attempts + 1)


async def test_many_instances_claiming_at_once_never_get_the_same_job(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = {await a_job(pool, await a_user(pool, user_id=n)) for n in range(1, 21)}
        claims = [claim_submits(pool, limit=3, lease=LEASE, instance=ONE) for _ in range(10)]
        claimed = [job.job_id for batch in await asyncio.gather(*claims) for job in batch]
        rest = await claim_submits(pool, limit=99, lease=LEASE, instance=TWO)
        claimed += [job.job_id for job in rest]
        assert len(claimed) == len(set(claimed)) == 20
        assert set(claimed) == jobs


async def test_a_job_being_claimed_is_passed_over_and_neither_waited_for_nor_claimed_twice(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        jobs = [await a_job(pool, await a_user(pool, user_id=n)) for n in (1, 2)]
        async with asyncio.timeout(120), other.transaction():
            first = await claim_submits(OneSession(other, BOT_ID), limit=1, lease=LEASE, instance=ONE)
            second = await claim_submits(pool, limit=9, lease=LEASE, instance=TWO)
        assert [[job.job_id for job in claimed] for claimed in (first, second)] == [[jobs[0]], [jobs[1]]]


async def test_a_claim_takes_no_more_than_asked_and_the_oldest_first(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_job(pool, user) for _ in range(3)]
        first = await claim_submits(pool, limit=2, lease=LEASE, instance=ONE)
        assert {job.job_id for job in first} == set(jobs[:2])


async def test_a_zombie_whose_claim_was_taken_over_records_no_intent_and_asks_kie_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        zombie = await claim_submit(pool, job_id)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        owner = await claim_submit(pool, job_id, instance=TWO)
        provider = ToldProvider(creates=[TaskId("t-1")])
        await submitter(pool, provider).submit(zombie)
        assert provider.created == []
        assert (await row_of(pool, job_id))["status"] == "pending"
        await submitter(pool, provider).submit(owner)
        assert len(provider.created) == 1
        assert (await row_of(pool, job_id))["external_task_id"] == "t-1"


async def test_a_claim_that_ran_out_records_no_intent_even_if_nobody_else_took_it(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        late = await claim_submit(pool, job_id)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        provider = ToldProvider(creates=[TaskId("t-1")])
        await submitter(pool, provider).submit(late)
        assert provider.created == []


async def test_a_zombie_does_not_put_back_fail_or_forget_what_the_new_owner_holds(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        zombie = await claim_submit(pool, job_id)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        owner = await claim_submit(pool, job_id, instance=TWO)
        before = await row_of(pool, job_id)
        async with transaction(pool) as tx:
            assert not await store.return_to_pending(tx, zombie, after=timedelta(hours=1), error="zombie")
            assert not await store.record_stopped(tx, zombie, error="zombie")
            assert await store.lock_status(tx, job_id, zombie.fence) is None
        assert await row_of(pool, job_id) == before
        async with transaction(pool) as tx:
            assert await store.record_intents(tx, [owner], decide_after=[LEASE])
            assert not await store.record_unknown(tx, zombie, error="zombie")
            assert not await store.return_to_pending(tx, zombie, after=timedelta(0), error="zombie")
        assert (await row_of(pool, job_id))["status"] == "submitting"


async def test_the_claims_of_a_dead_instance_are_freed_and_those_of_a_living_one_stay(database: str) -> None:
    async with pool_of(database) as pool:
        dead = await claim_submit(pool, await a_job(pool, await a_user(pool, user_id=1)), instance=ONE)
        alive = await claim_submit(pool, await a_job(pool, await a_user(pool, user_id=2)), instance=TWO)
        for instance in (ONE, TWO):
            await Heartbeat(pool, instance, ActiveState(), version="1").beat()
        await shift_clock(pool, 16)
        await Heartbeat(pool, TWO, ActiveState(), version="1").beat()
        assert await free_claims_of_dead_instances(pool) == 1
        claimed = await claim_submits(pool, limit=9, lease=LEASE, instance=TWO)
        assert [job.job_id for job in claimed] == [dead.job_id]
        assert (await row_of(pool, alive.job_id))["leased_until"] is not None


async def test_an_instance_that_left_cleanly_has_its_claims_freed_at_once(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await claim_submit(pool, job_id)
        heartbeat = Heartbeat(pool, ONE, ActiveState(), version="1")
        await heartbeat.beat()
        assert await free_claims_of_dead_instances(pool) == 0
        await heartbeat.leave()
        assert await free_claims_of_dead_instances(pool) == 1


async def test_an_intent_is_never_submitted_again_by_itself(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            assert await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
            assert not await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
        await free_claims_of_dead_instances(pool)
        for _ in range(5):
            await shift_clock(pool, 3600)
            assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        assert (await row_of(pool, job_id))["status"] == "submitting"
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_cancel_before_the_intent_stops_the_submit_and_frees_the_money(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user, message_id=77)
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            canceled = await cancel_job(tx, job_id=job_id, user_id=user, message_id=MessageId(77))
        assert canceled is CancelOutcome.CANCELED
        provider = ToldProvider(creates=[TaskId("t-1")])
        await submitter(pool, provider).submit(job)
        assert provider.created == []
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_after_the_intent_it_is_too_late_to_cancel(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user, message_id=77)
        await submitter(pool, ToldProvider(creates=[TaskId("t-1")])).submit(await claim_submit(pool, job_id))
        async with transaction(pool) as tx:
            answer = await cancel_job(tx, job_id=job_id, user_id=user, message_id=MessageId(77))
        assert answer is CancelOutcome.TOO_LATE


async def test_the_state_is_committed_before_the_request_leaves(database: str) -> None:
    """Kie, asked to create, already finds the intent in the database."""
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        seen: list[Any] = []

        class Watching(ToldProvider):
            async def create_task(self, **order: Any) -> TaskId:
                found = await row_of(pool, job_id)
                seen.append((found["status"], found["intent_at"] is not None))
                return await ToldProvider.create_task(self, **order)

        await submitter(pool, Watching(creates=[TaskId("t-1")])).submit(await claim_submit(pool, job_id))
        assert seen == [("submitting", True)]


async def test_a_lost_answer_and_a_told_one_differ_only_in_what_is_known(database: str) -> None:
    """An unknown submit keeps its place: the task id of a late reply is taken all the same."""
    async with pool_of(database) as pool:
        job_id = await a_job(pool, UserId(await a_user(pool)))
        await submitter(pool, ToldProvider(creates=[OutcomeUnknown("lost")])).submit(await claim_submit(pool, job_id))
        async with transaction(pool) as tx:
            await store.record_tasks(tx, {job_id: TaskId("t-1")}, look_after=TIMES.poll_first)
        assert (await row_of(pool, job_id))["status"] == "running"
