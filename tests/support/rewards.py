"""Promo codes, invitations and gifts, made the way the product makes them."""

from datetime import UTC, datetime
from typing import Any

from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.ids import UserId
from photomat.payments.receive import IncomingPayment, ReceivedPayment, receive_payment
from photomat.payments.refunds import take_back_reported
from photomat.rewards import gifts, referrals
from photomat.rewards.payouts import ReferralTerms, RewardBooker, book_referral, book_share
from photomat.rewards.promo import CodeAccepted, CodeRefused, PromoCode, add_code, use_code
from support.money import buy, make_user, rub, sell
from support.sessions import as_pool

TERMS = ReferralTerms(inviter=rub(2000), friend=rub(1000), percent=10)
PAID_AT = datetime(2026, 11, 15, tzinfo=UTC)


async def a_code(pool: Pool, code: str = "SPRING", **given: Any) -> PromoCode:
    """A promo code, by default a sum of 30 kopecks that everybody may use once."""
    facts: dict[str, Any] = {"kind": "sum", "amount": 30} | given
    promo = PromoCode(code=code, currency="RUB", **facts)
    async with transaction(pool) as tx:
        assert await add_code(tx, promo, operator="test", reason="because")
    return promo


async def uses(pool: Pool, user: UserId, code: str, *, origin: str | None = None) -> CodeAccepted | CodeRefused:
    """A user types a code."""
    async with transaction(pool) as tx:
        count = await tx.fetchval("SELECT count(*) FROM promo_uses") + await tx.fetchval(
            "SELECT count(*) FROM promo_tries"
        )
        return await use_code(tx, user_id=user, written=code, origin=origin or f"try:{user}:{count}:{code}")


async def pays(tx: Transaction, user: UserId, minor: int, *, external_id: str = "charge-1") -> ReceivedPayment:
    """So much of a top-up arrives."""
    return await receive_payment(
        tx,
        IncomingPayment(
            provider="yookassa",
            external_id=external_id,
            user_id=user,
            topup_id=None,
            paid=rub(minor),
            worth=rub(minor),
            paid_at=PAID_AT,
            via="notice",
        ),
    )


async def gets_back(tx: Transaction, minor: int, *, external_id: str = "charge-1") -> None:
    """The provider says that so much of it went back in all."""
    await take_back_reported(tx, provider="yookassa", external_id=external_id, refunded=rub(minor), via="notice")


async def invite(tx: Transaction, inviter: UserId, friend: UserId) -> None:
    """The friend came by the inviter's link."""
    brought = await referrals.invitations(tx, user_id=inviter, currency="RUB")
    assert await referrals.attribute(tx, friend_id=friend, code=brought.code) == inviter


async def book_all(pool: Pool, terms: ReferralTerms = TERMS) -> int:
    """Book everything that is due; says how much there was."""
    book = RewardBooker(pool=pool, terms=terms)
    due = await book.claim(100)
    for one in due:
        await book.book(one)
    return len(due)


async def gifts_every_way(tx: Transaction, giver: UserId, taker: UserId) -> None:
    """One gift that waits, one taken, one that went back."""
    await gifts.give(tx, giver_id=giver, amount=rub(105), origin="gift:open")
    taken = await gifts.give(tx, giver_id=giver, amount=rub(103), origin="gift:taken")
    await gifts.take(tx, code=taken.code, taker_id=taker)
    back = await gifts.give(tx, giver_id=giver, amount=rub(101), origin="gift:back")
    await gifts.return_gift(tx, gift_id=back.gift_id, giver_id=giver)


async def a_promo_sum(tx: Transaction, user: UserId, minor: int) -> None:
    """A code that credited so much."""
    await a_code(as_pool(tx), "SPRING", amount=minor)
    assert isinstance(await use_code(tx, user_id=user, written="spring", origin="promo:sum"), CodeAccepted)


async def an_invited_friend(tx: Transaction, inviter: UserId, friend_id: int) -> None:
    """A friend with a bonus on a payment refunded in part, a paid job, and an inviter who got the reward and the percent."""
    friend = await make_user(tx, friend_id)
    await invite(tx, inviter, friend)
    await a_code(as_pool(tx), "PERCENT", kind="percent", amount=None, percent=50)
    await use_code(tx, user_id=friend, written="percent", origin="promo:percent")
    received = await pays(tx, friend, 1000, external_id="friend")
    await book_share(tx, received.payment_id, percent=10)
    await gets_back(tx, 400, external_id="friend")
    await book_share(tx, received.payment_id, percent=10)
    job_id = await buy(tx, friend, price=71)
    await sell(tx, job_id)
    await referrals.make_due(tx, friend_id=friend, job_id=job_id)
    await book_referral(tx, friend, ReferralTerms(inviter=rub(200), friend=rub(100)))
