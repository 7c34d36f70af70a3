"""Everything that is given away at once, by people who do not wait for each other: no deadlock, and books the audit accepts."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.jobs.settle import Success
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.ids import JobId, UserId
from photomat.operators.money import refund_job
from photomat.orders.outcome import Created
from photomat.payments.refunds import ClaimedRefund
from photomat.rewards import gifts
from photomat.rewards.payouts import RewardBooker
from support.database import pool_of
from support.jobs import URL, a_draft, a_user, settle_now, tap_create
from support.money import rub
from support.payments import asks_refund, refund_all
from support.rewards import TERMS, a_code, book_all, gets_back, invite, pays, uses

ACTS = 280
AT_ONCE = 10
EVERY_OTHER = 0.5


class Crowd:
    """Six people, each brought by the one before, and what they do."""

    def __init__(self, pool: Pool, people: list[UserId], dice: random.Random) -> None:
        self.pool = pool
        self.people = people
        self.dice = dice
        self.number = 0
        self.refunds_asked = 0
        self.book = RewardBooker(pool=pool, terms=TERMS)

    def one(self) -> UserId:
        return self.dice.choice(self.people)

    def next(self) -> int:
        self.number += 1
        return self.number

    async def use(self) -> None:
        code = self.dice.choice(["SUM", "PERCENT", "LAST"])
        await uses(self.pool, self.one(), code, origin=f"use:{self.next()}")

    async def give(self) -> None:
        async with transaction(self.pool) as tx:
            await gifts.give(
                tx, giver_id=self.one(), amount=rub(self.dice.randint(100, 900)), origin=f"g:{self.next()}"
            )

    async def take(self) -> None:
        code = await self.pool.fetchval("SELECT code FROM gifts ORDER BY random() LIMIT 1")
        async with transaction(self.pool) as tx:
            await gifts.take(tx, code=code or "none", taker_id=self.one())

    async def take_back(self) -> None:
        row = await self.pool.fetchrow("SELECT gift_id, giver_id FROM gifts ORDER BY random() LIMIT 1")
        if row is not None:
            async with transaction(self.pool) as tx:
                await gifts.return_gift(tx, gift_id=row["gift_id"], giver_id=UserId(row["giver_id"]))

    async def pay(self) -> None:
        async with transaction(self.pool) as tx:
            await pays(tx, self.one(), self.dice.randint(100, 2000), external_id=f"pay:{self.next()}")

    async def refund_payment(self) -> None:
        row = await self.pool.fetchrow("SELECT external_id, paid_amount FROM payments ORDER BY random() LIMIT 1")
        if row is not None:
            async with transaction(self.pool) as tx:
                await gets_back(tx, self.dice.randint(1, row["paid_amount"]), external_id=row["external_id"])

    async def ask_refund(self) -> None:
        payment_id = await self.pool.fetchval("SELECT payment_id FROM payments ORDER BY random() LIMIT 1")
        if payment_id is not None:
            await asks_refund(self.pool, payment_id, owing=self.dice.random() < EVERY_OTHER)

    async def answer_refunds(self) -> None:
        await refund_all(self.pool, self.give_back, provider="yookassa")

    async def give_back(self, _: ClaimedRefund) -> None:
        self.refunds_asked += 1
        if self.refunds_asked % 2:
            raise Rejected("no")

    async def order(self) -> None:
        user = self.one()
        draft = await a_draft(self.pool, user, origin=f"order:{self.next()}")
        creation = await tap_create(self.pool, draft)
        if isinstance(creation, Created):
            await settle_now(self.pool, creation.job_id, Success(urls=(URL,)))

    async def refund_order(self) -> None:
        job_id = await self.pool.fetchval("SELECT job_id FROM generation_jobs ORDER BY random() LIMIT 1")
        if job_id is not None:
            await refund_job(
                self.pool, JobId(job_id), None, reference=f"back:{self.next()}", operator="olga", reason="test"
            )

    async def book_some(self) -> None:
        for due in await self.book.claim(5):
            await self.book.book(due)

    def acts(self) -> list[Callable[[], Awaitable[None]]]:
        return [
            *(self.use, self.give, self.take, self.take_back, self.pay, self.refund_payment),
            *(self.ask_refund, self.answer_refunds, self.order, self.refund_order, self.book_some),
        ]


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_crowd_leaves_books_that_add_up(database: str, seed: int) -> None:
    async with pool_of(database, size=AT_ONCE) as pool:
        people = [await a_user(pool, user_id=number, balance=2000) for number in (5, 3, 6, 1, 4, 2)]
        for inviter, friend in pairwise(people):
            async with transaction(pool) as tx:
                await invite(tx, inviter, friend)
        await a_code(pool, "SUM", amount=50, per_user=3)
        await a_code(pool, "PERCENT", kind="percent", amount=None, percent=30, per_user=5)
        await a_code(pool, "LAST", amount=70, most_uses=2)
        crowd = Crowd(pool, people, random.Random(seed))  # noqa: S311  a test's dice
        so_many_at_once = asyncio.Semaphore(AT_ONCE)

        async def act(do: Callable[[], Awaitable[None]]) -> None:
            async with so_many_at_once:
                try:
                    await do()
                except NotEnough:
                    return

        await asyncio.gather(*(act(crowd.dice.choice(crowd.acts())) for _ in range(ACTS)))
        while await refund_all(pool, crowd.give_back, provider="yookassa") or await book_all(pool):
            pass
        moved = await require_row(
            pool,
            """
            SELECT count(*) FILTER (WHERE reason = 'gift') AS gifts, count(*) FILTER (WHERE reason = 'referral') AS referrals,
                   count(*) FILTER (WHERE reason IN ('promo', 'bonus')) AS promo FROM ledger_transactions
            """,
        )
        assert all(count > 5 for count in moved)
        states = await pool.fetch("SELECT state, count(*) FROM payment_refunds GROUP BY state")
        assert {row["state"] for row in states} == {"done", "refused"}
        assert await pool.fetchval("SELECT count(*) FROM referrals WHERE state IN ('rewarded', 'taken_back')") > 0
        assert await pool.fetchval("SELECT used FROM promo_codes WHERE code = 'LAST'") == 2
