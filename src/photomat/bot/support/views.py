"""What a customer and an operator see of a ticket. Pure: facts → text and keyboard."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    DeskAction,
    DeskButton,
    DeskReasonButton,
    NewTicketButton,
    SupportTopicButton,
    TicketAction,
    TicketButton,
)
from photomat.bot.results.views import local_time
from photomat.bot.view import View, button, in_rows, to_home
from photomat.kernel.text import cut
from photomat.messages.notices import NoticeButton
from photomat.support.notices import operator_buttons, short_name, ticket_facts
from photomat.support.thread import TooMany
from photomat.support.ticket import ListedTicket, Ticket, TicketJob, TicketMessage, Topic
from photomat.texts.load import Say

SHOWN_MESSAGES: Final = 8
SHOWN_WORDS: Final = 350
LISTED_WORDS: Final = 40
MINUTES_SHOWN: Final = timedelta(hours=2)
REASONS: Final[Mapping[DeskAction, tuple[str, ...]]] = {
    DeskAction.REFUND: ("quality", "lost", "mistake", "goodwill"),
    DeskAction.REPEAT: ("quality", "lost", "mistake", "goodwill"),
    DeskAction.SHOW: ("lost", "asked"),
    DeskAction.CLOSE: ("solved", "silent", "spam"),
}
"""The usual reasons of an action; any other is typed."""


def ask(say: Say, *, job_id: int, model: str | None) -> View:
    """What happened? By a button, or in words."""
    topics = [button(say(f"support-topic-{topic}"), SupportTopicButton(job_id=job_id, topic=topic)) for topic in Topic]
    text = say("support-ask") if model is None else say("support-ask-job", model=escape(model))
    return View(text=text, rows=[*in_rows(topics, 2), [_leave(say, 0)]])


def accepted(say: Say, ticket: Ticket) -> View:
    return View(text=say("support-accepted", number=ticket.ticket_id), rows=_while_writing(say, ticket))


def added(say: Say, ticket: Ticket) -> View:
    return View(text=say("support-added", number=ticket.ticket_id), rows=_while_writing(say, ticket))


def replied(say: Say, ticket: Ticket) -> View:
    """A reply was added; nothing more is expected."""
    return View(text=say("support-added", number=ticket.ticket_id), rows=[[_show(say, ticket), _write(say, ticket)]])


def ask_more(say: Say, ticket: Ticket) -> View:
    return View(text=say("support-ask-more", number=ticket.ticket_id), rows=[[_leave(say, ticket.ticket_id)]])


def refused(say: Say, reached: TooMany) -> View:
    """Why a message was not taken, and when the next one is."""
    text = say(f"support-limit-{reached.what}", limit=reached.limit, until=f"{reached.until:%d.%m %H:%M}")
    return View(text=text, rows=[[to_home(say)]])


def thread_page(say: Say, ticket: Ticket, messages: Sequence[TicketMessage], *, model: str | None) -> View:
    """The last messages of a customer's own thread."""
    lines = [
        say("support-line", side=each.side.value, when=local_time(each.created_at), words=words_of(say, each))
        for each in messages
    ]
    text = say(
        "support-thread",
        number=ticket.ticket_id,
        about=say("support-about", model=escape(model)) if model else "",
        state=ticket.state.value,
        lines="\n\n".join(lines),
    )
    write = _write(say, ticket)
    close = button(say("support-close"), TicketButton(action=TicketAction.CLOSE, ticket_id=ticket.ticket_id))
    return View(text=text, rows=[[write] if ticket.is_closed else [write, close], [to_home(say)]])


def ticket_list(say: Say, tickets: Sequence[Ticket]) -> View:
    rows = [
        [
            button(
                say("support-list-line", number=each.ticket_id, state=each.state.value),
                TicketButton(action=TicketAction.THREAD, ticket_id=each.ticket_id),
            )
        ]
        for each in tickets
    ]
    new = button(say("support-new"), NewTicketButton())
    return View(text=say("support-list"), rows=[*rows, [new], [to_home(say)]])


