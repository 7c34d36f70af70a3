"""Write to a thread: a customer's or an operator's message, an event, closing. Once per origin, in the caller's transaction.

The customer's row is locked before the ticket, so both sides of a thread write one after the other. A message to a closed
ticket continues the open one about the same job, or reopens it: no message is lost because a ticket was closed a moment ago.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from photomat.db.pool import Transaction
from photomat.db.rows import require_row
from photomat.jobs.actions import lock_job
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, JobId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.text import storable
from photomat.messages.notices import NoticeFile
from photomat.support.notices import notify_answer, notify_closed, notify_operators, notify_other_operators
from photomat.support.ticket import (
    COLUMNS,
    MAX_TEXT,
    MESSAGES,
    WHOSE,
    Side,
    Ticket,
    TicketEvent,
    TicketMessage,
    Topic,
    job_of_ticket,
    lock_ticket,
    message_of,
    ticket_of,
)
from photomat.users.user import lock_user
from photomat.work.retention import OldRows

TICKETS_A_DAY: Final = 10
MESSAGES_AN_HOUR: Final = 20
DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
CLOSED_TICKETS: Final = OldRows(table="tickets", age="closed_at", only="state = 'closed'")
"""What may be deleted, with its messages."""
log = get_logger()


class SupportLimit(StrEnum):
    TICKETS = "tickets"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class TooMany:
    """A customer wrote more than allowed; `until` is when they may write again."""

    what: SupportLimit
    limit: int
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContent:
    """What a user or an operator wrote: a text, a file, or a file with a caption."""

    text: str
    file: NoticeFile | None = None

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and self.file is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A message in its ticket; `is_new` is False if this origin wrote it before."""

    ticket: Ticket
    message: TicketMessage
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketAuthor:
    """Who asks, and about which job, if any; `ticket_id` is the thread they wrote to, if it is known."""

    bot_id: BotId
    user_id: UserId
    job_id: JobId | None = None
    ticket_id: int | None = None


async def write_by_customer(
    tx: Transaction,
    customer: TicketAuthor,
    words: MessageContent,
    *,
    origin: str,
    operators: Collection[ChatId],
    topic: Topic = Topic.OTHER,
) -> Written | TooMany | None:
    """Add a customer's message to its thread, opening a ticket where there is none, and notify every operator.

    None if the ticket or the job is not theirs.
    """
    await lock_user(tx, customer.user_id)
    before = await _written_before(tx, origin)
    if before is not None:
        return before
    if not await _is_theirs(tx, customer):
        return None
    refusal = await _limit(tx, customer.user_id, SupportLimit.MESSAGES)
    if refusal is not None:
        return refusal
    ticket = await _open_about(tx, customer)
    is_first = ticket is None
    if ticket is None:
        refusal = await _limit(tx, customer.user_id, SupportLimit.TICKETS)
        if refusal is not None:
            return refusal
        ticket = await _insert_ticket(tx, customer, topic)
    message = await _insert(tx, ticket, Side.CUSTOMER, f"telegram:{customer.user_id}", words, origin=origin)
    ticket = await _wait_for_answer(tx, ticket)
    job = None if ticket.job_id is None else await job_of_ticket(tx, ticket.job_id)
    await notify_operators(tx, ticket, job, message, operators=operators, is_first=is_first)
    log.info("TICKET_MESSAGE", ticket_id=ticket.ticket_id, job_id=ticket.job_id, side="customer", first=is_first)
    return Written(ticket=ticket, message=message, is_new=True)


async def was_written(tx: Transaction, origin: str) -> bool:
    return bool(await tx.fetchval("SELECT true FROM ticket_messages WHERE origin = $1", origin))


async def lock_thread(tx: Transaction, ticket_id: int) -> Ticket | None:
    """Lock a ticket for writing: its job first, if it has one, then its customer, then the ticket itself."""
    row = await tx.fetchrow("SELECT user_id, job_id FROM tickets WHERE ticket_id = $1", ticket_id)
    if row is None:
        return None
    if row["job_id"] is not None:
        await lock_job(tx, JobId(row["job_id"]))
    await lock_user(tx, UserId(row["user_id"]))
    return await lock_ticket(tx, ticket_id)


