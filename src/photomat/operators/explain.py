"""Explains one posting, or all the money of a job, in sentences for an operator. A report: reads everything, writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.wallet.ledger import holds_of_job

WORDS = {
    "welcome": "a welcome credit",
    "topup": "a top-up",
    "operator": "moved by an operator",
    "charge": "charged for a job",
    "refund": "a refund",
    "undelivered": "a refund, because the result could not be delivered",
    "payment-refund": "a payment taken back",
    "debt": "a debt paid with money that became free",
    "correction": "a correction",
    "gift": "a gift",
    "promo": "a promo code",
    "bonus": "a bonus",
    "referral": "a reward for an invitation",
    "subscription": "the allowance of a subscription",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Sentences, oldest fact first; `job_id` if the posting belongs to a job."""

    sentences: Sequence[str]
    job_id: JobId | None


async def explain_move(tx: Transaction, reference: str) -> Explanation | None:
    """Explain the transaction with this reference; None if there is none."""
    rows = await tx.fetch(
        """
        SELECT transaction_id, booked.reference, reason, job_id, booked_at, facts, account, user_id, currency, amount,
               (SELECT named.reference FROM ledger_transactions AS named
                 WHERE named.transaction_id = coalesce(booked.reverses, booked.refunds)) AS gives_back
          FROM ledger_transactions AS booked JOIN entries USING (transaction_id)
         WHERE booked.reference = $1 ORDER BY line
        """,
        reference,
    )
    if not rows:
        return None
    first = rows[0]
    sentences = [
        f"{reference} is {WORDS[first['reason']]}, booked {_when(first['booked_at'])}.",
        *(_line(row) for row in rows),
    ]
    if first["gives_back"]:
        sentences.append(f"It gives back {first['gives_back']}.")
    if first["facts"]:
        sentences.append(
            "Recorded when it was booked: " + ", ".join(f"{k} {v}" for k, v in first["facts"].items()) + "."
        )
    sentences += [
        f"{row['reference']} ({WORDS[row['reason']]}) gave back {Money(abs(row['amount']), row['currency'])} of it"
        f" {_when(row['booked_at'])}."
        for row in await _given_back(tx, first["transaction_id"])
    ]
    sentences += await _who_did(tx, "reference = $1", reference)
    return Explanation(sentences=sentences, job_id=JobId(first["job_id"]) if first["job_id"] is not None else None)


async def explain_job(tx: Transaction, job_id: JobId) -> Explanation | None:
    """Explain where the money of a job is and how it got there; None if there is no such job."""
    job = await tx.fetchrow(
        """
        SELECT user_id, model, price, currency, status, gift, created_at FROM generation_jobs WHERE job_id = $1
        """,
        job_id,
    )
    if job is None:
        return None
    price = Money(job["price"], job["currency"])
    given_away = ", given away" if job["gift"] else ""
    bought = f"was quoted {price} when it was bought {_when(job['created_at'])}."
    sentences = [f"Job {job_id} ({job['model']}, {job['status']}{given_away}) of user {job['user_id']} {bought}"]
    if not price.minor:
        sentences.append("It is free: no money was held.")
    for hold in await holds_of_job(tx, job_id):
        sentences.append(f"{hold.amount} was held as {hold.reference} {_when(hold.held_at)}.")
        sentences.append(_ending(hold.closed_as, hold.closed_at))
    sentences += [
        f"{Money(row['amount'], row['currency'])} was given back as {row['reference']} ({WORDS[row['reason']]})"
        f" {_when(row['booked_at'])}."
        for row in await _refunds(tx, job_id)
    ]
    sentences += await _who_did(tx, "job_id = $1", job_id)
    return Explanation(sentences=sentences, job_id=job_id)


async def _given_back(tx: Transaction, transaction_id: int) -> list[Row]:
    return await tx.fetch(
        """
        SELECT reference, reason, booked_at, currency, sum(amount) FILTER (WHERE amount > 0)::bigint AS amount
          FROM ledger_transactions JOIN entries USING (transaction_id)
         WHERE reverses = $1 OR refunds = $1
         GROUP BY transaction_id, reference, reason, booked_at, currency ORDER BY transaction_id
        """,
        transaction_id,
    )


async def _refunds(tx: Transaction, job_id: JobId) -> list[Row]:
    return await tx.fetch(
        """
        SELECT reference, reason, booked_at, currency, sum(amount)::bigint AS amount
          FROM ledger_transactions JOIN entries USING (transaction_id)
         WHERE job_id = $1 AND refunds IS NOT NULL AND user_id IS NOT NULL
         GROUP BY transaction_id, reference, reason, booked_at, currency ORDER BY transaction_id
        """,
        job_id,
    )


async def _who_did(tx: Transaction, which: str, key: object) -> list[str]:
    rows = await tx.fetch(
        f"""
        SELECT at, operator, action, reason, done, outcome FROM operator_journal WHERE {which} ORDER BY entry_id
        """,  # noqa: S608  our own two conditions
        key,
    )
    return [
        f"{row['operator']} {'did' if row['done'] else 'was refused'} “{row['action']}” {_when(row['at'])}"
        f"{', because: ' + row['reason'] if row['reason'] else ''}. {row['outcome']}"
        for row in rows
    ]


def _line(row: Row) -> str:
    amount = Money(row["amount"], row["currency"])
    sign = "+" if row["amount"] > 0 else ""
    whose = f" of user {row['user_id']}" if row["user_id"] is not None else ""
    return f"{row['account']}{whose}: {sign}{amount}."


def _ending(closed_as: str | None, closed_at: datetime | None) -> str:
    match closed_as:
        case None:
            return "It is held still: the job is on its way."
        case "charge":
            return f"It was charged {_when(closed_at)}."
        case _:
            return f"It was released {_when(closed_at)}: the customer paid nothing."


def _when(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "at an unknown time"
