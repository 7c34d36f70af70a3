"""Once a day the receipts a payment provider has registered are read again, to find a second one of the same payment.

The loop reads a payment's receipts only until its row is issued. What is listed here is recorded as seen documents, so the
audit and the differences of `compare` see it. A receipt of a payment that is not ours is the shop's own business.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.fiscal import store
from photomat.fiscal.compare import BACK, EVERY, report_differences
from photomat.kernel.logs import get_logger
from photomat.providers.fiscal_port import ReceiptReader, RegisteredReceipt, TaxDocument

DUE: Final = """
    SELECT photomat_now() AS now, coalesce((SELECT ended_at <= photomat_now() - $1::interval FROM fiscal_comparisons
                                             WHERE issuer = 'yookassa'), true) AS is_due
"""
log = get_logger()


async def compare_shops_if_due(pool: Pool, readers: Mapping[str, ReceiptReader]) -> bool:
    due = await require_row(pool, DUE, EVERY)
    if not readers or not due["is_due"]:
        return False
    for provider, reader in readers.items():
        await compare_shop(pool, reader, provider=provider, now=due["now"])
    return True


async def compare_shop(pool: Pool, reader: ReceiptReader, *, provider: str, now: datetime) -> None:
    """Record what the provider has registered in the last days, and report a payment with two receipts."""
    incomes = await reader.incomes_since(now - BACK)
    async with transaction(pool) as tx:
        documents = await _documents_of(tx, provider, incomes)
        await store.record_documents(tx, issuer="yookassa", documents=documents)
        await tx.execute(
            """
            INSERT INTO fiscal_comparisons (issuer, compared_to, ended_at) VALUES ('yookassa', $1, photomat_now())
                ON CONFLICT ON CONSTRAINT fiscal_comparisons_pkey DO UPDATE
               SET compared_to = excluded.compared_to, ended_at = excluded.ended_at
            """,
            now,
        )
        found = await report_differences(tx)
    log.info("FISCAL_COMPARED", documents=len(documents), complete=True, differences=found)


async def _documents_of(
    tx: Transaction, provider: str, incomes: Mapping[str, Sequence[RegisteredReceipt]]
) -> list[TaxDocument]:
    """The listed receipts of our payments, each by the reference of its payment's first income."""
    rows = await tx.fetch(
        """
        SELECT payments.external_id, ours.reference, ours.operation_at
          FROM payments JOIN fiscal_receipts AS ours USING (payment_id)
         WHERE payments.provider = $1 AND payments.external_id = ANY ($2::text[]) AND ours.kind = 'income' AND ours.round = 0
        """,
        provider,
        list(incomes),
    )
    return [
        TaxDocument(
            external_id=one.external_id,
            reference=row["reference"],
            amount=one.amount,
            operation_at=one.registered_at or row["operation_at"],
            is_annulled=False,
        )
        for row in rows
        for one in incomes[row["external_id"]]
    ]
