"""The inbox of support: what waits for an answer, and a ticket as a chat with its order beside it."""

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.console.telegram_file import telegram_file
from photomat.console.written import age
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId, UserId
from photomat.operators import tickets
from photomat.operators.access import Role, operators_reached
from photomat.operators.actions import ActionResult
from photomat.operators.tickets import Actor
from photomat.support.notices import MAX_ANSWER, short_name
from photomat.support.thread import MessageContent
from photomat.support.ticket import (
    ListedTicket,
    Ticket,
    TicketFilter,
    TicketMessage,
    count_open,
    find_message,
    find_ticket,
    job_of_ticket,
    list_tickets,
    messages_of,
)
from photomat.users.user import DEFAULT_LANGUAGE, find_user

SHOWN_MESSAGES: Final = 200
SHOWN_TYPES: Final = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4", "audio/ogg", "audio/mpeg", "application/pdf"}
)
CANNED: Final = ("looking", "sorry", "refunded", "describe", "blocked", "solved")
"""Ready answers; their texts are `console-tickets-canned-…`, in the customer's language."""
HEADER: Final = (
    "ticket",
    "state",
    "waits since",
    "user",
    "name",
    "job",
    "model",
    "topic",
    "assigned",
    "side",
    "last words",
)


async def show_tickets(ctx: PageContext) -> web.Response:
    only = TicketFilter(ctx.query.choice("only", list(TicketFilter)) or TicketFilter.OPEN)
    user = ctx.query.number("user")
    found = await list_tickets(
        ctx.pool,
        only=only,
        after=ctx.query.number("before"),
        user_id=None if user is None else UserId(user),
        limit=CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1,
    )
    if ctx.wants_csv:
        return csv_response("tickets.csv", HEADER, map(_cells, found))
    waiting, answered = await count_open(ctx.pool)
    counts = {TicketFilter.WAITING: waiting, TicketFilter.OPEN: waiting + answered}
    return ctx.render(
        "tickets.html",
        rows=found[:PAGE_SIZE],
        next_before=found[PAGE_SIZE - 1].ticket.ticket_id if len(found) > PAGE_SIZE else None,
        only=only,
        choices=[(each.value, ctx.say(f"console-tickets-only-{each}"), counts.get(each)) for each in TicketFilter],
        user=user,
        age=lambda lasted: age(lasted, ctx.say),
        short_name=short_name,
    )


def _cells(one: ListedTicket) -> tuple[object, ...]:
    ticket = one.ticket
    return (
        ticket.ticket_id,
        ticket.state,
        ticket.waiting_since,
        ticket.user_id,
        ticket.first_name,
        ticket.job_id,
        one.model,
        ticket.topic,
        ticket.assigned_to,
        one.last_side,
        one.last_text or one.last_file,
    )


async def show_ticket(ctx: PageContext) -> web.Response:
    ticket = await _ticket(ctx)
    async with transaction(ctx.pool) as tx:
        job = None if ticket.job_id is None else await job_of_ticket(tx, ticket.job_id)
        customer = await find_user(tx, ticket.user_id)
    language = customer.language if customer else DEFAULT_LANGUAGE
    canned = ctx.query.choice("canned", CANNED)
    messages = await messages_of(ctx.pool, ticket.ticket_id, limit=SHOWN_MESSAGES)
    return ctx.render(
        "ticket.html",
        ticket=ticket,
        job=job,
        messages=[(each, _event(ctx, each)) for each in messages],
        language_of_customer=language,
        canned=CANNED,
        prepared="" if canned is None else ctx.config.texts.say(language, f"console-tickets-canned-{canned}"),
        longest=MAX_ANSWER,
        is_cut=len(messages) == SHOWN_MESSAGES,
        can_refund=job is not None and job.can_refund,
        short_name=short_name,
    )


def _event(ctx: PageContext, message: TicketMessage) -> str | None:
    """What a message of the system says; None for what people wrote."""
    return None if (event := message.event) is None else ctx.say(f"ticket-event-{event}", amount=message.amount or "")


async def show_file(ctx: PageContext) -> web.StreamResponse:
    """A file of the thread, read from Telegram through this session."""
    ticket = await _ticket(ctx)
    message = await find_message(ctx.pool, ticket_id=ticket.ticket_id, message_id=ctx.id("message_id"))
    if message is None or message.file is None:
        raise web.HTTPNotFound
    name = f"ticket-{ticket.ticket_id}-{message.message_id}"
    return await telegram_file(ctx, message.file.file_id, name=name, shown=SHOWN_TYPES)


async def answer(ctx: ActionContext) -> web.Response:
    reached = await operators_reached(ctx.pool, ctx.config.owners.telegram_ids)
    others = [ChatId(each) for each in reached if each != ctx.operator.telegram_id]
    words = MessageContent(text=ctx.form.get("text", "").replace("\r\n", "\n").strip())
    result = await tickets.answer_ticket(ctx.pool, ctx.id("ticket_id"), words, actor=_actor(ctx), operators=others)
    return await ctx.done(result, back=_here(ctx))


def acting(verb: Callable[..., Awaitable[ActionResult]]) -> Callable[[ActionContext], Awaitable[web.StreamResponse]]:
    """The handler of a form whose only field is the reason."""

    async def act(ctx: ActionContext) -> web.Response:
        result = await verb(ctx.pool, ctx.id("ticket_id"), actor=_actor(ctx), reason=ctx.reason)
        return await ctx.done(result, back=_here(ctx))

    return act


async def take(ctx: ActionContext) -> web.Response:
    """The operator answers this ticket from now on."""
    name = ctx.operator.name
    result = await tickets.assign_ticket(ctx.pool, ctx.id("ticket_id"), to=name, actor=_actor(ctx))
    return await ctx.done(result, back=_here(ctx))


def _actor(ctx: ActionContext) -> Actor:
    return Actor(name=ctx.operator.name, origin=ctx.reference)


def _here(ctx: PageContext) -> str:
    return f"{BASE}/tickets/{ctx.id('ticket_id')}"


async def _ticket(ctx: PageContext) -> Ticket:
    ticket = await find_ticket(ctx.pool, ctx.id("ticket_id"))
    if ticket is None:
        raise web.HTTPNotFound
    return ticket


PAGES: Final = (
    Page("/tickets", show_tickets),
    Page("/tickets/{ticket_id}", show_ticket),
    Page("/tickets/{ticket_id}/files/{message_id}", show_file, role=Role.OPERATOR),
)
ACTIONS: Final = (
    Action("/tickets/{ticket_id}/answer", answer, needs_reason=False),
    Action("/tickets/{ticket_id}/take", take, needs_reason=False),
    Action("/tickets/{ticket_id}/refund", acting(tickets.refund_ticket)),
    Action("/tickets/{ticket_id}/repeat", acting(tickets.repeat_ticket)),
    Action("/tickets/{ticket_id}/show", acting(tickets.show_again)),
    Action("/tickets/{ticket_id}/close", acting(tickets.close_ticket)),
    Action("/tickets/{ticket_id}/reopen", acting(tickets.reopen_ticket)),
)
