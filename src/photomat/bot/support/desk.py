"""Operators and tickets in the chat: the answer by a reply or after a tap, and actions with a reason. `operators.tickets` acts.

Only operators may. An action asks for its reason first; a tap on one of the usual reasons, or a typed one, does it.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import DeskAction, DeskButton, DeskReasonButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Answering
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.support import views
from photomat.bot.support.messages import ACTION, TICKET, AnswersTicket, is_desk, words_in
from photomat.bot.transport import Tap, send
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import get_logger
from photomat.kernel.text import storable
from photomat.operators import tickets
from photomat.operators.access import operator_of_telegram, operators_reached
from photomat.operators.actions import ActionResult
from photomat.operators.tickets import Actor
from photomat.support.ticket import (
    Ticket,
    TicketFilter,
    TicketJob,
    count_waiting,
    find_ticket,
    job_of_ticket,
    list_tickets,
    messages_of,
)

MAX_REASON: Final = 300
LISTED: Final = 8
VERBS: Final[Mapping[DeskAction, Callable[..., Awaitable[ActionResult]]]] = {
    DeskAction.REFUND: tickets.refund_ticket,
    DeskAction.REPEAT: tickets.repeat_ticket,
    DeskAction.SHOW: tickets.show_again,
    DeskAction.CLOSE: tickets.close_ticket,
}
"""What needs a reason."""
log = get_logger()


def commands_router() -> Router:
    """Registered before the general handler of /cancel."""
    routes = Router(name="tickets commands")
    routes.message.register(leave_question, Command("cancel"), StateFilter(Answering))
    routes.message.register(list_waiting, Command("tickets"))
    return routes


def router() -> Router:
    """Registered after all commands, before a form or a wish takes a message."""
    routes = Router(name="tickets")
    routes.message.register(take_reason, StateFilter(Answering.reason), AddressedToBot())
    routes.message.register(take_answer, AnswersTicket())
    routes.callback_query.register(ask_for_answer, DeskButton.filter(F.action == DeskAction.ANSWER))
    routes.callback_query.register(show_thread, DeskButton.filter(F.action == DeskAction.THREAD))
    routes.callback_query.register(ask_for_reason, DeskButton.filter(F.action.in_(set(VERBS))))
    routes.callback_query.register(keep, DeskButton.filter(F.action == DeskAction.KEEP))
    routes.callback_query.register(reason_by_tap, DeskReasonButton.filter())
    return routes


async def list_waiting(message: Message, ctx: UpdateContext) -> None:
    """/tickets: how many wait for an answer, the oldest of them as buttons; for others an unknown command."""
    if message.chat.type != ChatType.PRIVATE or not await is_desk(ctx):
        await send(message, hint(ctx.say, "fallback-command"))
        return
    waiting = await list_tickets(ctx.pool, only=TicketFilter.WAITING, limit=LISTED)
    await send(message, views.desk_list(ctx.say, waiting, count=await count_waiting(ctx.pool)))


async def show_thread(_query: CallbackQuery, callback_data: DeskButton, tap: Tap, ctx: UpdateContext) -> None:
    ticket = await _ticket(tap, ctx, callback_data.ticket_id)
    if ticket is not None:
        await tap.answer()
        messages = await messages_of(ctx.pool, ticket.ticket_id, limit=views.SHOWN_MESSAGES)
        job, is_repeated = await _job(ctx, ticket), await tickets.was_repeated(ctx.pool, ticket)
        await tap.send(views.desk_page(ctx.say, ticket, job, messages, is_repeated=is_repeated))


async def ask_for_answer(_query: CallbackQuery, callback_data: DeskButton, tap: Tap, ctx: UpdateContext) -> None:
    ticket = await _ticket(tap, ctx, callback_data.ticket_id)
    if ticket is not None:
        await tap.answer()
        ctx.conversation.wait_for(Answering.answer, {TICKET: ticket.ticket_id})
        await tap.send(views.ask_answer(ctx.say, ticket))


async def take_answer(message: Message, ctx: UpdateContext, ticket_id: int) -> None:
    if not await is_desk(ctx):
        await _turn_away(message, ctx)
        return
    words = words_in(message)
    if words is None:
        await send(message, views.plain(ctx.say("support-wrong-kind")))
        return
    reached = await operators_reached(ctx.pool, ctx.config.operators)
    others = [ChatId(each) for each in reached if each != ctx.user_id]
    result = await tickets.answer_ticket(ctx.pool, ticket_id, words, actor=_actor(ctx), operators=others)
    if result.done and ctx.conversation.state == Answering.answer.state:
        ctx.conversation.clear()
    await send(message, views.plain(said(ctx, result)))


async def ask_for_reason(_query: CallbackQuery, callback_data: DeskButton, tap: Tap, ctx: UpdateContext) -> None:
    """Ask why, which is also the confirmation."""
    ticket = await _ticket(tap, ctx, callback_data.ticket_id)
    if ticket is None:
        return
    await tap.answer()
    action = callback_data.action
    ctx.conversation.wait_for(Answering.reason, {TICKET: ticket.ticket_id, ACTION: action.value})
    await tap.send(views.ask_reason(ctx.say, ticket, await _job(ctx, ticket), action))


async def reason_by_tap(_query: CallbackQuery, callback_data: DeskReasonButton, tap: Tap, ctx: UpdateContext) -> None:
    action, reasons = callback_data.action, views.REASONS.get(callback_data.action, ())
    if not await is_desk(ctx):
        await _refuse(tap, ctx)
        return
    if callback_data.reason >= len(reasons):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    reason = ctx.say(f"ticket-reason-{reasons[callback_data.reason]}")
    result = await _act(ctx, action, callback_data.ticket_id, reason)
    if ctx.conversation.state == Answering.reason.state:
        ctx.conversation.clear()
    await tap.answer(said(ctx, result), alert=not result.done)
    await tap.replace(views.plain(said(ctx, result)))


async def take_reason(message: Message, ctx: UpdateContext) -> None:
    if not await is_desk(ctx):
        await _turn_away(message, ctx)
        return
    data, reason = ctx.conversation.data, " ".join(str(storable(message.text or "")).split())
    if not reason or len(reason) > MAX_REASON:
        await send(message, views.plain(ctx.say("ticket-bad-reason", limit=MAX_REASON)))
        return
    result = await _act(ctx, DeskAction(data[ACTION]), int(data[TICKET]), reason)
    ctx.conversation.clear()
    await send(message, views.plain(said(ctx, result)))


async def keep(_query: CallbackQuery, callback_data: DeskButton, tap: Tap, ctx: UpdateContext) -> None:
    if not await is_desk(ctx):
        await _refuse(tap, ctx)
        return
    if ctx.conversation.state in Answering:
        ctx.conversation.clear()
    kept = ctx.say("ticket-kept", number=callback_data.ticket_id)
    await tap.answer(kept)
    await tap.replace(views.plain(kept))


async def leave_question(message: Message, ctx: UpdateContext) -> None:
    number = int(ctx.conversation.data.get(TICKET, 0))
    ctx.conversation.clear()
    await send(message, views.plain(ctx.say("ticket-kept", number=number)))


def said(ctx: UpdateContext, result: ActionResult) -> str:
    """What came of an action, as plain text."""
    return result.says.in_(ctx.say)


async def _act(ctx: UpdateContext, action: DeskAction, ticket_id: int, reason: str) -> ActionResult:
    return await VERBS[action](ctx.pool, ticket_id, actor=_actor(ctx), reason=reason)


def _actor(ctx: UpdateContext) -> Actor:
    user = ctx.user
    name = f"@{user.username}" if user.username else user.first_name
    return Actor(name=str(storable(operator_of_telegram(user.user_id, name))), origin=ctx.origin)


async def _ticket(tap: Tap, ctx: UpdateContext, ticket_id: int) -> Ticket | None:
    """The ticket of a tapped button, for operators alone."""
    if not await is_desk(ctx):
        await _refuse(tap, ctx)
        return None
    ticket = await find_ticket(ctx.pool, ticket_id)
    if ticket is None:
        await tap.answer(ctx.say("ticket-unknown", number=ticket_id), alert=True)
    return ticket


async def _job(ctx: UpdateContext, ticket: Ticket) -> TicketJob | None:
    if ticket.job_id is None:
        return None
    async with transaction(ctx.pool) as tx:
        return await job_of_ticket(tx, ticket.job_id)


async def _refuse(tap: Tap, ctx: UpdateContext) -> None:
    log.warning("TICKET_FOREIGN", user_id=ctx.user_id, ticket_id=None, job_id=None)
    await tap.answer(ctx.say("ticket-not-operator"), alert=True)


async def _turn_away(message: Message, ctx: UpdateContext) -> None:
    """The user was an operator when the question was asked, and no longer is."""
    log.warning("TICKET_FOREIGN", user_id=ctx.user_id, ticket_id=None, job_id=None)
    ctx.conversation.clear()
    await send(message, views.plain(ctx.say("ticket-not-operator")))
