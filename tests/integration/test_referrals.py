"""Invitations: attributed once, both rewarded once after a first paid job, and nothing kept of refunded money."""

import asyncio

import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs.settle import Success, settle
from photomat.kernel.ids import UserId
from photomat.operators.money import refund_job
from photomat.orders.limits import Limits
from photomat.orders.outcome import LimitReached
from photomat.payments.refunds import ask_refund
from photomat.rewards import gifts, referrals
from photomat.rewards.payouts import ReferralTerms, RewardBooker
from photomat.wallet import refunds
from support.database import pool_of
from support.jobs import URL, a_done_job, a_draft, a_job, a_running_job, a_user, money_of, settle_now, tap_create
from support.money import rub
from support.rewards import TERMS, book_all, gets_back, invite, pays

NO_PERCENT = ReferralTerms(inviter=rub(2000), friend=rub(1000))


async def friends(pool: Pool) -> tuple[UserId, UserId]:
    """An inviter with the larger id and their friend, each with 100 roubles; the friend's are paid by themselves."""
    inviter, friend = await a_user(pool, user_id=900), await a_user(pool, user_id=100, balance=0)
    async with transaction(pool) as tx:
        await pays(tx, friend, 10_000, external_id="own")
        await invite(tx, inviter, friend)
    return inviter, friend


