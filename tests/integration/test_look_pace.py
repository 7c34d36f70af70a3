"""Polling: paced by age and kind, within Kie's limits, patient with what Kie does not know, and over when anybody settled."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs import store
from photomat.jobs.job import Job
from photomat.jobs.settle import Failure, Settled, Success
from photomat.jobs.timeline import events_of
from photomat.kernel.ids import JobId, TaskId
from photomat.kie.port import Busy
from photomat.kie.state_parser import KieState, Reading
from photomat.orders.limits import Limits
from photomat.work import budget
from photomat.work.budget import NoRoom
from support.database import pool_of, shift_clock
from support.jobs import (
    FAIL,
    LEASE,
    ONE,
    PRICE,
    RUNNING,
    SUCCESS,
    TWO,
    URL,
    ToldProvider,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claim_submit,
    claims_of,
    money_of,
    row_of,
    seconds_until,
    settle_now,
)
from support.logs import logged
from support.steps import BALANCE, OVERDUE_S, TIMEOUT_S, call_back, cancel, look, looker, nothing_due

HOUR_S = 3600.0


async def events(pool: Pool, job_id: JobId) -> list[str]:
    return [event.tag for event in await events_of(pool, job_id)]


async def claims(pool: Pool) -> dict[JobId, Job]:
    return {job.job_id: job for job in await claim_looks(pool, limit=9, lease=LEASE, instance=ONE)}


# paced by age and kind


@pytest.mark.parametrize(("kind", "pace_s"), [("image", 2), ("audio", 2), ("text", 2), ("video", 4)])
async def test_films_are_asked_about_half_as_often(database: str, kind: str, pace_s: float) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool), kind=kind)
        await look(pool, job_id, RUNNING, after_s=5)
        assert pace_s - 1 < (await seconds_until(pool, job_id, "due_at") or 0) < pace_s + 0.5


async def test_the_pace_is_that_of_the_task_however_long_the_job_waited_to_be_submitted(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await pool.execute("UPDATE generation_jobs SET created_at = created_at - interval '2 minutes'")
        row = await look(pool, job_id, RUNNING, after_s=3)
        assert 1 < (await seconds_until(pool, job_id, "due_at") or 0) < 2.5
        assert row["slow_at"] is None, "three seconds of work, not two minutes"


async def test_a_task_of_thirteen_minutes_is_a_result_like_any_other(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        for _ in range(13):
            assert (await look(pool, job_id, RUNNING, after_s=60))["status"] == "running"
        row = await look(pool, job_id, SUCCESS, after_s=60)
        assert (row["status"], row["overdue_at"] is not None) == ("done", True)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_silent_task_is_looked_at_for_hours_and_only_then_given_up(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        for _ in range(23):
            assert (await look(pool, job_id, RUNNING, after_s=HOUR_S))["status"] == "running"
            assert (await seconds_until(pool, job_id, "due_at") or 0) <= 301
        row = await look(pool, job_id, RUNNING, after_s=HOUR_S)
        assert (row["status"], row["fail_code"]) == ("failed", "timeout")
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_progress_is_what_kie_tells_where_it_tells(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        told = Reading(KieState.RUNNING, (), None, progress=47)
        assert (await look(pool, job_id, told, after_s=3))["progress"] == 40
        assert (await look(pool, job_id, RUNNING, after_s=3))["progress"] == 40, "it never goes back"
        done = Reading(KieState.RUNNING, (), None, progress=100)
        assert (await look(pool, job_id, done, after_s=3))["progress"] == 90, "and is never quite there"


# a task Kie does not know


async def test_a_task_not_visible_yet_is_simply_running_for_a_minute(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        with logged() as lines:
            for after_s in (3, 27, 31):
                row = await look(pool, job_id, None, after_s=after_s)
                assert (row["status"], row["last_error"]) == ("running", None)
                assert (await seconds_until(pool, job_id, "due_at") or 0) < 5.1
        assert "TASK_LOST" not in [line["event"] for line in lines]


async def test_a_lost_task_is_said_once_looked_at_slowly_and_moves_no_money(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        with logged() as lines:
            for _ in range(3):
                row = await look(pool, job_id, None, after_s=75)
                assert (row["status"], row["last_error"] is None) == ("running", False)
                assert 55 < (await seconds_until(pool, job_id, "due_at") or 0) < 61
        assert [line["event"] for line in lines].count("TASK_LOST") == 1
        assert (await events(pool, job_id)).count("lost") == 1
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_lost_task_that_is_found_again_is_a_result(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, None, after_s=75)
        row = await look(pool, job_id, RUNNING, after_s=75)
        assert row["last_error"] is None
        assert (await look(pool, job_id, SUCCESS, after_s=75))["status"] == "done"


async def test_a_task_lost_for_ever_is_given_up_after_a_day_like_a_silent_one(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        row = await look(pool, job_id, None, after_s=TIMEOUT_S - 60)
        assert row["status"] == "running"
        row = await look(pool, job_id, None, after_s=61)
        assert (row["status"], row["fail_code"]) == ("failed", "timeout")
        assert await money_of(pool, user) == (BALANCE, 0)


# Kie's limits, for all instances together


async def test_two_instances_together_never_ask_more_than_ten_times_a_second(database: str) -> None:
    async with pool_of(database) as one, pool_of(database) as two:
        user = await a_user(one, balance=PRICE * 60)
        for number in range(60):
            await a_running_job(one, user, task_id=f"t-{number}", allowed=Limits(running=0))
        both = [claims_of(one), claims_of(two, instance=TWO)]
        await shift_clock(one, 3)
        asked_at: list[datetime] = []
        for _ in range(40):
            found = await asyncio.gather(*(unless_full(claims.looks(3)) for claims in both))
            asked_at += [job.claimed_at for jobs in found for job in jobs]
            await shift_clock(one, 0.1)
        second = timedelta(seconds=1)
        busiest = max(sum(begin <= at < begin + second for at in asked_at) for begin in asked_at)
        assert busiest <= 10
        assert len(asked_at) > 20, "the limit is used"


async def unless_full(claim: Awaitable[list[Job]]) -> list[Job]:
    try:
        return await claim
    except NoRoom:
        return []


async def test_told_to_ask_less_every_instance_waits(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for number in range(2):
            await a_running_job(pool, user, task_id=f"t-{number}")
        await shift_clock(pool, 3)
        (first,) = await claims_of(pool).looks(1)
        await looker(pool, ToldProvider(readings=[Busy("code 429", retry_after_s=2.0)])).look(first)
        assert await unless_full(claims_of(pool, instance=TWO).looks(9)) == []
        await shift_clock(pool, 2.1)
        other = ToldProvider(readings=[SUCCESS])
        for job in await claims_of(pool, instance=TWO).looks(9):
            await looker(pool, other).look(job)
        assert sorted(other.asked) == ["t-0", "t-1"]


async def test_a_thousand_looks_without_room_write_nothing_and_the_woken_come_first(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{number}") for number in range(4)]
        await shift_clock(pool, 200)
        await call_back(pool, jobs[3], task_id="t-3")
        claims = claims_of(pool, queries=1)
        assert [job.job_id for job in await claims.looks(9)] == [jobs[3]]
        rows = [await row_of(pool, job_id) for job_id in jobs]
        for _ in range(3):
            assert await unless_full(claims.looks(9)) == []
        assert [await row_of(pool, job_id) for job_id in jobs] == rows
        await shift_clock(pool, 1.1)
        assert [job.job_id for job in await claims.looks(9)] == [jobs[0]]


async def test_a_look_that_asks_nothing_needs_no_room(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_running_job(pool, user)
        lost = await a_job(pool, user)
        job = await claim_submit(pool, lost)
        async with transaction(pool) as tx:
            await store.record_intents(tx, [job], decide_after=[LEASE])
        await shift_clock(pool, OVERDUE_S + 1)
        claims = claims_of(pool)
        while not await budget.take(pool, claims.queries):
            pass
        assert [job.job_id for job in await claims.looks(9)] == [lost]


async def test_without_room_the_last_look_is_still_taken(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, TIMEOUT_S + 1)
        claims = claims_of(pool)
        while not await budget.take(pool, claims.queries):
            pass
        assert await unless_full(claims.looks(9)) == []
        row = await look(pool, job_id, SUCCESS, after_s=300)
        assert (row["status"], row["gift"]) == ("done", False)


# over when anybody settled


class SettledMeanwhile(ToldProvider):
    """Kie answers, and while the answer is on its way somebody else comes first."""

    meanwhile: Callable[[], Any]

    async def record(self, task_id: TaskId, *, protocol: str = "jobs") -> Reading | None:
        answer = await ToldProvider.record(self, task_id, protocol=protocol)
        await self.meanwhile()
        return answer


@pytest.mark.parametrize("reading", [SUCCESS, FAIL, RUNNING, None], ids=["success", "fail", "running", "unknown"])
@pytest.mark.parametrize("outcome", [Success(urls=(URL,)), Failure(code="kie-500")], ids=["done", "failed"])
async def test_a_look_overtaken_while_it_asks_writes_nothing(
    database: str, reading: Reading | None, outcome: Success | Failure
) -> None:
    """Two lookers: the first is asleep past its lease, the second settles; the first wakes up with an answer of its own."""
    async with pool_of(database) as one, pool_of(database) as two:
        user = await a_user(one)
        job_id = await a_running_job(one, user)
        await shift_clock(one, OVERDUE_S + 1)
        sleepy = await claim_look(one, job_id)
        rows: list[dict[str, Any]] = []

        async def overtake() -> None:
            await shift_clock(two, LEASE.total_seconds() + 1)
            job = await claim_look(two, job_id, instance=TWO)
            told = SUCCESS if isinstance(outcome, Success) else FAIL
            await looker(two, ToldProvider(readings=[told])).look(job)
            rows.append(await row_of(two, job_id))

        provider = SettledMeanwhile(readings=[reading])
        provider.meanwhile = overtake
        money = (BALANCE - PRICE, 0) if isinstance(outcome, Success) else (BALANCE, 0)
        await looker(one, provider).look(sleepy)
        assert await row_of(one, job_id) == rows[0]
        assert await money_of(one, user) == money
        assert (await events(one, job_id)).count("settled") == 1


async def test_two_lookers_at_once_settle_once(database: str) -> None:
    async with pool_of(database) as one, pool_of(database) as two:
        user = await a_user(one)
        job_id = await a_running_job(one, user)
        await shift_clock(one, 3)
        zombie = await claim_look(one, job_id)
        await shift_clock(one, LEASE.total_seconds() + 1)
        owner = await claim_look(two, job_id, instance=TWO)
        await asyncio.gather(
            looker(one, ToldProvider(readings=[FAIL])).look(zombie),
            looker(two, ToldProvider(readings=[SUCCESS])).look(owner),
        )
        assert (await row_of(one, job_id))["status"] == "done"
        assert await money_of(one, user) == (BALANCE - PRICE, 0)
        assert await nothing_due(one)


async def test_a_terminal_state_never_goes_back(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, SUCCESS, after_s=3)
        for _ in range(3):
            await call_back(pool, job_id)
            assert await settle_now(pool, job_id, Failure(code="kie-500")) is Settled.NOTHING
        row = await row_of(pool, job_id)
        assert (row["status"], row["due_at"]) == ("done", None)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_canceled_job_whose_task_failed_is_not_looked_at_any_more(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await cancel(pool, job_id)
        row = await look(pool, job_id, RUNNING, after_s=30)
        assert row["due_at"] is not None, "a result would be offered"
        row = await look(pool, job_id, FAIL, after_s=30)
        assert (row["status"], row["due_at"]) == ("canceled", None)
        assert await money_of(pool, user) == (BALANCE, 0)
