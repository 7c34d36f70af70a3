"""`/admin` → Broadcast: send the message, choose whom it is for, look at it, start it, watch it, stop it.

`operators.broadcasts` holds the rules. A stop acts at the first tap: every second of it is messages to wrong people.
"""

from collections.abc import Mapping
from html import escape
from typing import Final

from aiogram import F, Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.admin import broadcast_views as views
from photomat.bot.admin.access import OperatorOnly, operator_name, refuse_viewer
from photomat.bot.admin.buttons import (
    AdminBroadcastButton,
    AdminButton,
    AdminPage,
    BroadcastAction,
    BroadcastReasonButton,
    BroadcastSegment,
    NewBroadcastButton,
    SegmentButton,
)
from photomat.bot.admin.views import nothing
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Administering, Broadcasting
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.broadcasts.broadcast import counts_of, find_broadcast, list_broadcasts
from photomat.broadcasts.content import BroadcastContent, BroadcastMedia
from photomat.broadcasts.segment import Segment, count_reach
from photomat.kernel.ids import ChatId
from photomat.kernel.text import storable
from photomat.operators import broadcasts as operators
from photomat.operators.access import Role
from photomat.operators.actions import ActionResult

SHOWN: Final = 6
MAX_REASON: Final = 500
DAYS: Final = 30
SEGMENTS: Final[Mapping[BroadcastSegment, Segment]] = {
    BroadcastSegment.EVERYONE: Segment(),
    BroadcastSegment.PAYERS: Segment(paid=True),
    BroadcastSegment.UNPAID: Segment(paid=False),
    BroadcastSegment.ACTIVE: Segment(ordered_within_days=DAYS),
    BroadcastSegment.SLEEPING: Segment(not_ordered_for_days=DAYS),
    BroadcastSegment.NEWCOMERS: Segment(never_ordered=True),
}


def router() -> Router:
    routes, operator = Router(name="admin-broadcast"), OperatorOnly()
    routes.callback_query.register(open_list, AdminButton.filter(F.page == AdminPage.BROADCASTS), operator)
    routes.callback_query.register(ask_message, NewBroadcastButton.filter(), operator)
    routes.callback_query.register(aim, SegmentButton.filter(), operator)
    routes.callback_query.register(open_one, AdminBroadcastButton.filter(F.action == BroadcastAction.OPEN), operator)
    routes.callback_query.register(go_on, AdminBroadcastButton.filter(F.action == BroadcastAction.NEXT), operator)
    routes.callback_query.register(look, AdminBroadcastButton.filter(F.action == BroadcastAction.PREVIEW), operator)
    routes.callback_query.register(stop, AdminBroadcastButton.filter(F.action == BroadcastAction.STOP), operator)
    routes.callback_query.register(ask_reason, AdminBroadcastButton.filter(), operator)
    routes.callback_query.register(reason_by_tap, BroadcastReasonButton.filter(), operator)
    words = ~F.text.startswith("/")
    routes.message.register(take_message, StateFilter(Broadcasting.composing), words, operator)
    routes.message.register(take_reason, StateFilter(Broadcasting.naming_reason), words, operator)
    return routes


async def open_list(_query: CallbackQuery, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Administering.finding, {})
    found = await list_broadcasts(ctx.pool, limit=SHOWN)
    await tap.open(views.broadcasts_page(ctx.say, found, may_act=role >= Role.OPERATOR))


