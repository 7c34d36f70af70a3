"""Gifts: out of the giver's wallet once, into one other wallet or back, whoever opens the link at the same time."""

import asyncio

import pytest

from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.ids import UserId
from photomat.rewards import gifts
from photomat.rewards.gifts import Gift, GiftState
from support.database import pool_of, shift_clock
from support.jobs import a_job, a_user, money_of
from support.money import rub
from support.rewards import book_all

FORTNIGHT_S = 14 * 86_400


async def gives(pool: Pool, giver: UserId, minor: int, *, origin: str = "update:1:1") -> Gift:
    async with transaction(pool) as tx:
        return await gifts.give(tx, giver_id=giver, amount=rub(minor), origin=origin)


async def opens(pool: Pool, gift: Gift, taker: UserId) -> Gift | None:
    async with transaction(pool) as tx:
        return await gifts.take(tx, code=gift.code, taker_id=taker)


async def takes_back(pool: Pool, gift: Gift, giver: UserId) -> Gift | None:
    async with transaction(pool) as tx:
        return await gifts.return_gift(tx, gift_id=gift.gift_id, giver_id=giver)


async def test_the_same_update_gives_once_and_finds_the_same_link(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool)
        first = await gives(pool, anna, 1000)
        assert await gives(pool, anna, 1000) == first
        assert await money_of(pool, anna) == (9000, 0)


async def test_one_of_many_who_open_it_at_once_gets_it(database: str) -> None:
    async with pool_of(database, size=20) as pool:
        anna = await a_user(pool, user_id=1)
        others = [await a_user(pool, user_id=number, balance=0) for number in range(2, 20)]
        gift = await gives(pool, anna, 1000)
        found = await asyncio.gather(*(opens(pool, gift, other) for other in others))
        assert {one.state for one in found if one is not None} == {GiftState.TAKEN}
        assert sorted([(await money_of(pool, other))[0] for other in others])[-2:] == [0, 1000]
        assert await pool.fetchval("SELECT count(*) FROM notices WHERE text_key = 'notice-gift-taken'") == 1


async def test_its_giver_cannot_take_it_by_the_link_but_can_take_it_back_once(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        gift = await gives(pool, anna, 1000)
        own = await opens(pool, gift, anna)
        assert own is not None
        assert own.state is GiftState.OPEN
        assert await takes_back(pool, gift, boris) is None
        for _ in range(2):
            back = await takes_back(pool, gift, anna)
            assert back is not None
            assert back.state is GiftState.BACK
        assert await money_of(pool, anna) == (10_000, 0)
        late = await opens(pool, gift, boris)
        assert late is not None
        assert late.state is GiftState.BACK


async def test_taking_and_taking_back_at_once_moves_it_one_way(database: str) -> None:
    async with pool_of(database, size=12) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        for number in range(10):
            gift = await gives(pool, anna, 100, origin=f"gift:{number}")
            await asyncio.gather(opens(pool, gift, boris), takes_back(pool, gift, anna))
        assert (await money_of(pool, anna))[0] + (await money_of(pool, boris))[0] == 20_000


async def test_a_gift_nobody_opens_comes_back_with_a_notice(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        gift = await gives(pool, anna, 1000)
        await shift_clock(pool, FORTNIGHT_S - 10)
        assert await book_all(pool) == 0
        await shift_clock(pool, 20)
        late = await opens(pool, gift, boris)
        assert late is not None
        assert late.taker_id is None
        assert await book_all(pool) == 1
        assert await book_all(pool) == 0
        assert await money_of(pool, anna) == (10_000, 0)
        assert await pool.fetchval("SELECT text_key FROM notices") == "notice-gift-back"


async def test_only_available_money_is_given_and_not_less_than_the_least(database: str) -> None:
    async with pool_of(database) as pool:
        anna = await a_user(pool, balance=1000)
        await a_job(pool, anna, price=600)
        with pytest.raises(NotEnough):
            await gives(pool, anna, 401)
        with pytest.raises(Rejected, match="gift-too-small"):
            await gives(pool, anna, 99)
        await gives(pool, anna, 400)
        assert await money_of(pool, anna) == (0, 600)
        assert await pool.fetchval("SELECT count(*) FROM gifts") == 1


async def test_many_gifts_of_one_user_at_once_never_give_more_than_there_is(database: str) -> None:
    async with pool_of(database, size=12) as pool:
        anna = await a_user(pool, balance=1000)
        tries = [gives(pool, anna, 300, origin=f"gift:{number}") for number in range(10)]
        made = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(isinstance(one, Gift) for one in made) == 3
        assert sum(isinstance(one, NotEnough) for one in made) == 7
        assert await money_of(pool, anna) == (100, 0)
