"""How much one user may buy is decided by rows and locks: fifty taps at once take what is left, and not one more."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

from photomat.db.pool import Pool
from photomat.jobs.settle import Failure, Success
from photomat.kernel.ids import UserId
from photomat.orders.limits import Limits
from photomat.orders.outcome import AlreadyStarted, Created, CreateOutcome, LimitKind, LimitReached
from support.database import pool_of, shift_clock
from support.jobs import URL, a_draft, a_user, money_of, settle_now, tap_create

TAPS = 50
FREE = Limits(running=0, free_a_day=3)


async def taps_at_once(pool: Pool, user: UserId, limits: Limits, *, price: int = 0) -> list[CreateOutcome]:
    drafts = [await a_draft(pool, user, price=price) for _ in range(TAPS)]
    return list(await asyncio.gather(*(tap_create(pool, draft, allowed=limits) for draft in drafts)))


async def buys(pool: Pool, user: UserId, limits: Limits, *, price: int = 0) -> CreateOutcome:
    return await tap_create(pool, await a_draft(pool, user, price=price), allowed=limits)


def kinds(answers: list[CreateOutcome]) -> Counter[str]:
    return Counter(answer.why if isinstance(answer, LimitReached) else type(answer).__name__ for answer in answers)


async def test_fifty_taps_take_the_free_quota_and_not_one_more(database: str) -> None:
    async with pool_of(database) as pool:
        answers = await taps_at_once(pool, await a_user(pool), FREE)
        assert kinds(answers) == {"Created": 3, "free": TAPS - 3}
        refused = next(answer for answer in answers if isinstance(answer, LimitReached))
        assert refused.wait is not None
        assert timedelta(hours=23, minutes=58) < refused.wait <= timedelta(days=1)
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs") == 3


async def test_fifty_taps_on_the_last_free_one_take_it_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for _ in range(2):
            assert isinstance(await buys(pool, user, FREE), Created)
        draft = await a_draft(pool, user, price=0)
        same = await asyncio.gather(*(tap_create(pool, draft, message_id=7, allowed=FREE) for _ in range(TAPS)))
        assert Counter(type(answer) for answer in same) == {Created: 1, AlreadyStarted: TAPS - 1}


async def test_fifty_taps_start_as_many_jobs_as_may_run(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        answers = await taps_at_once(pool, user, Limits(running=4), price=64)
        assert kinds(answers) == {"Created": 4, "running": TAPS - 4}
        assert await money_of(pool, user) == (10_000 - 4 * 64, 4 * 64)


async def test_fifty_taps_in_a_minute_make_as_many_orders_as_a_minute_may_have(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        limits = Limits(running=0, a_minute=7)
        assert kinds(await taps_at_once(pool, user, limits, price=64)) == {"Created": 7, "minute": TAPS - 7}
        refused = await buys(pool, user, limits)
        assert isinstance(refused, LimitReached)
        assert refused.wait is not None
        assert timedelta(0) < refused.wait <= timedelta(minutes=1)
        await shift_clock(pool, 61)
        assert isinstance(await buys(pool, user, limits), Created)


async def test_fifty_taps_with_a_pause_between_orders_buy_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        limits = Limits(running=0, pause=timedelta(seconds=40))
        assert kinds(await taps_at_once(pool, user, limits, price=64)) == {"Created": 1, "pause": TAPS - 1}
        await shift_clock(pool, 30)
        refused = await buys(pool, user, limits)
        assert isinstance(refused, LimitReached)
        assert refused.wait is not None
        assert timedelta(0) < refused.wait <= timedelta(seconds=10)
        await shift_clock(pool, 41)
        assert isinstance(await buys(pool, user, limits), Created)


async def test_a_used_free_one_comes_back_a_day_after_it_was_taken(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for hour in range(3):
            await shift_clock(pool, hour * 3600)
            assert isinstance(await buys(pool, user, FREE), Created)
        refused = await buys(pool, user, FREE)
        assert isinstance(refused, LimitReached)
        assert refused.wait is not None
        assert timedelta(hours=20, minutes=59) < refused.wait <= timedelta(hours=21)
        await shift_clock(pool, 21 * 3600 + 1)
        assert isinstance(await buys(pool, user, FREE), Created)
        again = await buys(pool, user, FREE)
        assert isinstance(again, LimitReached)


async def test_a_free_one_that_came_to_nothing_does_not_count(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        bought = [await buys(pool, user, FREE) for _ in range(3)]
        await settle_now(pool, created(bought[0]).job_id, Success(urls=(URL,)))
        assert isinstance(await buys(pool, user, FREE), LimitReached)
        await settle_now(pool, created(bought[1]).job_id, Failure(code="kie-500"))
        assert isinstance(await buys(pool, user, FREE), Created)
        assert isinstance(await buys(pool, user, FREE), LimitReached)


async def test_the_quota_is_each_users_own_and_nobody_who_pays_needs_it(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        for _ in range(3):
            await buys(pool, anna, FREE)
        assert isinstance(await buys(pool, anna, FREE), LimitReached)
        assert isinstance(await buys(pool, boris, FREE), Created)
        assert isinstance(await buys(pool, anna, FREE, price=64), Created)


async def test_a_refused_tap_leaves_nothing_behind_and_may_be_tapped_again(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        limits = Limits(running=1)
        first = created(await buys(pool, user, limits, price=64))
        draft = await a_draft(pool, user)
        assert await tap_create(pool, draft, allowed=limits) == LimitReached(why=LimitKind.RUNNING, limit=1)
        assert await money_of(pool, user) == (10_000 - 64, 64)
        await settle_now(pool, first.job_id, Success(urls=(URL,)))
        assert isinstance(await tap_create(pool, draft, allowed=limits), Created)


async def test_two_users_never_wait_for_each_other(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute("SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE", anna)
            assert isinstance(await buys(pool, boris, FREE), Created)


def created(answer: Any) -> Created:
    assert isinstance(answer, Created)
    return answer
