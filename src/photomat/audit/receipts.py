"""Receipts of transfers by hand: each is of its offer. What was credited for them stands with the payments."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

RECEIPTS: Final = (
    Invariant(
        name="receipt-is-of-its-offer",
        new=new_rows.RECEIPTS,
        sentence="A receipt bears the user and the sum of the transfer it was sent for.",
        sql="""
            SELECT receipt_id, topup_id, receipts.user_id, amount, credit
              FROM receipts LEFT JOIN topups USING (topup_id)
             WHERE (receipts.user_id, amount, receipts.currency, 'transfer')
                   IS DISTINCT FROM (topups.user_id, credit, topups.currency, way)
        """,
    ),
)
