"""What Kie answers to createTask decides: later, never, no, or nobody knows."""

from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs import store
from photomat.jobs.job import Job
from photomat.jobs.submit import PAUSE_S
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import TaskId
from photomat.kie import client
from photomat.work.budget import NoRoom
from support.database import pool_of, shift_clock
from support.jobs import (
    LEASE,
    ONE,
    PRICE,
    TIMES,
    TWO,
    ToldProvider,
    Woken,
    a_job,
    a_user,
    claim_look,
    claim_submit,
    claim_submits,
    claims_of,
    money_of,
    row_of,
    seconds_until,
)
from support.kie_sim import running_kie
from support.ports import free_ports_in_a_row
from support.steps import BALANCE, OVERDUE_S, kie_client, submit_at, submitter


async def claimed_now(pool: Pool) -> list[Job]:
    """What an instance would submit now; nothing where the budget allows nothing."""
    try:
        return await claims_of(pool, instance=TWO).submits(9)
    except NoRoom:
        return []


async def test_a_task_made_is_remembered_looked_at_soon_and_soon_shown(database: str) -> None:
    async with pool_of(database) as pool, running_kie() as kie, kie_client(kie.url) as provider:
        job_id = await a_job(pool, await a_user(pool))
        woken = Woken()
        await submitter(pool, provider, woken=woken).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        ((task_id, task),) = kie.world.tasks.items()
        assert (job["status"], job["external_task_id"], job["leased_until"]) == ("running", task_id, None)
        assert task.order.sent["callBackUrl"].endswith(f"/kie/callback/{job_id}.sig")
        assert 1 < (await seconds_until(pool, job_id, "due_at") or 0) <= 2
        assert job["card_wanted"] == 2
        assert woken.names == []


@pytest.mark.parametrize(
    "fault",
    [
        {"action": "too_many"},
        {"action": "error", "status": 200, "code": 455, "text": "maintenance"},
        {"action": "error", "status": 200, "code": 550, "text": "queue full"},
        {"action": "error", "status": 429, "code": 429, "text": "slow down", "html": True},
    ],
    ids=["429", "455", "550", "429 page"],
)
async def test_a_busy_kie_is_asked_again_later_for_the_same_money(database: str, fault: dict[str, Any]) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        kie.faults.arm(world="kie", method="createTask", **fault)
        await submit_at(pool, kie, job_id)
        job = await row_of(pool, job_id)
        assert (job["status"], job["intent_at"], job["leased_until"]) == ("pending", None, None)
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        assert await claimed_now(pool) == []
        await shift_clock(pool, 75)
        await submit_at(pool, kie, job_id)
        assert (await row_of(pool, job_id))["status"] == "running"
        assert len(kie.world.tasks) == 1


@pytest.mark.parametrize("code", [401, 402, 433])
async def test_a_key_or_credits_that_are_no_good_pause_all_submits_and_fail_nobody(database: str, code: int) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        user = await a_user(pool)
        refused, waiting = await a_job(pool, user), await a_job(pool, user)
        kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=code, text="no")
        async with kie_client(kie.url) as provider:
            before = await row_of(pool, waiting)
            for job in await claims_of(pool).submits(1):
                await submitter(pool, provider).submit(job)
            row = await row_of(pool, refused)
            assert (row["status"], row["intent_at"], row["last_error"]) == ("pending", None, f"kie-{code}")
            await shift_clock(pool, PAUSE_S - 5)
            assert await claimed_now(pool) == []
            assert (await row_of(pool, waiting), kie.world.tasks) == (before, {})
            await shift_clock(pool, 6)
            for job in await claims_of(pool).submits(9):
                await submitter(pool, provider).submit(job)
        assert len(kie.world.tasks) == 2
        assert await money_of(pool, user) == (BALANCE - 2 * PRICE, 2 * PRICE)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"status": 200, "code": 422, "text": "prompt is flagged"}, "refused-422"),
        ({"status": 404, "code": 404, "text": "no such model"}, "refused-404"),
        ({"status": 403, "code": 403, "text": "Forbidden", "html": True}, "refused-403"),
    ],
    ids=["422", "404", "403 page"],
)
async def test_a_definite_no_fails_the_job_and_gives_the_money_back(
    database: str, fault: dict[str, Any], code: str
) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        kie.faults.arm(world="kie", method="createTask", action="error", **fault)
        await submit_at(pool, kie, job_id)
        job = await row_of(pool, job_id)
        assert (job["status"], job["fail_code"], job["due_at"]) == ("failed", code, None)
        assert await money_of(pool, user) == (BALANCE, 0)
        assert job["card_wanted"] == 2


