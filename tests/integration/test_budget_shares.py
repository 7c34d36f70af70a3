"""Shares of a budget: few statements for many calls, and no window with more calls than the limit, whoever is killed."""

import asyncio

import pytest

from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import Transient
from photomat.work import budget
from photomat.work.budget import MAX_SHARE_S, Budget, Shares
from support.database import pool_of, shift_clock
from support.patience import until_found

WIDE = Budget(name="wide", limit=80, window_s=4)
SLACK_S = 0.4
"""Between reading the clock and taking a call; less than a share lasts."""
CHAT = Budget(name="telegram:1:chat:1", limit=20, window_s=20)


async def test_many_calls_cost_few_statements(database: str) -> None:
    async with pool_of(database) as pool:
        shares, before = Shares(pool), await _writes(pool)
        assert not any([await shares.take(WIDE) for _ in range(32)])
        assert await _writes(pool) - before <= 6
        assert await _taken(pool) >= 32, "what is used was entered before"


async def test_no_window_holds_more_calls_than_the_limit_with_two_instances_and_one_killed(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both clocks are the database's; the calls are bursts with pauses, so that shares are used late."""
    small, calls, clock = Budget(name="small", limit=32, window_s=10), list[float](), [0.0]
    monkeypatch.setattr(budget, "monotonic", lambda: clock[0])
    async with pool_of(database) as pool:
        instances = [Shares(pool), Shares(pool)]
        for step in range(300):
            for shares in instances if step % 7 else ():
                clock[0] = await pool.fetchval("SELECT extract(epoch FROM photomat_now())::float8")
                calls += [clock[0]] if await shares.take(small) == 0 else []
            if step % 50 == 49:
                instances[0] = Shares(pool)  # killed: its share is lost
            await shift_clock(pool, 0.15 if step % 7 else 0.8)
    assert len(calls) >= 32 * 4, "the budget is used"
    windows = [sum(at <= one < at + small.window_s - SLACK_S for one in calls) for at in calls]
    assert max(windows) <= small.limit


async def test_a_place_that_is_used_late_counts_from_then_on(database: str) -> None:
    """Taken at 0 s and used just before it expired, at 1 s: at 10.2 s a window that began at 0.9 s is full."""
    small = Budget(name="small", limit=32, window_s=10)
    async with pool_of(database) as pool:
        shares = Shares(pool)
        assert await shares.take(small) == 0
        assert await _taken(pool) == 3, "a share, whose places may be used at any time until it expires"
        await shift_clock(pool, 0.9)
        assert [await budget.take(pool, small) for _ in range(29)] == [0.0] * 29
        await shift_clock(pool, 9.3)
        assert await budget.take(pool, small) > 0
        await shift_clock(pool, 0.9)
        assert await budget.take(pool, small) == 0


async def test_without_a_quarter_of_the_budget_free_places_are_taken_one_at_a_time_and_none_is_wasted(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        one, two = Shares(pool), Shares(pool)
        waits = [await shares.take(CHAT) for _ in range(20) for shares in (one, two)]
        assert sum(not wait_s for wait_s in waits) >= CHAT.limit - 2, "each instance has at most one place left"
        assert await _taken(pool) == CHAT.limit


async def test_a_share_left_unused_is_free_again_a_window_later(database: str) -> None:
    async with pool_of(database) as pool:
        assert await Shares(pool).take(CHAT) == 0
        assert (await budget.room(pool, CHAT)).calls == CHAT.limit - 2
        await shift_clock(pool, CHAT.window_s + MAX_SHARE_S + 0.1)
        assert (await budget.room(pool, CHAT)).calls == CHAT.limit


async def test_after_a_block_nothing_of_the_share_is_used(database: str) -> None:
    async with pool_of(database) as pool:
        shares = Shares(pool)
        assert await shares.take(CHAT) == 0
        await shares.block(CHAT.name, seconds=60, reason="429")
        assert await shares.take(CHAT) > 55
        assert await Shares(pool).take(CHAT) > 55, "nor by another instance"


async def test_unimportant_calls_leave_the_reserve_though_there_are_shares(database: str) -> None:
    async with pool_of(database) as pool:
        modest = Shares(pool)
        waits = [await modest.take(CHAT, reserve=10) for _ in range(20)]
        assert sum(not wait_s for wait_s in waits) == 10
        other = Shares(pool)
        assert sum([await other.take(CHAT) == 0 for _ in range(20)]) == 10


async def test_a_place_left_of_a_share_is_not_used_where_it_would_not_leave_the_reserve(database: str) -> None:
    """A share is taken while a quarter is free; an unimportant call leaves half."""
    async with pool_of(database) as pool:
        assert [await budget.take(pool, CHAT) for _ in range(10)] == [0.0] * 10
        shares = Shares(pool)
        assert await shares.take(CHAT) == 0
        assert await _taken(pool) == 12, "a share of two"
        assert await shares.take(CHAT, reserve=10) > 0
        assert await shares.take(CHAT) == 0
        assert await _taken(pool) == 12


async def _taken(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT sum(cardinality(taken)) FROM budgets"))


async def _writes(pool: Pool) -> int:
    """How often a row of the budgets was written: each write of it is a transaction of its own."""
    async with pool.acquire() as connection:
        return int(await connection.fetchval("SELECT pg_current_xact_id()::text::bigint"))


async def test_many_at_once_of_a_used_budget_are_taken_together_and_no_more_than_fit(database: str) -> None:
    """Without a quarter of the budget free there are no shares: calls that come together must not wait for each other."""
    async with pool_of(database) as pool:
        assert [await budget.take(pool, CHAT) for _ in range(14)] == [0.0] * 14
        shares, before = Shares(pool), await _writes(pool)
        important, unimportant = [shares.take(CHAT) for _ in range(6)], [shares.take(CHAT, reserve=4) for _ in range(6)]
        waits = await asyncio.gather(*unimportant, *important)
        assert sum(not wait_s for wait_s in waits[:6]) == 2, "four places are left for the important ones"
        assert sum(not wait_s for wait_s in waits[6:]) == 4
        assert await _writes(pool) - before <= 6
        assert await _taken(pool) == CHAT.limit


async def test_a_call_whose_budget_was_being_asked_by_a_canceled_one_never_left(database: str) -> None:
    """An unknown outcome would count a completion message as sent."""
    async with pool_of(database) as pool, pool_of(database) as other:
        await budget.open_budget(pool, CHAT)
        shares = Shares(pool)
        async with asyncio.TaskGroup() as group, transaction(other) as tx:
            await budget.lock(tx, CHAT)
            leader = group.create_task(shares.take(CHAT))
            follower = group.create_task(_outcome(shares, Budget(name="telegram:1:chat:2", limit=20, window_s=20)))
            await until_found(lambda: pool.fetchval("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
            leader.cancel()
            assert isinstance(await follower, Transient)


async def _outcome(shares: Shares, one: Budget) -> float | Exception:
    try:
        return await shares.take(one)
    except Exception as error:  # noqa: BLE001  that is what is asked for
        return error
