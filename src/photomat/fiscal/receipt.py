"""Fiscal receipts a payment or a refund needs, one row a document; written in the transaction of the money.

`want_income` and `want_annulment` know no settings: the row is `wanted` without an issuer, and the loop `fiscal` decides
(`issuer.py`). Idempotent by payment, kind and round, and an annulment by its refund: called again they change nothing.

The amount is what the operator received in roubles: the payment itself if it was made in roubles, else (Stars) the credit that
was given for it, because no other worth in roubles is known when the money arrives. Payments in another currency need none.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import Fence, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money

FiscalKind: TypeAlias = Literal["income", "annulment"]
FiscalIssuerName: TypeAlias = Literal["yookassa", "my_tax", "hand"]
FiscalState: TypeAlias = Literal["wanted", "sending", "unknown", "issued", "annulled", "unneeded", "without", "blocked"]
ROUBLES: Final = "RUB"
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U: a reference is read to an operator over the telephone."""
REFERENCE_LENGTH: Final = 10
COLUMNS: Final = (
    "fiscal_id, payment_id, refund_id, kind, round, provider, payment_external_id, user_id, amount, currency, operation_at,"
    " reference, issuer, state, external_id, url, due_at, fence, attempts, sent_at, sends, error, created_at, closed_at"
)
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalReceipt:
    """One document: `round` counts the incomes of a payment, of which a partial refund makes another."""

    fiscal_id: int
    payment_id: int
    refund_id: int | None
    kind: FiscalKind
    round: int
    provider: str
    payment_external_id: str
    user_id: UserId
    amount: Money
    operation_at: datetime
    reference: str
    issuer: FiscalIssuerName | None
    state: FiscalState
    external_id: str | None
    url: str | None
    due_at: datetime | None
    fence: Fence
    attempts: int
    sent_at: datetime | None
    sends: int
    error: str | None
    created_at: datetime
    closed_at: datetime | None


def receipt_of(row: Row | Mapping[str, Any]) -> FiscalReceipt:
    fields = dict(row)
    amount = Money(fields.pop("amount"), fields.pop("currency"))
    return FiscalReceipt(amount=amount, **fields)


def new_reference() -> str:
    """Random, so that a restored database or a second installation of the same taxpayer never repeats one."""
    return "PM-" + "".join(secrets.choice(ALPHABET) for _ in range(REFERENCE_LENGTH))


def rest_reference(income: str) -> str:
    """Of the receipt that replaces `income` after a partial refund: the same one again if a restored database forgot it."""
    digest = int.from_bytes(hashlib.sha256(f"rest of {income}".encode()).digest(), "big")
    return "PM-" + "".join(ALPHABET[digest >> 5 * place & 31] for place in range(REFERENCE_LENGTH))


def taxed(*, paid: Money, credit: Money) -> Money:
    """What a receipt is about: the money as it was paid, or the credit given for it if it was paid in something else."""
    return paid if paid.currency == credit.currency else credit


async def want_income(
    tx: Transaction,
    *,
    payment_id: int,
    provider: str,
    external_id: str,
    user_id: UserId,
    amount: Money,
    paid_at: datetime,
) -> bool:
    """The payment needs a receipt; False if it has one already, or is not in roubles."""
    if amount.currency != ROUBLES:
        return False
    made = await tx.fetchval(
        """
        INSERT INTO fiscal_receipts (payment_id, kind, provider, payment_external_id, user_id, amount, currency,
                                     operation_at, reference)
        VALUES ($1, 'income', $2, $3, $4, $5, $6, least($7, photomat_now()), $8)
            ON CONFLICT ON CONSTRAINT fiscal_receipts_one_document DO NOTHING
        RETURNING fiscal_id
        """,
        payment_id,
        provider,
        external_id,
        user_id,
        amount.minor,
        amount.currency,
        paid_at,
        new_reference(),
    )
    return made is not None


async def want_annulment(tx: Transaction, *, payment_id: int, refund_id: int, amount: Money) -> bool:
    """The refund, which is certain, annuls the payment's newest receipt; False if it did already, or there is none.

    The first income of the payment is locked, so that two refunds of it get different rounds.
    """
    first = await tx.fetchval(
        """
        SELECT fiscal_id FROM fiscal_receipts WHERE payment_id = $1 AND kind = 'income' AND round = 0 FOR UPDATE
        """,
        payment_id,
    )
    made = await tx.fetchval(
        """
        INSERT INTO fiscal_receipts (payment_id, refund_id, kind, round, provider, payment_external_id, user_id, amount,
                                     currency, operation_at, reference)
        SELECT payment_id, $2, 'annulment',
               (SELECT count(*) FROM fiscal_receipts AS before
                 WHERE before.payment_id = income.payment_id AND before.kind = 'annulment'),
               provider, payment_external_id, user_id, $3, currency, photomat_now(), $4
          FROM fiscal_receipts AS income WHERE fiscal_id = $1
            ON CONFLICT ON CONSTRAINT fiscal_receipts_one_annulment_a_refund DO NOTHING
        RETURNING fiscal_id
        """,
        first,
        refund_id,
        amount.minor,
        new_reference(),
    )
    return made is not None


async def find_fiscal(pool: Pool, fiscal_id: int) -> FiscalReceipt | None:
    row = await pool.fetchrow(f"SELECT {COLUMNS} FROM fiscal_receipts WHERE fiscal_id = $1", fiscal_id)  # noqa: S608  a constant list
    return None if row is None else receipt_of(row)
