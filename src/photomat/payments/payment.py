"""A payment as it was received. Never changed; what went back of it is in `payment_refunds`."""

from dataclasses import dataclass
from datetime import datetime
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
    """What was paid, and what it was credited as."""

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


async def find_payment(db: Pool | Transaction, payment_id: int) -> Payment | None:
    """The payment with our number."""
    row = await db.fetchrow(f"SELECT {COLUMNS} FROM payments WHERE payment_id = $1", payment_id)  # noqa: S608  a constant list
    return None if row is None else payment_of(row)


async def lock_payment(tx: Transaction, payment_id: int) -> Payment | None:
    """The same, locked for whoever gives it back; lock it before the wallet."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM payments WHERE payment_id = $1 FOR NO KEY UPDATE",  # noqa: S608  a constant list
        payment_id,
    )
    return None if row is None else payment_of(row)


async def lock_told_payment(tx: Transaction, provider: str, external_id: str) -> Payment | None:
    """The payment its provider calls so, locked."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM payments WHERE provider = $1 AND external_id = $2 FOR NO KEY UPDATE",  # noqa: S608  a constant list
        provider,
        external_id,
    )
    return None if row is None else payment_of(row)


def payment_of(row: Row) -> Payment:
    """A row as a value."""
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
