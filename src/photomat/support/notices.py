"""Notices about tickets: to operators, who answer, and to the customer, who is answered. Each once by its key, at most once."""

from collections.abc import Collection
from html import escape
from typing import Final, TypeAlias

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.messages.notices import TO_BALANCE, NoticeButton, notify
from photomat.support.ticket import Ticket, TicketJob, TicketMessage
from photomat.telegram import callback_data

Facts: TypeAlias = dict[str, str | int | Money]
MAX_ANSWER: Final = 3500
MAX_CAPTION: Final = 800
"""What an answer may be long: a message has 4096 characters, a caption 1024, and both say which ticket it is about."""
SHOWN_WORDS: Final = 3000
SHOWN_CAPTION: Final = 400
NO_JOB: Final = "none"


def answer_limit(*, has_file: bool) -> int:
    return MAX_CAPTION if has_file else MAX_ANSWER


async def notify_operators(
    tx: Transaction,
    ticket: Ticket,
    job: TicketJob | None,
    message: TicketMessage,
    *,
    operators: Collection[ChatId],
    is_first: bool,
) -> None:
    """Show a customer's message to every operator, with what is known of its job and the buttons that act."""
    for operator in sorted(operators):
        await notify(
            tx,
            key=f"ticket:{ticket.ticket_id}:to:{operator}:{message.message_id}",
            chat_id=operator,
            text_key="ticket-card" if is_first else "ticket-card-more",
            facts=ticket_facts(ticket, job) | {"words": _words(message)},
            buttons=operator_buttons(ticket, job),
            file=message.file,
        )


async def notify_other_operators(
    tx: Transaction, ticket: Ticket, message: TicketMessage, *, operators: Collection[ChatId]
) -> None:
    """Show an operator's answer to the others."""
    for operator in sorted(operators):
        await notify(
            tx,
            key=f"ticket:{ticket.ticket_id}:to:{operator}:{message.message_id}",
            chat_id=operator,
            text_key="ticket-answered",
            facts={"number": ticket.ticket_id, "by": escape(short_name(message.author)), "words": _words(message)},
            buttons=[
                [NoticeButton(text_key="ticket-thread", data=callback_data.about_ticket(ticket.ticket_id, "thread"))]
            ],
            file=message.file,
        )


async def notify_answer(tx: Transaction, ticket: Ticket, message: TicketMessage) -> None:
    """Bring an operator's answer to the customer."""
    number = ticket.ticket_id
    await notify(
        tx,
        key=f"ticket:{number}:answer:{message.message_id}",
        chat_id=ticket.chat_id,
        text_key="support-answer" if message.text else "support-answer-file",
        facts={"number": number, "words": escape(message.text)},
        buttons=_customer_buttons(number),
        file=message.file,
    )


async def notify_closed(tx: Transaction, ticket: Ticket, *, origin: str) -> None:
    write = NoticeButton(text_key="support-write", data=callback_data.write_to_support(ticket.ticket_id))
    await notify(
        tx,
        key=f"ticket:{ticket.ticket_id}:closed:{origin}",
        chat_id=ticket.chat_id,
        text_key="support-closed-by-us",
        facts={"number": ticket.ticket_id},
        buttons=[[write]],
    )


async def notify_canceled(tx: Transaction, ticket: Ticket, job: TicketJob) -> None:
    await notify(
        tx,
        key=f"ticket:{ticket.ticket_id}:canceled",
        chat_id=ticket.chat_id,
        text_key="support-canceled",
        facts={"number": ticket.ticket_id, "model": escape(job.title), "amount": job.price},
        buttons=[[TO_BALANCE]],
    )


async def notify_repeat(tx: Transaction, ticket: Ticket, job: TicketJob) -> None:
    """Offer the same order again; the customer's tap opens its card, and a tap there makes it."""
    again = NoticeButton(text_key="support-repeat", data=callback_data.act_on_job(job.job_id, "again"))
    await notify(
        tx,
        key=f"ticket:{ticket.ticket_id}:repeat",
        chat_id=ticket.chat_id,
        text_key="support-repeat-offered" if job.list_price.minor else "support-repeat-free",
        facts={"number": ticket.ticket_id, "model": escape(job.title)},
        buttons=[[again]],
    )


def ticket_facts(ticket: Ticket, job: TicketJob | None) -> Facts:
    """What the texts about a ticket say to operators; `where` is `none` without a job."""
    facts: Facts = {"number": ticket.ticket_id, "topic": ticket.topic.value, "who": who(ticket), "where": NO_JOB}
    facts |= {"job": "", "model": "", "price": "", "bought": "", "code": ""}
    if job is None:
        return facts
    return facts | {
        "where": job.where.value,
        "job": str(job.job_id),
        "model": escape(job.title),
        "price": job.price,
        "bought": f"{job.created_at:%d.%m %H:%M}",
        "code": escape(job.fail_code or "—"),
    }


def short_name(author: str) -> str:
    """An operator's name without where they acted: `@peter` of `telegram:9001 @peter`."""
    where, _, name = author.partition(" ")
    return name if name and where.startswith("telegram:") else author


def who(ticket: Ticket) -> str:
    """Who asks, fit for HTML."""
    names = [escape(ticket.first_name), f"@{escape(ticket.username)}" if ticket.username else ""]
    return " ".join([name for name in names if name] + [f"<code>{ticket.user_id}</code>"])


def operator_buttons(
    ticket: Ticket, job: TicketJob | None, *, in_thread: bool = False, is_repeated: bool = False
) -> list[list[NoticeButton]]:
    """What an operator can still do with a ticket; a page that shows the thread has no button to it."""

    def to(action: callback_data.ActOnTicket) -> str:
        return callback_data.about_ticket(ticket.ticket_id, action)

    first = [NoticeButton(text_key="ticket-answer", data=to("answer"))]
    first += [] if in_thread else [NoticeButton(text_key="ticket-thread", data=to("thread"))]
    last = [] if ticket.is_closed else [NoticeButton(text_key="ticket-close", data=to("close"))]
    if job is None:
        return [first, last] if last else [first]
    if job.is_done:
        last.insert(0, NoticeButton(text_key="ticket-show", data=to("show")))
    money = [NoticeButton(text_key="ticket-refund", data=to("refund"))] if job.can_refund else []
    if not job.is_live and not is_repeated:
        money.append(NoticeButton(text_key="ticket-repeat", data=to("repeat")))
    return [row for row in (first, money, last) if row]


def _customer_buttons(ticket_id: int) -> list[list[NoticeButton]]:
    return [
        [
            NoticeButton(text_key="support-reply", data=callback_data.write_to_support(ticket_id)),
            NoticeButton(text_key="support-solved", data=callback_data.close_ticket(ticket_id)),
        ]
    ]


def _words(message: TicketMessage) -> str:
    shown = cut(message.text, SHOWN_CAPTION if message.file else SHOWN_WORDS)
    return escape(shown) or "—"
