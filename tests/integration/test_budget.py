"""Budgets are rows: two instances spend one budget, and a vendor's "not before" holds for both."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs.claims import creates_budget, queries_budget
from photomat.work import budget
from photomat.work.budget import CURRENT_TURN, PLACES, SPEND, Budget
from support.database import pool_of, shift_clock
from support.patience import until_found
from support.sessions import waiting_for

BUDGET = Budget(name="test", limit=5, window_s=10)


async def turn(tx: Transaction) -> Any:
    return await tx.fetchval(CURRENT_TURN.format(name="$1"), BUDGET.name)


async def test_two_instances_spend_one_budget(database: str) -> None:
    async with pool_of(database) as one, pool_of(database) as two:
        waits = await asyncio.gather(*(budget.take(pool, BUDGET) for pool in (one, two) * 10))
        assert sum(not wait_s for wait_s in waits) == 5


async def test_a_spent_budget_says_how_long_to_wait_and_then_gives(database: str) -> None:
    async with pool_of(database) as pool:
        for _ in range(5):
            assert await budget.take(pool, BUDGET) == 0
            await shift_clock(pool, 1)
        wait_s = await budget.take(pool, BUDGET)
        assert 4 < wait_s <= 5
        await shift_clock(pool, wait_s + 0.01)
        assert await budget.take(pool, BUDGET) == 0
        assert await budget.take(pool, BUDGET) > 0


async def test_no_window_ever_sees_more_than_the_limit(database: str) -> None:
    async with pool_of(database) as pool:
        taken = []
        for step in range(60):
            if await budget.take(pool, BUDGET) == 0:
                taken.append(step / 2)
            await shift_clock(pool, 0.5)
        assert len(taken) >= 14, "the window is used up to its limit"
        assert all(sum(at <= one < at + 9.9 for one in taken) <= 5 for at in taken)


async def test_after_a_day_of_quiet_there_is_no_more_than_the_limit(database: str) -> None:
    async with pool_of(database) as pool:
        assert await budget.take(pool, BUDGET) == 0
        await shift_clock(pool, 86_400)
        waits = [await budget.take(pool, BUDGET) for _ in range(8)]
        assert sum(not wait_s for wait_s in waits) == 5


async def test_a_reserve_is_left_for_more_important_calls(database: str) -> None:
    async with pool_of(database) as pool:
        modest = [await budget.take(pool, BUDGET, reserve=3) for _ in range(5)]
        assert [wait_s > 0 for wait_s in modest] == [False, False, True, True, True]
        important = [await budget.take(pool, BUDGET) for _ in range(5)]
        assert sum(not wait_s for wait_s in important) == 3


async def test_a_block_holds_for_everybody_until_it_is_over(database: str) -> None:
    async with pool_of(database) as one, pool_of(database) as two:
        assert await budget.take(one, BUDGET) == 0
        await budget.block(one, BUDGET.name, seconds=60, reason="429")
        assert 55 < await budget.take(two, BUDGET) <= 60
        await budget.block(two, BUDGET.name, seconds=5, reason="429")
        assert await budget.take(one, BUDGET) > 55, "a shorter block does not shorten a longer one"
        await shift_clock(one, 61)
        assert await budget.take(two, BUDGET) == 0


async def test_a_block_before_the_first_call_holds_too(database: str) -> None:
    async with pool_of(database) as pool:
        await budget.block(pool, BUDGET.name, seconds=60, reason="402")
        assert await budget.take(pool, BUDGET) > 55
        await shift_clock(pool, 61)
        assert await budget.take(pool, BUDGET) == 0


async def test_budgets_do_not_touch_each_other(database: str) -> None:
    async with pool_of(database) as pool:
        await budget.block(pool, "telegram:1:chat:1", seconds=60, reason="429")
        other = Budget(name="telegram:1:chat:2", limit=1, window_s=1)
        assert await budget.take(pool, other) == 0


async def test_quiet_budgets_are_forgotten_and_blocked_ones_are_not(database: str) -> None:
    async with pool_of(database) as pool:
        await budget.take(pool, BUDGET)
        await budget.block(pool, "blocked", seconds=10_000, reason="402")
        await shift_clock(pool, 3601)
        await budget.forget_unused(pool)
        assert [row["name"] for row in await pool.fetch("SELECT name FROM budgets")] == ["blocked"]
        assert await budget.take(pool, BUDGET) == 0


@pytest.mark.parametrize(("allowed", "used"), [(1, 1), (2, 1), (10, 9), (20, 19), (30, 28), (200, 190)])
def test_we_stay_a_little_below_what_a_vendor_allows(allowed: int, used: int) -> None:
    for limits, window_s in ((creates_budget(allowed), 10), (queries_budget(allowed), 1)):
        assert (limits.limit, limits.window_s > window_s) == (used, True)


async def test_calls_that_wait_while_the_row_is_renewed_count_what_was_spent(database: str) -> None:
    async with pool_of(database) as pool:
        await _is_renewed_next(pool)
        async with asyncio.TaskGroup() as group, transaction(pool) as tx:
            assert await budget.lock(tx, BUDGET) == 4
            await budget.spend(tx, BUDGET, calls=3)
            taking = [group.create_task(budget.take(pool, BUDGET)) for _ in range(3)]
            await until_found(lambda: waiting_for(tx))
        assert sorted(task.result() > 0 for task in taking) == [False, True, True]
        assert (await budget.room(pool, BUDGET)).calls == 0


async def test_a_claim_that_waits_while_the_row_is_renewed_counts_what_was_spent(database: str) -> None:
    async with pool_of(database) as pool:
        await _is_renewed_next(pool)
        async with asyncio.TaskGroup() as group, transaction(pool) as tx:
            assert await budget.lock(tx, BUDGET) == 4
            await budget.spend(tx, BUDGET, calls=2)
            claiming = group.create_task(_claim(pool, calls=2))
            await until_found(lambda: waiting_for(tx))
        assert claiming.result() == 2
        assert (await budget.room(pool, BUDGET)).calls == 0


async def _is_renewed_next(pool: Pool) -> None:
    """Spend one call, so that whoever spends the next renews the row."""
    await budget.take(pool, BUDGET)
    await shift_clock(pool, 60)
    await budget.take(pool, BUDGET)
    await pool.execute("UPDATE budgets SET used_at = photomat_now() + interval '1 hour'")


async def _claim(pool: Pool, *, calls: int) -> int:
    """Spend these calls as a claim does, in one statement; return how many were allowed."""
    allowed: int = await pool.fetchval(
        f"""
        WITH places AS MATERIALIZED ({PLACES.format(name="$1", limit="$2", window="$3")} FOR UPDATE
        ), asked AS (SELECT least(calls, $4::int)::int AS calls FROM places
        ), spent AS ({SPEND.format(name="$1", window="$3")})
        SELECT calls FROM places
        """,  # noqa: S608  constants of ours
        BUDGET.name,
        BUDGET.limit,
        timedelta(seconds=BUDGET.window_s),
        calls,
    )
    return allowed


async def test_room_is_read_without_writing_and_spent_with_a_claim(database: str) -> None:
    async with pool_of(database) as pool:
        assert await budget.room(pool, BUDGET) == (BUDGET.limit, 0)
        assert not await pool.fetch("SELECT FROM budgets")
        async with transaction(pool) as tx:
            assert await budget.lock(tx, BUDGET) == BUDGET.limit
            await budget.spend(tx, BUDGET, calls=BUDGET.limit - 1, turn=7)
        assert await budget.room(pool, BUDGET) == (1, 0)
        assert await budget.take(pool, BUDGET) == 0
        calls, wait_s = await budget.room(pool, BUDGET)
        assert (calls, 0 < wait_s <= BUDGET.window_s) == (0, True)
        async with transaction(pool) as tx:
            assert (await budget.lock(tx, BUDGET), await turn(tx)) == (0, 7)
        await budget.block(pool, BUDGET.name, seconds=60, reason="429")
        await shift_clock(pool, 30)
        assert (await budget.room(pool, BUDGET)).calls == 0
        await shift_clock(pool, 31)
        assert await budget.room(pool, BUDGET) == (BUDGET.limit, 0)
        await shift_clock(pool, 4000)
        await budget.forget_unused(pool)
        async with transaction(pool) as tx:
            assert await turn(tx) == 7, "the order of a queue is not forgotten"
