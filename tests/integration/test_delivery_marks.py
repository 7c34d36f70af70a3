"""What a delivery writes down: shown, given back, moved, given up; and how the locks of the dead are freed."""

import asyncio
from datetime import timedelta
from typing import Any

from photomat.db.pool import Pool, transaction
from photomat.delivery import lock
from photomat.delivery.lock import free_locks_of_dead_instances, get_undelivered_jobs, is_undelivered, rearm_user
from photomat.delivery.render import LockedCard
from photomat.jobs import store
from photomat.jobs.settle import Failure, Success
from photomat.jobs.sweep import free_claims_of_dead_instances
from photomat.kernel.ids import MessageId
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    DELIVERY_LEASE,
    ONE,
    TWO,
    a_done_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    lock_card,
    lock_cards,
    row_of,
    seconds_until,
    settle_now,
)


async def mark(pool: Pool, card: LockedCard, *, ring_kind: str | None = None, repeat_later: bool = False) -> bool:
    async with transaction(pool) as tx:
        return await lock.mark_delivered(tx, card, ring_kind=ring_kind, repeat_later=repeat_later)


async def release(pool: Pool, card: LockedCard, *, after_s: float = 0) -> bool:
    async with transaction(pool) as tx:
        return await lock.release(
            tx, card, after=timedelta(seconds=after_s), error="later", counted=True, unknown=False
        )


