"""What operators decided about a user: a ban, for a while or for good, and limits of their own in place of the usual ones.

A ban with an end expires: nothing has to run for it. A purchase reads both under the lock of the user's row, which
`ban` takes too, so an order and a ban are decided one after the other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId

TOLD_EVERY: Final = timedelta(minutes=10)
"""A banned user who keeps writing is notified why at most so often."""
BAN_COLUMNS: Final = (
    "CASE WHEN banned_until IS NULL OR banned_until > photomat_now() THEN banned_at END AS banned_at,"
    " banned_until, ban_reason, banned_by, banned_until - photomat_now() AS ban_left"
)
STANDING_COLUMNS: Final = f"{BAN_COLUMNS}, most_running, orders_per_minute, free_per_day, forgetting_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """A ban in force; without `until` it is for good. The user reads the reason."""

    since: datetime
    reason: str
    by: str
    until: datetime | None = None
    left: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLimits:
    """Limits of one user; None: the usual one, 0: none."""

    running: int | None = None
    a_minute: int | None = None
    free_a_day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    ban: Ban | None = None
    limits: OwnLimits = OwnLimits()
    is_being_forgotten: bool = False


USUAL_STANDING: Final = Standing()


def ban_of(row: Row) -> Ban | None:
    """The ban in `BAN_COLUMNS`."""
    if row["banned_at"] is None:
        return None
    return Ban(
        since=row["banned_at"],
        reason=row["ban_reason"],
        by=row["banned_by"],
        until=row["banned_until"],
        left=row["ban_left"],
    )


def standing_of(row: Row) -> Standing:
    """The standing in `STANDING_COLUMNS`."""
    return Standing(ban=ban_of(row), limits=_limits(row), is_being_forgotten=row["forgetting_at"] is not None)


async def lock_standing(tx: Transaction, user_id: UserId) -> Standing:
    """Lock the user until the commit and read what was decided about them."""
    row = await tx.fetchrow(
        f"SELECT {STANDING_COLUMNS} FROM users WHERE user_id = $1 FOR NO KEY UPDATE",  # noqa: S608  a constant list of columns
        user_id,
    )
    return USUAL_STANDING if row is None else standing_of(row)


async def read_ban(tx: Transaction, user_id: UserId) -> Ban | None:
    row = await tx.fetchrow(f"SELECT {BAN_COLUMNS} FROM users WHERE user_id = $1", user_id)  # noqa: S608  a constant list of columns
    return None if row is None else ban_of(row)


async def own_limits(tx: Transaction, user_id: UserId) -> OwnLimits:
    row = await tx.fetchrow(
        "SELECT most_running, orders_per_minute, free_per_day FROM users WHERE user_id = $1", user_id
    )
    return OwnLimits() if row is None else _limits(row)


async def ban(tx: Transaction, user_id: UserId, *, lasts: timedelta | None, reason: str, by: str) -> Ban | None:
    """Ban a user from now on, in place of an earlier ban; None when there is no such user.

    Waits for an order that is being bought: the caller then sees its job.
    """
    row = await tx.fetchrow(
        f"""
        UPDATE users
           SET banned_at = photomat_now(), banned_until = photomat_now() + $2::interval, ban_reason = $3, banned_by = $4,
               ban_told_at = NULL
         WHERE user_id = $1
        RETURNING {BAN_COLUMNS}
        """,  # noqa: S608  a constant list of columns
        user_id,
        lasts,
        reason,
        by,
    )
    return None if row is None else ban_of(row)


async def unban(tx: Transaction, user_id: UserId) -> bool:
    """End a ban, also one that is over; False when there is none."""
    return bool(
        await tx.fetchval(
            """
            UPDATE users
               SET banned_at = NULL, banned_until = NULL, ban_reason = NULL, banned_by = NULL, ban_told_at = NULL
             WHERE user_id = $1 AND banned_at IS NOT NULL
            RETURNING true
            """,
            user_id,
        )
    )


async def note_told(tx: Transaction, user_id: UserId) -> bool:
    """Whether it is time to notify a banned user why; then it is recorded as done."""
    return bool(
        await tx.fetchval(
            """
            UPDATE users SET ban_told_at = photomat_now()
             WHERE user_id = $1 AND (ban_told_at IS NULL OR ban_told_at <= photomat_now() - $2::interval)
            RETURNING true
            """,
            user_id,
            TOLD_EVERY,
        )
    )


async def set_limits(tx: Transaction, user_id: UserId, limits: OwnLimits) -> bool:
    """Give a user limits of their own; False when there is no such user."""
    return bool(
        await tx.fetchval(
            """
            UPDATE users SET most_running = $2, orders_per_minute = $3, free_per_day = $4 WHERE user_id = $1
            RETURNING true
            """,
            user_id,
            limits.running,
            limits.a_minute,
            limits.free_a_day,
        )
    )


def _limits(row: Row) -> OwnLimits:
    return OwnLimits(running=row["most_running"], a_minute=row["orders_per_minute"], free_a_day=row["free_per_day"])
