"""Monthly subscriptions in Stars: until when each is paid, and whether it is renewed. The money of a month is a payment.

Months may be reported twice, late or out of order, by an update or by Telegram's list: the end only moves forward, and a
subscription is found by its payer and the top-up it began with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money

PERIOD: Final = timedelta(days=30)
PATIENCE: Final = timedelta(days=3)
"""How long after its end the next month may still be paid: Telegram tries a few times."""

SubscriptionState: TypeAlias = Literal["active", "canceled", "failed", "ended"]
COLUMNS: Final = "subscription_id, charge_id, user_id, topup_id, stars, allowance, currency, state, expires_at"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A subscription; Telegram names it by the charge id of its first month."""

    subscription_id: int
    charge_id: str
    user_id: UserId
    topup_id: int | None
    stars: int
    allowance: Money
    state: SubscriptionState
    expires_at: datetime

    def as_canceled(self) -> "Subscription":
        return replace(self, state="canceled")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidMonth:
    """A paid month as reported. Telegram's list knows neither `until` nor which month was the first."""

    charge_id: str
    user_id: UserId
    topup_id: int | None
    stars: int
    allowance: Money
    paid_at: datetime
    until: datetime | None
    is_first: bool | None


async def note_month(tx: Transaction, month: PaidMonth) -> None:
    """Extend the subscription of a paid month, or begin one."""
    until = month.until or month.paid_at + PERIOD
    known = await (_without_its_first(tx, month) if month.is_first else _going_on(tx, month))
    if known is None:
        await _note_another(tx, month, until)
        await _begin(tx, month, until)
        log.info("SUBSCRIBED", user_id=month.user_id, stars=month.stars, until=until.isoformat())
        return
    await tx.execute(
        """
        UPDATE subscriptions
           SET expires_at = greatest(expires_at, $2), changed_at = photomat_now(), first_known = first_known OR $3,
               charge_id = CASE WHEN $3 THEN $4 ELSE charge_id END,
               state = CASE WHEN $2 > expires_at AND (state <> 'canceled' OR $5 > changed_at) THEN 'active' ELSE state END
         WHERE subscription_id = $1
        """,
        known,
        until,
        bool(month.is_first),
        month.charge_id,
        month.paid_at,
    )
    log.info("SUBSCRIPTION_RENEWED", user_id=month.user_id, stars=month.stars, until=until.isoformat())


async def current_subscriptions(pool: Pool, user_id: UserId) -> list[Subscription]:
    """Subscriptions that have not ended: renewed ones first, then the newest. Two only if both were paid at once."""
    rows = await pool.fetch(
        f"""
        SELECT {COLUMNS} FROM subscriptions
         WHERE user_id = $1 AND state <> 'ended'
           AND (state <> 'canceled' OR expires_at > photomat_now()) AND expires_at > photomat_now() - $2::interval
         ORDER BY state = 'canceled', subscription_id DESC
        """,  # noqa: S608  a constant list of columns
        user_id,
        PATIENCE,
    )
    return [_subscription(row) for row in rows]


async def current_subscription(pool: Pool, user_id: UserId) -> Subscription | None:
    """The one a user is shown."""
    return next(iter(await current_subscriptions(pool, user_id)), None)


async def had_subscription(pool: Pool, *, user_id: UserId, topup_id: int) -> bool:
    """Whether this user has ever subscribed by this top-up: its link may be paid again when the last month is over."""
    return bool(
        await pool.fetchval(
            "SELECT 1 FROM subscriptions WHERE user_id = $1 AND topup_id = $2 LIMIT 1", user_id, topup_id
        )
    )