async def test_both_are_rewarded_and_told_once_after_the_first_paid_job(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        assert await book_all(pool) == 0
        for _ in range(3):
            await a_done_job(pool, friend, price=64)
            await book_all(pool)
        assert await money_of(pool, inviter) == (12_000, 0)
        assert await money_of(pool, friend) == (11_000 - 3 * 64, 0)
        told = await pool.fetch(
            "SELECT chat_id, text_key FROM notices WHERE text_key LIKE 'notice-referral%' ORDER BY text_key"
        )
        assert [tuple(one) for one in told] == [(100, "notice-referral-friend"), (900, "notice-referral-inviter")]


async def test_a_free_job_earns_nobody_anything(database: str) -> None:
    async with pool_of(database) as pool:
        await friends(pool)
        await a_done_job(pool, UserId(100), price=0)
        assert await book_all(pool) == 0


async def test_a_job_paid_with_money_that_was_given_earns_nobody_anything(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await a_user(pool, user_id=900, balance=500), await a_user(pool, user_id=100, balance=0)
        async with transaction(pool) as tx:
            await invite(tx, inviter, friend)
            gift = await gifts.give(tx, giver_id=inviter, amount=rub(200), origin="farm")
            await gifts.take(tx, code=gift.code, taker_id=friend)
        await a_done_job(pool, friend, price=64)
        assert await book_all(pool) == 0
        async with transaction(pool) as tx:
            await pays(tx, friend, 63)
        await a_done_job(pool, friend, price=64)
        await book_all(pool, NO_PERCENT)
        assert await money_of(pool, inviter) == (300, 0)
        async with transaction(pool) as tx:
            await pays(tx, friend, 1, external_id="charge-2")
        await a_done_job(pool, friend, price=64)
        await book_all(pool, NO_PERCENT)
        assert await money_of(pool, inviter) == (2300, 0)


@pytest.mark.parametrize("booked_before", [True, False])
async def test_a_reward_is_lost_when_what_is_left_of_the_payments_no_longer_covers_its_job(
    database: str,
    booked_before: bool,  # noqa: FBT001  a parameter
) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        await a_done_job(pool, friend, price=64)
        if booked_before:
            await book_all(pool)
        async with transaction(pool) as tx:
            await gets_back(tx, 10_000 - 64, external_id="own")
        await book_all(pool)
        assert await money_of(pool, inviter) == (12_000, 0)
        if not booked_before:
            return
        async with transaction(pool) as tx:
            await gets_back(tx, 10_000 - 63, external_id="own")
        await book_all(pool)
        assert await money_of(pool, inviter) == (10_000, 0)
        assert await pool.fetchval("SELECT state FROM referrals") == "taken_back"


async def test_a_payment_refunded_before_the_reward_leaves_the_next_paid_job_to_earn_it(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        await a_done_job(pool, friend, price=64)
        async with transaction(pool) as tx:
            await gets_back(tx, 10_000, external_id="own")
        assert await book_all(pool) == 0
        async with transaction(pool) as tx:
            await pays(tx, friend, 200)
        await a_done_job(pool, friend, price=64)
        await book_all(pool, NO_PERCENT)
        assert await money_of(pool, inviter) == (12_000, 0)


async def test_a_payment_on_its_way_back_earns_nobody_anything(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        job_id = await a_running_job(pool, friend, price=64)
        async with transaction(pool) as tx:
            payment_id = await tx.fetchval("SELECT payment_id FROM payments")
            await ask_refund(tx, payment_id=payment_id, asked_by="olga", owing=True, by_hand=False)
        await settle_now(pool, job_id, Success(urls=(URL,)))
        assert await book_all(pool) == 0
        assert await money_of(pool, inviter) == (10_000, 0)


async def test_a_reward_somebody_turned_round_is_not_taken_twice_and_jams_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        job_id = await a_done_job(pool, friend)
        await book_all(pool)
        async with transaction(pool) as tx:
            await refunds.correct(tx, of="referral:100:inviter", reference="c:1")
        await refund_job(pool, job_id, None, reference="r:1", operator="olga", reason="blurred")
        assert await book_all(pool) == 1
        assert await money_of(pool, inviter) == (10_000, 0)
        assert await money_of(pool, friend) == (10_000, 0)
        assert await pool.fetchval("SELECT state FROM referrals") == "taken_back"


async def test_a_percent_somebody_turned_round_is_not_taken_twice_and_jams_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        async with transaction(pool) as tx:
            payment = await pays(tx, friend, 1000)
        await book_all(pool)
        async with transaction(pool) as tx:
            await refunds.correct(tx, of=f"referral:payment:{payment.payment_id}", reference="c:1")
        async with transaction(pool) as tx:
            await gets_back(tx, 1000)
        assert await book_all(pool) == 1
        assert await money_of(pool, inviter) == (10_000, 0)


async def test_a_hundred_settles_at_once_reward_once(database: str) -> None:
    async with pool_of(database, size=20) as pool:
        inviter, friend = await friends(pool)
        jobs = [await a_running_job(pool, friend, price=10, task_id=f"task-{number}") for number in range(10)]
        book = RewardBooker(pool=pool, terms=TERMS)

        async def settle_one(number: int) -> None:
            async with transaction(pool) as tx:
                await settle(tx, jobs[number % 10], Success(urls=(URL,)), price=10, via="poll", fence=None)
            for due in await book.claim(10):
                await book.book(due)

        await asyncio.gather(*(settle_one(number) for number in range(100)))
        await book_all(pool)
        assert await money_of(pool, inviter) == (12_000, 0)
        assert await money_of(pool, friend) == (11_000 - 100, 0)


async def test_a_reward_handed_out_twice_is_booked_once(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        await a_done_job(pool, friend)
        book = RewardBooker(pool=pool, terms=TERMS)
        (due,) = await book.claim(10)
        assert await book.claim(10) == []
        await asyncio.gather(*(book.book(due) for _ in range(5)))
        assert await money_of(pool, inviter) == (12_000, 0)


async def test_a_first_job_refunded_before_the_reward_leaves_the_next_one_to_earn_it(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        job_id = await a_done_job(pool, friend)
        assert (await refund_job(pool, job_id, None, reference="r:1", operator="olga", reason="blurred")).done
        assert await book_all(pool) == 0
        await a_done_job(pool, friend)
        assert await book_all(pool) == 1
        assert await money_of(pool, inviter) == (12_000, 0)


async def test_a_first_job_refunded_after_the_reward_takes_both_back_even_into_debt(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        job_id = await a_done_job(pool, friend)
        await book_all(pool, NO_PERCENT)
        await a_running_job(pool, inviter, price=11_000, task_id="spends")
        assert (await refund_job(pool, job_id, 60, reference="r:1", operator="olga", reason="a part")).done
        assert await book_all(pool) == 0
        assert (await refund_job(pool, job_id, None, reference="r:2", operator="olga", reason="the rest")).done
        assert await book_all(pool) == 1
        assert await money_of(pool, friend) == (10_000, 0)
        assert await pool.fetchval("SELECT owed FROM wallets WHERE user_id = 900") == 1000
        await a_done_job(pool, friend)
        assert await book_all(pool) == 0


@pytest.mark.parametrize("order", [("book", "refund"), ("refund", "book")])
async def test_a_refund_racing_the_reward_leaves_nobody_with_it(database: str, order: tuple[str, str]) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        job_id = await a_done_job(pool, friend)
        works = {
            "book": book_all(pool),
            "refund": refund_job(pool, job_id, None, reference="r", operator="olga", reason="blurred"),
        }
        await asyncio.gather(*(works[name] for name in order))
        await book_all(pool)
        assert await money_of(pool, inviter) == (10_000, 0)
        assert await money_of(pool, friend) == (10_000, 0)


async def test_the_inviters_percent_follows_payments_and_their_refunds(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        async with transaction(pool) as tx:
            await pays(tx, friend, 1005)
        assert await book_all(pool) == 1
        assert await money_of(pool, inviter) == (10_100, 0)
        for told, kept in ((500, 50), (501, 50), (1005, 0)):
            async with transaction(pool) as tx:
                await gets_back(tx, told)
            await book_all(pool)
            assert await money_of(pool, inviter) == (10_000 + kept, 0)


async def test_a_payment_refunded_before_its_percent_is_booked_brings_the_rest_only(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        async with transaction(pool) as tx:
            await pays(tx, friend, 1000)
        async with transaction(pool) as tx:
            await gets_back(tx, 700)
        await book_all(pool)
        assert await money_of(pool, inviter) == (10_030, 0)


async def test_a_percent_that_is_off_brings_nothing_also_later(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        async with transaction(pool) as tx:
            await pays(tx, friend, 1000)
        await book_all(pool, NO_PERCENT)
        async with transaction(pool) as tx:
            await gets_back(tx, 500)
        await book_all(pool, TERMS)
        assert await money_of(pool, inviter) == (10_000, 0)


async def test_nobody_brings_themselves_is_brought_twice_or_brings_who_brought_them(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        other = await a_user(pool, user_id=300)
        async with transaction(pool) as tx:
            codes = {
                one: (await referrals.invitations(tx, user_id=one, currency="RUB")).code
                for one in (inviter, friend, other)
            }
            assert await referrals.attribute(tx, friend_id=other, code=codes[other]) is None
            assert await referrals.attribute(tx, friend_id=friend, code=codes[other]) is None
            assert await referrals.attribute(tx, friend_id=inviter, code=codes[friend]) is None
            assert await referrals.attribute(tx, friend_id=other, code="nobody") is None
        assert await pool.fetchval("SELECT count(*) FROM referrals") == 1
        assert len(set(codes.values())) == 3


async def test_friends_who_paid_make_the_free_quota_larger(database: str) -> None:
    async with pool_of(database) as pool:
        inviter, friend = await friends(pool)
        allowed = Limits(free_a_day=1, free_a_friend=2)

        async def free_orders() -> int:
            creations = []
            for _ in range(6):
                draft = await a_draft(pool, inviter, price=0)
                creations.append(await tap_create(pool, draft, allowed=allowed))
                if isinstance(creations[-1], LimitReached):
                    break
            return len(creations) - 1

        assert await free_orders() == 1
        await settle_now(pool, await a_job(pool, friend), Success(urls=(URL,)))
        await book_all(pool)
        assert await free_orders() == 2
