"""The rule of days: a result that could not be shown is given back once, unless its customer has blocked the bot."""

from datetime import timedelta

import pytest

from photomat.db.pool import Pool
from photomat.jobs import refunds
from photomat.jobs.refunds import refund_undelivered
from photomat.kernel.ids import JobId, UserId
from photomat.operators import money
from support.database import pool_of, shift_clock
from support.jobs import PRICE, a_done_job, a_user, money_of
from support.payments import told

USER = UserId(5_000_001)
WEEK = timedelta(days=7)
STATES = {
    "parked": "parked_at = photomat_now()",
    "blocked": "undeliverable_at = photomat_now()",
    "out of a group": "undeliverable_at = photomat_now(), chat_id = -100",
    "delivered": "delivered_at = photomat_now(), parked_at = photomat_now()",
    "trying": "deliver_at = photomat_now()",
}


async def waits(pool: Pool, state: str) -> JobId:
    job_id = await a_done_job(pool, await a_user(pool))
    await pool.execute(f"UPDATE generation_jobs SET {STATES[state]} WHERE job_id = $1", job_id)  # noqa: S608  our own words
    return job_id


@pytest.mark.parametrize(
    ("state", "refunded"),
    [("parked", True), ("out of a group", True), ("blocked", False), ("delivered", False), ("trying", False)],
)
async def test_only_what_waits_in_vain_is_refunded_and_once(database: str, state: str, refunded: bool) -> None:  # noqa: FBT001  a parameter
    async with pool_of(database) as pool:
        job_id = await waits(pool, state)
        await shift_clock(pool, WEEK.total_seconds() - 60)
        assert await refund_undelivered(pool, after=WEEK) == 0
        await shift_clock(pool, 120)
        assert [await refund_undelivered(pool, after=WEEK) for _ in range(2)] == [int(refunded), 0]
        assert await money_of(pool, USER) == ((10_000, 0) if refunded else (10_000 - PRICE, 0))
        assert await told(pool) == (["job-undelivered"] if refunded else [])
        reasons = await pool.fetch("SELECT reason FROM ledger_transactions WHERE job_id = $1", job_id)
        assert [row["reason"] for row in reasons] == (["charge", "undelivered"] if refunded else ["charge"])
        tags = await pool.fetchval("SELECT count(*) FROM job_events WHERE tag = 'refunded'")
        assert tags == int(refunded)


async def test_what_an_operator_has_given_back_is_not_given_twice(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await waits(pool, "parked")
        await money.refund_job(pool, job_id, None, reference="refund:1", operator="olga", reason="x")
        await shift_clock(pool, WEEK.total_seconds() + 1)
        assert await refund_undelivered(pool, after=WEEK) == 0
        assert await money_of(pool, USER) == (10_000, 0)


async def test_jobs_given_back_by_hand_keep_no_other_from_its_turn(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refunds, "MAX_REFUNDS", 1)
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_done_job(pool, user) for _ in range(2)]
        await pool.execute("UPDATE generation_jobs SET parked_at = photomat_now()")
        await money.refund_job(pool, jobs[0], None, reference="refund:1", operator="olga", reason="x")
        await shift_clock(pool, WEEK.total_seconds() + 1)
        assert await refund_undelivered(pool, after=WEEK) == 1
        assert await money_of(pool, USER) == (10_000, 0)


async def test_only_the_rest_of_a_charge_is_given_back(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await waits(pool, "parked")
        await money.refund_job(pool, job_id, 10, reference="refund:1", operator="olga", reason="x")
        await shift_clock(pool, WEEK.total_seconds() + 1)
        assert await refund_undelivered(pool, after=WEEK) == 1
        assert await money_of(pool, USER) == (10_000, 0)


async def test_a_late_delivery_of_a_refunded_job_is_a_gift(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await waits(pool, "parked")
        await shift_clock(pool, WEEK.total_seconds() + 1)
        await refund_undelivered(pool, after=WEEK)
        await pool.execute(
            "UPDATE generation_jobs SET parked_at = NULL, delivered_at = photomat_now() WHERE job_id = $1", job_id
        )
        assert await refund_undelivered(pool, after=WEEK) == 0
        assert await money_of(pool, USER) == (10_000, 0)
