"""Acting from the chat: a sum or a text where one is needed, a reason, what will happen, a confirmation, the result.

An action that was begun lives in the conversation and is named by a token, the update that began it. Buttons of another action
are stale. The token is also the reference of its posting: confirmed twice, or handled again after a crash, it acts once.
"""

from dataclasses import replace
from html import escape
from typing import Final

from aiogram import F, Router
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.admin import action_views, views
from photomat.bot.admin.access import OperatorOnly, operator_name, refuse_viewer
from photomat.bot.admin.buttons import AdminReasonButton, BanButton, BeginButton, ConfirmButton, SumButton, Verb
from photomat.bot.admin.perform import BEGUN, Begun, perform
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Administering
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money, read_minor
from photomat.kernel.text import storable
from photomat.operators.access import Role
from photomat.operators.controls import control_title
from photomat.operators.money import MAX_MINOR
from photomat.reports.brief import read_job_money, read_user

MAX_REASON: Final = 500
MAX_TEXT: Final = 3500


def begun_in(ctx: UpdateContext) -> Begun | None:
    """The action of this conversation; None if none is open."""
    stored = ctx.conversation.data.get(BEGUN)
    if not isinstance(stored, dict):
        return None
    return Begun(**{**stored, "verb": Verb(stored["verb"])})


async def begin_named(tap: Tap, ctx: UpdateContext, verb: Verb, name: str) -> None:
    """Begin an action on something that has a name instead of a number."""
    await tap.answer()
    await tap.open(await _next(ctx, Begun(token=ctx.received_id, verb=verb, target=0, name=name)))


def commands_router() -> Router:
    """Registered before the general handler of /cancel."""
    routes = Router(name="admin-leave")
    routes.message.register(leave, Command("cancel"), StateFilter(Administering))
    return routes


def router() -> Router:
    routes = Router(name="admin-actions")
    operators, words = OperatorOnly(), ~F.text.startswith("/")
    routes.message.register(take_sum, StateFilter(Administering.naming_sum), words, operators)
    routes.message.register(take_text, StateFilter(Administering.writing), words, operators)
    routes.message.register(take_reason, StateFilter(Administering.naming_reason), words, operators)
    routes.message.register(remind, StateFilter(Administering.confirming), words, operators)
    routes.callback_query.register(begin, BeginButton.filter(), operators)
    routes.callback_query.register(sum_by_tap, SumButton.filter(), operators)
    routes.callback_query.register(reason_by_tap, AdminReasonButton.filter(), operators)
    routes.callback_query.register(confirm, ConfirmButton.filter(F.yes), operators)
    routes.callback_query.register(ban_for_days, BanButton.filter(), operators)
    routes.callback_query.register(forget, ConfirmButton.filter(~F.yes), operators)
    return routes


