"""Fiscal receipts of a restored database: whatever was about to be sent may have been sent after the backup.

A document with an issuer is looked up by its reference before anything is sent, as after a lost answer. One without an issuer
waits for an operator; so does the receipt of a payment that is found again, for its first one is unknown here.
"""

from typing import Final

from photomat.db.pool import Transaction

WHY: Final = "restored from a backup: it may have been issued before; compare with the tax service"


async def look_first(tx: Transaction) -> int:
    """Make every open document one that is looked up, or decided by an operator, before it is sent; return how many."""
    rows = await tx.fetch(
        """
        UPDATE fiscal_receipts
           SET state = CASE WHEN issuer IS NULL THEN 'blocked' ELSE 'unknown' END, fence = fence + 1, error = $1,
               sent_at = CASE WHEN issuer IS NULL THEN sent_at ELSE coalesce(sent_at, photomat_now()) END,
               due_at = CASE WHEN issuer IS NULL THEN NULL ELSE photomat_now() END
         WHERE state IN ('wanted', 'sending', 'unknown')
        RETURNING fiscal_id
        """,
        WHY,
    )
    return len(rows)


async def hold_back(tx: Transaction, *, payment_id: int) -> None:
    """In a restored shop that is not resumed a payment may have been known before, and its receipt issued."""
    await tx.execute(
        """
        UPDATE fiscal_receipts SET state = 'blocked', due_at = NULL, error = $2
         WHERE payment_id = $1 AND state = 'wanted' AND (SELECT photomat_paused('restore'))
        """,
        payment_id,
        WHY,
    )