async def write_by_operator(
    tx: Transaction,
    ticket_id: int,
    words: MessageContent,
    *,
    author: str,
    origin: str,
    operators: Collection[ChatId] = (),
) -> Written | None:
    """Add an operator's answer, notify the customer and the other `operators`; None if there is no such ticket."""
    ticket = await lock_thread(tx, ticket_id)
    if ticket is None:
        return None
    before = await _written_before(tx, origin)
    if before is not None:
        return before
    ticket = await _continued(tx, ticket)
    message = await _insert(tx, ticket, Side.OPERATOR, author, words, origin=origin)
    await tx.execute(
        """
        UPDATE tickets SET state = 'waiting', waiting_since = NULL, operator_at = photomat_now(),
                           assigned_to = coalesce(assigned_to, $2)
         WHERE ticket_id = $1
        """,
        ticket.ticket_id,
        author,
    )
    await notify_answer(tx, ticket, message)
    await notify_other_operators(tx, ticket, message, operators=operators)
    log.info("TICKET_MESSAGE", ticket_id=ticket.ticket_id, job_id=ticket.job_id, side="operator")
    return Written(ticket=await _read(tx, ticket.ticket_id), message=message, is_new=True)


async def add_event(
    tx: Transaction,
    ticket_id: int,
    event: TicketEvent,
    *,
    author: str,
    origin: str,
    facts: Mapping[str, Any] | None = None,
) -> bool:
    """Record what was done in the thread; False if this origin did before."""
    made = await tx.fetchval(
        """
        INSERT INTO ticket_messages (ticket_id, side, author, text, facts, origin)
        VALUES ($1, 'system', $2, $3, $4, $5)
            ON CONFLICT (origin) DO NOTHING
        RETURNING true
        """,
        ticket_id,
        author,
        event,
        dict(facts or {}),
        origin,
    )
    return bool(made)


async def close_ticket(tx: Transaction, ticket_id: int, *, by: str, origin: str, notifies: bool) -> Ticket | None:
    """Close an open ticket; with `notifies` the customer is informed. None if there is none, or it is closed already."""
    closed = await tx.fetchval(
        """
        UPDATE tickets SET state = 'closed', closed_at = photomat_now(), closed_by = $2, waiting_since = NULL
         WHERE ticket_id = $1 AND state <> 'closed'
        RETURNING true
        """,
        ticket_id,
        by,
    )
    if not closed:
        return None
    await add_event(tx, ticket_id, TicketEvent.CLOSED, author=by, origin=f"{origin}:closed")
    ticket = await _read(tx, ticket_id)
    if notifies:
        await notify_closed(tx, ticket, origin=origin)
    log.info("TICKET_CLOSED", ticket_id=ticket_id, by=by)
    return ticket


async def reopen_ticket(tx: Transaction, ticket_id: int, *, by: str, origin: str) -> Ticket | None:
    """Open a closed ticket again; None unless it is closed and no other is open about the same job."""
    ticket = await lock_thread(tx, ticket_id)
    if ticket is None or not ticket.is_closed or await _open_beside(tx, ticket) is not None:
        return None
    await _reopen(tx, ticket_id)
    await add_event(tx, ticket_id, TicketEvent.REOPENED, author=by, origin=f"{origin}:reopened")
    return await _read(tx, ticket_id)


async def assign_ticket(tx: Transaction, ticket_id: int, *, to: str | None) -> bool:
    done = await tx.fetchval("UPDATE tickets SET assigned_to = $2 WHERE ticket_id = $1 RETURNING true", ticket_id, to)
    return bool(done)


async def mark_answered(tx: Transaction, ticket_id: int) -> None:
    """The customer has got something, and waits for nothing any more; a closed ticket stays closed."""
    await tx.execute(
        """
        UPDATE tickets SET state = 'waiting', waiting_since = NULL, operator_at = photomat_now()
         WHERE ticket_id = $1 AND state <> 'closed'
        """,
        ticket_id,
    )


async def _is_theirs(tx: Transaction, customer: TicketAuthor) -> bool:
    return bool(
        await tx.fetchval(
            """
            SELECT ($2::bigint IS NULL OR EXISTS (SELECT FROM tickets WHERE ticket_id = $2 AND user_id = $1))
               AND ($3::bigint IS NULL OR EXISTS (SELECT FROM generation_jobs WHERE job_id = $3 AND user_id = $1))
            """,
            customer.user_id,
            customer.ticket_id,
            customer.job_id,
        )
    )


async def _open_about(tx: Transaction, customer: TicketAuthor) -> Ticket | None:
    """The ticket that a customer's message belongs to: the thread it was written to, or the open one about the job."""
    if customer.ticket_id is not None:
        ticket = await lock_ticket(tx, customer.ticket_id)
        return None if ticket is None else await _continued(tx, ticket)
    return await _find_open(tx, customer.bot_id, customer.user_id, customer.job_id)