async def begin(_query: CallbackQuery, callback_data: BeginButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    begun = Begun(token=ctx.received_id, verb=callback_data.verb, target=callback_data.target)
    await tap.answer()
    await tap.open(await _next(ctx, begun))


async def sum_by_tap(_query: CallbackQuery, callback_data: SumButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    begun = await _still_open(tap, ctx, callback_data.token, role)
    if begun is not None:
        await tap.answer()
        await tap.open(await _with_sum(ctx, begun, callback_data.minor))


async def take_sum(message: Message, ctx: UpdateContext, role: Role) -> None:
    begun = begun_in(ctx)
    if begun is None or role < Role.OPERATOR:
        await _drop(message, ctx)
        return
    try:
        minor = read_minor((message.text or "").strip().removesuffix("₽"))
    except ValueError:
        minor = 0
    if not 0 < minor <= MAX_MINOR:
        await send(message, action_views.bad_sum(ctx.say))
        return
    await send(message, await _with_sum(ctx, begun, minor))


async def _with_sum(ctx: UpdateContext, begun: Begun, minor: int) -> View:
    """Go on with this sum; one that is more than there is is asked for again."""
    most = await _most(ctx, begun)
    if most is None or minor <= most.minor:
        return await _next(ctx, replace(begun, minor=minor))
    note = ctx.say("admin-too-much", act=begun.verb.value, most=most)
    return views.with_note(note, await _next(ctx, replace(begun, minor=None)))


async def take_text(message: Message, ctx: UpdateContext, role: Role) -> None:
    begun, text = begun_in(ctx), storable((message.text or "").strip())
    if begun is None or role < Role.OPERATOR:
        await _drop(message, ctx)
    elif not 0 < len(text) <= MAX_TEXT:
        await send(message, action_views.bad_text(ctx.say, longest=MAX_TEXT))
    else:
        await send(message, await _next(ctx, replace(begun, text=text)))


async def reason_by_tap(
    _query: CallbackQuery, callback_data: AdminReasonButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    begun = await _still_open(tap, ctx, callback_data.token, role)
    if begun is None:
        return
    reasons = action_views.reasons_of(ctx.say, begun.verb)
    if callback_data.reason >= len(reasons):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await tap.answer()
    await tap.open(await _next(ctx, replace(begun, reason=reasons[callback_data.reason])))


async def take_reason(message: Message, ctx: UpdateContext, role: Role) -> None:
    begun, reason = begun_in(ctx), storable(" ".join((message.text or "").split()))
    if begun is None or role < Role.OPERATOR:
        await _drop(message, ctx)
    elif not 0 < len(reason) <= MAX_REASON:
        await send(message, action_views.bad_text(ctx.say, longest=MAX_REASON))
    else:
        await send(message, await _next(ctx, replace(begun, reason=reason)))


async def remind(message: Message, ctx: UpdateContext, role: Role) -> None:
    """A confirmation is answered by its buttons: show it again below what was typed."""
    begun = begun_in(ctx)
    if begun is None or begun.reason is None or role < Role.OPERATOR:
        await _drop(message, ctx)
        return
    asked = await _confirmation(ctx, begun, reason=begun.reason)
    await send(message, views.with_note(ctx.say("admin-tap-button"), asked))


async def confirm(
    _query: CallbackQuery, callback_data: ConfirmButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    begun = await _still_open(tap, ctx, callback_data.token, role)
    if begun is not None:
        await _do(tap, ctx, begun)


async def ban_for_days(
    _query: CallbackQuery, callback_data: BanButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    begun, days = await _still_open(tap, ctx, callback_data.token, role), callback_data.days
    if begun is None:
        return
    if begun.verb is not Verb.BAN or days not in action_views.BAN_DAYS:
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await _do(tap, ctx, replace(begun, days=days))


async def _do(tap: Tap, ctx: UpdateContext, begun: Begun) -> None:
    if begun.reason is None:
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    result = await perform(ctx.pool, begun, operator=operator_name(ctx), reason=begun.reason)
    ctx.conversation.wait_for(Administering.finding, {})
    await tap.answer()
    await tap.open(action_views.done(ctx.say, begun.verb, begun.target, result))


async def forget(_query: CallbackQuery, callback_data: ConfirmButton, tap: Tap, ctx: UpdateContext, role: Role) -> None:
    begun = await _still_open(tap, ctx, callback_data.token, role)
    if begun is not None:
        ctx.conversation.wait_for(Administering.finding, {})
        await tap.answer()
        await tap.open(action_views.left(ctx.say, begun.verb, begun.target))


async def leave(message: Message, ctx: UpdateContext) -> None:
    """/cancel leaves the action, and `/admin` with it."""
    ctx.conversation.clear()
    await send(message, View(text=ctx.say("admin-left"), rows=[]))


async def _next(ctx: UpdateContext, begun: Begun) -> View:
    """Ask what is not answered yet, or show what will happen."""
    data = begun.as_data()
    if begun.verb.asks_sum and begun.minor is None:
        ctx.conversation.wait_for(Administering.naming_sum, data)
        return action_views.ask_sum(ctx.say, begun.verb, begun.token, most=await _most(ctx, begun))
    if begun.verb is Verb.MESSAGE and begun.text is None:
        ctx.conversation.wait_for(Administering.writing, data)
        return action_views.ask_text(ctx.say, begun.token)
    if begun.reason is None:
        ctx.conversation.wait_for(Administering.naming_reason, data)
        return action_views.ask_reason(ctx.say, begun.verb, begun.token)
    ctx.conversation.wait_for(Administering.confirming, data)
    return await _confirmation(ctx, begun, reason=begun.reason)


async def _most(ctx: UpdateContext, begun: Begun) -> Money | None:
    """The most that can be moved: what is left of a job's charge, what a wallet has available; None without a limit."""
    if begun.verb is Verb.REFUND:
        return (await read_job_money(ctx.pool, JobId(begun.target))).left
    if begun.verb is not Verb.DEBIT:
        return None
    found = await read_user(ctx.pool, UserId(begun.target))
    return found.wallet.available if found is not None and found.wallet is not None else None


async def _confirmation(ctx: UpdateContext, begun: Begun, *, reason: str) -> View:
    most = await _most(ctx, begun)
    currency = ctx.orders.rates.currency if most is None else most.currency
    amount = most if begun.minor == 0 else Money(begun.minor or 0, currency)
    found = await read_user(ctx.pool, UserId(begun.target)) if begun.verb.is_about_user else None
    return action_views.confirmation(
        ctx.say,
        begun.verb,
        begun.token,
        target=views.named(found.first_name, found.username, found.user_id) if found else _called(ctx, begun),
        amount=amount,
        text=begun.text,
        reason=reason,
    )


def _called(ctx: UpdateContext, begun: Begun) -> str:
    return escape(control_title(begun.name).in_(ctx.say)) if begun.name else str(begun.target)


async def _still_open(tap: Tap, ctx: UpdateContext, token: int, role: Role) -> Begun | None:
    """The action a button belongs to; one that was done, left or never begun is answered."""
    if await refuse_viewer(tap, ctx, role):
        return None
    begun = begun_in(ctx)
    if begun is None or begun.token != token:
        await tap.answer(ctx.say("admin-stale"), alert=True)
        return None
    return begun


async def _drop(message: Message, ctx: UpdateContext) -> None:
    """The user was an operator when the question was asked, and may not act any more."""
    ctx.conversation.clear()
    await send(message, View(text=ctx.say("admin-left"), rows=[]))
