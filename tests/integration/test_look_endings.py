"""How a job ends: with a result, a failure, too much time, and what may still come afterwards."""

import asyncpg

from photomat.db.pool import transaction
from photomat.jobs import store
from photomat.jobs.claims import MAX_TROUBLES
from photomat.jobs.poll import LAST_LOOK_GRACE
from photomat.jobs.settle import Failure, Settled
from photomat.kernel.errors import Transient
from photomat.kernel.ids import UserId
from support.database import pool_of, shift_clock
from support.jobs import (
    EMPTY,
    FAIL,
    LEASE,
    ONE,
    PRICE,
    RUNNING,
    SUCCESS,
    TIMES,
    ToldProvider,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claim_submit,
    money_of,
    row_of,
    seconds_until,
    settle_now,
)
from support.steps import BALANCE, OVERDUE_S, TIMEOUT_S, call_back, cancel, look, looker, nothing_due


async def test_a_failure_releases_the_money_with_the_reason(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        row = await look(pool, job_id, FAIL, after_s=3)
        assert (row["status"], row["fail_code"], row["fail_reason"]) == ("failed", "kie-422", "flagged")
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_success_without_a_result_is_looked_at_again_for_the_grace_then_failed(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        first = await look(pool, job_id, EMPTY, after_s=3)
        assert first["status"] == "running"
        assert first["empty_since"] is not None
        again = await look(pool, job_id, EMPTY, after_s=60)
        assert (again["status"], again["empty_since"]) == ("running", first["empty_since"])
        over = await look(pool, job_id, EMPTY, after_s=61)
        assert (over["status"], over["fail_code"]) == ("failed", "empty")
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_result_within_the_grace_is_charged_and_shown(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, EMPTY, after_s=3)
        assert (await look(pool, job_id, SUCCESS, after_s=60))["status"] == "done"
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_result_object_without_addresses_is_a_result(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        reading = EMPTY._replace(result_object={"text": "сорок два"})
        row = await look(pool, job_id, reading, after_s=3)
        assert (row["status"], row["result_object"]) == ("done", {"text": "сорок два"})


async def test_an_overdue_job_says_so_once_and_may_be_canceled(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        first = await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        assert first["overdue_at"] is not None
        again = await look(pool, job_id, RUNNING, after_s=60)
        assert again["overdue_at"] == first["overdue_at"]
        assert again["card_wanted"] == first["card_wanted"]
        assert again["status"] == "running"
        await cancel(pool, job_id)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_overdue_is_written_once_and_for_jobs_on_their_way_only(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, OVERDUE_S + 1)
        claimed = await claim_look(pool, job_id)
        async with transaction(pool) as tx:
            assert [await store.record_overdue(tx, claimed) for _ in range(2)] == [True, False]
        other = await a_running_job(pool, UserId(claimed.user_id), task_id="t-2")
        await shift_clock(pool, OVERDUE_S + 1)
        (later,) = [job for job in await claim_looks(pool, limit=9, lease=LEASE, instance=ONE) if job.job_id == other]
        await settle_now(pool, other, Failure(code="operator"))
        async with transaction(pool) as tx:
            assert not await store.record_overdue(tx, later)


async def test_a_job_is_overdue_even_while_kie_does_not_answer(database: str) -> None:
    """The customer may cancel after five minutes, whether or not Kie can be asked."""
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        row = await look(pool, job_id, Transient("recordInfo did not answer"), after_s=OVERDUE_S + 1)
        assert row["overdue_at"] is not None
        assert row["status"] == "running"


async def test_an_unknown_submit_becomes_overdue_and_is_given_up_after_a_day(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
            await store.record_unknown(tx, job, error="lost")
        row = await look(pool, job_id, after_s=OVERDUE_S + 1)
        assert (row["status"], row["overdue_at"] is not None) == ("submitting", True)
        assert (await seconds_until(pool, job_id, "due_at") or 0) > TIMEOUT_S - OVERDUE_S - 60
        row = await look(pool, job_id, after_s=TIMEOUT_S - OVERDUE_S)
        assert (row["status"], row["fail_code"]) == ("failed", "timeout")
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_after_a_day_one_last_look_decides(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        lucky, late = await a_running_job(pool, user), await a_running_job(pool, user, task_id="task-2")
        await shift_clock(pool, TIMEOUT_S + 1)
        claimed = await claim_looks(pool, limit=9, lease=LEASE, instance=ONE)
        for job in claimed:
            reading = SUCCESS if job.job_id == lucky else RUNNING
            await looker(pool, ToldProvider(readings=[reading])).look(job)
        assert (await row_of(pool, lucky))["status"] == "done"
        row = await row_of(pool, late)
        assert (row["status"], row["fail_code"], row["due_at"]) == ("failed", "timeout", None)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_day_without_any_answer_from_kie_is_a_timeout_too(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        row = await look(pool, job_id, Transient("down"), after_s=TIMEOUT_S + 1)
        assert row["status"] == "running", "the last look must really be one"
        row = await look(pool, job_id, Transient("down"), after_s=LAST_LOOK_GRACE.total_seconds())
        assert (row["status"], row["fail_code"]) == ("failed", "timeout")


async def test_the_last_look_finds_a_picture_that_came_while_kie_did_not_answer(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, Transient("down"), after_s=TIMEOUT_S + 1)
        row = await look(pool, job_id, SUCCESS, after_s=10)
        assert (row["status"], row["gift"]) == ("done", False)


async def test_an_error_of_ours_is_tried_again_and_stops_the_job_in_the_end(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        for _ in range(MAX_TROUBLES - 1):
            row = await look(pool, job_id, ValueError("a bug"), after_s=100)
            assert (row["stopped_at"], row["leased_until"]) == (None, None)
        row = await look(pool, job_id, ValueError("a bug"), after_s=100)
        assert row["stopped_at"] is not None
        assert (row["due_at"], row["status"]) == (None, "running")
        assert row["card_wanted"] > row["card_shown"], "the card says sorry"


async def test_a_database_that_goes_away_again_and_again_never_stops_a_job(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        for _ in range(MAX_TROUBLES + 2):
            row = await look(pool, job_id, asyncpg.ConnectionDoesNotExistError("connection was closed"), after_s=100)
            assert (row["troubles"], row["stopped_at"], row["leased_until"]) == (0, None, None)
        assert "ConnectionDoesNotExistError" in row["last_error"]


async def test_trouble_that_passes_is_forgotten(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, ValueError("a bug"), after_s=100)
        row = await look(pool, job_id, RUNNING, after_s=100)
        assert (row["troubles"], row["stopped_at"]) == (0, None)


async def test_progress_moves_the_card_while_it_is_up_to_date_and_never_piles_up(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        behind = await look(pool, job_id, RUNNING._replace(progress=20), after_s=6)
        assert behind["progress"] > 0
        assert behind["card_wanted"] == 2, "the card still has more important news to show"
        await pool.execute("UPDATE generation_jobs SET card_shown = card_wanted WHERE job_id = $1", job_id)
        ahead = await look(pool, job_id, RUNNING._replace(progress=40), after_s=6)
        assert ahead["progress"] > behind["progress"]
        assert ahead["card_wanted"] == 3


async def test_a_success_after_we_gave_up_is_a_gift(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, FAIL, after_s=3)
        assert await nothing_due(pool)
        await call_back(pool, job_id)
        row = await look(pool, job_id, SUCCESS)
        assert (row["status"], row["gift"], row["fail_code"], row["due_at"]) == ("done", True, None, None)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_callback_that_finds_no_success_leaves_a_failed_job_alone(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, FAIL, after_s=3)
        await call_back(pool, job_id)
        row = await look(pool, job_id, FAIL)
        assert (row["status"], row["fail_code"]) == ("failed", "kie-422")
        await shift_clock(pool, TIMEOUT_S)
        assert (await row_of(pool, job_id))["due_at"] is None
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_success_after_the_user_canceled_is_offered_and_not_charged(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await cancel(pool, job_id)
        row = await look(pool, job_id, SUCCESS, after_s=400)
        assert (row["status"], row["offered_at"] is not None, row["due_at"]) == ("canceled", True, None)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_callback_about_an_offered_result_does_not_start_looking_for_ever(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await cancel(pool, job_id)
        offered = await look(pool, job_id, SUCCESS, after_s=400)
        await call_back(pool, job_id)
        again = await look(pool, job_id, SUCCESS)
        assert again["offered_at"] == offered["offered_at"]
        assert again["card_wanted"] == offered["card_wanted"]
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert await nothing_due(pool)


async def test_a_canceled_job_is_watched_until_the_give_up_time_only(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await cancel(pool, job_id)
        assert (await look(pool, job_id, RUNNING, after_s=60))["due_at"] is not None
        assert (await look(pool, job_id, RUNNING, after_s=TIMEOUT_S))["due_at"] is None


async def test_a_cancel_during_a_look_wins_over_the_failure_it_finds(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await shift_clock(pool, 60)
        claimed = await claim_look(pool, job_id)
        await cancel(pool, job_id)
        await looker(pool, ToldProvider(readings=[FAIL])).look(claimed)
        row = await row_of(pool, job_id)
        assert (row["status"], row["fail_code"], row["due_at"]) == ("canceled", None, None)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_look_that_comes_second_finds_the_job_settled_and_charges_nothing_more(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await shift_clock(pool, 3)
        claimed = await claim_look(pool, job_id)
        assert await settle_now(pool, job_id, Failure(code="operator")) is Settled.RELEASED
        await looker(pool, ToldProvider(readings=[FAIL])).look(claimed)
        row = await row_of(pool, job_id)
        assert (row["fail_code"], row["due_at"]) == ("operator", None)
