"""Payments as they were received, which never change, and their refunds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money

COLUMNS: Final = (
    "payment_id, provider, external_id, user_id, topup_id, paid_amount, paid_currency, credit, currency, reason, reference,"
    " via, paid_at, received_at"
)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    payment_id: int
    provider: str
    external_id: str
    user_id: UserId
    topup_id: int | None
    paid: Money
    credit: Money
    reason: str
    reference: str
    via: str
    paid_at: datetime
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRefund:
    """A refund of a payment; `error` is the last one of a refund that has not succeeded yet."""

    refund_id: int
    amount: Money
    paid: Money
    state: str
    asked_by: str
    created_at: datetime
    closed_at: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPayment:
    """A payment with all of its refunds, oldest first."""

    payment: Payment
    refunds: Sequence[ListedRefund]

    def refunded(self, *states: str) -> Money:
        """What its refunds in these states gave back of its credit: `done`, or `wanted`, which is on its way."""
        minor = sum(one.amount.minor for one in self.refunds if one.state in states)
        return Money(minor, self.payment.credit.currency)


async def find_payment(pool: Pool, payment_id: int) -> Payment | None:
    row = await pool.fetchrow(f"SELECT {COLUMNS} FROM payments WHERE payment_id = $1", payment_id)  # noqa: S608  a constant list
    return None if row is None else payment_of(row)


async def lock_payment(tx: Transaction, payment_id: int) -> Payment | None:
    """Lock a payment before its refunds are counted or changed, and before the wallet."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM payments WHERE payment_id = $1 FOR NO KEY UPDATE",  # noqa: S608  a constant list
        payment_id,
    )
    return None if row is None else payment_of(row)


async def lock_provider_payment(tx: Transaction, provider: str, external_id: str) -> Payment | None:
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM payments WHERE provider = $1 AND external_id = $2 FOR NO KEY UPDATE",  # noqa: S608  a constant list
        provider,
        external_id,
    )
    return None if row is None else payment_of(row)


def payment_of(row: Row) -> Payment:
    fields = dict(row)
    paid = Money(fields.pop("paid_amount"), fields.pop("paid_currency"))
    credit = Money(fields.pop("credit"), fields.pop("currency"))
    return Payment(paid=paid, credit=credit, **fields)


async def list_payments(
    pool: Pool,
    *,
    user_id: UserId | None = None,
    provider: str | None = None,
    since: timedelta | None = None,
    payment_id: int | None = None,
    limit: int = 50,
) -> list[ListedPayment]:
    rows = await pool.fetch(
        f"""
        SELECT {COLUMNS} FROM payments
         WHERE ($1::bigint IS NULL OR user_id = $1) AND ($2::text IS NULL OR provider = $2)
           AND ($3::interval IS NULL OR received_at > photomat_now() - $3) AND ($4::bigint IS NULL OR payment_id = $4)
         ORDER BY received_at DESC, payment_id DESC LIMIT $5
        """,  # noqa: S608  a constant list of columns
        user_id,
        provider,
        since,
        payment_id,
        limit,
    )
    payments = [payment_of(row) for row in rows]
    refunds = await _refunds(pool, payments)
    return [ListedPayment(payment=one, refunds=refunds.get(one.payment_id, [])) for one in payments]


async def _refunds(pool: Pool, payments: Sequence[Payment]) -> dict[int, list[ListedRefund]]:
    by_id = {payment.payment_id: payment for payment in payments}
    rows = await pool.fetch(
        """
        SELECT payment_id, refund_id, amount, paid_amount, state, asked_by, created_at, closed_at, attempts, error
          FROM payment_refunds WHERE payment_id = ANY($1::bigint[]) ORDER BY refund_id
        """,
        list(by_id),
    )
    found: dict[int, list[ListedRefund]] = {}
    for row in rows:
        fields = dict(row)
        payment = by_id[fields.pop("payment_id")]
        amount = Money(fields.pop("amount"), payment.credit.currency)
        paid = Money(fields.pop("paid_amount"), payment.paid.currency)
        found.setdefault(payment.payment_id, []).append(ListedRefund(amount=amount, paid=paid, **fields))
    return found


async def wait_to_pay(pool: Pool, user_id: UserId, *, a_day: int) -> timedelta | None:
    """How long until the user may pay again; None if they may now. An `a_day` of 0 is no limit."""
    if not a_day:
        return None
    wait: timedelta | None = await pool.fetchval(
        """
        SELECT received_at + $2::interval - photomat_now() FROM payments
         WHERE user_id = $1 AND received_at > photomat_now() - $2::interval
         ORDER BY received_at DESC OFFSET $3 LIMIT 1
        """,
        user_id,
        DAY,
        a_day - 1,
    )
    return wait