async def ask_message(_query: CallbackQuery, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    await tap.answer()
    ctx.conversation.wait_for(Broadcasting.composing, {})
    await tap.open(views.ask_message(ctx.say))


async def take_message(message: Message, ctx: UpdateContext, role: Role) -> None:
    """A text with its formatting, or a photo or video with a caption, becomes a draft to everyone."""
    if role < Role.OPERATOR:
        ctx.conversation.clear()
        return
    content = BroadcastContent(text_ru=storable(message.html_text or ""), media=_media(message))
    made = await operators.create_broadcast(ctx.pool, content, Segment(), operator=operator_name(ctx))
    if made.broadcast_id is None:
        await send(message, views.refused(ctx.say, escape(made.answer.says.in_(ctx.say))))
        return
    ctx.conversation.wait_for(Administering.finding, {})
    await send(message, await _page(ctx, made.broadcast_id, role))


def _media(message: Message) -> BroadcastMedia | None:
    if message.photo:
        return BroadcastMedia(kind="photo", file_id=message.photo[-1].file_id)
    if message.animation:
        return BroadcastMedia(kind="animation", file_id=message.animation.file_id)
    return BroadcastMedia(kind="video", file_id=message.video.file_id) if message.video else None


async def open_one(
    _query: CallbackQuery, callback_data: AdminBroadcastButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Administering.finding, {})
    await tap.open(await _page(ctx, callback_data.broadcast_id, role))


async def aim(_query: CallbackQuery, callback_data: SegmentButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    segment, broadcast_id = SEGMENTS[callback_data.segment], callback_data.broadcast_id
    result = await operators.aim_broadcast(ctx.pool, broadcast_id, segment, operator=operator_name(ctx))
    await _show_result(tap, ctx, role, broadcast_id, result)


async def look(
    _query: CallbackQuery, callback_data: AdminBroadcastButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    """The preview comes below; the next tap goes on below it."""
    if await refuse_viewer(tap, ctx, role):
        return
    result = await operators.preview_broadcast(
        ctx.pool, callback_data.broadcast_id, chat_id=ChatId(ctx.user_id), operator=operator_name(ctx)
    )
    if not result.done:
        await _show_result(tap, ctx, role, callback_data.broadcast_id, result)
        return
    await tap.answer()
    ctx.conversation.wait_for(Administering.finding, {})
    await tap.open(views.looking(ctx.say, callback_data.broadcast_id))


async def go_on(
    _query: CallbackQuery, callback_data: AdminBroadcastButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    """The page again, below the preview."""
    await tap.answer()
    await tap.send(await _page(ctx, callback_data.broadcast_id, role))


async def stop(
    _query: CallbackQuery, callback_data: AdminBroadcastButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    result = await operators.stop_broadcast(
        ctx.pool, callback_data.broadcast_id, operator=operator_name(ctx), reason=ctx.say("admin-cast-reason-stop")
    )
    await _show_result(tap, ctx, role, callback_data.broadcast_id, result)


async def ask_reason(
    _query: CallbackQuery, callback_data: AdminBroadcastButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    """Before a start, a resume or a deletion: why, by a tap or typed; the answer does it."""
    if await refuse_viewer(tap, ctx, role):
        return
    await tap.answer()
    action, broadcast_id, reach = callback_data.action, callback_data.broadcast_id, callback_data.reach
    asked = {"action": action.value, "broadcast_id": broadcast_id, "reach": reach}
    ctx.conversation.wait_for(Broadcasting.naming_reason, asked)
    await tap.open(views.ask_reason(ctx.say, action, broadcast_id, reach))


async def reason_by_tap(
    _query: CallbackQuery, callback_data: BroadcastReasonButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    reasons = views.reasons_of(ctx.say)
    if callback_data.reason >= len(reasons):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    broadcast_id, reason = callback_data.broadcast_id, reasons[callback_data.reason]
    result = await _act(ctx, callback_data.action, broadcast_id, callback_data.reach, reason)
    await _show_result(tap, ctx, role, broadcast_id, result)


async def take_reason(message: Message, ctx: UpdateContext, role: Role) -> None:
    asked, reason = ctx.conversation.data, storable(" ".join((message.text or "").split()))[:MAX_REASON]
    ctx.conversation.wait_for(Administering.finding, {})
    if role < Role.OPERATOR or not reason:
        await send(message, nothing(ctx.say))
        return
    broadcast_id = int(asked["broadcast_id"])
    result = await _act(ctx, BroadcastAction(asked["action"]), broadcast_id, int(asked["reach"]), reason)
    page = await _page(ctx, broadcast_id, role)
    await send(message, views.with_result(page, escape(result.says.in_(ctx.say))))


async def _act(ctx: UpdateContext, action: BroadcastAction, broadcast_id: int, reach: int, reason: str) -> ActionResult:
    pool, operator = ctx.pool, operator_name(ctx)
    if action is BroadcastAction.START:
        return await operators.start_broadcast(pool, broadcast_id, reach=reach, operator=operator, reason=reason)
    if action is BroadcastAction.RESUME:
        return await operators.resume_broadcast(pool, broadcast_id, operator=operator, reason=reason)
    return await operators.delete_broadcast(pool, broadcast_id, operator=operator, reason=reason)


async def _show_result(tap: Tap, ctx: UpdateContext, role: Role, broadcast_id: int, result: ActionResult) -> None:
    says = result.says.in_(ctx.say)
    await tap.answer(says, alert=not result.done)
    ctx.conversation.wait_for(Administering.finding, {})
    await tap.open(views.with_result(await _page(ctx, broadcast_id, role), escape(says)))


async def _page(ctx: UpdateContext, broadcast_id: int, role: Role) -> View:
    one = await find_broadcast(ctx.pool, broadcast_id)
    if one is None:
        return nothing(ctx.say)
    conditions = operators.conditions_of(one.segment, currency=ctx.orders.rates.currency)
    return views.broadcast_page(
        ctx.say,
        one,
        counts=await counts_of(ctx.pool, one),
        reach=await count_reach(ctx.pool, one.segment) if one.is_open else None,
        conditions=", ".join(escape(each.in_(ctx.say)) for each in conditions),
        may_act=role >= Role.OPERATOR,
    )
