"""Make cards due again: when a user or a group returns, when an operator asks, and when a page of results is turned."""

from photomat.db.pool import Transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId


async def rearm_user(tx: Transaction, *, user_id: UserId) -> int:
    """Make the undeliverable cards of a user due again; return how many."""
    rows = await tx.fetch(
        """
        UPDATE generation_jobs
           SET undeliverable_at = NULL, deliver_at = photomat_now(), delivery_attempts = 0, delivery_failing_since = NULL
         WHERE user_id = $1 AND undeliverable_at IS NOT NULL
        RETURNING job_id
        """,
        user_id,
    )
    await timeline.record_all(tx, {JobId(row["job_id"]): {"by": "return"} for row in rows}, Tag.REARMED)
    return len(rows)


async def rearm_chat(tx: Transaction, *, bot_id: BotId, chat_id: ChatId) -> int:
    """The bot is back in a group: make its undeliverable cards due again; return how many."""
    rows = await tx.fetch(
        """
        UPDATE generation_jobs
           SET undeliverable_at = NULL, deliver_at = photomat_now(), delivery_attempts = 0, delivery_failing_since = NULL
         WHERE bot_id = $1 AND chat_id = $2 AND undeliverable_at IS NOT NULL
        RETURNING job_id
        """,
        bot_id,
        chat_id,
    )
    await timeline.record_all(tx, {JobId(row["job_id"]): {"by": "return"} for row in rows}, Tag.REARMED)
    return len(rows)


async def rearm_job(tx: Transaction, job_id: JobId, *, by: str = "operator") -> bool:
    """Make one job's card due again, whatever held it back; False when there is no such job.

    Safe at any time: a card that is up to date is edited to what it shows. A held lock stays held.
    """
    found = await tx.fetchval(
        """
        UPDATE generation_jobs
           SET undeliverable_at = NULL, parked_at = NULL, delivery_attempts = 0, deliver_at = photomat_now(),
               delivery_failing_since = NULL, card_wanted = card_wanted + 1
         WHERE job_id = $1
        RETURNING true
        """,
        job_id,
    )
    if found:
        await timeline.record(tx, job_id, Tag.REARMED, by=by)
    return bool(found)


async def turn_page(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId, page: int) -> bool:
    """Show another output of a delivered job; False when there is no such page, or it is not the user's."""
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
