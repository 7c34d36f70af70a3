"""What an operator decides about a fiscal receipt. A change of state raises the fence: a worker loses the row."""

from photomat.db.pool import Pool, Transaction
from photomat.fiscal import notices, store
from photomat.fiscal.receipt import COLUMNS, FiscalReceipt, receipt_of
from photomat.kernel.ids import UserId


async def whose(pool: Pool, fiscal_id: int) -> tuple[UserId | None, str | None]:
    """The user and the reference of a row, for the journal; nothing if there is no such row."""
    row = await pool.fetchrow("SELECT user_id, reference FROM fiscal_receipts WHERE fiscal_id = $1", fiscal_id)
    return (None, None) if row is None else (row["user_id"], row["reference"])


async def lock_fiscal(tx: Transaction, fiscal_id: int) -> FiscalReceipt | None:
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM fiscal_receipts WHERE fiscal_id = $1 FOR UPDATE",  # noqa: S608  a constant list
        fiscal_id,
    )
    return None if row is None else receipt_of(row)


async def try_now(tx: Transaction, fiscal_id: int) -> bool:
    """Make an open row due: what is wanted is sent, what is unknown is looked up. False if it is not open."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts SET due_at = photomat_now(), attempts = 0
             WHERE fiscal_id = $1 AND state IN ('wanted', 'unknown')
            RETURNING true
            """,
            fiscal_id,
        )
    )


async def want_again(tx: Transaction, fiscal_id: int) -> bool:
    """Want a row that was left without an issuer, or blocked; who issues it is decided again."""
    return bool(
        await tx.fetchval(
            """
            UPDATE fiscal_receipts
               SET state = 'wanted', issuer = NULL, due_at = photomat_now(), attempts = 0, error = NULL, fence = fence + 1
             WHERE fiscal_id = $1 AND state IN ('without', 'blocked')
            RETURNING true
            """,
            fiscal_id,
        )
    )


async def is_number_used(tx: Transaction, receipt: FiscalReceipt, number: str) -> bool:
    """Whether another row of this kind has the number."""
    return bool(
        await tx.fetchval(
            "SELECT true FROM fiscal_receipts WHERE kind = $1 AND external_id = $2 AND fiscal_id <> $3 LIMIT 1",
            receipt.kind,
            number,
            receipt.fiscal_id,
        )
    )


async def settle_by_hand(tx: Transaction, receipt: FiscalReceipt, *, number: str | None, url: str | None) -> bool:
    """The operator issued or annulled it by hand, or saw it at the tax service; False if it ended before.

    A number that the tax service was seen to hold stays its document, so that a refund can annul it there.
    """
    done = await tx.fetchval(
        """
        UPDATE fiscal_receipts
           SET state = 'issued', external_id = $2, url = $3, due_at = NULL, closed_at = photomat_now(), error = NULL,
               fence = fence + 1,
               issuer = CASE WHEN EXISTS (SELECT FROM fiscal_documents
                                           WHERE fiscal_documents.issuer = 'my_tax' AND fiscal_documents.external_id = $2
                                             AND fiscal_documents.reference = fiscal_receipts.reference)
                             THEN 'my_tax' ELSE 'hand' END
         WHERE fiscal_id = $1 AND state IN ('wanted', 'unknown', 'without', 'blocked')
        RETURNING true
        """,
        receipt.fiscal_id,
        number,
        url,
    )
    if done and receipt.kind == "annulment":
        await _annulled_by_hand(tx, receipt)
    elif done:
        await notices.notify_issued(tx, receipt, url=url)
    return bool(done)


async def set_unneeded(tx: Transaction, fiscal_id: int) -> bool:
    """Nothing is to be issued; only where nothing can exist at the issuer. False if it is too late for that."""
    return await store.drop(tx, fiscal_id)


async def _annulled_by_hand(tx: Transaction, annulment: FiscalReceipt) -> None:
    income = await store.lock_income(tx, annulment.payment_id, annulment.round)
    if income is None:
        return
    if income.issuer is not None and income.external_id is not None:
        await store.record_annulled_document(tx, issuer=income.issuer, external_id=income.external_id)
    if await store.mark_annulled(tx, income.fiscal_id):
        await store.want_rest(tx, income, annulment)
        await notices.notify_annulled(tx, income, annulment)