@pytest.mark.parametrize(
    "fault",
    [
        {"action": "error", "status": 200, "code": 500, "text": "Server exception"},
        {"action": "error", "status": 502, "code": 502, "text": "Bad Gateway", "html": True},
        {"action": "error", "status": 503, "code": 503, "text": "unavailable"},
        {"action": "error", "status": 200, "code": 200, "text": "success"},
        {"action": "error", "status": 200, "code": 200, "text": "<h1>hello</h1>", "html": True},
        {"action": "drop_before"},
        {"action": "drop_after"},
        {"action": "never"},
    ],
    ids=["code 500", "502 page", "503", "no task id", "a page", "cut before", "cut after", "time-out"],
)
async def test_an_unknown_outcome_is_never_tried_again_and_keeps_the_hold(
    database: str, fault: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "CREATE_TIMEOUT", aiohttp.ClientTimeout(total=0.3))
    async with pool_of(database) as pool, running_kie() as kie:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        kie.faults.arm(world="kie", method="createTask", **fault)
        await submit_at(pool, kie, job_id)
        job = await row_of(pool, job_id)
        assert (job["status"], job["external_task_id"], job["leased_until"]) == ("submitting", None, None)
        assert job["last_error"]
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        await shift_clock(pool, OVERDUE_S + 1)
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        assert (await claim_look(pool, job_id)).task_id is None


async def test_a_connection_that_was_never_made_is_tried_again(database: str) -> None:
    async with pool_of(database) as pool, kie_client(f"http://127.0.0.1:{free_ports_in_a_row(1)}") as provider:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        await submitter(pool, provider).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        assert (job["status"], job["intent_at"]) == ("pending", None)
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_job_that_could_not_be_submitted_for_a_day_is_given_up(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        await shift_clock(pool, TIMES.timeout.total_seconds() + 1)
        provider = ToldProvider(creates=[TaskId("t-1")])
        await submitter(pool, provider).submit(await claim_submit(pool, job_id))
        assert provider.created == []
        job = await row_of(pool, job_id)
        assert (job["status"], job["fail_code"]) == ("failed", "timeout")
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_our_own_broken_rule_stops_the_job_keeps_the_hold_and_says_so_on_the_card(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        provider = ToldProvider(creates=[Corrupt("hold job:1 is not there")])
        await submitter(pool, provider).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        assert job["stopped_at"] is not None
        assert (job["due_at"], job["leased_until"], job["card_wanted"]) == (None, None, 2)
        await shift_clock(pool, 86_400)
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=ONE) == []
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)


async def test_a_create_reply_that_comes_after_the_lease_ran_out_still_counts(database: str) -> None:
    """There was one intent, so there is one reply: the fence does not guard it, nothing could be made twice."""
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            assert await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
        await shift_clock(pool, OVERDUE_S + 1)
        await claim_look(pool, job_id, instance=TWO)
        async with transaction(pool) as tx:
            await store.record_tasks(tx, {job_id: TaskId("t-1")}, look_after=TIMES.poll_first)
        found = await row_of(pool, job_id)
        assert (found["external_task_id"], found["status"]) == ("t-1", "running")


async def test_a_task_id_is_recorded_for_an_intent_only(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        async with transaction(pool) as tx:
            assert (await store.record_tasks(tx, {job_id: TaskId("t-1")}, look_after=TIMES.poll_first)).statuses == {}
        assert (await row_of(pool, job_id))["external_task_id"] is None


async def test_a_refusal_that_comes_after_a_callback_adopted_the_task_puts_nothing_back(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            assert await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
            await tx.execute("UPDATE generation_jobs SET external_task_id = 't-9' WHERE job_id = $1", job_id)
            assert not await store.return_to_pending(tx, job, after=timedelta(0), error="429")
