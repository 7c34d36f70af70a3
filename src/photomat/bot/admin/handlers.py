"""`/admin` in the chat: the menu, what needs a person, the search, lists, the state of the installation, the console's link.

Only operators reach these handlers, in their private chat. While a page of `/admin` is open, a text or a forwarded message is
searched for, so that a customer's message can be forwarded without asking first.
"""

from typing import Final

from aiogram import F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import (
    CallbackQuery,
    Message,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

from photomat.bot.admin import pages, views
from photomat.bot.admin.access import OperatorOnly, operator_name, refuse_viewer
from photomat.bot.admin.buttons import (
    AdminButton,
    AdminJobButton,
    AdminJobsButton,
    AdminPage,
    AdminUserButton,
    IncidentButton,
)
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Administering
from photomat.bot.transfer.review import show_waiting
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.kernel.ids import JobId, UserId
from photomat.operators.access import Role, new_link
from photomat.reports.find import SearchHits, find, find_user

MAX_WORDS: Final = 200


def commands_router() -> Router:
    """Registered among the commands."""
    routes = Router(name="admin-commands")
    routes.message.register(open_by_command, Command("admin"), OperatorOnly())
    return routes


def router() -> Router:
    """Registered before the routers that take any text."""
    routes = Router(name="admin")
    routes.message.register(search_by_message, StateFilter(Administering.finding), OperatorOnly())
    operators = OperatorOnly()
    for page, handler in (
        (AdminPage.MENU, open_menu),
        (AdminPage.TODAY, open_today),
        (AdminPage.NEEDS, open_needs),
        (AdminPage.FIND, ask_whom),
        (AdminPage.RECEIPTS, open_receipts),
        (AdminPage.TICKETS, open_tickets),
        (AdminPage.INCIDENTS, open_incidents),
        (AdminPage.STATE, open_state),
        (AdminPage.CONSOLE, send_link),
    ):
        routes.callback_query.register(handler, AdminButton.filter(F.page == page), operators)
    routes.callback_query.register(open_jobs, AdminJobsButton.filter(), operators)
    routes.callback_query.register(open_job, AdminJobButton.filter(), operators)
    routes.callback_query.register(open_user, AdminUserButton.filter(), operators)
    routes.callback_query.register(open_incident, IncidentButton.filter(), operators)
    return routes


async def open_by_command(message: Message, command: CommandObject, ctx: UpdateContext) -> None:
    """The menu; `/admin 17`, `/admin @anna` search at once."""
    ctx.conversation.wait_for(Administering.finding, {})
    if command.args:
        await send(message, await _search(ctx, command.args))
    else:
        await send(message, await pages.menu(ctx))


async def open_menu(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.menu(ctx))


async def open_today(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.today(ctx))


async def open_needs(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.needs(ctx))


async def open_state(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.state(ctx))


async def open_tickets(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.tickets(ctx))


async def open_incidents(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.incidents(ctx))


async def open_incident(_query: CallbackQuery, callback_data: IncidentButton, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.incident(ctx, callback_data.incident_id))


async def open_jobs(_query: CallbackQuery, callback_data: AdminJobsButton, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.jobs(ctx, callback_data.only))


async def open_job(_query: CallbackQuery, callback_data: AdminJobButton, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.job(ctx, JobId(callback_data.job_id)))


async def open_user(_query: CallbackQuery, callback_data: AdminUserButton, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, await pages.user(ctx, UserId(callback_data.user_id)))


async def ask_whom(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await _show(tap, ctx, views.ask_whom(ctx.say))


async def open_receipts(_query: CallbackQuery, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    """The receipts that wait follow as messages of their own, each with its buttons."""
    if await refuse_viewer(tap, ctx, role):
        return
    await _show(tap, ctx, await show_waiting(ctx, ctx.chat_id))


async def send_link(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    """A link that signs in to the console once; without PUBLIC_URL, which command prints one."""
    await tap.answer()
    if ctx.config.admin.public_url is None:
        await tap.send(views.no_link(ctx.say))
        return
    token = await new_link(ctx.pool, operator=operator_name(ctx), telegram_id=ctx.user_id)
    await tap.send(views.console_link(ctx.say, f"{ctx.config.admin.public_url}/console/sign-in#{token}"))


async def search_by_message(message: Message, ctx: UpdateContext) -> None:
    """Search for who wrote a forwarded message, or for what is typed."""
    origin = message.forward_origin
    if isinstance(origin, MessageOriginUser) and origin.sender_user.is_bot:
        await send(message, views.with_note(ctx.say("admin-forwarded-bot"), views.ask_whom(ctx.say)))
    elif isinstance(origin, MessageOriginUser):
        found = await find_user(ctx.pool, UserId(origin.sender_user.id))
        await send(message, await _hits(ctx, found, searched=origin.sender_user.full_name))
    elif isinstance(origin, MessageOriginHiddenUser):
        name = origin.sender_user_name[:MAX_WORDS]
        await send(message, views.with_note(ctx.say("admin-hidden-sender"), await _search(ctx, name)))
    else:
        await send(message, await _search(ctx, message.text or message.caption or ""))


async def _search(ctx: UpdateContext, words: str) -> View:
    words = words[:MAX_WORDS]
    return await _hits(ctx, await find(ctx.pool, words), searched=words)


async def _hits(ctx: UpdateContext, found: SearchHits, *, searched: str) -> View:
    """The one page that was found, or a choice."""
    if len(found.jobs) == 1 and not found.users:
        return await pages.job(ctx, found.jobs[0].job_id)
    if len(found.users) == 1 and not found.jobs:
        return await pages.user(ctx, found.users[0].user_id)
    return views.found(ctx.say, found, searched=searched)


async def _show(tap: Tap, ctx: UpdateContext, view: View) -> None:
    """Show a page of `/admin` in place; what is typed next is searched for."""
    await tap.answer()
    ctx.conversation.wait_for(Administering.finding, {})
    await tap.open(view)
