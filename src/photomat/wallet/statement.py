"""The moves of a wallet, newest first, each with what it is about and the balance after it; the holds of a job.

For people; decides nothing. Pages go by the key of the last move seen, so a new move shifts nothing. Rows of this user's alone
are read: those of the page, and the sums of the newer ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import store

PROMPT_SHOWN: Final = 60
LARGEST_ID: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One line of a statement: money that came (positive) or went (negative), and why.

    `debt` is how much more is owed since (negative: paid). `model` and `prompt` are of the job it was for, `other_user` is
    who gave or got a gift and `other_name` what they call themselves, `gives_back` the reference of the move it gives back,
    `facts` what was told when it was booked.
    """

    move_id: int
    booked_at: datetime
    reason: str
    amount: Money
    debt: Money
    balance_after: Money
    reference: str
    job_id: JobId | None
    model: str | None
    prompt: str | None
    other_user: UserId | None
    other_name: str | None
    gives_back: str | None
    facts: Mapping[str, str | int]


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


async def statement(tx: Transaction, *, user_id: UserId, limit: int = 20, before: int | None = None) -> list[Move]:
    """The `limit` moves before the move with the id `before`, or the last ones, newest first.

    Open holds are not moves: `balance` tells their sum.
    """
    rows = await tx.fetch(
        """
        WITH moves AS (
            SELECT transaction_id, currency,
                   coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0)::bigint AS amount,
                   coalesce(-sum(amount) FILTER (WHERE account = 'debt'), 0)::bigint AS debt
              FROM entries
             WHERE user_id = $1 AND ($2::bigint IS NULL OR transaction_id < $2)
             GROUP BY transaction_id, currency
             ORDER BY transaction_id DESC
             LIMIT $3
        ), newer AS (
            SELECT coalesce(sum(amount), 0) AS sum
              FROM entries
             WHERE user_id = $1 AND account = 'wallet' AND transaction_id >= $2
        )
        SELECT moves.transaction_id, booked_at, reason, moves.amount, moves.debt, moves.currency, booked.reference, facts,
               (posted - newer.sum - sum(moves.amount) OVER (ORDER BY moves.transaction_id DESC) + moves.amount)::bigint
                   AS balance_after,
               booked.job_id, model, left(job.inputs ->> 'prompt', $4) AS prompt,
               other.user_id AS other_user, other.first_name AS other_name,
               (SELECT named.reference FROM ledger_transactions AS named
                 WHERE named.transaction_id = coalesce(booked.reverses, booked.refunds)) AS gives_back
          FROM newer, moves
          JOIN wallets ON wallets.user_id = $1 AND wallets.currency = moves.currency
          JOIN ledger_transactions AS booked USING (transaction_id)
          LEFT JOIN generation_jobs AS job ON job.job_id = booked.job_id
          LEFT JOIN gifts ON reason = 'gift' AND gift_id =
               CASE WHEN booked.reference ~ '^gift-(in|out):[0-9]{1,18}$' THEN split_part(booked.reference, ':', 2)::bigint END
          LEFT JOIN users AS other ON other.user_id = coalesce(
               (SELECT min(theirs.user_id) FROM entries AS theirs
                 WHERE theirs.transaction_id = moves.transaction_id AND theirs.user_id <> $1),
               CASE giver_id WHEN $1 THEN taker_id ELSE giver_id END)
         ORDER BY moves.transaction_id DESC
        """,
        user_id,
        before,
        limit,
        PROMPT_SHOWN,
    )
    return [_move(row) for row in rows]


async def own_move(tx: Transaction, *, user_id: UserId, move_id: int) -> Move | None:
    """One move of this user's; None when there is none with this id, or it is somebody else's."""
    if move_id >= LARGEST_ID:
        return None
    found = await statement(tx, user_id=user_id, limit=1, before=move_id + 1)
    return found[0] if found and found[0].move_id == move_id else None


async def newer_page(tx: Transaction, *, user_id: UserId, before: int, limit: int) -> int | None:
    """The `before` of the page that ends right above the page of `before`; None when that is the newest page."""
    rows = await tx.fetch(
        """
        SELECT DISTINCT transaction_id FROM entries
         WHERE user_id = $1 AND transaction_id >= $2 ORDER BY transaction_id LIMIT $3
        """,
        user_id,
        before,
        limit + 1,
    )
    return rows[limit]["transaction_id"] if len(rows) > limit else None


def _move(row: Row) -> Move:
    currency = row["currency"]
    return Move(
        move_id=row["transaction_id"],
        booked_at=row["booked_at"],
        reason=row["reason"],
        amount=Money(row["amount"], currency),
        debt=Money(row["debt"], currency),
        balance_after=Money(row["balance_after"], currency),
        reference=row["reference"],
        job_id=JobId(row["job_id"]) if row["job_id"] is not None else None,
        model=row["model"],
        prompt=row["prompt"],
        other_user=UserId(row["other_user"]) if row["other_user"] is not None else None,
        other_name=row["other_name"],
        gives_back=row["gives_back"],
        facts=row["facts"],
    )
