"""The last moves of a wallet, newest first, each with the balance after it; the holds of a job. For people; decides nothing."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHold:
    """Money set aside for a job, and what became of it; `closed_as` is None while it is held."""

    reference: str
    amount: Money
    held_at: datetime
    closed_as: str | None
    closed_at: datetime | None


async def holds_of_job(tx: Transaction, job_id: JobId) -> list[JobHold]:
    """Every hold of a job, oldest first: the one it was bought with, and that of an accepted offer."""
    return [
        JobHold(
            reference=row["reference"],
            amount=Money(row["amount"], row["currency"]),
            held_at=row["held_at"],
            closed_as=row["closed_as"],
            closed_at=row["closed_at"],
        )
        for row in await store.read_holds_of_job(tx, job_id)
    ]


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
