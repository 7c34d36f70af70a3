"""Tickets and their messages as they are stored. Reads only; `thread.py` writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row, row_as
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import NoticeFile, blank_notices

MAX_TEXT: Final = 4096
COLUMNS: Final = (
    "ticket_id, tickets.bot_id, tickets.user_id, first_name, username, tickets.job_id, topic, state, opened_at, waiting_since,"
    " customer_at, operator_at, assigned_to, closed_at, closed_by"
)
WHOSE: Final = "tickets JOIN users ON users.user_id = tickets.user_id"
ONE: Final = f"SELECT {COLUMNS} FROM {WHOSE} WHERE ticket_id = $1"  # noqa: S608  constants
MESSAGES: Final = "message_id, ticket_id, side, author, text, facts, file_kind, file_id, created_at"
NO_KEY: Final = 0


class Topic(StrEnum):
    """What a customer says it is about, by a button."""

    WRONG = "wrong"
    MISSING = "missing"
    MONEY = "money"
    OTHER = "other"


class TicketState(StrEnum):
    """`OPEN`: we owe an answer. `WAITING`: answered, the customer may go on."""

    OPEN = "open"
    WAITING = "waiting"
    CLOSED = "closed"


class Side(StrEnum):
    CUSTOMER = "customer"
    OPERATOR = "operator"
    SYSTEM = "system"


class TicketEvent(StrEnum):
    """What a message of the system says; the texts are `ticket-event-…`."""

    REFUNDED = "refunded"
    CANCELED = "canceled"
    REPEATED = "repeated"
    SHOWN = "shown"
    CLOSED = "closed"
    REOPENED = "reopened"


class TicketFilter(StrEnum):
    """What the inbox lists. `OPEN` has those that wait for us first, the oldest on top; the others are newest first."""

    OPEN = "open"
    WAITING = "waiting"
    CLOSED = "closed"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """`waiting_since` is when the customer's oldest unanswered message came; `assigned_to` an operator's name."""

    ticket_id: int
    bot_id: BotId
    user_id: UserId
    first_name: str
    username: str | None
    job_id: JobId | None
    topic: Topic
    state: TicketState
    opened_at: datetime
    waiting_since: datetime | None
    customer_at: datetime | None
    operator_at: datetime | None
    assigned_to: str | None
    closed_at: datetime | None
    closed_by: str | None

    @property
    def is_closed(self) -> bool:
        return self.state is TicketState.CLOSED

    @property
    def chat_id(self) -> ChatId:
        """Answers come in the customer's private chat."""
        return ChatId(self.user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketMessage:
    """One message of a thread. The text of the system's is a `TicketEvent`, with its facts."""

    message_id: int
    ticket_id: int
    side: Side
    author: str
    text: str
    facts: Mapping[str, Any]
    file: NoticeFile | None
    created_at: datetime

    @property
    def event(self) -> TicketEvent | None:
        return TicketEvent(self.text) if self.side is Side.SYSTEM else None

    @property
    def amount(self) -> Money | None:
        """What an event moved."""
        facts = self.facts
        return Money(int(facts["amount"]), str(facts["currency"])) if "amount" in facts else None


class Where(StrEnum):
    """Where a job stands, as an operator reads it: what has not happened yet, and why."""

    QUEUED = "queued"
    SUBMITTING = "submitting"
    RUNNING = "running"
    OVERDUE = "overdue"
    STOPPED = "stopped"
    SHOWN = "shown"
    NOT_SHOWN = "not-shown"
    PARKED = "parked"
    UNREACHABLE = "unreachable"
    FAILED = "failed"
    CANCELED = "canceled"
    OFFERED = "offered"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketJob:
    """What an operator needs to know about the job of a ticket; `list_price` is what it costs without a voucher."""

    job_id: JobId
    title: str
    status: JobStatus
    where: Where
    fail_code: str | None
    price: Money
    list_price: Money
    refunded: Money
    created_at: datetime

    @property
    def is_live(self) -> bool:
        return self.status not in TERMINAL

    @property
    def is_done(self) -> bool:
        return self.status is JobStatus.DONE

    @property
    def can_refund(self) -> bool:
        """Whether money can still go back: of a charge, or by canceling a job on its way."""
        return self.price.minor > 0 and (self.is_live or (self.is_done and self.refunded < self.price))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTicket:
    """A line of the inbox, with the last words of the thread."""

    ticket: Ticket
    model: str | None
    last_side: Side
    last_text: str
    last_file: str | None
    age: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTicket:
    """The ticket that a message is about, and which side reads it there."""

    ticket_id: int
    to_operator: bool


def ticket_of(row: Row) -> Ticket:
    return row_as(Ticket, row, topic=Topic(row["topic"]), state=TicketState(row["state"]))


def message_of(row: Row) -> TicketMessage:
    file = None if row["file_id"] is None else NoticeFile(kind=row["file_kind"], file_id=row["file_id"])
    return row_as(TicketMessage, row, side=Side(row["side"]), file=file)


async def find_ticket(pool: Pool, ticket_id: int) -> Ticket | None:
    row = await pool.fetchrow(ONE, ticket_id)
    return None if row is None else ticket_of(row)


async def lock_ticket(tx: Transaction, ticket_id: int) -> Ticket | None:
    row = await tx.fetchrow(f"{ONE} FOR NO KEY UPDATE OF tickets", ticket_id)
    return None if row is None else ticket_of(row)


async def open_ticket_about(pool: Pool, *, bot_id: BotId, user_id: UserId, job_id: JobId | None) -> Ticket | None:
    """The open ticket of a user about this job, or about none."""
    row = await pool.fetchrow(
        f"""
        SELECT {COLUMNS} FROM {WHOSE}
         WHERE tickets.bot_id = $1 AND tickets.user_id = $2 AND coalesce(tickets.job_id, 0) = $3 AND state <> 'closed'
        """,  # noqa: S608  constants
        bot_id,
        user_id,
        job_id or NO_KEY,
    )
    return None if row is None else ticket_of(row)


async def tickets_of_user(pool: Pool, user_id: UserId, *, limit: int, only_open: bool = False) -> list[Ticket]:
    """The newest tickets of a user."""
    rows = await pool.fetch(
        f"""
        SELECT {COLUMNS} FROM {WHOSE} WHERE tickets.user_id = $1 AND (NOT $3 OR state <> 'closed')
         ORDER BY ticket_id DESC LIMIT $2
        """,  # noqa: S608  constants
        user_id,
        limit,
        only_open,
    )
    return [ticket_of(row) for row in rows]


async def messages_of(pool: Pool, ticket_id: int, *, limit: int) -> list[TicketMessage]:
    """The last messages of a thread, oldest first."""
    rows = await pool.fetch(
        f"""
        SELECT {MESSAGES} FROM ticket_messages WHERE ticket_id = $1 ORDER BY message_id DESC LIMIT $2
        """,  # noqa: S608  a constant list of columns
        ticket_id,
        limit,
    )
    return [message_of(row) for row in reversed(rows)]


async def find_message(pool: Pool, *, ticket_id: int, message_id: int) -> TicketMessage | None:
    row = await pool.fetchrow(
        f"SELECT {MESSAGES} FROM ticket_messages WHERE ticket_id = $1 AND message_id = $2",  # noqa: S608  a constant list of columns
        ticket_id,
        message_id,
    )
    return None if row is None else message_of(row)


async def ticket_shown_in(pool: Pool, *, chat_id: ChatId, message_id: MessageId) -> ShownTicket | None:
    """The ticket that a notice of ours in this chat is about."""
    key: str | None = await pool.fetchval(
        "SELECT key FROM notices WHERE chat_id = $1 AND message_id = $2 AND key LIKE 'ticket:%' LIMIT 1",
        chat_id,
        message_id,
    )
    match (key or "").split(":"):
        case ["ticket", number, what, *_] if number.isdecimal():
            return ShownTicket(ticket_id=int(number), to_operator=what == "to")
    return None


async def job_of_ticket(tx: Transaction, job_id: JobId) -> TicketJob | None:
    row = await tx.fetchrow(
        """
        SELECT job_id, coalesce(title, model) AS title, status, fail_code, price, currency, created_at, delivered_at,
               parked_at, undeliverable_at, overdue_at, stopped_at, offered_at,
               coalesce((quote -> 'pass' ->> 'price')::bigint, price) AS list_price,
               (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_transactions AS booked JOIN entries USING (transaction_id)
                 WHERE booked.job_id = job.job_id AND booked.refunds IS NOT NULL AND user_id IS NOT NULL) AS refunded
          FROM generation_jobs AS job WHERE job_id = $1
        """,
        job_id,
    )
    if row is None:
        return None
    sums = {name: Money(row[name], row["currency"]) for name in ("price", "list_price", "refunded")}
    return row_as(TicketJob, row, status=JobStatus(row["status"]), where=_where(row), **sums)


def _where(row: Row) -> Where:
    status = JobStatus(row["status"])
    if status not in TERMINAL and row["stopped_at"] is not None:
        return Where.STOPPED
    if status is JobStatus.DONE:
        return _where_done(row)
    if status is JobStatus.CANCELED and row["offered_at"] is not None:
        return Where.OFFERED
    return Where.OVERDUE if status is JobStatus.RUNNING and row["overdue_at"] is not None else STANDS[status]


def _where_done(row: Row) -> Where:
    if row["delivered_at"] is not None:
        return Where.SHOWN
    if row["undeliverable_at"] is not None:
        return Where.UNREACHABLE
    return Where.NOT_SHOWN if row["parked_at"] is None else Where.PARKED


STANDS: Final[Mapping[JobStatus, Where]] = {
    JobStatus.PENDING: Where.QUEUED,
    JobStatus.SUBMITTING: Where.SUBMITTING,
    JobStatus.RUNNING: Where.RUNNING,
    JobStatus.FAILED: Where.FAILED,
    JobStatus.CANCELED: Where.CANCELED,
}
SELECTED: Final[Mapping[TicketFilter, str]] = {
    TicketFilter.OPEN: """
        state <> 'closed' AND ($2::bigint IS NULL OR (coalesce(waiting_since, 'infinity'::timestamptz), ticket_id)
            > (SELECT coalesce(last.waiting_since, 'infinity'::timestamptz), last.ticket_id
                 FROM tickets AS last WHERE last.ticket_id = $2))
        ORDER BY coalesce(waiting_since, 'infinity'::timestamptz), ticket_id LIMIT $1
    """,
    TicketFilter.WAITING: """
        waiting_since IS NOT NULL AND ($2::bigint IS NULL OR (waiting_since, ticket_id)
            > (SELECT last.waiting_since, last.ticket_id FROM tickets AS last WHERE last.ticket_id = $2))
        ORDER BY waiting_since, ticket_id LIMIT $1
    """,
    TicketFilter.CLOSED: """
        state = 'closed' AND ($2::bigint IS NULL OR ticket_id < $2) ORDER BY ticket_id DESC LIMIT $1
    """,
    TicketFilter.ALL: "($2::bigint IS NULL OR ticket_id < $2) ORDER BY ticket_id DESC LIMIT $1",
}
"""Which tickets a filter has, in which order: $1 is how many, $2 the last ticket of the page before."""


async def list_tickets(
    pool: Pool, *, only: TicketFilter, limit: int, after: int | None = None, user_id: UserId | None = None
) -> list[ListedTicket]:
    """A page of tickets, with the last words of each; `after` is the last ticket of the page before."""
    whose = "user_id = $3 AND" if user_id is not None else "$3::bigint IS NULL AND"
    rows = await pool.fetch(
        f"""
        WITH page AS MATERIALIZED (SELECT tickets.* FROM tickets WHERE {whose} {SELECTED[only]}),
        tickets AS (SELECT page.*, row_number() OVER () AS place FROM page)
        SELECT {COLUMNS}, coalesce(job.title, job.model) AS model, last.side, last.text, last.file_kind,
               photomat_now() - coalesce(waiting_since, greatest(customer_at, operator_at), opened_at) AS age
          FROM {WHOSE}
               LEFT JOIN generation_jobs AS job ON job.job_id = tickets.job_id
               CROSS JOIN LATERAL (SELECT side, text, file_kind FROM ticket_messages AS message
                                    WHERE message.ticket_id = tickets.ticket_id AND side <> 'system'
                                    ORDER BY message_id DESC LIMIT 1) AS last
         ORDER BY place
        """,  # noqa: S608  constants
        limit,
        after,
        user_id,
    )
    return [
        ListedTicket(
            ticket=ticket_of(row),
            model=row["model"],
            last_side=Side(row["side"]),
            last_text=row["text"],
            last_file=row["file_kind"],
            age=row["age"],
        )
        for row in rows
    ]


async def count_open(pool: Pool) -> tuple[int, int]:
    """How many open tickets wait for us, and how many are answered."""
    row = await require_row(
        pool,
        """
        SELECT count(*) FILTER (WHERE waiting_since IS NOT NULL) AS waiting,
               count(*) FILTER (WHERE waiting_since IS NULL) AS answered
          FROM tickets WHERE state <> 'closed'
        """,
    )
    return row["waiting"], row["answered"]


async def count_waiting(pool: Pool) -> int:
    """How many tickets wait for an answer of ours."""
    return int(await pool.fetchval("SELECT count(*) FROM tickets WHERE waiting_since IS NOT NULL"))


async def forget_tickets(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete a batch of a user's tickets with their messages, and blank the operators' notices about them."""
    rows = await tx.fetch(
        """
        DELETE FROM tickets
         WHERE ticket_id = ANY (ARRAY(SELECT ticket_id FROM tickets WHERE user_id = $1 ORDER BY ticket_id LIMIT $2))
        RETURNING ticket_id
        """,
        user_id,
        limit,
    )
    await blank_notices(tx, [f"ticket:{row['ticket_id']}:" for row in rows])
    return len(rows)
