"""The moves of a wallet, newest first, each with what it is about and the balance after it; the holds of a job.

For people; decides nothing. Pages go by the key of the last move seen, so a new move shifts nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import store

PROMPT_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One line of a statement: money that came (positive) or went (negative), and why.

    `debt` is how much more is owed since (negative: paid). `model` and `prompt` are of the job it was for, `other_user` is
    who gave or got a gift, `gives_back` the reference of the move it gives back, `facts` what was told when it was booked.
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
               (SELECT min(other.user_id) FROM entries AS other
                 WHERE other.transaction_id = moves.transaction_id AND other.user_id <> $1) AS other_user,
               (SELECT named.reference FROM ledger_transactions AS named
                 WHERE named.transaction_id = coalesce(booked.reverses, booked.refunds)) AS gives_back
          FROM newer, moves
          JOIN wallets ON wallets.user_id = $1 AND wallets.currency = moves.currency
          JOIN ledger_transactions AS booked USING (transaction_id)
          LEFT JOIN generation_jobs AS job ON job.job_id = booked.job_id
         ORDER BY moves.transaction_id DESC
        """,
        user_id,
        before,
        limit,
        PROMPT_SHOWN,
    )
    return [_move(row) for row in rows]


def _move(row: asyncpg.Record) -> Move:
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
        gives_back=row["gives_back"],
        facts=row["facts"],
    )
