"""A customer and support: «🆘» under an order, /support, what they write, the thread, closing it.

A message is stored in a transaction of its own, by the update that brought it, before the customer reads that it was taken:
killed in between, the update is handled again and finds it. While a customer writes to support nothing they send is taken as
an order; a command, a tap on anything else, a reply to one message or a few minutes of silence leaves that.
"""

from functools import partial
from typing import Any

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import (
    JobAction,
    JobButton,
    MenuButton,
    NewTicketButton,
    Screen,
    SupportTopicButton,
    TicketAction,
    TicketButton,
)
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Supporting
from photomat.bot.middlewares import FOR_BANNED
from photomat.bot.results.next_order import find_own_job
from photomat.bot.support import views
from photomat.bot.support.messages import ALBUM, JOB, ONCE, TICKET, WritesToTicket, words_in
from photomat.bot.transport import Tap, send
from photomat.bot.view import Show, View, to_home
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.logs import get_logger
from photomat.operators.access import operators_reached
from photomat.support import thread as threads
from photomat.support.thread import MessageContent, TicketAuthor, TooMany, Written, write_by_customer
from photomat.support.ticket import (
    Ticket,
    Topic,
    find_ticket,
    job_of_ticket,
    messages_of,
    open_ticket_about,
    tickets_of_user,
)

LISTED = 5
log = get_logger()


def router() -> Router:
    routes = Router(name="support")
    routes.message.register(open_by_command, Command("support"), flags=FOR_BANNED)
    routes.callback_query.register(open_by_menu, MenuButton.filter(F.screen == Screen.SUPPORT), flags=FOR_BANNED)
    routes.callback_query.register(open_from_job, JobButton.filter(F.action == JobAction.SUPPORT), flags=FOR_BANNED)
    routes.callback_query.register(ask_anew, NewTicketButton.filter(), flags=FOR_BANNED)
    routes.callback_query.register(choose_topic, SupportTopicButton.filter(), flags=FOR_BANNED)
    for action, handler in (
        (TicketAction.THREAD, show_thread),
        (TicketAction.WRITE, ask_for_more),
        (TicketAction.CLOSE, close_own),
        (TicketAction.LEAVE, leave),
    ):
        routes.callback_query.register(handler, TicketButton.filter(F.action == action), flags=FOR_BANNED)
    return routes


def messages_router() -> Router:
    """Registered after all commands, before a form or a wish takes a message."""
    routes = Router(name="support messages")
    routes.message.register(take_message, WritesToTicket(), flags=FOR_BANNED)
    return routes


async def open_by_command(message: Message, ctx: UpdateContext) -> None:
    await _open(ctx, partial(send, message))


