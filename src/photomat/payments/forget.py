"""Forget what a user wrote and sent about payments; sums, states, times and the providers' ids stay, with the books.

What tells one bank receipt from another (its hash, Telegram's id of the file) stays too: it names no person, and without it
a receipt could be credited a second time.
"""

from photomat.db.pool import Transaction
from photomat.fiscal.contacts import forget_contact
from photomat.kernel.ids import UserId
from photomat.messages.notices import blank_notices

NOT_SAID = "—"
"""In place of an operator's reason, where there must be one."""


async def has_waiting_receipt(tx: Transaction, user_id: UserId) -> bool:
    """Whether an operator still has to decide about money that the user says was transferred."""
    return bool(
        await tx.fetchval("SELECT true FROM receipts WHERE user_id = $1 AND state = 'waiting' LIMIT 1", user_id)
    )


async def has_open_refund(tx: Transaction, user_id: UserId) -> bool:
    return bool(
        await tx.fetchval(
            """
            SELECT true FROM payment_refunds AS refund JOIN payments USING (payment_id)
             WHERE user_id = $1 AND refund.state = 'wanted' LIMIT 1
            """,
            user_id,
        )
    )


async def contacts_in_use(tx: Transaction, user_id: UserId) -> list[int]:
    """The contacts that a refund under way names: repeated, its request must be the same as before."""
    rows = await tx.fetch(
        """
        SELECT (fiscal ->> 'contact_id')::bigint AS contact_id
          FROM payment_refunds AS refund JOIN payments USING (payment_id)
         WHERE user_id = $1 AND refund.state = 'wanted' AND fiscal IS NOT NULL
        """,
        user_id,
    )
    return [row["contact_id"] for row in rows]


async def forget_contacts(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete the contacts for receipts; one that a refund under way needs stays until it is through."""
    return await forget_contact(tx, user_id, limit, keep=await contacts_in_use(tx, user_id))


async def has_renewing_subscription(tx: Transaction, user_id: UserId) -> bool:
    """Whether Telegram will take the money of another month."""
    return bool(
        await tx.fetchval(
            "SELECT true FROM subscriptions WHERE user_id = $1 AND state IN ('active', 'failed') LIMIT 1", user_id
        )
    )


async def forget_receipts(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take the files, notes and reasons out of bank receipts, and out of the operators' notices about them."""
    rows = await tx.fetch(
        """
        UPDATE receipts
           SET note = '', refs = '{}', file_id = '', reason = CASE WHEN reason IS NOT NULL THEN $3 END
         WHERE receipt_id = ANY (ARRAY(SELECT receipt_id FROM receipts
                                        WHERE user_id = $1 AND state <> 'waiting' AND file_id <> ''
                                        ORDER BY receipt_id LIMIT $2 FOR UPDATE))
        RETURNING receipt_id
        """,
        user_id,
        limit,
        NOT_SAID,
    )
    await blank_notices(tx, [f"receipt:{row['receipt_id']}:" for row in rows])
    return len(rows)


async def forget_invoices(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take the payment pages out of invoices, and the providers' words out of invoices and refunds."""
    rows = await tx.fetch(
        """
        UPDATE provider_invoices SET pay_url = NULL, error = NULL
         WHERE (provider, external_id) IN (
               SELECT provider, external_id FROM provider_invoices AS invoice JOIN topups USING (topup_id)
                WHERE user_id = $1 AND (pay_url IS NOT NULL OR error IS NOT NULL) LIMIT $2)
        RETURNING external_id
        """,
        user_id,
        limit,
    )
    await tx.execute(
        """
        UPDATE payment_refunds SET error = NULL
         WHERE error IS NOT NULL AND payment_id IN (SELECT payment_id FROM payments WHERE user_id = $1)
        """,
        user_id,
    )
    return len(rows)