async def test_a_result_shown_is_marked_with_its_instant(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        assert await get_undelivered_jobs(pool) == [job_id]
        assert await is_undelivered(pool, job_id)
        assert await mark(pool, await lock_card(pool, job_id), ring_kind="done")
        row = await row_of(pool, job_id)
        assert row["delivered_at"] is not None
        assert row["card_shown"] == row["card_wanted"]
        assert (row["delivering_at"], row["delivering_by"], row["delivery_attempts"]) == (None, None, 0)
        assert (row["ring_kind"], row["ring_due_at"] is not None) == ("done", True)
        assert await get_undelivered_jobs(pool) == []
        assert not await is_undelivered(pool, job_id)


async def test_delivered_speaks_of_results_only(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        failed = await a_running_job(pool, user)
        assert await mark(pool, await lock_card(pool, failed))
        await settle_now(pool, failed, Failure(code="kie-500"))
        assert await mark(pool, await lock_card(pool, failed), ring_kind="failed")
        row = await row_of(pool, failed)
        assert (row["delivered_at"], row["ring_kind"]) == (None, "failed")


async def test_the_first_instant_of_delivery_is_kept_when_the_card_is_shown_again(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await mark(pool, await lock_card(pool, job_id), ring_kind="done")
        first = await row_of(pool, job_id)
        await pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1, ring_due_at = NULL")
        await shift_clock(pool, 60)
        await mark(pool, await lock_card(pool, job_id), ring_kind="done")
        again = await row_of(pool, job_id)
        assert again["delivered_at"] == first["delivered_at"]
        assert again["ring_due_at"] is None, "a ring of one kind is due once"


async def test_a_change_wanted_while_the_card_was_edited_stays_due(database: str) -> None:
    """No wake-up is lost between the edit and the mark."""
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        await settle_now(pool, job_id, Failure(code="kie-500"))
        assert await mark(pool, card)
        row = await row_of(pool, job_id)
        assert row["card_shown"] == card.wanted == row["card_wanted"] - 1
        again = await lock_card(pool, job_id)
        assert (again.status, again.wanted) == ("failed", card.wanted + 1)


async def test_a_progress_mark_that_comes_after_the_result_is_settled_claims_no_delivery(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        await shift_clock(pool, 3)
        await claim_look(pool, job_id)
        await settle_now(pool, job_id, Success(urls=("https://files.example/1.png",)))
        assert await mark(pool, card)
        assert (await row_of(pool, job_id))["delivered_at"] is None
        assert await get_undelivered_jobs(pool) == [job_id]


async def test_a_sad_ring_and_a_later_gift_ring_are_both_due(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await pool.execute("UPDATE generation_jobs SET ring_kind = 'failed', rung_at = photomat_now()")
        await mark(pool, await lock_card(pool, job_id), ring_kind="done")
        row = await row_of(pool, job_id)
        assert (row["ring_kind"], row["ring_due_at"] is not None) == ("done", True)


async def test_once_more_makes_the_card_due_again_after_two_minutes(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await mark(pool, await lock_card(pool, job_id), repeat_later=True)
        row = await row_of(pool, job_id)
        assert row["card_wanted"] == row["card_shown"] + 1
        assert 115 < (await seconds_until(pool, job_id, "deliver_at") or 0) <= 120
        assert await lock_cards(pool) == []
        await shift_clock(pool, 121)
        assert await mark(pool, await lock_card(pool, job_id))
        await shift_clock(pool, 600)
        assert await lock_cards(pool) == []


async def test_once_more_is_not_needed_when_there_is_news_anyway(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        await pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        assert await mark(pool, card, repeat_later=True)
        assert (await lock_card(pool, job_id)).wanted == card.wanted + 1


async def test_a_release_says_why_and_when_to_try_again(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        assert await release(pool, await lock_card(pool, job_id), after_s=30)
        row = await row_of(pool, job_id)
        assert (row["delivering_at"], row["delivery_error"], row["delivered_at"]) == (None, "later", None)
        assert await lock_cards(pool) == []
        await shift_clock(pool, 31)
        card = await lock_card(pool, job_id)
        assert (card.attempts, card.doubtful) == (2, False)


async def test_a_moved_card_keeps_its_lock(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        async with transaction(pool) as tx:
            assert await lock.move_card(tx, card, MessageId(999))
        assert await lock.still_ours(pool, card)
        assert await mark(pool, card)
        assert (await row_of(pool, job_id))["card_message_id"] == 999


async def test_an_undeliverable_card_is_armed_again_when_the_user_returns(database: str) -> None:
    async with pool_of(database) as pool:
        anna, boris = await a_user(pool, user_id=1), await a_user(pool, user_id=2)
        hers, his = await a_done_job(pool, anna), await a_done_job(pool, boris)
        for job_id in (hers, his):
            card = await lock_card(pool, job_id)
            async with transaction(pool) as tx:
                assert await lock.mark_undeliverable(tx, card, error="blocked")
        await shift_clock(pool, 86_400)
        assert await lock_cards(pool) == []
        async with transaction(pool) as tx:
            assert await rearm_user(tx, user_id=anna) == 1
            assert await rearm_user(tx, user_id=anna) == 0
        (card,) = await lock_cards(pool)
        assert (card.job_id, card.attempts) == (hers, 1)


async def test_the_locks_of_the_dead_are_taken_over_at_once_and_those_of_the_living_are_not(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        dead, alive = await a_done_job(pool, user), await a_done_job(pool, user)
        zombie = await lock_card(pool, dead, instance=ONE)
        await lock_card(pool, alive, instance=TWO)
        await pool.execute("INSERT INTO instances (instance_id, version, host, pid) VALUES ('two', '1', 'h', 1)")
        assert await free_locks_of_dead_instances(pool) == 1
        assert await free_locks_of_dead_instances(pool) == 0
        (card,) = await lock_cards(pool, instance=TWO)
        assert (card.job_id, card.doubtful, card.fence) == (dead, True, zombie.fence + 1)
        assert not await mark(pool, zombie)


async def test_freeing_tests_in_its_own_statement_what_it_frees(database: str) -> None:
    """No rescue from a stale read: a card marked while the sweep waits stays as marked."""
    async with pool_of(database) as pool, connection_of(database) as holder, asyncio.TaskGroup() as group:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        async with holder.transaction():
            assert await lock.mark_delivered(holder, card, ring_kind=None, repeat_later=False)
            sweeping = group.create_task(free_locks_of_dead_instances(pool))
            await _until_somebody_waits(pool)
        assert await sweeping == 0
        assert (await row_of(pool, job_id))["delivering_at"] is None


async def test_freeing_claims_tests_in_its_own_statement_too(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as holder, asyncio.TaskGroup() as group:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, 3)
        job = await claim_look(pool, job_id)
        async with holder.transaction():
            assert await store.schedule_look(holder, job, after=timedelta(hours=1), empty=False, via=None, progress=0)
            sweeping = group.create_task(free_claims_of_dead_instances(pool))
            await _until_somebody_waits(pool)
        assert await sweeping == 0
        assert await claim_looks(pool, limit=9, lease=DELIVERY_LEASE, instance=TWO) == []


async def _until_somebody_waits(pool: Pool) -> None:
    waiting: Any = 0
    async with asyncio.timeout(120):
        while not waiting:
            waiting = await pool.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted")
