"""Payments for operators: what arrived, from whom, and what went back of it. Reads only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.payments.payment import COLUMNS, Payment, payment_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRefund:
    """One refund of a payment; `error` is what was said last where it has not worked yet."""

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
        """What has gone back of its credit, or is about to."""
        minor = sum(one.amount.minor for one in self.refunds if one.state != "refused")
        return Money(minor, self.payment.credit.currency)


async def list_payments(
    pool: Pool,
    *,
    user_id: UserId | None = None,
    provider: str | None = None,
    since: timedelta | None = None,
    payment_id: int | None = None,
    limit: int = 50,
) -> list[ListedPayment]:
    """The payments that fit, newest first."""
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
