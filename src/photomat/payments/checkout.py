"""May this bill in Stars be paid now? Asked by Telegram before anything is paid; a no is told to the user in words.

A yes reserves nothing: whatever is paid is credited. So this only keeps people from paying what they would regret.
"""

from dataclasses import dataclass

from photomat.db.pool import Pool
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import UserId
from photomat.payments import subscriptions
from photomat.payments.limit import wait_to_pay
from photomat.payments.offers import Offers
from photomat.payments.stars import offer_of
from photomat.payments.topup import Topup


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """What is about to be paid, and by whom."""

    user_id: UserId
    payload: str
    amount: int
    currency: str
    has_blocked_us: bool


async def check_checkout(pool: Pool, checkout: Checkout, offers: Offers) -> None:
    """Let it be paid, or raise `Rejected` with what the user reads; a fact `wait` is a timedelta."""
    topup = await offer_of(pool, checkout.payload)
    if topup is None or (checkout.amount, checkout.currency) != (topup.asked_amount, topup.asked_currency):
        raise Rejected("checkout-unknown")
    if checkout.has_blocked_us:
        raise Rejected("checkout-blocked")
    if topup.way == "subscription":
        if await _is_next_month(pool, checkout, topup):
            return
        await _check_subscription(pool, checkout, topup, offers)
    else:
        _check_package(topup, offers)
    wait = await wait_to_pay(pool, checkout.user_id, a_day=offers.a_day)
    if wait is not None:
        raise Rejected("checkout-limit", wait=wait)


def _check_package(topup: Topup, offers: Offers) -> None:
    if not offers.packages:
        raise Rejected("checkout-closed")
    if topup.expired or topup.state == "closed":
        raise Rejected("checkout-expired")


async def _is_next_month(pool: Pool, checkout: Checkout, topup: Topup) -> bool:
    running = await subscriptions.living(pool, checkout.user_id)
    return any(one.topup_id == topup.topup_id for one in running)


async def _check_subscription(pool: Pool, checkout: Checkout, topup: Topup, offers: Offers) -> None:
    if offers.plan is None or offers.plan.stars != topup.asked_amount:
        raise Rejected("checkout-closed")
    if await subscriptions.newest(pool, checkout.user_id) is not None:
        raise Rejected("checkout-subscribed")
    is_known = await subscriptions.has_had(pool, user_id=checkout.user_id, topup_id=topup.topup_id)
    if (topup.expired and not is_known) or topup.state == "closed":
        raise Rejected("checkout-expired")
