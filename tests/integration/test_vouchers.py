"""Free generations of a promo code: one a job, the last one pays once, and a job that came to nothing costs none."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from photomat.catalog.pricing import Quote, quote_from_json
from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.jobs.actions import accept_offer, cancel_by_operator
from photomat.jobs.settle import Failure, Success
from photomat.kernel.ids import JobId, UserId
from photomat.orders.limits import Limits
from photomat.orders.outcome import CardOutdated, Created, CreateOutcome
from photomat.rewards.vouchers import voucher_for
from support.books import names
from support.database import connection_of, pool_of
from support.jobs import URL, a_draft, a_user, money_of, settle_now, tap_create
from support.money import agreed, rub
from support.rewards import a_code, uses

PRICE = rub(64)


async def a_pass(pool: Pool, user: UserId, *, generations: int = 1, most: int = 100, code: str = "FREE") -> None:
    await a_code(pool, code, kind="free", amount=most, generations=generations)
    await uses(pool, user, code)


async def quoted(pool: Pool, user: UserId) -> Quote:
    quote = agreed(PRICE)
    async with transaction(pool) as tx:
        one = await voucher_for(tx, user_id=user, quote=quote)
    return quote if one is None else quote.with_voucher(one)


async def orders(pool: Pool, user: UserId, *, number: int = 0, **more: Any) -> CreateOutcome:
    """An order whose card shows its price, bought by the pass the user has."""
    quote = await quoted(pool, user)
    draft = await a_draft(pool, user, price=PRICE.minor, origin=f"order:{number}:{quote.price.minor}")
    return await tap_create(pool, draft, quote=quote, **more)


async def job_of(pool: Pool, user: UserId, number: int) -> JobId:
    creation = await orders(pool, user, number=number)
    assert isinstance(creation, Created)
    return creation.job_id


async def test_a_pass_makes_the_price_nothing_and_the_quote_says_why(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_pass(pool, anna, generations=2)
        job_id = await job_of(pool, anna, 1)
        row = await require_row(pool, "SELECT price, quote FROM generation_jobs WHERE job_id = $1", job_id)
        kept = quote_from_json(row["quote"])
        assert row["price"] == 0
        assert kept is not None
        assert kept.paid_by is not None
        assert (kept.price, kept.paid_by.code, kept.paid_by.left, kept.paid_by.price) == (rub(0), "FREE", 2, PRICE)
        assert kept.without_voucher().price == PRICE
        assert (await quoted(pool, anna)).paid_by is not None
        await job_of(pool, anna, 2)
        assert await quoted(pool, anna) == agreed(PRICE)


async def test_two_taps_at_once_on_two_cards_use_the_last_pass_once(database: str) -> None:
    async with pool_of(database, size=12) as pool:
        anna = await a_user(pool, balance=1000)
        await a_pass(pool, anna, generations=3)
        quote = await quoted(pool, anna)
        drafts = [await a_draft(pool, anna, price=PRICE.minor, origin=f"order:{number}") for number in range(10)]
        creations = await asyncio.gather(*(tap_create(pool, draft, quote=quote) for draft in drafts))
        assert sum(isinstance(creation, Created) for creation in creations) == 3
        changed = [creation for creation in creations if isinstance(creation, CardOutdated)]
        assert len(changed) == 7
        assert {creation.draft.price for creation in changed} == {PRICE}
        assert await money_of(pool, anna) == (1000, 0)


async def test_a_tap_on_a_pass_that_is_gone_meanwhile_takes_no_money(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=1000)
        await a_pass(pool, anna)
        stale = await quoted(pool, anna)
        await job_of(pool, anna, 1)
        draft = await a_draft(pool, anna, price=PRICE.minor, origin="full")
        assert isinstance(await tap_create(pool, draft, quote=stale), CardOutdated)
        assert await money_of(pool, anna) == (1000, 0)


async def test_a_pass_is_kept_where_the_customer_pays(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=1000)
        await a_pass(pool, anna)
        draft = await a_draft(pool, anna, price=PRICE.minor)
        assert isinstance(await tap_create(pool, draft, quote=agreed(PRICE)), Created)
        assert await money_of(pool, anna) == (1000 - 64, 64)
        assert (await quoted(pool, anna)).paid_by is not None


async def test_a_card_bought_by_a_pass_costs_nothing_from_then_on(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=1000)
        await a_pass(pool, anna)
        await job_of(pool, anna, 1)
        assert await pool.fetchval("SELECT price FROM drafts") == 0
        assert await money_of(pool, anna) == (1000, 0)


async def test_a_failed_or_canceled_job_leaves_its_pass_and_a_late_gift_takes_none(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_pass(pool, anna)
        failed = await job_of(pool, anna, 1)
        assert (await quoted(pool, anna)).paid_by is None
        await settle_now(pool, failed, Failure(code="422"))
        canceled = await job_of(pool, anna, 2)
        async with transaction(pool) as tx:
            await cancel_by_operator(tx, canceled)
        done = await job_of(pool, anna, 3)
        await settle_now(pool, failed, Success(urls=(URL,)))
        await settle_now(pool, done, Success(urls=(URL,)))
        assert (await quoted(pool, anna)).paid_by is None
        assert await pool.fetchval("SELECT count(*) FROM ledger_transactions") == 0


async def takes_the_offer(pool: Pool, user: UserId, job_id: JobId) -> bool:
    message_id = await pool.fetchval("SELECT card_message_id FROM generation_jobs WHERE job_id = $1", job_id)
    async with transaction(pool) as tx:
        return await accept_offer(tx, job_id=job_id, user_id=user, message_id=message_id)


async def canceled_and_offered(pool: Pool, user: UserId, number: int) -> JobId:
    job_id = await job_of(pool, user, number)
    async with transaction(pool) as tx:
        await cancel_by_operator(tx, job_id)
    await settle_now(pool, job_id, Success(urls=(URL,)))
    return job_id


async def test_a_result_taken_after_its_cancel_uses_its_pass(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_pass(pool, anna)
        job_id = await canceled_and_offered(pool, anna, 1)
        assert (await quoted(pool, anna)).paid_by is not None
        assert await takes_the_offer(pool, anna, job_id)
        assert (await quoted(pool, anna)).paid_by is None


async def test_an_offer_is_gone_once_its_pass_has_paid_for_another_job(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_pass(pool, anna, generations=2)
        first, second = [await canceled_and_offered(pool, anna, number) for number in (1, 2)]
        await job_of(pool, anna, 3)
        assert await takes_the_offer(pool, anna, first)
        assert not await takes_the_offer(pool, anna, second)
        status = await pool.fetchval("SELECT status FROM generation_jobs WHERE job_id = $1", second)
        assert status == "canceled"


async def test_a_pass_pays_no_higher_price_than_it_says(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=1000)
        await a_pass(pool, anna, most=63)
        assert (await quoted(pool, anna)).paid_by is None
        await a_pass(pool, anna, most=64, code="LARGER")
        found = (await quoted(pool, anna)).paid_by
        assert found is not None
        assert found.code == "LARGER"


async def test_somebody_elses_pass_pays_for_nobody(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2, balance=0)
        await a_pass(pool, anna)
        stolen = await quoted(pool, anna)
        draft = await a_draft(pool, boris, price=PRICE.minor)
        assert isinstance(await tap_create(pool, draft, quote=stolen), CardOutdated)


async def test_the_free_quota_neither_stops_a_pass_nor_counts_it(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        allowed = Limits(free_a_day=1, pause=timedelta(0))
        await a_pass(pool, anna, generations=2)
        for number in (1, 2):
            assert isinstance(await orders(pool, anna, number=number, allowed=allowed), Created)
        free = replace(agreed(rub(0)), rule="free")
        for number, kind in ((3, Created), (4, object)):
            draft = await a_draft(pool, anna, price=0, origin=f"free:{number}")
            creation = await tap_create(pool, draft, quote=free, allowed=allowed)
            assert isinstance(creation, kind)
        assert not isinstance(creation, Created)


@pytest.mark.breaks_invariants
async def test_more_generations_than_promised_are_found_by_the_audit(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        anna = await a_user(pool, balance=0)
        await a_pass(pool, anna, generations=2)
        await job_of(pool, anna, 1)
        await job_of(pool, anna, 2)
        assert await names(connection) == set()
        await pool.execute("UPDATE promo_codes SET generations = 1")
        assert await names(connection) == {"passes-within-their-number"}
