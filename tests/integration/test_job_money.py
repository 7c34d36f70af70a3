"""A job keeps what its price was made of, what Kie took for it and what was left, for good."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import quote, quote_from_json
from photomat.db.pool import Pool
from photomat.jobs.history import own_job
from photomat.jobs.listing import margins, price_breakdown
from photomat.jobs.settle import Failure, Success
from photomat.kernel.ids import UserId
from photomat.kie.state_parser import Reading
from photomat.orders.outcome import Created
from support.database import pool_of, shift_clock
from support.jobs import (
    CAT,
    FAIL,
    PRICE,
    SUCCESS,
    URL,
    a_draft,
    a_running_job,
    a_user,
    money_of,
    row_of,
    settle_now,
    tap_create,
)
from support.shop import RATES
from support.steps import BALANCE, cancel, look

QUOTE = quote(load_catalog().get("z-image"), CAT, RATES)
TOOK = Decimal("0.8")


def took(reading: Reading, credits_: Decimal | None = TOOK) -> Reading:
    return reading._replace(credits=credits_)


async def test_the_quote_is_frozen_on_the_job(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        created = await tap_create(pool, await a_draft(pool, user), quote=QUOTE)
        assert isinstance(created, Created)
        assert quote_from_json((await row_of(pool, created.job_id))["quote"]) == QUOTE
        own = await own_job(pool, job_id=created.job_id, user_id=user)
        assert own is not None
        assert (own.quote, own.price.minor) == (QUOTE, PRICE)
        assert await own_job(pool, job_id=created.job_id, user_id=UserId(user + 1)) is None


async def test_what_kie_took_is_recorded_with_the_charge_and_the_price_stays_the_quote(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user, quote=QUOTE)
        row = await look(pool, job_id, took(SUCCESS, Decimal("1.01")), after_s=3)
        assert (row["status"], row["credits_consumed"], row["cost"]) == ("done", Decimal("1.01"), 41)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)
        words = "; ".join(line.plain for line in price_breakdown(row))
        assert "0.8 credits × $0.005 × 80 × markup 2" in words
        assert "cost 0.41" in words
        assert "expected 0.32" in words
        assert "margin 0.23" in words
        assert "margin -0.41" in "; ".join(line.plain for line in price_breakdown(row, refunded=PRICE))


@pytest.mark.parametrize("reading", [SUCCESS, took(SUCCESS, None)])
async def test_where_kie_does_not_say_nothing_is_made_up(database: str, reading: Reading) -> None:
    async with pool_of(database) as pool:
        row = await look(pool, await a_running_job(pool, await a_user(pool), quote=QUOTE), reading, after_s=3)
        assert (row["credits_consumed"], row["cost"]) == (None, None)
        assert "0.32\N{NO-BREAK SPACE}₽ expected" in "; ".join(line.plain for line in price_breakdown(row))


async def test_a_failure_that_cost_something_is_a_loss(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        row = await look(pool, await a_running_job(pool, user, quote=QUOTE), took(FAIL), after_s=3)
        assert (row["status"], row["cost"]) == ("failed", 32)
        assert "margin -0.32" in "; ".join(line.plain for line in price_breakdown(row))
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_job_of_an_older_program_has_no_quote_and_is_told_so(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await pool.execute("UPDATE generation_jobs SET quote = NULL")
        row = await look(pool, job_id, took(SUCCESS), after_s=3)
        assert (row["credits_consumed"], row["cost"]) == (TOOK, None)
        assert "cost unknown" in "; ".join(line.plain for line in price_breakdown(row))


async def a_job_that_ended(pool: Pool, user: UserId, reading: Reading, number: int) -> None:
    await look(pool, await a_running_job(pool, user, task_id=f"t{number}", quote=QUOTE), reading, after_s=3)


async def test_the_report_adds_up_what_was_charged_and_what_was_spent(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for number, reading in enumerate((took(SUCCESS), took(SUCCESS), took(FAIL), took(FAIL, Decimal(0)), SUCCESS)):
            await a_job_that_ended(pool, user, reading, number)
        gift = await a_running_job(pool, user, task_id="gift", quote=QUOTE)
        await settle_now(pool, gift, Failure(code="timeout"))
        await settle_now(pool, gift, Success(urls=(URL,)))
        (report,) = await margins(pool, since=timedelta(days=1))
        assert (report.model, report.jobs, report.done, report.unknown) == ("z-image", 6, 4, 2)
        assert (report.income, report.cost, report.margin) == (3 * PRICE, 3 * 32, 2 * PRICE - 3 * 32)
        await shift_clock(pool, 2 * 86_400)
        assert await margins(pool, since=timedelta(days=1)) == []


async def test_the_report_is_answered_by_its_index(database: str) -> None:
    async with pool_of(database) as pool, pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL enable_seqscan = off")
        plan = await connection.fetch(
            "EXPLAIN SELECT sum(price) FROM generation_jobs WHERE settled_at > photomat_now() - interval '1 day'"
        )
        assert re.search("generation_jobs_(settled|sold)", " ".join(row[0] for row in plan))


async def test_what_a_canceled_job_cost_is_known_when_its_result_is_offered(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user, quote=QUOTE)
        await shift_clock(pool, 400)
        await pool.execute("UPDATE generation_jobs SET overdue_at = photomat_now()")
        await cancel(pool, job_id)
        row = await look(pool, job_id, took(SUCCESS), after_s=3)
        assert (row["status"], row["offered_at"] is not None, row["cost"]) == ("canceled", True, 32)
