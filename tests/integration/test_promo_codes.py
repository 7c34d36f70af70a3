"""Promo codes: each use once, never beyond a limit, whoever comes at the same time; bonuses follow their payments."""

import asyncio
from datetime import timedelta

import pytest

from photomat.db.pool import transaction
from photomat.rewards.promo import CodeAccepted, CodeRefused, PromoRefusal, stop_code
from photomat.wallet import refunds
from support.database import pool_of, shift_clock
from support.jobs import a_job, a_user, money_of
from support.rewards import a_code, gets_back, pays, uses


def why(outcome: CodeAccepted | CodeRefused) -> PromoRefusal | None:
    return outcome.why if isinstance(outcome, CodeRefused) else None


async def test_the_same_update_uses_a_code_once(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, amount=500)
        for _ in range(3):
            assert isinstance(await uses(pool, anna, " spring ", origin="update:1:1"), CodeAccepted)
        assert await money_of(pool, anna) == (500, 0)
        assert why(await uses(pool, anna, "SPRING", origin="update:1:2")) is PromoRefusal.YOURS


async def test_the_last_use_is_given_to_one_of_many(database: str) -> None:
    async with pool_of(database, size=20) as pool:
        people = [await a_user(pool, user_id=100 + number, balance=0) for number in range(20)]
        await a_code(pool, amount=500, most_uses=3)
        outcomes = await asyncio.gather(*(uses(pool, one, "spring", origin=f"update:1:{one}") for one in people))
        assert sum(isinstance(outcome, CodeAccepted) for outcome in outcomes) == 3
        assert {why(outcome) for outcome in outcomes} == {None, PromoRefusal.USED_UP}
        assert sum([(await money_of(pool, one))[0] for one in people]) == 1500


async def test_one_user_uses_a_code_as_often_as_it_says_however_fast_they_type(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, amount=500, per_user=2)
        outcomes = await asyncio.gather(*(uses(pool, anna, "spring", origin=f"update:1:{n}") for n in range(10)))
        assert sum(isinstance(outcome, CodeAccepted) for outcome in outcomes) == 2
        assert await money_of(pool, anna) == (1000, 0)


async def test_a_code_ends_with_its_time_or_when_it_is_stopped(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, "SHORT", expires_at=await pool.fetchval("SELECT photomat_now() + interval '1 hour'"))
        await a_code(pool, "STOPPED")
        async with transaction(pool) as tx:
            assert await stop_code(tx, "STOPPED")
            assert not await stop_code(tx, "STOPPED")
        assert why(await uses(pool, anna, "stopped")) is PromoRefusal.EXPIRED
        await shift_clock(pool, 3601)
        assert why(await uses(pool, anna, "short")) is PromoRefusal.EXPIRED
        assert await money_of(pool, anna) == (0, 0)


async def test_only_who_has_neither_ordered_nor_paid_is_new(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris, carol = [await a_user(pool, user_id=number) for number in (1, 2, 3)]
        await a_code(pool, only_new=True)
        await a_job(pool, boris)
        async with transaction(pool) as tx:
            await pays(tx, carol, 1000)
        assert isinstance(await uses(pool, anna, "spring"), CodeAccepted)
        assert why(await uses(pool, boris, "spring")) is PromoRefusal.ONLY_NEW
        assert why(await uses(pool, carol, "spring")) is PromoRefusal.ONLY_NEW


async def test_guessing_is_slow_and_says_until_when(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1, balance=0), await a_user(pool, user_id=2, balance=0)
        await a_code(pool)
        for number in range(5):
            assert why(await uses(pool, anna, f"guess{number}", origin=f"guess:{number}")) is PromoRefusal.UNKNOWN
        closed = await uses(pool, anna, "spring")
        assert isinstance(closed, CodeRefused)
        assert closed.why is PromoRefusal.SLOWLY
        assert closed.wait is not None
        assert timedelta(minutes=9) < closed.wait <= timedelta(minutes=10)
        assert isinstance(await uses(pool, boris, "spring"), CodeAccepted)
        await shift_clock(pool, 601)
        assert isinstance(await uses(pool, anna, "spring"), CodeAccepted)


async def test_a_wrong_code_of_an_update_handled_again_is_one_wrong_try(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool)
        for _ in range(6):
            assert why(await uses(pool, anna, "guess", origin="update:1:1")) is PromoRefusal.UNKNOWN
        assert isinstance(await uses(pool, anna, "spring"), CodeAccepted)


async def test_a_percent_waits_for_one_payment_and_goes_back_with_its_refund(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, kind="percent", amount=None, percent=15)
        await uses(pool, anna, "spring")
        assert await money_of(pool, anna) == (0, 0)
        async with transaction(pool) as tx:
            assert (await pays(tx, anna, 1001, external_id="one")).bonus.minor == 150
            assert (await pays(tx, anna, 1000, external_id="two")).bonus.minor == 0
        assert await money_of(pool, anna) == (2151, 0)
        for told, left in ((500, 2151 - 500 - 75), (501, 2151 - 501 - 76), (1001, 1000)):
            async with transaction(pool) as tx:
                await gets_back(tx, told, external_id="one")
            assert await money_of(pool, anna) == (left, 0)


@pytest.mark.parametrize(("most", "bonus"), [(100, 100), (600, 500), (None, 500)])
async def test_a_percent_gives_no_more_than_its_most(database: str, most: int | None, bonus: int) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, kind="percent", amount=most, percent=50)
        await uses(pool, anna, "spring")
        async with transaction(pool) as tx:
            assert (await pays(tx, anna, 1000)).bonus.minor == bonus


async def test_a_bonus_somebody_turned_round_is_not_taken_twice_and_jams_no_refund(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, kind="percent", amount=None, percent=50)
        await uses(pool, anna, "spring")
        async with transaction(pool) as tx:
            await pays(tx, anna, 1000)
        async with transaction(pool) as tx:
            await refunds.correct(tx, of="promo:1", reference="c:1")
        async with transaction(pool) as tx:
            await gets_back(tx, 1000)
        assert await money_of(pool, anna) == (0, 0)
        assert await pool.fetchval("SELECT owed FROM wallets") == 0


async def test_a_bonus_spent_before_the_refund_becomes_debt(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=0)
        await a_code(pool, kind="percent", amount=None, percent=100)
        await uses(pool, anna, "spring")
        async with transaction(pool) as tx:
            await pays(tx, anna, 1000)
        await a_job(pool, anna, price=1500)
        async with transaction(pool) as tx:
            await gets_back(tx, 1000)
        assert await pool.fetchval("SELECT owed FROM wallets") == 1500
