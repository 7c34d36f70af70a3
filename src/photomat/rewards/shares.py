"""The inviter's percent of a friend's payments: a row that is due with each payment, and again with each refund.

What is to be kept is always the percent of what was not refunded; the step in `book` brings the inviter's wallet there.
"""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId


async def note(tx: Transaction, *, payment_id: int, friend_id: UserId) -> None:
    """Note a payment of an invited friend; of anybody else nothing is kept."""
    await tx.execute(
        """
        INSERT INTO referral_shares (payment_id, friend_id)
        SELECT $1, friend_id FROM referrals WHERE friend_id = $2
            ON CONFLICT ON CONSTRAINT referral_shares_pkey DO NOTHING
        """,
        payment_id,
        friend_id,
    )


async def make_due(tx: Transaction, *, payment_id: int) -> None:
    """Have the share of a payment looked at again."""
    await tx.execute("UPDATE referral_shares SET due_at = photomat_now() WHERE payment_id = $1", payment_id)
