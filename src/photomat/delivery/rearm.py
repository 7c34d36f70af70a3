"""When a person returns, what could not be shown to them becomes due again."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId


async def rearm_user(tx: Transaction, *, user_id: UserId) -> int:
    """Make the undeliverable cards of a user due again; say how many."""
    rows = await tx.fetch(
        """
        UPDATE generation_jobs
           SET undeliverable_at = NULL, deliver_at = photomat_now(), delivery_attempts = 0
         WHERE user_id = $1 AND undeliverable_at IS NOT NULL
        RETURNING job_id
        """,
        user_id,
    )
    return len(rows)
