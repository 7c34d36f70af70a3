"""Payments as they were received, which never change, and what went back of them: for a payer and for operators."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """What was paid, and what was credited for it."""

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
class PastPayment:
    """A payment; `refunded` went back of it, `refunding` is on its way back."""

    payment_id: int
    provider: str
    paid: Money
    credit: Money
    refunded: Money
    refunding: Money
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

    @property
    def gone(self) -> Money:
        """What went back of its credit, or is on its way back."""
        minor = sum(one.amount.minor for one in self.refunds if one.state != "refused")
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
    """Lock a payment by its provider's id."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM payments WHERE provider = $1 AND external_id = $2 FOR NO KEY UPDATE",  # noqa: S608  a constant list
        provider,
        external_id,
    )
    return None if row is None else payment_of(row)


def payment_of(row: Row) -> Payment:
    return Payment(
        payment_id=row["payment_id"],
        provider=row["provider"],
        external_id=row["external_id"],
        user_id=UserId(row["user_id"]),
        topup_id=row["topup_id"],
        paid=Money(row["paid_amount"], row["paid_currency"]),
        credit=Money(row["credit"], row["currency"]),
        reason=row["reason"],
        reference=row["reference"],
        via=row["via"],
        paid_at=row["paid_at"],
        received_at=row["received_at"],
    )


async def recent_payments(pool: Pool, *, user_id: UserId, limit: int) -> list[PastPayment]:
    rows = await pool.fetch(
        """
        SELECT payment_id, provider, paid_amount, paid_currency, credit, currency, received_at,
               (SELECT coalesce(sum(amount) FILTER (WHERE state = 'done'), 0)::bigint
                  FROM payment_refunds AS back WHERE back.payment_id = payments.payment_id) AS refunded,
               (SELECT coalesce(sum(amount) FILTER (WHERE state = 'wanted'), 0)::bigint
                  FROM payment_refunds AS back WHERE back.payment_id = payments.payment_id) AS refunding
          FROM payments WHERE user_id = $1
         ORDER BY received_at DESC, payment_id DESC LIMIT $2
        """,
        user_id,
        limit,
    )
    return [_past(row) for row in rows]


def _past(row: Row) -> PastPayment:
    currency = row["currency"]
    return PastPayment(
        payment_id=row["payment_id"],
        provider=row["provider"],
        paid=Money(row["paid_amount"], row["paid_currency"]),
        credit=Money(row["credit"], currency),
        refunded=Money(row["refunded"], currency),
        refunding=Money(row["refunding"], currency),
        received_at=row["received_at"],
    )


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
        found.setdefault(row["payment_id"], []).append(_refund(row, by_id[row["payment_id"]]))
    return found


def _refund(row: Row, payment: Payment) -> ListedRefund:
    return ListedRefund(
        refund_id=row["refund_id"],
        amount=Money(row["amount"], payment.credit.currency),
        paid=Money(row["paid_amount"], payment.paid.currency),
        state=row["state"],
        asked_by=row["asked_by"],
        created_at=row["created_at"],
        closed_at=row["closed_at"],
        attempts=row["attempts"],
        error=row["error"],
    )
