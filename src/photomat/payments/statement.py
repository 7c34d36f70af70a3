"""A user's statement: every posting of their wallet, newest first, each with what it is about and the balance after it.

A report: it reads the ledger together with jobs, gifts and payments, and writes nothing. Pages go by the key of the last
line seen, so a new posting shifts nothing. Only rows of this user are read: those of the page, and the sums of newer ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet.ledger import JobHold, holds_of_job

PROMPT_SHOWN: Final = 60
MAX_ID: Final = 2**63 - 1
PROMPT_IN_DETAILS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementLine:
    """Money that came (positive) or went (negative), and why.

    `debt` is how much more is owed since (negative: paid). `model`, `kind` and `prompt` are of its job, `other_user` and
    `other_name` of the other side of a gift, `gives_back` is the reference of what it refunds or reverses, `facts` are those
    of its posting.
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
    kind: str | None
    prompt: str | None
    other_user: UserId | None
    other_name: str | None
    gives_back: str | None
    facts: Mapping[str, str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHold:
    job_id: JobId
    amount: Money
    model: str
    prompt: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetails:
    """The job a line belongs to; `price` is that of the purchase."""

    job_id: JobId
    price: Money
    status: str
    bought_at: datetime
    prompt: str | None
    holds: Sequence[JobHold]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentDetails:
    """A payment as its provider reported it; an amount in XTR is a number of Stars."""

    provider: str
    amount: int
    currency: str
    paid_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """A later transaction that refunds or takes back this one: how much of the user's money."""

    reason: str
    amount: Money
    booked_at: datetime
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDetails:
    """A line with its job, its payment (its own, or the one it gives back), and what was reversed of it."""

    move: StatementLine
    order: OrderDetails | None
    payment: PaymentDetails | None
    given_back: Sequence[Reversal]


async def statement(
    tx: Transaction, *, user_id: UserId, limit: int = 20, before: int | None = None
) -> list[StatementLine]:
    """The newest `limit` lines, or those before the line with the id `before`. Open holds are not among them."""
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
               booked.job_id, model, job.kind, left(job.inputs ->> 'prompt', $4) AS prompt,
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


async def own_line(tx: Transaction, *, user_id: UserId, move_id: int) -> StatementLine | None:
    """One line of this user's; None if there is none with this id, or it is another user's."""
    if move_id >= MAX_ID:
        return None
    found = await statement(tx, user_id=user_id, limit=1, before=move_id + 1)
    return found[0] if found and found[0].move_id == move_id else None


async def newer_page(tx: Transaction, *, user_id: UserId, before: int, limit: int) -> int | None:
    """The `before` of the page above the page of `before`; None if that is the newest page."""
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


def _move(row: Row) -> StatementLine:
    fields = dict(row)
    currency = fields.pop("currency")
    return StatementLine(
        move_id=fields.pop("transaction_id"),
        amount=Money(fields.pop("amount"), currency),
        debt=Money(fields.pop("debt"), currency),
        balance_after=Money(fields.pop("balance_after"), currency),
        **fields,
    )


async def open_holds(tx: Transaction, *, user_id: UserId) -> list[OpenHold]:
    """Every open hold of the user, newest first.

    Open holds belong to unfinished jobs (invariant `open-hold-has-a-live-job`), so only those few jobs are read.
    """
    rows = await tx.fetch(
        """
        SELECT job_id, amount, held.currency, model, left(job.inputs ->> 'prompt', $2) AS prompt
          FROM generation_jobs AS job JOIN holds AS held USING (job_id) LEFT JOIN hold_closings USING (reference)
         WHERE job.user_id = $1 AND settled_at IS NULL AND closed_as IS NULL
         ORDER BY job_id DESC
        """,
        user_id,
        PROMPT_SHOWN,
    )
    return [
        OpenHold(
            job_id=JobId(row["job_id"]),
            amount=Money(row["amount"], row["currency"]),
            model=row["model"],
            prompt=row["prompt"],
        )
        for row in rows
    ]


async def line_details(tx: Transaction, *, user_id: UserId, move_id: int) -> LineDetails | None:
    """One line with everything around it; None if it is not this user's."""
    move = await own_line(tx, user_id=user_id, move_id=move_id)
    if move is None:
        return None
    return LineDetails(
        move=move,
        order=None if move.job_id is None else await _order(tx, move.job_id),
        payment=await _payment(tx, move.gives_back or move.reference),
        given_back=await _given_back(tx, user_id, move_id),
    )


async def _order(tx: Transaction, job_id: JobId) -> OrderDetails | None:
    row = await tx.fetchrow(
        """
        SELECT price, currency, status, created_at, left(inputs ->> 'prompt', $2) AS prompt
          FROM generation_jobs WHERE job_id = $1
        """,
        job_id,
        PROMPT_IN_DETAILS,
    )
    if row is None:
        return None
    return OrderDetails(
        job_id=job_id,
        price=Money(row["price"], row["currency"]),
        status=row["status"],
        bought_at=row["created_at"],
        prompt=row["prompt"],
        holds=await holds_of_job(tx, job_id),
    )


async def _payment(tx: Transaction, reference: str) -> PaymentDetails | None:
    row = await tx.fetchrow(
        "SELECT provider, paid_amount, paid_currency, paid_at FROM payments WHERE reference = $1", reference
    )
    if row is None:
        return None
    return PaymentDetails(
        provider=row["provider"], amount=row["paid_amount"], currency=row["paid_currency"], paid_at=row["paid_at"]
    )


async def _given_back(tx: Transaction, user_id: UserId, move_id: int) -> list[Reversal]:
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
        Reversal(
            reason=row["reason"],
            amount=Money(row["amount"], row["currency"]),
            booked_at=row["booked_at"],
            reference=row["reference"],
        )
        for row in rows
    ]
