"""The delivery lock: one holder, a lease, a fence on every write, and nothing due is ever forgotten."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from photomat.db.pool import Pool, Transaction, transaction
from photomat.delivery import lock
from photomat.delivery.render import LockedCard
from photomat.jobs.settle import Failure
from photomat.kernel.ids import InstanceId, MessageId
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    DELIVERY_LEASE,
    TWO,
    a_done_job,
    a_running_job,
    a_user,
    lock_card,
    lock_cards,
    row_of,
    settle_now,
)

Write = Callable[[Transaction, LockedCard], Awaitable[bool]]
LEASE_S = DELIVERY_LEASE.total_seconds()
WRITES: dict[str, Write] = {
    "mark": lambda tx, card: lock.mark_delivered(tx, card, ring_kind="done", repeat_later=True),
    "release": lambda tx, card: lock.release(
        tx, card, after=timedelta(hours=1), error="zombie", counted=True, unknown=True
    ),
    "move": lambda tx, card: lock.move_card(tx, card, MessageId(999)),
    "undeliverable": lambda tx, card: lock.mark_undeliverable(tx, card, error="zombie"),
    "park": lambda tx, card: lock.park(tx, card, error="zombie"),
}
each_write = pytest.mark.parametrize("write", list(WRITES.values()), ids=list(WRITES))


async def mark(pool: Pool, card: LockedCard, *, ring_kind: str | None = None, repeat_later: bool = False) -> bool:
    async with transaction(pool) as tx:
        return await lock.mark_delivered(tx, card, ring_kind=ring_kind, repeat_later=repeat_later)


async def release(pool: Pool, card: LockedCard, *, after_s: float = 0) -> bool:
    async with transaction(pool) as tx:
        return await lock.release(
            tx, card, after=timedelta(seconds=after_s), error="later", counted=True, unknown=False
        )


async def test_one_of_many_gets_the_lock(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        wins = await asyncio.gather(*(lock_cards(pool, instance=InstanceId(f"i-{n}")) for n in range(20)))
        (card,) = [card for batch in wins for card in batch]
        assert card.job_id == job_id
        row = await row_of(pool, job_id)
        assert (row["delivery_fence"], row["delivering_at"] is not None) == (card.fence, True)


async def test_many_cards_are_shared_out_and_none_is_given_twice(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = [await a_done_job(pool, await a_user(pool, user_id=n)) for n in range(1, 13)]
        batches = await asyncio.gather(*(lock_cards(pool, limit=2) for _ in range(12)))
        rest = await lock_cards(pool, instance=TWO)
        got = [card.job_id for batch in [*batches, rest] for card in batch]
        assert sorted(got) == jobs


async def test_no_more_are_locked_than_asked_for(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for _ in range(3):
            await a_done_job(pool, user)
        assert len(await lock_cards(pool, limit=2)) == 2
        assert len(await lock_cards(pool, limit=2)) == 1


async def test_the_lease_lasts_five_minutes_and_then_another_takes_over(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        first = await lock_card(pool, job_id)
        await shift_clock(pool, LEASE_S - 5)
        assert await lock_cards(pool, instance=TWO) == []
        await shift_clock(pool, 6)
        second = await lock_card(pool, job_id, instance=TWO)
        assert (first.doubtful, second.doubtful) == (False, True)
        assert second.fence == first.fence + 1


async def test_a_waiting_claim_does_not_hand_out_a_card_shown_meanwhile(database: str) -> None:
    """The row handed out is locked and tested in one statement; whoever skips it finds it shown later."""
    async with pool_of(database) as pool, connection_of(database) as holder:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        await shift_clock(pool, LEASE_S + 1)
        async with holder.transaction():
            assert await lock.mark_delivered(holder, card, ring_kind=None, repeat_later=False)
            assert await lock_cards(pool, instance=TWO) == [], "the row is being written: skipped, not waited for"
        assert await lock_cards(pool, instance=TWO) == []
        assert (await row_of(pool, job_id))["delivery_fence"] == card.fence


async def test_a_card_up_to_date_parked_or_unreachable_is_not_due(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_done_job(pool, user) for _ in range(4)]
        shown, parked, unreachable, later = jobs
        await pool.execute("UPDATE generation_jobs SET card_shown = card_wanted WHERE job_id = $1", shown)
        await pool.execute("UPDATE generation_jobs SET parked_at = photomat_now() WHERE job_id = $1", parked)
        await pool.execute(
            "UPDATE generation_jobs SET undeliverable_at = photomat_now() WHERE job_id = $1", unreachable
        )
        await pool.execute(
            "UPDATE generation_jobs SET deliver_at = photomat_now() + interval '1 minute' WHERE job_id = $1", later
        )
        assert await lock_cards(pool) == []
        await shift_clock(pool, 61)
        assert [card.job_id for card in await lock_cards(pool)] == [later]


async def test_results_come_before_failures_and_failures_before_progress(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        progress = await a_running_job(pool, user, task_id="t-progress")
        failed = await a_running_job(pool, user, task_id="t-failed")
        await settle_now(pool, failed, Failure(code="kie-500"))
        done = await a_done_job(pool, user)
        order = [(await lock_cards(pool, limit=1))[0].job_id for _ in range(3)]
        assert order == [done, failed, progress]


async def test_a_named_job_is_locked_alone(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_done_job(pool, user) for _ in range(2)]
        assert [card.job_id for card in await lock_cards(pool, job_id=jobs[1])] == [jobs[1]]
        assert await lock_cards(pool, job_id=jobs[1]) == []


@each_write
async def test_a_zombie_whose_lock_was_taken_over_changes_nothing(database: str, write: Write) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        zombie = await lock_card(pool, job_id)
        await shift_clock(pool, LEASE_S + 1)
        owner = await lock_card(pool, job_id, instance=TWO)
        before = await row_of(pool, job_id)
        async with transaction(pool) as tx:
            assert not await write(tx, zombie)
        assert await row_of(pool, job_id) == before
        assert not await lock.still_ours(pool, zombie)
        assert await lock.still_ours(pool, owner)
        async with transaction(pool) as tx:
            assert await write(tx, owner)


@each_write
async def test_a_zombie_changes_nothing_after_the_new_owner_is_through(database: str, write: Write) -> None:
    """The worst of them: a late release or a late failure over a result that is shown."""
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        zombie = await lock_card(pool, job_id)
        await shift_clock(pool, LEASE_S + 1)
        assert await mark(pool, await lock_card(pool, job_id, instance=TWO), ring_kind="done")
        before = await row_of(pool, job_id)
        async with transaction(pool) as tx:
            assert not await write(tx, zombie)
        assert await row_of(pool, job_id) == before


@each_write
async def test_the_same_holder_writes_its_end_once(database: str, write: Write) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        assert await release(pool, card)
        before = await row_of(pool, job_id)
        async with transaction(pool) as tx:
            assert not await write(tx, card)
        assert await row_of(pool, job_id) == before
        assert not await lock.still_ours(pool, card)
