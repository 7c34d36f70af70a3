"""The last moves of a wallet, newest first, each with the balance after it. For people; decides nothing."""

from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import store


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One line of a statement: money that came (positive) or went (negative), and why."""

    booked_at: datetime
    reason: str
    amount: Money
    balance_after: Money
    reference: str
    job_id: JobId | None


async def statement(tx: Transaction, *, user_id: UserId, limit: int = 20) -> list[Move]:
    """The last `limit` moves of the user, newest first. Open holds are not moves: `balance` tells their sum."""
    return [
        Move(
            booked_at=row["booked_at"],
            reason=row["reason"],
            amount=Money(row["amount"], row["currency"]),
            balance_after=Money(row["balance_after"], row["currency"]),
            reference=row["reference"],
            job_id=JobId(row["job_id"]) if row["job_id"] is not None else None,
        )
        for row in await store.read_last_moves(tx, user_id, limit)
    ]
