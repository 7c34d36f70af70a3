"""Outcome and money in one transaction, once per job, whoever comes at the same time."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs.actions import CancelOutcome, accept_offer, cancel_job
from photomat.jobs.settle import Failure, Settled, Success, settle
from photomat.kernel.errors import NotEnough
from photomat.kernel.ids import Fence, JobId, MessageId, UserId
from photomat.wallet import ledger
from support.database import pool_of, shift_clock
from support.jobs import (
    PRICE,
    URL,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    money_of,
    row_of,
    settle_now,
)
from support.money import rub

BALANCE = 10_000
WON = Success(urls=(URL,))
LOST = Failure(code="kie-500", reason="internal")
CARD = MessageId(77)


async def charges_and_releases(pool: Pool) -> tuple[int, int]:
    return (
        await pool.fetchval("SELECT count(*) FROM hold_closings WHERE closed_as = 'charge'"),
        await pool.fetchval("SELECT count(*) FROM hold_closings WHERE closed_as = 'release'"),
    )


async def an_offer(pool: Pool, user: UserId, *, price: int = PRICE) -> JobId:
    """A job its user canceled when it was overdue, and whose result came all the same."""
    job_id = await a_running_job(pool, user, message_id=CARD, price=price)
    await pool.execute("UPDATE generation_jobs SET overdue_at = photomat_now() WHERE job_id = $1", job_id)
    async with transaction(pool) as tx:
        answer = await cancel_job(tx, job_id=job_id, user_id=user, message_id=CARD)
    assert answer is CancelOutcome.CANCELED
    assert await settle_now(pool, job_id, WON) is Settled.OFFERED
    return job_id


async def accept(pool: Pool, job_id: JobId, user: UserId, *, message_id: MessageId = CARD) -> bool:
    async with transaction(pool) as tx:
        return await accept_offer(tx, job_id=job_id, user_id=user, message_id=message_id)


async def test_a_success_charges_keeps_the_result_and_makes_the_card_due(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        before = await row_of(pool, job_id)
        urls = tuple(f"https://files.example/{n}.png" for n in range(4))
        assert await settle_now(pool, job_id, Success(urls=urls), via="callback") is Settled.CHARGED
        row = await row_of(pool, job_id)
        assert (row["status"], row["found_via"], row["result_urls"]) == ("done", "callback", list(urls))
        assert row["card_wanted"] == before["card_wanted"] + 1
        assert (row["delivered_at"], row["due_at"], row["gift"]) == (None, None, False)
        outputs = await pool.fetch("SELECT position, url FROM job_outputs WHERE job_id = $1 ORDER BY position", job_id)
        assert [tuple(one) for one in outputs] == list(enumerate(urls))
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_failure_releases_and_makes_the_card_due(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        before = await row_of(pool, job_id)
        assert await settle_now(pool, job_id, LOST) is Settled.RELEASED
        row = await row_of(pool, job_id)
        assert (row["status"], row["fail_code"], row["fail_reason"]) == ("failed", "kie-500", "internal")
        assert row["card_wanted"] == before["card_wanted"] + 1
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_twenty_settles_at_once_charge_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        settled = await asyncio.gather(*(settle_now(pool, job_id, WON) for _ in range(20)))
        assert sorted(settled) == sorted([Settled.CHARGED] + [Settled.NOTHING] * 19)
        assert await charges_and_releases(pool) == (1, 0)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)
        assert (await row_of(pool, job_id))["card_wanted"] == 3


async def test_twenty_failures_at_once_release_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        settled = await asyncio.gather(*(settle_now(pool, job_id, LOST) for _ in range(20)))
        assert sorted(settled) == sorted([Settled.RELEASED] + [Settled.NOTHING] * 19)
        assert await charges_and_releases(pool) == (0, 1)
        assert (await row_of(pool, job_id))["card_wanted"] == 3


async def test_success_and_failure_racing_end_as_one_or_as_a_gift_and_the_books_agree(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{n}") for n in range(8)]
        races = [settle_now(pool, job_id, outcome) for job_id in jobs for outcome in (WON, LOST, WON, LOST)]
        await asyncio.gather(*races)
        rows = [await row_of(pool, job_id) for job_id in jobs]
        assert {row["status"] for row in rows} == {"done"}
        gifts = sum(row["gift"] for row in rows)
        assert await charges_and_releases(pool) == (8 - gifts, gifts)
        assert await money_of(pool, user) == (BALANCE - PRICE * (8 - gifts), 0)


async def test_a_success_after_a_failure_is_a_gift_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await settle_now(pool, job_id, LOST)
        settled = await asyncio.gather(*(settle_now(pool, job_id, WON) for _ in range(5)))
        assert sorted(settled) == sorted([Settled.GIFT] + [Settled.NOTHING] * 4)
        row = await row_of(pool, job_id)
        assert (row["status"], row["gift"], row["fail_code"]) == ("done", True, None)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_failure_after_a_success_changes_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_done_job(pool, user)
        before = await row_of(pool, job_id)
        assert await settle_now(pool, job_id, LOST) is Settled.NOTHING
        assert await settle_now(pool, job_id, WON) is Settled.NOTHING
        assert await row_of(pool, job_id) == before


async def test_a_settle_with_an_old_fence_changes_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await shift_clock(pool, 3)
        fence = (await claim_look(pool, job_id)).fence
        before = await row_of(pool, job_id)
        for outcome in (WON, LOST):
            async with transaction(pool) as tx:
                assert (
                    await settle(tx, job_id, outcome, price=PRICE, via="zombie", fence=Fence(fence - 1))
                    is Settled.NOTHING
                )
        assert await row_of(pool, job_id) == before
        async with transaction(pool) as tx:
            assert await settle(tx, job_id, WON, price=PRICE, via="poll", fence=fence) is Settled.CHARGED


async def test_a_settle_that_is_rolled_back_leaves_no_trace(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        before = await row_of(pool, job_id)
        await _settle_and_fall_over(pool, job_id)
        assert await row_of(pool, job_id) == before
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        assert await pool.fetchval("SELECT count(*) FROM job_outputs") == 0


async def _settle_and_fall_over(pool: Pool, job_id: JobId) -> None:
    with suppress(ZeroDivisionError):
        async with transaction(pool) as tx:
            assert await settle(tx, job_id, WON, price=PRICE, via="poll", fence=None) is Settled.CHARGED
            raise ZeroDivisionError


async def test_a_free_job_settles_without_money(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=0)
        won = await a_running_job(pool, user, price=0, task_id="t-1")
        lost = await a_running_job(pool, user, price=0, task_id="t-2")
        assert await settle_now(pool, won, WON) is Settled.CHARGED
        assert await settle_now(pool, lost, LOST) is Settled.RELEASED
        assert await charges_and_releases(pool) == (0, 0)


async def test_a_result_after_a_cancel_is_offered_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await an_offer(pool, user)
        before = await row_of(pool, job_id)
        assert await settle_now(pool, job_id, WON) is Settled.NOTHING
        assert await settle_now(pool, job_id, LOST) is Settled.NOTHING
        assert await row_of(pool, job_id) == before
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_an_offer_taken_is_paid_and_shown_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await an_offer(pool, user)
        before = await row_of(pool, job_id)
        taken = await asyncio.gather(*(accept(pool, job_id, user) for _ in range(10)))
        assert sorted(taken) == [False] * 9 + [True]
        row = await row_of(pool, job_id)
        assert (row["status"], row["gift"], row["card_wanted"]) == ("done", False, before["card_wanted"] + 1)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_an_offer_without_the_money_for_it_stays_an_offer(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=PRICE)
        job_id = await an_offer(pool, user)
        await a_job(pool, user, price=1)
        with pytest.raises(NotEnough):
            await accept(pool, job_id, user)
        assert (await row_of(pool, job_id))["status"] == "canceled"
        async with transaction(pool) as tx:
            await ledger.credit(tx, user_id=user, amount=rub(1), reference="topup:1", reason="operator")
        assert await accept(pool, job_id, user)
        assert await money_of(pool, user) == (0, 1)


@pytest.mark.parametrize("change", [{"user": 2}, {"message_id": 78}], ids=["another user", "another card"])
async def test_an_offer_is_taken_only_by_its_user_on_its_card(database: str, change: dict[str, Any]) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_user(pool, user_id=2)
        job_id = await an_offer(pool, user)
        who = UserId(change.get("user", user))
        assert not await accept(pool, job_id, who, message_id=MessageId(change.get("message_id", CARD)))
        assert (await row_of(pool, job_id))["status"] == "canceled"


async def test_what_was_never_offered_cannot_be_taken(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        running = await a_running_job(pool, user, message_id=CARD)
        assert not await accept(pool, running, user)
        done = await a_done_job(pool, user, message_id=78)
        assert not await accept(pool, done, user, message_id=MessageId(78))


async def test_a_free_offer_is_taken_without_money(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=0)
        assert await accept(pool, await an_offer(pool, user, price=0), user)


async def test_a_cancel_and_a_success_at_once_end_as_charged_or_offered(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{n}", message_id=100 + n) for n in range(6)]
        await pool.execute("UPDATE generation_jobs SET overdue_at = photomat_now()")

        async def cancel(job_id: JobId, message_id: int) -> object:
            async with transaction(pool) as tx:
                return await cancel_job(tx, job_id=job_id, user_id=user, message_id=MessageId(message_id))

        races = [(cancel(job_id, 100 + n), settle_now(pool, job_id, WON)) for n, job_id in enumerate(jobs)]
        await asyncio.gather(*(one for race in races for one in race))
        rows = [await row_of(pool, job_id) for job_id in jobs]
        charged = sum(row["status"] == "done" for row in rows)
        offered = sum(row["status"] == "canceled" and row["offered_at"] is not None for row in rows)
        assert charged + offered == 6
        assert await money_of(pool, user) == (BALANCE - charged * PRICE, 0)


async def test_canceling_is_for_the_owner_on_the_card_and_not_after_the_end(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user, message_id=CARD)
        async with transaction(pool) as tx:
            stranger = await cancel_job(tx, job_id=job_id, user_id=UserId(2), message_id=CARD)
            other = await cancel_job(tx, job_id=job_id, user_id=user, message_id=MessageId(78))
            first = await cancel_job(tx, job_id=job_id, user_id=user, message_id=CARD)
            second = await cancel_job(tx, job_id=job_id, user_id=user, message_id=CARD)
        assert (stranger, other) == (CancelOutcome.NOT_YOURS, CancelOutcome.NOT_YOURS)
        assert (first, second) == (CancelOutcome.CANCELED, CancelOutcome.SETTLED)
        assert await charges_and_releases(pool) == (0, 1)
