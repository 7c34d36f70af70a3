"""One move of a user's own with everything around it, as values: its order, its payment, what was given back of it.

`explain` tells the same to an operator, in sentences; the words a customer reads are the bot's. Reads only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet.statement import JobHold, Move, holds_of_job, own_move

PROMPT_TOLD: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The order a move belongs to; `price` is what was agreed when it was bought."""

    job_id: JobId
    price: Money
    status: str
    bought_at: datetime
    prompt: str | None
    holds: Sequence[JobHold]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A payment as its provider told it; an amount in XTR is a number of Stars."""

    provider: str
    amount: int
    currency: str
    paid_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenBack:
    """A later move that gives back of this one, or takes it back: how much of the user's money."""

    reason: str
    amount: Money
    booked_at: datetime
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A move and its surroundings. `payment` is the one it came with, or the one it gives back."""

    move: Move
    order: Ordered | None
    payment: Paid | None
    given_back: Sequence[GivenBack]


async def story_of_move(tx: Transaction, *, user_id: UserId, move_id: int) -> Story | None:
    """What became of one move and why it was; None when it is not this user's."""
    move = await own_move(tx, user_id=user_id, move_id=move_id)
    if move is None:
        return None
    return Story(
        move=move,
        order=None if move.job_id is None else await _order(tx, move.job_id),
        payment=await _payment(tx, move.gives_back or move.reference),
        given_back=await _given_back(tx, user_id, move_id),
    )


async def _order(tx: Transaction, job_id: JobId) -> Ordered | None:
    row = await tx.fetchrow(
        """
        SELECT price, currency, status, created_at, left(inputs ->> 'prompt', $2) AS prompt
          FROM generation_jobs WHERE job_id = $1
        """,
        job_id,
        PROMPT_TOLD,
    )
    if row is None:
        return None
    return Ordered(
        job_id=job_id,
        price=Money(row["price"], row["currency"]),
        status=row["status"],
        bought_at=row["created_at"],
        prompt=row["prompt"],
        holds=await holds_of_job(tx, job_id),
    )


async def _payment(tx: Transaction, reference: str) -> Paid | None:
    row = await tx.fetchrow(
        "SELECT provider, paid_amount, paid_currency, paid_at FROM payments WHERE reference = $1", reference
    )
    if row is None:
        return None
    return Paid(
        provider=row["provider"], amount=row["paid_amount"], currency=row["paid_currency"], paid_at=row["paid_at"]
    )


async def _given_back(tx: Transaction, user_id: UserId, move_id: int) -> list[GivenBack]:
    rows = await tx.fetch(
        """
        SELECT reason, reference, booked_at, currency, abs(sum(amount))::bigint AS amount
          FROM ledger_transactions JOIN entries USING (transaction_id)
         WHERE (reverses = $1 OR refunds = $1) AND user_id = $2
         GROUP BY transaction_id, reason, reference, booked_at, currency ORDER BY transaction_id
        """,
        move_id,
        user_id,
    )
    return [
        GivenBack(
            reason=row["reason"],
            amount=Money(row["amount"], row["currency"]),
            booked_at=row["booked_at"],
            reference=row["reference"],
        )
        for row in rows
    ]
