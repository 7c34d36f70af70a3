"""Customers who ask support, as rows: for the console's pages."""

from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import BotId, JobId, UserId
from photomat.messages.notices import NoticeFile
from photomat.support.thread import MessageContent, TicketAuthor, write_by_customer
from support.jobs import BOT, a_done_job, a_user, is_shown

ANNA, BORIS = UserId(5_000_001), UserId(5_000_002)


async def asks(
    pool: Pool, user: UserId, text: str, *, job_id: JobId | None = None, file: NoticeFile | None = None
) -> int:
    """A customer's message; gives its ticket."""
    count = await pool.fetchval("SELECT count(*) FROM ticket_messages")
    async with transaction(pool) as tx:
        written = await write_by_customer(
            tx,
            TicketAuthor(bot_id=BotId(BOT), user_id=user, job_id=job_id),
            MessageContent(text=text, file=file),
            origin=f"test:{count}",
            operators=[],
        )
    return written.ticket.ticket_id  # type: ignore[union-attr]  # within the limits


async def a_busy_inbox(pool: Pool) -> JobId:
    """Anna waits for an answer about her order, Boris asked after her; gives the order."""
    await a_user(pool, user_id=ANNA)
    await a_user(pool, user_id=BORIS)
    job_id = await a_done_job(pool, ANNA)
    await is_shown(pool, job_id)
    await asks(pool, ANNA, "<b>кот</b> без усов", job_id=job_id)
    await asks(pool, BORIS, "=cmd() где деньги")
    return job_id
