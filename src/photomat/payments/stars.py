"""Payments in Stars: whether one may be made now (pre-checkout), receiving it, and taking it back.

A payment is identified by Telegram's charge id, never by our payload. The payer is credited, also if the link was made for
another user; a payload that names no top-up of ours is credited by the rate. Telegram asks before a payment (`check_checkout`):
a yes reserves nothing, because whatever is paid is credited; a no only prevents payments the user would regret.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.payments import refunds, subscriptions
from photomat.payments.options import STARS_CURRENCY, PaymentOptions
from photomat.payments.payment import wait_to_pay
from photomat.payments.receive import IncomingPayment, ReceivedPayment, receive_payment
from photomat.payments.subscriptions import PERIOD, PaidMonth
from photomat.payments.topup import Topup, find_by_token
from photomat.users.standing import read_ban

STARS: Final = "stars"
PAID_IN_STARS: Final = {"stars", "subscription"}
PREFIX: Final = "t:"
INT32_MAX: Final = 2**31 - 1
"""The largest number of Stars Telegram can report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPayment:
    """A payment in Stars. `until` and `is_first` are of a subscription; None if the source does not know them."""

    charge_id: str
    user_id: UserId
    stars: int
    payload: str
    paid_at: datetime
    via: str
    is_subscription: bool = False
    until: datetime | None = None
    is_first: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    user_id: UserId
    payload: str
    amount: int
    currency: str
    has_blocked_us: bool


def invoice_payload(topup: Topup) -> str:
    return PREFIX + topup.token


def could_be_stars(amount: int, currency: str) -> bool:
    """Whether this can be a sum of Stars; an update with anything else did not come from Telegram."""
    return currency == STARS_CURRENCY and 0 < amount <= INT32_MAX


async def report_impossible_payment(tx: Transaction, *, charge_id: str, user_id: UserId, reported: str) -> None:
    """Open a difference for an update with an impossible sum; no money moves."""
    await differences.report(
        tx,
        kind="stars-nonsense",
        reference=f"payment:{STARS}:{charge_id}",
        expected="a sum of Stars",
        found=f"{reported} of user {user_id}",
        again=False,
    )


async def topup_of(tx: Transaction, payload: str) -> Topup | None:
    """The top-up in Stars that a payload names."""
    token = payload.removeprefix(PREFIX)
    topup = None if token == payload else await find_by_token(tx, token)
    return topup if topup is not None and topup.method in PAID_IN_STARS else None


async def receive_stars(tx: Transaction, payment: StarPayment, options: PaymentOptions) -> ReceivedPayment:
    """Credit Stars once by their charge id, and record a subscription's month."""
    topup = await topup_of(tx, payment.payload)
    is_month = payment.is_subscription or (topup is not None and topup.method == "subscription")
    received = await receive_payment(
        tx,
        IncomingPayment(
            provider="stars",
            external_id=payment.charge_id,
            user_id=payment.user_id,
            topup_id=topup.topup_id if topup else None,
            paid=Money(payment.stars, STARS_CURRENCY),
            worth=options.worth_of_stars(payment.stars),
            paid_at=payment.paid_at,
            via=payment.via,
            reason="subscription" if is_month else "topup",
            month_until=(payment.until or payment.paid_at + PERIOD) if is_month else None,
        ),
    )
    if is_month and received.is_new:
        await subscriptions.note_month(tx, _month(payment, topup, received.credit))
    return received


async def take_back_stars(tx: Transaction, payment: StarPayment, options: PaymentOptions) -> int | None:
    """Telegram refunded a payment: take it from the wallet, after receiving it if its update has not come yet."""
    if not await tx.fetchval(
        "SELECT 1 FROM payments WHERE provider = $1 AND external_id = $2", STARS, payment.charge_id
    ):
        await receive_stars(tx, payment, options)
    return await refunds.take_back_reported(
        tx, provider=STARS, external_id=payment.charge_id, refunded=None, via=payment.via
    )


def _month(payment: StarPayment, topup: Topup | None, credit: Money) -> PaidMonth:
    return PaidMonth(
        charge_id=payment.charge_id,
        user_id=payment.user_id,
        topup_id=topup.topup_id if topup else None,
        stars=payment.stars,
        allowance=credit,
        paid_at=payment.paid_at,
        until=payment.until,
        is_first=payment.is_first,
    )


async def check_checkout(pool: Pool, checkout: Checkout, options: PaymentOptions) -> None:
    """Return if it may be paid, or raise `Rejected` with the text for the user; a fact `wait` is a timedelta."""
    async with transaction(pool) as tx:
        topup, ban = await topup_of(tx, checkout.payload), await read_ban(tx, checkout.user_id)
    if ban is not None:
        raise Rejected("checkout-banned", wait=ban.left) if ban.left else Rejected("checkout-banned-for-good")
    if topup is None or (checkout.amount, checkout.currency) != (topup.asked_amount, topup.asked_currency):
        raise Rejected("checkout-unknown")
    if checkout.has_blocked_us:
        raise Rejected("checkout-blocked")
    if topup.method == "subscription":
        if await _is_next_month(pool, checkout, topup):
            return
        await _check_subscription(pool, checkout, topup, options)
    else:
        _check_package(topup, options)
    wait = await wait_to_pay(pool, checkout.user_id, a_day=options.a_day)
    if wait is not None:
        raise Rejected("checkout-limit", wait=wait)


def _check_package(topup: Topup, options: PaymentOptions) -> None:
    if topup.state == "paid":
        raise Rejected("checkout-paid")
    if not options.packages:
        raise Rejected("checkout-closed")
    if topup.expired or topup.state == "closed":
        raise Rejected("checkout-expired")


async def _is_next_month(pool: Pool, checkout: Checkout, topup: Topup) -> bool:
    running = await subscriptions.current_subscriptions(pool, checkout.user_id)
    return any(one.topup_id == topup.topup_id for one in running)


async def _check_subscription(pool: Pool, checkout: Checkout, topup: Topup, options: PaymentOptions) -> None:
    if options.plan is None or options.plan.stars != topup.asked_amount:
        raise Rejected("checkout-closed")
    if await subscriptions.current_subscription(pool, checkout.user_id) is not None:
        raise Rejected("checkout-subscribed")
    is_known = await subscriptions.had_subscription(pool, user_id=checkout.user_id, topup_id=topup.topup_id)
    if (topup.expired and not is_known) or topup.state == "closed":
        raise Rejected("checkout-expired")