async def set_state(
    tx: Transaction, *, user_id: UserId, topup_id: int | None, state: SubscriptionState
) -> Subscription | None:
    """Set the state Telegram reports for the newest subscription of this top-up; None if there is none."""
    changed = await tx.fetchrow(
        f"""
        UPDATE subscriptions SET state = $3, changed_at = photomat_now()
         WHERE subscription_id = (SELECT subscription_id FROM subscriptions
                                   WHERE user_id = $1 AND topup_id IS NOT DISTINCT FROM $2
                                   ORDER BY subscription_id DESC LIMIT 1)
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        user_id,
        topup_id,
        state,
    )
    log.info("SUBSCRIPTION", user_id=user_id, state=state, known=changed is not None)
    return None if changed is None else _subscription(changed)


async def note_canceled(tx: Transaction, canceled: Sequence[Subscription]) -> None:
    """Record that these are not renewed: Telegram accepted the cancellation."""
    await tx.execute(
        """
        UPDATE subscriptions SET state = 'canceled', changed_at = photomat_now()
         WHERE subscription_id = ANY($1) AND state <> 'ended'
        """,
        [one.subscription_id for one in canceled],
    )
    log.info("SUBSCRIPTION", state="canceled", by="bot", count=len(canceled))


async def end_expired(pool: Pool) -> int:
    """End subscriptions whose last paid month is over; return how many."""
    done = await pool.execute(
        """
        UPDATE subscriptions SET state = 'ended', changed_at = photomat_now()
         WHERE state <> 'ended' AND expires_at <= photomat_now()
           AND (state = 'canceled' OR expires_at <= photomat_now() - $1::interval)
        """,
        PATIENCE,
    )
    return int(done.rpartition(" ")[2])


async def _going_on(tx: Transaction, month: PaidMonth) -> int | None:
    """The subscription this month continues; without `is_first`, one that ended long ago is not continued."""
    found: int | None = await tx.fetchval(
        """
        SELECT subscription_id FROM subscriptions
         WHERE user_id = $1 AND topup_id IS NOT DISTINCT FROM $2 AND ($3 OR expires_at > $4::timestamptz - $5::interval)
         ORDER BY subscription_id DESC LIMIT 1
           FOR NO KEY UPDATE
        """,
        month.user_id,
        month.topup_id,
        month.is_first is False,
        month.paid_at,
        PATIENCE,
    )
    return found


async def _without_its_first(tx: Transaction, month: PaidMonth) -> int | None:
    """A subscription whose later month was reported before this first one."""
    found: int | None = await tx.fetchval(
        """
        SELECT subscription_id FROM subscriptions
         WHERE user_id = $1 AND topup_id IS NOT DISTINCT FROM $2 AND NOT first_known
         ORDER BY subscription_id DESC LIMIT 1
           FOR NO KEY UPDATE
        """,
        month.user_id,
        month.topup_id,
    )
    return found


async def _note_another(tx: Transaction, month: PaidMonth, until: datetime) -> None:
    """Report a second subscription that was paid before the first was known: the user pays both every month."""
    rows = await tx.fetch(
        """
        SELECT charge_id FROM subscriptions
         WHERE user_id = $1 AND state NOT IN ('ended', 'canceled')
           AND expires_at > photomat_now() - $2::interval AND $3 > photomat_now()
         ORDER BY subscription_id DESC
        """,
        month.user_id,
        PATIENCE,
        until,
    )
    if rows:
        running = [row["charge_id"] for row in rows]
        await differences.report(
            tx,
            kind="two-subscriptions",
            reference=f"payment:stars:{month.charge_id}",
            expected=f"one subscription of user {month.user_id}",
            found=f"this one besides {', '.join(running)}",
            again=False,
        )


async def _begin(tx: Transaction, month: PaidMonth, until: datetime) -> None:
    await tx.execute(
        """
        INSERT INTO subscriptions (charge_id, first_known, user_id, topup_id, stars, allowance, currency, state, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', $8)
        """,
        month.charge_id,
        month.is_first is not False,
        month.user_id,
        month.topup_id,
        month.stars,
        month.allowance.minor,
        month.allowance.currency,
        until,
    )


def _subscription(row: Row) -> Subscription:
    fields = dict(row)
    return Subscription(allowance=Money(fields.pop("allowance"), fields.pop("currency")), **fields)
