"""Explains one posting, or all the money of a job, in sentences for an operator. A report: reads everything, writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.operators.actions import recorded_outcome
from photomat.texts.sentence import Sentence
from photomat.wallet.ledger import holds_of_job

WORDS: Final = (
    "welcome",
    "topup",
    "operator",
    "charge",
    "refund",
    "undelivered",
    "payment-refund",
    "debt",
    "correction",
    "gift",
    "promo",
    "bonus",
    "referral",
    "subscription",
)
"""Reasons of postings, each with the text `move-<reason>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Sentences, oldest fact first; `job_id` if the posting belongs to a job."""

    sentences: Sequence[Sentence]
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
        Sentence("move-is", reference=reference, what=_what(first), at=_when(first["booked_at"])),
        *(_line(row) for row in rows),
    ]
    if first["gives_back"]:
        sentences.append(Sentence("move-gives-back", reference=first["gives_back"]))
    if first["facts"]:
        facts = ", ".join(f"{name} {value}" for name, value in first["facts"].items())
        sentences.append(Sentence("move-facts", facts=facts))
    sentences += [
        Sentence(
            "move-given-back",
            reference=row["reference"],
            what=_what(row),
            amount=Money(abs(row["amount"]), row["currency"]),
            at=_when(row["booked_at"]),
        )
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
    bought = Sentence(
        "money-of-job",
        job=job_id,
        model=job["model"],
        status=job["status"],
        gift="yes" if job["gift"] else "no",
        user=job["user_id"],
        price=price,
        at=_when(job["created_at"]),
    )
    sentences = [bought] if price.minor else [bought, Sentence("money-of-job-free")]
    for hold in await holds_of_job(tx, job_id):
        held = Sentence("money-held", amount=hold.amount, reference=hold.reference, at=_when(hold.held_at))
        sentences.append(held)
        sentences.append(_ending(hold.closed_as, hold.closed_at))
    sentences += [
        Sentence(
            "money-given-back",
            amount=Money(row["amount"], row["currency"]),
            reference=row["reference"],
            what=_what(row),
            at=_when(row["booked_at"]),
        )
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


async def _who_did(tx: Transaction, which: str, key: object) -> list[Sentence]:
    rows = await tx.fetch(
        f"""
        SELECT at, operator, action, reason, done, outcome, outcome_key, outcome_facts
          FROM operator_journal WHERE {which} ORDER BY entry_id
        """,  # noqa: S608  our own two conditions
        key,
    )
    return [
        Sentence(
            "operator-did",
            operator=row["operator"],
            done="yes" if row["done"] else "no",
            action=row["action"],
            at=_when(row["at"]),
            given="yes" if row["reason"] else "no",
            reason=row["reason"] or "",
            outcome=recorded_outcome(dict(row)),
        )
        for row in rows
    ]


def _what(row: Row) -> Sentence:
    return Sentence(f"move-{row['reason']}")


def _line(row: Row) -> Sentence:
    amount = Money(row["amount"], row["currency"])
    sign = "+" if row["amount"] > 0 else ""
    if row["user_id"] is None:
        return Sentence("move-line", account=row["account"], sign=sign, amount=amount)
    return Sentence("move-line-of-user", account=row["account"], user=row["user_id"], sign=sign, amount=amount)


def _ending(closed_as: str | None, closed_at: datetime | None) -> Sentence:
    match closed_as:
        case None:
            return Sentence("money-still-held")
        case "charge":
            return Sentence("money-was-charged", at=_when(closed_at))
        case _:
            return Sentence("money-was-released", at=_when(closed_at))


def _when(at: datetime | None) -> str | Sentence:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else Sentence("money-unknown-time")
