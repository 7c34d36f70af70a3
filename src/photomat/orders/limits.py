"""How much a user may buy: jobs at once, orders a minute, a pause between two, free generations a day.

Decided in the purchase transaction, under the lock of the user's row, from what that user has bought: no counter can drift. A
free generation that failed or was canceled does not count, nor does one a voucher pays for, which has limits of its own.
An operator may ban a user, or give them limits of their own.
Invited friends who have paid increase the free quota. The free day is the last 24 hours, not a date: it is the same in every
time zone, and each used generation comes back a day after it was used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, NamedTuple

from photomat.db.pool import Transaction
from photomat.jobs.history import AskedOrders, RecentOrders, recent_orders
from photomat.kernel.ids import UserId
from photomat.orders.outcome import LimitKind, LimitReached
from photomat.rewards.referrals import count_rewarded
from photomat.users.standing import Ban, OwnLimits, Standing, own_limits

MINUTE: Final = timedelta(minutes=1)
DAY: Final = timedelta(days=1)
MAX_RUNNING: Final = 10
MAX_FRIENDS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one user may do; 0 is no limit."""

    running: int = MAX_RUNNING
    a_minute: int = 0
    pause: timedelta = timedelta(0)
    free_a_day: int = 0
    free_a_friend: int = 0

    def free_with(self, friends: int) -> int:
        """The free quota of a user who invited so many friends; no limit stays none."""
        return self.free_a_day and self.free_a_day + self.free_a_friend * min(friends, MAX_FRIENDS)

    def with_own(self, own: OwnLimits) -> "Limits":
        """These limits with those an operator gave one user in place of the usual ones."""
        return replace(
            self,
            running=self.running if own.running is None else own.running,
            a_minute=self.a_minute if own.a_minute is None else own.a_minute,
            free_a_day=self.free_a_day if own.free_a_day is None else own.free_a_day,
        )


USUAL: Final = Limits()


class BuyingUser(NamedTuple):
    """A user who wants to buy, for nothing where `is_free`, with what operators decided about them."""

    user_id: UserId
    standing: Standing
    limits: Limits
    is_free: bool


async def refusals(tx: Transaction, buying: Sequence[BuyingUser]) -> list[LimitReached | None]:
    """Why each may not buy now; None where they may. Their rows are locked, so the taps of a user are judged one by one."""
    limits = [each.limits.with_own(each.standing.limits) for each in buying]
    friends = [
        await _friends(tx, each.user_id, own) if each.is_free else 0 for each, own in zip(buying, limits, strict=True)
    ]
    asked = [
        AskedOrders(each.user_id, own.a_minute, own.free_with(count))
        for each, own, count in zip(buying, limits, friends, strict=True)
    ]
    recent = await recent_orders(tx, asked, within=DAY) if asked else []
    return [
        _by_standing(each.standing) or limit_reached(orders, own, is_free=each.is_free, friends=count)
        for each, own, count, orders in zip(buying, limits, friends, recent, strict=True)
    ]


def _by_standing(standing: Standing) -> LimitReached | None:
    if standing.ban is not None:
        return banned(standing.ban)
    return LimitReached(why=LimitKind.FORGETTING, limit=0) if standing.is_being_forgotten else None


def banned(ban: Ban) -> LimitReached:
    return LimitReached(why=LimitKind.BANNED, limit=0, wait=ban.left)


async def free_quota(tx: Transaction, user_id: UserId, limits: Limits) -> int:
    limits = limits.with_own(await own_limits(tx, user_id))
    return limits.free_with(await _friends(tx, user_id, limits))


async def _friends(tx: Transaction, user_id: UserId, limits: Limits) -> int:
    """How many invited friends have paid, where that increases the quota."""
    counts = limits.free_a_day and limits.free_a_friend
    return await count_rewarded(tx, inviter_id=user_id, most=MAX_FRIENDS) if counts else 0


def limit_reached(recent: RecentOrders, limits: Limits, *, is_free: bool, friends: int = 0) -> LimitReached | None:
    if limits.running and recent.running >= limits.running:
        return LimitReached(why=LimitKind.RUNNING, limit=limits.running)
    if limits.a_minute and recent.minute_ago is not None and recent.minute_ago < MINUTE:
        return LimitReached(why=LimitKind.MINUTE, limit=limits.a_minute, wait=MINUTE - recent.minute_ago)
    if limits.pause and recent.newest is not None and recent.newest < limits.pause:
        wait = limits.pause - recent.newest
        return LimitReached(why=LimitKind.PAUSE, limit=int(limits.pause.total_seconds()), wait=wait)
    quota = limits.free_with(friends)
    if is_free and quota and recent.free >= quota and recent.oldest_free is not None:
        return LimitReached(why=LimitKind.FREE, limit=quota, wait=max(DAY - recent.oldest_free, timedelta(seconds=1)))
    return None
