"""Forget the words of fiscal receipts: what an issuer answered. Sums, states and the issuers' own ids stay, with the books."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId


async def forget_fiscal_words(tx: Transaction, user_id: UserId, limit: int) -> int:
    return len(
        await tx.fetch(
            """
            UPDATE fiscal_receipts SET error = NULL
             WHERE fiscal_id = ANY (ARRAY(SELECT fiscal_id FROM fiscal_receipts
                                           WHERE user_id = $1 AND error IS NOT NULL ORDER BY fiscal_id LIMIT $2))
            RETURNING fiscal_id
            """,
            user_id,
            limit,
        )
    )
