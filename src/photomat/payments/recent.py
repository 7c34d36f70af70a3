"""A user's last payments and what became of them: what support looks at, and what the user is shown."""

from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PastPayment:
    """One payment; `refunded` went back of it, `refunding` is on its way back."""

    payment_id: int
    provider: str
    paid: Money
    credit: Money
    refunded: Money
    refunding: Money
    received_at: datetime


async def recent_payments(pool: Pool, *, user_id: UserId, limit: int) -> list[PastPayment]:
    """The last payments of a user, newest first."""
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
