"""How much a user may buy: jobs at once, orders a minute, a pause between two, free generations a day.

Decided in the purchase transaction, under the lock of the user's row, from what that user has bought: no counter can drift. A
free generation that failed or was canceled does not count, nor does one a voucher pays for, which has limits of its own.
Invited friends who have paid increase the free quota. The free day is the last 24 hours, not a date: it is the same in every
time zone, and each used generation comes back a day after it was used.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import UserId
from photomat.orders.outcome import LimitKind, LimitReached

MINUTE: Final = timedelta(minutes=1)
DAY: Final = timedelta(days=1)
MOST_RUNNING: Final = 10
MOST_FRIENDS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one user may do; 0 is no limit."""

    running: int = MOST_RUNNING
    a_minute: int = 0
    pause: timedelta = timedelta(0)
    free_a_day: int = 0
    free_a_friend: int = 0

    def free_with(self, friends: int) -> int:
        """The free quota of a user who invited so many friends; no limit stays none."""
        return self.free_a_day and self.free_a_day + self.free_a_friend * min(friends, MOST_FRIENDS)


USUAL: Final = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentOrders:
    """What a user has bought: unsettled jobs, the age of the newest and of the n-th newest job, and free ones of the last day.

    `oldest_free` is the age of the oldest free one that still counts, `friends` how many invited friends have paid.
    """

    running: int
    newest: timedelta | None
    minute_ago: timedelta | None
    free: int
    oldest_free: timedelta | None
    friends: int = 0


async def refusal(tx: Transaction, user_id: UserId, limits: Limits, *, is_free: bool) -> LimitReached | None:
    """Why this user may not buy now; None when they may. Locks the user until the commit, so taps are judged one by one."""
    await tx.execute("SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE", user_id)
    return limit_reached(await _recent_orders(tx, user_id, limits), limits, is_free=is_free)


async def free_quota(pool: Pool, user_id: UserId, limits: Limits) -> int:
    friends = await pool.fetchval(
        "SELECT count(*) FROM referrals WHERE inviter_id = $1 AND state = 'rewarded'", user_id
    )
    return limits.free_with(friends)


def limit_reached(recent: RecentOrders, limits: Limits, *, is_free: bool) -> LimitReached | None:
    if limits.running and recent.running >= limits.running:
        return LimitReached(why=LimitKind.RUNNING, limit=limits.running)
    if limits.a_minute and recent.minute_ago is not None and recent.minute_ago < MINUTE:
        return LimitReached(why=LimitKind.MINUTE, limit=limits.a_minute, wait=MINUTE - recent.minute_ago)
    if limits.pause and recent.newest is not None and recent.newest < limits.pause:
        wait = limits.pause - recent.newest
        return LimitReached(why=LimitKind.PAUSE, limit=int(limits.pause.total_seconds()), wait=wait)
    quota = limits.free_with(recent.friends)
    if is_free and quota and recent.free >= quota and recent.oldest_free is not None:
        return LimitReached(why=LimitKind.FREE, limit=quota, wait=max(DAY - recent.oldest_free, timedelta(seconds=1)))
    return None


async def _recent_orders(tx: Transaction, user_id: UserId, limits: Limits) -> RecentOrders:
    """One statement over three small indexes; the oldest of the last n is the first that stops counting."""
    row = await require_row(
        tx,
        """
        WITH invited AS (
            SELECT count(*) AS friends FROM (
                SELECT FROM referrals WHERE inviter_id = $1 AND state = 'rewarded' LIMIT $6) AS rewarded
        ), newest AS (
            SELECT created_at FROM generation_jobs WHERE user_id = $1 ORDER BY job_id DESC LIMIT greatest($2, 1)
        ), free AS (
            SELECT created_at FROM generation_jobs
             WHERE user_id = $1 AND price = 0 AND created_at > photomat_now() - $4::interval
               AND status NOT IN ('failed', 'canceled')
               AND NOT EXISTS (SELECT FROM pass_uses WHERE pass_uses.job_id = generation_jobs.job_id)
             ORDER BY created_at DESC LIMIT greatest($3 + $5 * (SELECT friends FROM invited), 1)
        )
        SELECT (SELECT count(*) FROM generation_jobs WHERE user_id = $1 AND settled_at IS NULL) AS running,
               photomat_now() - (SELECT max(created_at) FROM newest) AS newest,
               photomat_now() - (SELECT min(created_at) FROM newest HAVING count(*) >= $2) AS minute_ago,
               (SELECT count(*) FROM free) AS free,
               photomat_now() - (SELECT min(created_at) FROM free) AS oldest_free,
               (SELECT friends FROM invited) AS friends
        """,
        user_id,
        limits.a_minute,
        limits.free_a_day,
        DAY,
        limits.free_a_friend,
        MOST_FRIENDS,
    )
    return RecentOrders(**dict(row))
