"""The buttons under alerts: look at what an incident is about, or act on it by one tap. `operators.incidents` decides."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.alerts.incident import AlertAction
from photomat.bot.admin import pages, views
from photomat.bot.admin.access import OperatorOnly, operator_name, refuse_viewer
from photomat.bot.admin.buttons import AlertButton
from photomat.bot.context import UpdateContext
from photomat.bot.transfer.review import show_waiting
from photomat.bot.transport import Tap
from photomat.operators.access import Role
from photomat.operators.incidents import ACTS, check_now
from photomat.reports.brief import old_sessions


def router() -> Router:
    routes, operators = Router(name="alerts"), OperatorOnly(in_their_group=True)
    for action, look in (
        (AlertAction.JOBS, show_jobs),
        (AlertAction.RECEIPTS, show_receipts),
        (AlertAction.TICKETS, show_tickets),
        (AlertAction.STATE, show_state),
        (AlertAction.SESSION, show_sessions),
        (AlertAction.CHECK, check),
    ):
        routes.callback_query.register(look, AlertButton.filter(F.action == action), operators)
    routes.callback_query.register(act, AlertButton.filter(F.action.in_(set(ACTS))), operators)
    return routes


async def act(_query: CallbackQuery, callback_data: AlertButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    perform = ACTS[callback_data.action]
    result = await perform(ctx.pool, callback_data.incident_id, operator=operator_name(ctx))
    await tap.answer(result.says.in_(ctx.say), alert=True)


async def check(_query: CallbackQuery, callback_data: AlertButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    """What the check finds comes as a message."""
    if await refuse_viewer(tap, ctx, role):
        return
    result = await check_now(ctx.pool, callback_data.incident_id, operator=operator_name(ctx), chat_id=ctx.chat_id)
    await tap.answer(result.says.in_(ctx.say), alert=not result.done)


async def show_jobs(_query: CallbackQuery, callback_data: AlertButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.send(await pages.jobs_of_incident(ctx, callback_data.incident_id))


async def show_receipts(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.send(await show_waiting(ctx, ctx.chat_id))


async def show_tickets(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.send(await pages.tickets(ctx))


async def show_state(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.send(await pages.state(ctx))


async def show_sessions(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.send(views.sessions(ctx.say, await old_sessions(ctx.pool)))