async def _continued(tx: Transaction, ticket: Ticket) -> Ticket:
    if not ticket.is_closed:
        return ticket
    beside = await _open_beside(tx, ticket)
    if beside is not None:
        return beside
    await _reopen(tx, ticket.ticket_id)
    return await _read(tx, ticket.ticket_id)


async def _open_beside(tx: Transaction, ticket: Ticket) -> Ticket | None:
    return await _find_open(tx, ticket.bot_id, ticket.user_id, ticket.job_id)


async def _find_open(tx: Transaction, bot_id: BotId, user_id: UserId, job_id: JobId | None) -> Ticket | None:
    row = await tx.fetchrow(
        f"""
        SELECT {COLUMNS} FROM {WHOSE}
         WHERE tickets.bot_id = $1 AND tickets.user_id = $2 AND coalesce(tickets.job_id, 0) = coalesce($3::bigint, 0)
           AND state <> 'closed'
           FOR NO KEY UPDATE OF tickets
        """,  # noqa: S608  constants
        bot_id,
        user_id,
        job_id,
    )
    return None if row is None else ticket_of(row)


async def _reopen(tx: Transaction, ticket_id: int) -> None:
    await tx.execute(
        "UPDATE tickets SET state = 'open', closed_at = NULL, closed_by = NULL WHERE ticket_id = $1", ticket_id
    )


async def _insert_ticket(tx: Transaction, customer: TicketAuthor, topic: Topic) -> Ticket:
    ticket_id = await tx.fetchval(
        "INSERT INTO tickets (bot_id, user_id, job_id, topic) VALUES ($1, $2, $3, $4) RETURNING ticket_id",
        customer.bot_id,
        customer.user_id,
        customer.job_id,
        topic,
    )
    return await _read(tx, ticket_id)


async def _wait_for_answer(tx: Transaction, ticket: Ticket) -> Ticket:
    await tx.execute(
        """
        UPDATE tickets SET state = 'open', customer_at = photomat_now(), waiting_since = coalesce(waiting_since, photomat_now())
         WHERE ticket_id = $1
        """,
        ticket.ticket_id,
    )
    return await _read(tx, ticket.ticket_id)


async def _insert(
    tx: Transaction, ticket: Ticket, side: Side, author: str, words: MessageContent, *, origin: str
) -> TicketMessage:
    row = await require_row(
        tx,
        f"""
        INSERT INTO ticket_messages (ticket_id, side, author, text, file_kind, file_id, origin)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        RETURNING {MESSAGES}
        """,  # noqa: S608  a constant list of columns
        ticket.ticket_id,
        side,
        author,
        str(storable(words.text))[:MAX_TEXT],
        words.file.kind if words.file else None,
        words.file.file_id if words.file else None,
        origin,
    )
    return message_of(row)


async def _written_before(tx: Transaction, origin: str) -> Written | None:
    row = await tx.fetchrow(
        f"SELECT {MESSAGES} FROM ticket_messages WHERE origin = $1",  # noqa: S608  a constant list of columns
        origin,
    )
    if row is None:
        return None
    return Written(ticket=await _read(tx, row["ticket_id"]), message=message_of(row), is_new=False)


async def _read(tx: Transaction, ticket_id: int) -> Ticket:
    ticket = await lock_ticket(tx, ticket_id)
    if ticket is None:
        raise Corrupt(f"ticket {ticket_id} is gone while it is written to")
    return ticket


async def _limit(tx: Transaction, user_id: UserId, what: SupportLimit) -> TooMany | None:
    """Whether the customer has written, or opened, as much as is allowed in a time."""
    if what is SupportLimit.TICKETS:
        limit, within, counted = TICKETS_A_DAY, DAY, "SELECT opened_at AS at FROM tickets WHERE user_id = $1"
    else:
        limit, within, counted = (
            MESSAGES_AN_HOUR,
            HOUR,
            (
                "SELECT created_at AS at FROM ticket_messages JOIN tickets USING (ticket_id)"
                " WHERE user_id = $1 AND side = 'customer'"
            ),
        )
    until = await tx.fetchval(
        f"""
        SELECT min(at) + $3::interval
          FROM (SELECT at FROM ({counted}) AS theirs WHERE at > photomat_now() - $3::interval
                 ORDER BY at DESC LIMIT $2) AS lately
        HAVING count(*) >= $2
        """,  # noqa: S608  our own two sources
        user_id,
        limit,
        within,
    )
    return None if until is None else TooMany(what=what, limit=limit, until=until)
