"""One reader of the truth: paced by age, woken by callbacks, guarded by its fence, ended by result, failure or time."""

import asyncio
from datetime import timedelta

import pytest

from photomat.db.pool import transaction
from photomat.jobs import store
from photomat.kernel.errors import Corrupt, Transient
from photomat.kie.client import KieClient
from photomat.work import budget
from photomat.work.budget import NoRoom
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    EMPTY,
    FAIL,
    LEASE,
    PRICE,
    RUNNING,
    SUCCESS,
    TWO,
    URL,
    ToldProvider,
    a_done_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claims_of,
    money_of,
    row_of,
    seconds_until,
)
from support.kie_sim import KEY, running_kie
from support.steps import (
    BALANCE,
    OVERDUE_S,
    TIMEOUT_S,
    call_back,
    look,
    looker,
    nothing_due,
)


async def test_the_first_look_comes_after_two_seconds_and_not_before(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        assert await nothing_due(pool)
        row = await look(pool, job_id, RUNNING, after_s=2.01)
        assert (row["status"], row["leased_until"]) == ("running", None)
        assert 1.5 < (await seconds_until(pool, job_id, "due_at") or 0) < 2.1


@pytest.mark.parametrize(("age_s", "pace_s"), [(60, 5), (200, 15), (1200, 60), (7200, 300)])
async def test_an_older_job_is_looked_at_less_often(database: str, age_s: float, pace_s: float) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, RUNNING, after_s=age_s)
        assert pace_s - 1 < (await seconds_until(pool, job_id, "due_at") or 0) < pace_s + 0.5


async def test_a_look_is_never_paced_past_the_moment_of_being_overdue(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        row = await look(pool, job_id, RUNNING, after_s=OVERDUE_S - 5)
        assert row["overdue_at"] is None
        assert 0 < (await seconds_until(pool, job_id, "due_at") or 0) < 5.1


async def test_a_job_is_claimed_for_one_look_at_a_time(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, 3)
        first = await claim_look(pool, job_id)
        assert await nothing_due(pool)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert (await claim_look(pool, job_id, instance=TWO)).fence == first.fence + 1


async def test_a_job_being_claimed_is_passed_over_and_neither_waited_for_nor_looked_at_twice(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{n}") for n in range(2)]
        await shift_clock(pool, 3)
        async with asyncio.timeout(120), other.transaction():
            await other.fetch("SELECT FROM generation_jobs WHERE job_id = $1 FOR UPDATE", jobs[0])
            claimed = await claim_looks(pool, limit=9, lease=LEASE, instance=TWO)
        assert [job.job_id for job in claimed] == [jobs[1]]


async def test_a_settled_job_is_not_looked_at_and_kie_is_not_asked(database: str) -> None:
    """Storage first: whoever finds the job done stops."""
    async with pool_of(database) as pool:
        user = await a_user(pool)
        done = await a_done_job(pool, user)
        await shift_clock(pool, TIMEOUT_S)
        assert await nothing_due(pool)
        await pool.execute("UPDATE generation_jobs SET due_at = photomat_now() WHERE job_id = $1", done)
        provider = ToldProvider(readings=[SUCCESS])
        await looker(pool, provider).look(await claim_look(pool, done))
        assert provider.asked == []
        assert (await row_of(pool, done))["due_at"] is None


async def test_a_look_without_room_is_not_claimed_and_writes_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await call_back(pool, job_id)
        claims = claims_of(pool)
        while not await budget.take(pool, claims.queries):
            pass
        before = await row_of(pool, job_id)
        with pytest.raises(NoRoom) as refused:
            await claims.looks(9)
        assert 0 < (refused.value.retry_after_s or 0) <= claims.queries.window_s
        assert await row_of(pool, job_id) == before
        provider = ToldProvider(readings=[SUCCESS])
        await shift_clock(pool, 2)
        await looker(pool, provider).look(await claim_look(pool, job_id))
        assert (await row_of(pool, job_id))["found_via"] == "callback"


async def test_a_callback_wakes_the_look_at_once_and_the_result_says_so(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        assert await nothing_due(pool)
        await call_back(pool, job_id)
        row = await look(pool, job_id, SUCCESS)
        assert (row["status"], row["found_via"]) == ("done", "callback")


async def test_a_result_found_by_polling_says_so(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        row = await look(pool, job_id, SUCCESS, after_s=3)
        assert (row["status"], row["found_via"], row["result_urls"]) == ("done", "poll", [URL])


async def test_a_callback_is_no_verdict(database: str) -> None:
    """The body says success, the record says running: the record is believed."""
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await call_back(pool, job_id)
        row = await look(pool, job_id, RUNNING)
        assert row["status"] == "running"
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_wake_up_during_a_look_is_not_lost(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, 3)
        claimed = await claim_look(pool, job_id)
        await call_back(pool, job_id)
        assert await nothing_due(pool), "the look in hand keeps its lease"
        await looker(pool, ToldProvider(readings=[RUNNING])).look(claimed)
        assert (await claim_look(pool, job_id)).woken_via == "callback"


async def test_no_usable_answer_is_tried_again_soon_and_decides_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        row = await look(pool, job_id, Transient("recordInfo answered code 500"), after_s=3)
        assert (row["status"], row["leased_until"]) == ("running", None)
        assert 0 < (await seconds_until(pool, job_id, "due_at") or 0) <= 5
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_record_that_is_not_there_yet_is_waited_for(database: str) -> None:
    async with pool_of(database) as pool, running_kie(null_grace_s=3600.0) as kie:
        provider = KieClient(base_url=kie.url, api_key=KEY)
        job_id = await a_running_job(pool, await a_user(pool), task_id=await kie.task())
        await shift_clock(pool, 3)
        await looker(pool, provider).look(await claim_look(pool, job_id))
        assert (await row_of(pool, job_id))["status"] == "running"
        kie.world.change({"null_grace_s": 0.0})
        await shift_clock(pool, 3)
        await looker(pool, provider).look(await claim_look(pool, job_id))
        assert (await row_of(pool, job_id))["status"] == "done"
        await provider.close()


async def test_a_broken_rule_of_our_own_stops_the_job_and_keeps_the_hold(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        row = await look(pool, job_id, Corrupt("hold job:1 was released"), after_s=3)
        assert row["stopped_at"] is not None
        assert row["due_at"] is None
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_zombie_look_changes_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await shift_clock(pool, OVERDUE_S + 1)
        zombie = await claim_look(pool, job_id)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        await claim_look(pool, job_id, instance=TWO)
        before = await row_of(pool, job_id)
        for reading in (SUCCESS, FAIL, RUNNING, EMPTY, Transient("down"), Corrupt("broken")):
            await looker(pool, ToldProvider(readings=[reading])).look(zombie)
            assert await row_of(pool, job_id) == before, reading
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_every_write_of_a_zombie_look_is_refused_by_its_fence(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, 3)
        zombie = await claim_look(pool, job_id)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        await claim_look(pool, job_id, instance=TWO)
        async with transaction(pool) as tx:
            assert not await store.schedule_look(tx, zombie, after=timedelta(0), empty=True, via="zombie", progress=90)
            assert not await store.record_overdue(tx, zombie)
            assert not await store.record_stopped(tx, zombie, error="zombie")
            assert await store.lock_status(tx, job_id, zombie.fence) is None
