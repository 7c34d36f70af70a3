"""Operators decide about receipts in the chat: yes, yes with another sum, no. Viewers may not; `operators.money` decides.

What an operator's message shows afterwards is drawn by `payments.receipt_reminder`, on every operator's screen at once.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.admin.access import operator_name, role_of
from photomat.bot.buttons import ReasonButton, ReceiptAction, ReceiptButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Deciding
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.transfer import views
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money, read_minor
from photomat.kernel.text import storable
from photomat.operators.access import Role
from photomat.operators.money import approve_receipt, decline_receipt
from photomat.payments.receipt import Receipt, ReceiptState, duplicates_of, find_receipt, list_receipts
from photomat.payments.receipt_notices import REASONS, notify_operators
from photomat.payments.transfers import Decision, DecisionResult, too_late

RECEIPT: Final = "receipt_id"
INSISTS: Final = "insists"
"""A similar receipt was credited; the operator knows, and types the sum again."""

SHOWN_AT_ONCE: Final = 5
COUNTED: Final = 1000
log = get_logger()


def commands_router() -> Router:
    """Registered before the general handler of /cancel."""
    routes = Router(name="receipts-commands")
    routes.message.register(leave_decision, Command("cancel"), StateFilter(Deciding))
    routes.message.register(list_waiting, Command("receipts"))
    return routes


def router() -> Router:
    routes = Router(name="receipts")
    routes.message.register(take_sum, StateFilter(Deciding.naming_sum), AddressedToBot())
    routes.message.register(take_reason, StateFilter(Deciding.naming_reason), AddressedToBot())
    approves = F.action.in_({ReceiptAction.APPROVE, ReceiptAction.ANYWAY})
    routes.callback_query.register(approve_by_tap, ReceiptButton.filter(approves))
    routes.callback_query.register(ask_for_sum, ReceiptButton.filter(F.action == ReceiptAction.OTHER_SUM))
    routes.callback_query.register(ask_for_reason, ReceiptButton.filter(F.action == ReceiptAction.DECLINE))
    routes.callback_query.register(reason_by_tap, ReasonButton.filter())
    return routes


async def approve_by_tap(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, ctx: UpdateContext) -> None:
    if await _refuse_outsider(tap, ctx):
        return
    ruled = await _approve(ctx, callback_data.receipt_id, anyway=callback_data.action is ReceiptAction.ANYWAY)
    await tap.answer(views.decision_text(ctx.say, ruled, most=_most(ctx)), alert=not ruled.done)
    if ruled.decision is Decision.DUPLICATE_CREDITED:
        await tap.send(views.ask_anyway(ctx.say, ruled))


async def ask_for_sum(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, ctx: UpdateContext) -> None:
    receipt = await _undecided(tap, ctx, callback_data.receipt_id)
    if receipt is None:
        return
    await tap.answer()
    ctx.conversation.wait_for(Deciding.naming_sum, {RECEIPT: receipt.receipt_id})
    await tap.send(views.ask_approved_sum(ctx.say, receipt))


async def take_sum(message: Message, ctx: UpdateContext) -> None:
    """Credit a receipt with a typed sum; one that does not fit is asked for again."""
    if not await may_decide(ctx):
        await _turn_away(message, ctx)
        return
    try:
        minor = read_minor((message.text or "").strip().removesuffix("₽"))
    except ValueError:
        await send(message, views.as_html(ctx.say("receipt-bad-sum", most=_most(ctx))))
        return
    data = ctx.conversation.data
    ruled = await _approve(ctx, int(data.get(RECEIPT, 0)), minor=minor, anyway=bool(data.get(INSISTS)))
    if ruled.decision is Decision.DUPLICATE_CREDITED:
        ctx.conversation.store({**data, INSISTS: True})
        await send(message, views.ask_sum_again(ctx.say, ruled))
    else:
        await _answer_typed(message, ctx, ruled)


async def ask_for_reason(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, ctx: UpdateContext) -> None:
    """Offer the usual reasons, and wait for any other."""
    receipt = await _undecided(tap, ctx, callback_data.receipt_id)
    if receipt is None:
        return
    await tap.answer()
    ctx.conversation.wait_for(Deciding.naming_reason, {RECEIPT: receipt.receipt_id})
    await tap.send(views.ask_reason(ctx.say, receipt))


async def reason_by_tap(_query: CallbackQuery, callback_data: ReasonButton, tap: Tap, ctx: UpdateContext) -> None:
    if await _refuse_outsider(tap, ctx):
        return
    if callback_data.reason >= len(REASONS):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    reason = REASONS[callback_data.reason]
    ruled = await decline_receipt(ctx.pool, callback_data.receipt_id, operator=operator_name(ctx), reason=reason)
    if ctx.conversation.state in Deciding:
        ctx.conversation.clear()
    answer = views.decision_text(ctx.say, ruled, most=_most(ctx))
    await tap.answer(answer, alert=not ruled.done)
    await tap.replace(views.as_html(answer))


async def take_reason(message: Message, ctx: UpdateContext) -> None:
    if not await may_decide(ctx):
        await _turn_away(message, ctx)
        return
    receipt_id = int(ctx.conversation.data.get(RECEIPT, 0))
    reason = storable(message.text or "")
    ruled = await decline_receipt(ctx.pool, receipt_id, operator=operator_name(ctx), reason=reason)
    await _answer_typed(message, ctx, ruled)


async def list_waiting(message: Message, ctx: UpdateContext) -> None:
    """/receipts: how many wait, and the oldest of them with their buttons; for others an unknown command."""
    is_their_chat = message.chat.type == ChatType.PRIVATE or message.chat.id in ctx.config.operators
    if not is_their_chat or not await may_decide(ctx):
        await send(message, hint(ctx.say, "fallback-command"))
        return
    await send(message, await show_waiting(ctx, ChatId(message.chat.id)))


async def show_waiting(ctx: UpdateContext, chat_id: ChatId) -> View:
    """How many receipts wait; the oldest follow as messages of their own, each with its buttons."""
    waiting = await list_receipts(ctx.pool, waiting=True, limit=COUNTED)
    shown = waiting[:SHOWN_AT_ONCE]

    async def show_each(tx: Transaction) -> None:
        for receipt in shown:
            duplicates = await duplicates_of(tx, receipt)
            which = f"asked {ctx.received_id}"
            await notify_operators(tx, receipt, duplicates, operators=[chat_id], which=which)

    ctx.on_commit(show_each)
    return views.waiting_list(ctx.say, count=len(waiting), shown=len(shown))


async def may_decide(ctx: UpdateContext) -> bool:
    """Owners and operators may; viewers may not."""
    role = await role_of(ctx)
    return role is not None and role >= Role.OPERATOR


async def leave_decision(message: Message, ctx: UpdateContext) -> None:
    ctx.conversation.clear()
    await send(message, views.as_html(ctx.say("receipt-left")))


async def _refuse_outsider(tap: Tap, ctx: UpdateContext) -> bool:
    if await may_decide(ctx):
        return False
    log.warning("RECEIPT_FOREIGN_TAP", user_id=ctx.user_id)
    await tap.answer(ctx.say("receipt-not-operator"), alert=True)
    return True


async def _turn_away(message: Message, ctx: UpdateContext) -> None:
    """The user was an operator when the question was asked, and no longer is."""
    log.warning("RECEIPT_FOREIGN_TAP", user_id=ctx.user_id)
    ctx.conversation.clear()
    await send(message, views.as_html(ctx.say("receipt-not-operator")))


async def _undecided(tap: Tap, ctx: UpdateContext, receipt_id: int) -> Receipt | None:
    """The receipt, while it waits; otherwise the tap is answered with what became of it."""
    if await _refuse_outsider(tap, ctx):
        return None
    receipt = await find_receipt(ctx.pool, receipt_id)
    if receipt is not None and receipt.state is ReceiptState.WAITING:
        return receipt
    ruled = too_late(receipt_id, receipt)
    await tap.answer(views.decision_text(ctx.say, ruled, most=_most(ctx)), alert=True)
    return None


async def _approve(ctx: UpdateContext, receipt_id: int, *, minor: int | None = None, anyway: bool) -> DecisionResult:
    return await approve_receipt(
        ctx.pool, receipt_id, operator=operator_name(ctx), most=_most(ctx), minor=minor, anyway=anyway
    )


async def _answer_typed(message: Message, ctx: UpdateContext, ruled: DecisionResult) -> None:
    if ruled.decision not in {Decision.BAD_SUM, Decision.BAD_REASON}:
        ctx.conversation.clear()
    await send(message, views.as_html(views.decision_text(ctx.say, ruled, most=_most(ctx))))


def _most(ctx: UpdateContext) -> Money:
    return ctx.topups.options.most