def words_of(say: Say, message: TicketMessage) -> str:
    """What a message says, fit for HTML: its words, the kind of its file, or what happened."""
    if message.event is not None:
        return say(f"ticket-event-{message.event}", amount=message.amount or "")
    file = say(f"ticket-file-{message.file.kind}") if message.file else ""
    return "\n".join(part for part in (file, escape(cut(message.text, SHOWN_WORDS))) if part)


def desk_page(
    say: Say, ticket: Ticket, job: TicketJob | None, messages: Sequence[TicketMessage], *, is_repeated: bool
) -> View:
    """A ticket as an operator sees it, with the buttons that still act."""
    lines = [
        say(
            "ticket-line",
            side=each.side.value,
            author=escape(short_name(each.author)),
            when=local_time(each.created_at),
            words=words_of(say, each),
        )
        for each in messages
    ]
    text = say("ticket-desk", **ticket_facts(ticket, job), state=ticket.state.value, lines="\n\n".join(lines))
    shown = operator_buttons(ticket, job, in_thread=True, is_repeated=is_repeated)
    return View(text=text, rows=[[_drawn(say, each) for each in row] for row in shown])


def desk_list(say: Say, waiting: Sequence[ListedTicket], *, count: int) -> View:
    """How many tickets wait, and the oldest of them."""
    if not waiting:
        return View(text=say("ticket-list-empty"), rows=[])
    rows = [
        [button(_line(say, each), DeskButton(action=DeskAction.THREAD, ticket_id=each.ticket.ticket_id))]
        for each in waiting
    ]
    return View(text=say("ticket-list", count=count), rows=rows)


def ask_answer(say: Say, ticket: Ticket) -> View:
    return View(text=say("ticket-ask-answer", number=ticket.ticket_id), rows=[], expects_text=True)


def ask_reason(say: Say, ticket: Ticket, job: TicketJob | None, action: DeskAction) -> View:
    """Why? A tap on one of the usual reasons acts; this question is the confirmation."""
    reasons = [
        button(
            say(f"ticket-reason-{reason}"), DeskReasonButton(action=action, ticket_id=ticket.ticket_id, reason=number)
        )
        for number, reason in enumerate(REASONS[action])
    ]
    keep = button(say("ticket-keep"), DeskButton(action=DeskAction.KEEP, ticket_id=ticket.ticket_id))
    text = say("ticket-ask-reason", act=action.value, **ticket_facts(ticket, job))
    return View(text=text, rows=[*in_rows(reasons, 2), [keep]])


def _line(say: Say, listed: ListedTicket) -> str:
    minutes = int(listed.age.total_seconds() // 60)
    is_short = listed.age < MINUTES_SHOWN
    age = say("ticket-age-minutes", count=minutes) if is_short else say("ticket-age-hours", count=minutes // 60)
    words = listed.last_text or (say(f"ticket-file-{listed.last_file}") if listed.last_file else "")
    return say(
        "ticket-list-line", number=listed.ticket.ticket_id, age=age, words=cut(" ".join(words.split()), LISTED_WORDS)
    )


def _drawn(say: Say, one: NoticeButton) -> InlineKeyboardButton:
    return button(say(one.text_key, **one.facts), one.data or "")


def _while_writing(say: Say, ticket: Ticket) -> list[list[InlineKeyboardButton]]:
    return [[_show(say, ticket), _leave(say, ticket.ticket_id)]]


def _show(say: Say, ticket: Ticket) -> InlineKeyboardButton:
    return button(say("support-show"), TicketButton(action=TicketAction.THREAD, ticket_id=ticket.ticket_id))


def _write(say: Say, ticket: Ticket) -> InlineKeyboardButton:
    return button(say("support-write"), TicketButton(action=TicketAction.WRITE, ticket_id=ticket.ticket_id))


def _leave(say: Say, ticket_id: int) -> InlineKeyboardButton:
    return button(say("support-leave"), TicketButton(action=TicketAction.LEAVE, ticket_id=ticket_id))


def plain(text: str) -> View:
    return View(text=escape(text), rows=[])
