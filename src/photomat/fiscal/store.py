"""Statements on fiscal receipts and on the documents their issuers were seen to hold. Every write of a claim tests its fence.

A document is a fact: it is recorded without a fence, because a process that lost its claim still learned that it exists.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from photomat.db.pool import Pool, Transaction
from photomat.fiscal.receipt import COLUMNS, FiscalIssuerName, FiscalReceipt, receipt_of, rest_reference
from photomat.providers.fiscal_port import TaxDocument

FISCAL_DUE: Final = "SELECT 1 FROM fiscal_receipts WHERE due_at <= photomat_now()"
BY_AGE: Final = "least(greatest((photomat_now() - created_at) / 4, interval '5 seconds'), interval '15 minutes')"
"""How long a row waits for its next try when nothing says otherwise: the older, the longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedFiscal:
    """A claimed row. `is_past_delay`: nothing sent for it can still arrive, so a complete list without it is a proof."""

    receipt: FiscalReceipt
    is_past_delay: bool


async def claim_fiscal(pool: Pool, *, limit: int, lease: timedelta, unknown_delay: timedelta) -> list[ClaimedFiscal]:
    rows = await pool.fetch(
        f"""
        WITH due AS MATERIALIZED (
            SELECT fiscal_id AS due_id FROM fiscal_receipts WHERE due_at <= photomat_now()
               AND (SELECT photomat_our_bot($4)) IS NOT NULL
             ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE fiscal_receipts SET due_at = photomat_now() + $2::interval, fence = fence + 1, attempts = attempts + 1
          FROM due
         WHERE fiscal_id = due_id
        RETURNING {COLUMNS}, coalesce(sent_at + $3::interval <= photomat_now(), true) AS is_past_delay
        """,  # noqa: S608  a constant list of columns
        limit,
        lease,
        unknown_delay,
        pool.bot_id,
    )
    return [_claimed(dict(row)) for row in rows]


def _claimed(fields: dict[str, Any]) -> ClaimedFiscal:
    is_past_delay = bool(fields.pop("is_past_delay"))
    return ClaimedFiscal(receipt=receipt_of(fields), is_past_delay=is_past_delay)


async def has_waited(pool: Pool, receipt: FiscalReceipt, longer_than: timedelta) -> bool:
    return bool(
        await pool.fetchval(
            "SELECT created_at <= photomat_now() - $2::interval FROM fiscal_receipts WHERE fiscal_id = $1",
            receipt.fiscal_id,
            longer_than,
        )
    )


async def set_issuer(pool: Pool, receipt: FiscalReceipt, issuer: FiscalIssuerName) -> bool:
    return bool(
        await pool.fetchval(
            """
            UPDATE fiscal_receipts SET issuer = $3
             WHERE fiscal_id = $1 AND fence = $2 AND state = 'wanted'
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
            issuer,
        )
    )


async def record_intent(pool: Pool, receipt: FiscalReceipt, *, lease: timedelta) -> bool:
    """The request leaves now; False if the claim was lost, or an income is to be annulled before it was ever sent."""
    return bool(
        await pool.fetchval(
            """
            UPDATE fiscal_receipts AS document
               SET state = 'sending', sent_at = photomat_now(), sends = sends + 1, error = NULL,
                   due_at = photomat_now() + $3::interval
             WHERE fiscal_id = $1 AND fence = $2 AND state = 'wanted'
               AND NOT (kind = 'income' AND EXISTS (
                       SELECT FROM fiscal_receipts AS later
                        WHERE later.payment_id = document.payment_id AND later.kind = 'annulment'
                          AND later.round = document.round AND later.due_at IS NOT NULL))
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
            lease,
        )
    )


async def record_unknown(pool: Pool, receipt: FiscalReceipt, *, look_after: timedelta, error: str) -> bool:
    """The request left and got no answer: look it up after a while."""
    return bool(
        await pool.fetchval(
            """
            UPDATE fiscal_receipts SET state = 'unknown', due_at = photomat_now() + $3::interval, error = $4
             WHERE fiscal_id = $1 AND fence = $2 AND state IN ('sending', 'unknown')
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
            look_after,
            error,
        )
    )


async def put_back(pool: Pool, receipt: FiscalReceipt, *, after: timedelta | None, error: str | None) -> bool:
    """Nothing exists at the issuer: it is wanted again after a while; `after` None: by its age."""
    return bool(
        await pool.fetchval(
            f"""
            UPDATE fiscal_receipts SET state = 'wanted', due_at = photomat_now() + coalesce($3::interval, {BY_AGE}), error = $4
             WHERE fiscal_id = $1 AND fence = $2 AND state IN ('wanted', 'sending', 'unknown')
            RETURNING true
            """,  # noqa: S608  a constant of ours
            receipt.fiscal_id,
            receipt.fence,
            after,
            error,
        )
    )


async def postpone(pool: Pool, receipt: FiscalReceipt, *, after: timedelta | None, error: str) -> bool:
    """Nothing was learned: the state stays, and the next try comes after a while; `after` None: by its age."""
    return bool(
        await pool.fetchval(
            f"""
            UPDATE fiscal_receipts SET due_at = photomat_now() + coalesce($3::interval, {BY_AGE}), error = $4
             WHERE fiscal_id = $1 AND fence = $2 AND state IN ('wanted', 'sending', 'unknown')
            RETURNING true
            """,  # noqa: S608  a constant of ours
            receipt.fiscal_id,
            receipt.fence,
            after,
            error,
        )
    )


async def record_waiting(pool: Pool, receipt: FiscalReceipt, *, state: str, error: str | None) -> bool:
    """No issuer is enabled (`without`), or only an operator can go on (`blocked`)."""
    return bool(
        await pool.fetchval(
            """
            UPDATE fiscal_receipts SET state = $3, due_at = NULL, error = $4
             WHERE fiscal_id = $1 AND fence = $2 AND state IN ('wanted', 'sending', 'unknown')
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
            state,
            error,
        )
    )


