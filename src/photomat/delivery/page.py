"""Turning the page of a carousel: the tap names the page it wants, the card is rendered anew like any other change."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, MessageId, UserId


async def turn_page(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId, page: int) -> bool:
    """Show another output of a delivered job; False when there is no such page, or it is not theirs."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs AS job
               SET card_page = $4, card_wanted = card_wanted + 1, deliver_at = photomat_now()
             WHERE job_id = $1 AND user_id = $2 AND card_message_id = $3 AND delivered_at IS NOT NULL
               AND EXISTS (SELECT 1 FROM job_outputs AS output WHERE output.job_id = job.job_id AND output.position = $4)
            RETURNING true
            """,
            job_id,
            user_id,
            message_id,
            page,
        )
    )