async def open_by_menu(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    if await _refuse_in_group(tap, ctx):
        return
    await tap.answer()
    await _open(ctx, tap.open)


async def open_from_job(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """Continue the open ticket about this job, or ask what happened; the card itself stays as it is."""
    job_id = JobId(callback_data.job_id)
    bought = await find_own_job(tap, ctx, job_id)
    if bought is None or await _refuse_in_group(tap, ctx):
        return
    await tap.answer()
    ticket = await open_ticket_about(ctx.pool, bot_id=ctx.bot_id, user_id=ctx.user_id, job_id=job_id)
    if ticket is not None:
        await _show_and_wait(ctx, tap.send, ticket)
        return
    ctx.conversation.wait_for(Supporting.writing, {JOB: job_id})
    titles = await ctx.orders.titles(ctx.language)
    await tap.send(views.ask(ctx.say, job_id=job_id, model=bought.title or titles.get(bought.model, bought.model)))


async def ask_anew(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ticket = await open_ticket_about(ctx.pool, bot_id=ctx.bot_id, user_id=ctx.user_id, job_id=None)
    if ticket is not None:
        await _show_and_wait(ctx, tap.open, ticket)
    else:
        await _ask_without_job(ctx, tap.open)


async def choose_topic(_query: CallbackQuery, callback_data: SupportTopicButton, tap: Tap, ctx: UpdateContext) -> None:
    """Open the ticket with one of the usual reasons; words and files may follow."""
    job_id, topic = JobId(callback_data.job_id) or None, callback_data.topic
    written = await _write(ctx, MessageContent(text=ctx.say(f"support-topic-{topic}")), {JOB: job_id}, topic=topic)
    if written is None:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
    elif isinstance(written, TooMany):
        await tap.answer()
        await tap.open(views.refused(ctx.say, written))
    else:
        await tap.answer()
        await tap.open(views.accepted(ctx.say, written.ticket))


async def take_message(message: Message, ctx: UpdateContext, thread: dict[str, Any]) -> None:
    """Add what was written to its thread, and say so; the parts of an album are confirmed once."""
    words = words_in(message)
    if words is None:
        await send(message, View(text=ctx.say("support-wrong-kind"), rows=[]))
        return
    written = await _write(ctx, words, thread)
    if written is None:
        _stop_writing(ctx)
        await send(message, View(text=ctx.say("support-not-yours"), rows=[[to_home(ctx.say)]]))
    elif isinstance(written, TooMany):
        await send(message, views.refused(ctx.say, written))
    elif ONCE in thread:
        await send(message, views.replied(ctx.say, written.ticket))
    else:
        album = message.media_group_id
        ctx.conversation.store({**ctx.conversation.data, ALBUM: album})
        if album is None or album != thread.get(ALBUM):
            is_opened = TICKET not in thread
            await send(message, (views.accepted if is_opened else views.added)(ctx.say, written.ticket))


async def show_thread(_query: CallbackQuery, callback_data: TicketButton, tap: Tap, ctx: UpdateContext) -> None:
    ticket = await _own(tap, ctx, callback_data.ticket_id)
    if ticket is not None:
        await tap.answer()
        await tap.open(await _thread(ctx, ticket))


async def ask_for_more(_query: CallbackQuery, callback_data: TicketButton, tap: Tap, ctx: UpdateContext) -> None:
    ticket = await _own(tap, ctx, callback_data.ticket_id)
    if ticket is not None:
        await tap.answer()
        ctx.conversation.wait_for(Supporting.writing, {TICKET: ticket.ticket_id})
        await tap.send(views.ask_more(ctx.say, ticket))


async def close_own(_query: CallbackQuery, callback_data: TicketButton, tap: Tap, ctx: UpdateContext) -> None:
    ticket = await _own(tap, ctx, callback_data.ticket_id)
    if ticket is None:
        return
    async with transaction(ctx.pool) as tx:
        by = f"telegram:{ctx.user_id}"
        closed = await threads.close_ticket(tx, ticket.ticket_id, by=by, origin=ctx.origin, notifies=False)
    _stop_writing(ctx)
    if closed is None and ticket.closed_by != by:
        await tap.answer(ctx.say("support-not-open"), alert=True)
        return
    await tap.answer()
    await tap.send(View(text=ctx.say("support-closed", number=ticket.ticket_id), rows=[[to_home(ctx.say)]]))


async def leave(_query: CallbackQuery, callback_data: TicketButton, tap: Tap, ctx: UpdateContext) -> None:
    """Write to support no longer; the ticket stays open."""
    _stop_writing(ctx)
    await tap.answer()
    left = ctx.say("support-left" if callback_data.ticket_id else "cancel-done")
    await tap.open(View(text=left, rows=[[to_home(ctx.say)]]))


async def _open(ctx: UpdateContext, show: Show) -> None:
    tickets = await tickets_of_user(ctx.pool, ctx.user_id, limit=LISTED, only_open=True)
    if tickets:
        await show(views.ticket_list(ctx.say, tickets))
    else:
        await _ask_without_job(ctx, show)


async def _ask_without_job(ctx: UpdateContext, show: Show) -> None:
    ctx.conversation.wait_for(Supporting.writing, {JOB: None})
    await show(views.ask(ctx.say, job_id=0, model=None))


async def _show_and_wait(ctx: UpdateContext, show: Show, ticket: Ticket) -> None:
    ctx.conversation.wait_for(Supporting.writing, {TICKET: ticket.ticket_id})
    await show(await _thread(ctx, ticket))


async def _thread(ctx: UpdateContext, ticket: Ticket) -> View:
    async with transaction(ctx.pool) as tx:
        job = None if ticket.job_id is None else await job_of_ticket(tx, ticket.job_id)
    messages = await messages_of(ctx.pool, ticket.ticket_id, limit=views.SHOWN_MESSAGES)
    return views.thread_page(ctx.say, ticket, messages, model=job.title if job else None)


async def _write(
    ctx: UpdateContext, words: MessageContent, thread: dict[str, Any], *, topic: Topic = Topic.OTHER
) -> Written | TooMany | None:
    """Store a customer's message; unless it was a reply, wait for the next one of the same thread."""
    await ctx.register_now()
    customer = TicketAuthor(
        bot_id=ctx.bot_id, user_id=ctx.user_id, job_id=thread.get(JOB), ticket_id=thread.get(TICKET)
    )
    operators = [ChatId(each) for each in await operators_reached(ctx.pool, ctx.config.operators)]
    async with transaction(ctx.pool) as tx:
        written = await write_by_customer(tx, customer, words, origin=ctx.origin, operators=operators, topic=topic)
    if written is None:
        log.warning("TICKET_FOREIGN", user_id=ctx.user_id, ticket_id=customer.ticket_id, job_id=customer.job_id)
    elif isinstance(written, TooMany):
        log.info("TICKET_REFUSED", user_id=ctx.user_id, why=written.what, limit=written.limit)
    elif ONCE in thread:
        _stop_writing(ctx)
    else:
        ctx.conversation.wait_for(Supporting.writing, {TICKET: written.ticket.ticket_id})
    return written


async def _own(tap: Tap, ctx: UpdateContext, ticket_id: int) -> Ticket | None:
    """The customer's own ticket; another's is refused here."""
    ticket = await find_ticket(ctx.pool, ticket_id)
    if ticket is not None and ticket.user_id == ctx.user_id:
        return ticket
    log.warning("TICKET_FOREIGN", user_id=ctx.user_id, ticket_id=ticket_id, job_id=None)
    await tap.answer(ctx.say("support-not-yours"), alert=True)
    return None


def _stop_writing(ctx: UpdateContext) -> None:
    if ctx.conversation.state == Supporting.writing.state:
        ctx.conversation.clear()


async def _refuse_in_group(tap: Tap, ctx: UpdateContext) -> bool:
    if tap.message is not None and tap.message.chat.type == ChatType.PRIVATE:
        return False
    await tap.answer(ctx.say("support-only-private"), alert=True)
    return True