async def record_issued(tx: Transaction, receipt: FiscalReceipt, *, external_id: str, url: str | None) -> bool:
    """The document exists, or the annulment is done; False if the claim was lost."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts
               SET state = 'issued', external_id = $3, url = $4, due_at = NULL, closed_at = photomat_now(), error = NULL,
                   issuer = coalesce(issuer, 'my_tax')
             WHERE fiscal_id = $1 AND fence = $2 AND state IN ('wanted', 'sending', 'unknown')
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
            external_id,
            url,
        )
    )


async def mark_annulled(tx: Transaction, fiscal_id: int) -> bool:
    """An issued income is annulled; False if it was before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts SET state = 'annulled', closed_at = photomat_now()
             WHERE fiscal_id = $1 AND state = 'issued' AND kind = 'income'
            RETURNING true
            """,
            fiscal_id,
        )
    )


async def drop(tx: Transaction, fiscal_id: int) -> bool:
    """Nothing was registered and nothing need be; a claim on it is lost."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts
               SET state = 'unneeded', due_at = NULL, closed_at = photomat_now(), fence = fence + 1, error = NULL
             WHERE fiscal_id = $1 AND state IN ('wanted', 'without', 'blocked')
            RETURNING true
            """,
            fiscal_id,
        )
    )


async def drop_claimed(tx: Transaction, receipt: FiscalReceipt) -> bool:
    """End a claimed row that has nothing to do."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts SET state = 'unneeded', due_at = NULL, closed_at = photomat_now(), error = NULL
             WHERE fiscal_id = $1 AND fence = $2 AND state = 'wanted'
            RETURNING true
            """,
            receipt.fiscal_id,
            receipt.fence,
        )
    )


async def want_rest(tx: Transaction, income: FiscalReceipt, annulment: FiscalReceipt) -> bool:
    """What is left after a partial refund needs a receipt of its own, dated like the payment; False if nothing is left."""
    rest = income.amount.minor - annulment.amount.minor
    if rest <= 0:
        return False
    made = await tx.fetchval(
        """
        INSERT INTO fiscal_receipts (payment_id, kind, round, provider, payment_external_id, user_id, amount, currency,
                                     operation_at, reference)
        VALUES ($1, 'income', $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT ON CONSTRAINT fiscal_receipts_one_document DO NOTHING
        RETURNING fiscal_id
        """,
        income.payment_id,
        income.round + 1,
        income.provider,
        income.payment_external_id,
        income.user_id,
        rest,
        income.amount.currency,
        income.operation_at,
        rest_reference(income.reference),
    )
    return made is not None


async def find_income(pool: Pool, payment_id: int, round_number: int) -> FiscalReceipt | None:
    row = await pool.fetchrow(
        f"SELECT {COLUMNS} FROM fiscal_receipts WHERE payment_id = $1 AND kind = 'income' AND round = $2",  # noqa: S608  a constant list
        payment_id,
        round_number,
    )
    return None if row is None else receipt_of(row)


async def is_first_open_annulment(pool: Pool, annulment: FiscalReceipt) -> bool:
    """Whether every earlier refund of the payment is through: a receipt that does not exist now will not come."""
    return not await pool.fetchval(
        """
        SELECT true FROM fiscal_receipts
         WHERE payment_id = $1 AND kind = 'annulment' AND round < $2 AND state NOT IN ('issued', 'unneeded') LIMIT 1
        """,
        annulment.payment_id,
        annulment.round,
    )


async def lock_income(tx: Transaction, payment_id: int, round_number: int) -> FiscalReceipt | None:
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM fiscal_receipts WHERE payment_id = $1 AND kind = 'income' AND round = $2 FOR UPDATE",  # noqa: S608  a constant list
        payment_id,
        round_number,
    )
    return None if row is None else receipt_of(row)


async def used_ids(pool: Pool, receipt: FiscalReceipt) -> Collection[str]:
    """The issuer's ids that other documents of the payment have."""
    rows = await pool.fetch(
        """
        SELECT external_id FROM fiscal_receipts
         WHERE payment_id = $1 AND kind = $2 AND fiscal_id <> $3 AND external_id IS NOT NULL
        """,
        receipt.payment_id,
        receipt.kind,
        receipt.fiscal_id,
    )
    return {row["external_id"] for row in rows}


async def record_documents(tx: Transaction, *, issuer: FiscalIssuerName, documents: Sequence[TaxDocument]) -> None:
    """Keep what the issuer was seen to hold; only what names a reference of ours."""
    ours = sorted((one for one in documents if one.reference is not None), key=lambda one: one.external_id)
    await tx.executemany(
        """
        INSERT INTO fiscal_documents AS seen (issuer, external_id, reference, amount, operation_at, annulled_at)
        VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 THEN photomat_now() END)
            ON CONFLICT ON CONSTRAINT fiscal_documents_pkey DO UPDATE
           SET seen_at = photomat_now(), missing_since = NULL, amount = excluded.amount,
               annulled_at = CASE WHEN $6 THEN coalesce(seen.annulled_at, photomat_now()) END
        """,
        [(issuer, one.external_id, one.reference, one.amount.minor, one.operation_at, one.is_annulled) for one in ours],
    )


async def record_annulled_document(tx: Transaction, *, issuer: FiscalIssuerName, external_id: str) -> None:
    await tx.execute(
        """
        UPDATE fiscal_documents SET annulled_at = coalesce(annulled_at, photomat_now()), seen_at = photomat_now()
         WHERE issuer = $1 AND external_id = $2
        """,
        issuer,
        external_id,
    )
