"""Operators decide about receipts in the chat: yes, yes with another sum, no. Only ADMIN_IDS may; `operators.receipts` decides.

What an operator's message shows afterwards is drawn by `payments.receipt_reminder`, on every operator's screen at once.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import pages
from photomat.bot.buttons import ReasonButton, ReceiptAction, ReceiptButton
from photomat.bot.context import Visit
from photomat.bot.conversation import Deciding
from photomat.bot.middlewares import SpokenToUs
from photomat.bot.transfer import views
from photomat.bot.transport import Tap, send
from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money, read_minor
from photomat.kernel.text import storable
from photomat.operators.receipts import approve_receipt, decline_receipt
from photomat.payments import transfer_notices, transfers
from photomat.payments.transfers import Decision, DecisionResult, Receipt, ReceiptState

RECEIPT: Final = "receipt_id"
INSISTS: Final = "insists"
"""A receipt like it was credited, the operator was told, and types the sum again."""

SHOWN_AT_ONCE: Final = 5
COUNTED: Final = 1000
MOST_NAME: Final = 80
log = get_logger()


async def approve(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, visit: Visit) -> None:
    """Credit a receipt with the sum its user named."""
    if await _may_not(tap, visit):
        return
    ruled = await _approve(visit, callback_data.receipt_id, anyway=callback_data.action is ReceiptAction.ANYWAY)
    await tap.answer(views.answer(visit.say, ruled, most=_most(visit)), alert=not ruled.done)
    if ruled.ruling is Decision.DUPLICATE_CREDITED:
        await tap.send(views.ask_anyway(visit.say, ruled))


async def ask_for_sum(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, visit: Visit) -> None:
    """Wait for the sum that really arrived."""
    receipt = await _undecided(tap, visit, callback_data.receipt_id)
    if receipt is None:
        return
    await tap.answer()
    await visit.state.set_state(Deciding.naming_sum)
    await visit.state.set_data({RECEIPT: receipt.receipt_id})
    await tap.send(views.ask_approved_sum(visit.say, receipt))


async def take_sum(message: Message, visit: Visit) -> None:
    """Credit a receipt with a typed sum; one that does not fit is asked for again."""
    if not _is_operator(visit):
        await _turn_away(message, visit)
        return
    try:
        minor = read_minor((message.text or "").strip().removesuffix("₽"))
    except ValueError:
        await send(message, views.as_html(visit.say("receipt-bad-sum", most=_most(visit))))
        return
    data = await visit.state.get_data()
    ruled = await _approve(visit, int(data.get(RECEIPT, 0)), minor=minor, anyway=bool(data.get(INSISTS)))
    if ruled.ruling is Decision.DUPLICATE_CREDITED:
        await visit.state.set_data({**data, INSISTS: True})
        await send(message, views.ask_sum_again(visit.say, ruled))
    else:
        await _answer_typed(message, visit, ruled)


async def ask_for_reason(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, visit: Visit) -> None:
    """Offer the usual reasons, and wait for any other."""
    receipt = await _undecided(tap, visit, callback_data.receipt_id)
    if receipt is None:
        return
    await tap.answer()
    await visit.state.set_state(Deciding.naming_reason)
    await visit.state.set_data({RECEIPT: receipt.receipt_id})
    await tap.send(views.ask_reason(visit.say, receipt))


async def reason_by_tap(_query: CallbackQuery, callback_data: ReasonButton, tap: Tap, visit: Visit) -> None:
    """Decline for one of the usual reasons."""
    if await _may_not(tap, visit):
        return
    if callback_data.reason >= len(transfer_notices.REASONS):
        await tap.answer(visit.say("tap-stale"), alert=True)
        return
    reason = transfer_notices.REASONS[callback_data.reason]
    ruled = await decline_receipt(visit.shop.pool, callback_data.receipt_id, operator=_operator(visit), reason=reason)
    await _leave(visit)
    said = views.answer(visit.say, ruled, most=_most(visit))
    await tap.answer(said, alert=not ruled.done)
    await tap.replace(views.as_html(said))


async def take_reason(message: Message, visit: Visit) -> None:
    """Decline for a typed reason."""
    if not _is_operator(visit):
        await _turn_away(message, visit)
        return
    receipt_id = int((await visit.state.get_data()).get(RECEIPT, 0))
    reason = storable(message.text or "")
    ruled = await decline_receipt(visit.shop.pool, receipt_id, operator=_operator(visit), reason=reason)
    await _answer_typed(message, visit, ruled)


async def list_waiting(message: Message, visit: Visit) -> None:
    """/receipts: how many wait, and the oldest of them again with their buttons; others do not know this command."""
    is_their_chat = message.chat.type == ChatType.PRIVATE or message.chat.id in visit.shop.operators
    if not _is_operator(visit) or not is_their_chat:
        await send(message, pages.hint(visit.say, "fallback-command"))
        return
    waiting = await transfers.list_receipts(visit.shop.pool, waiting=True, limit=COUNTED)
    shown, chat_id = waiting[:SHOWN_AT_ONCE], ChatId(message.chat.id)

    async def tell(tx: Transaction) -> None:
        for receipt in shown:
            twins = await transfers.duplicates_of(tx, receipt)
            which = f"asked {visit.unit.received_id}"
            await transfer_notices.notify_operators(tx, receipt, twins, operators=[chat_id], which=which)

    visit.unit.steps.append(tell)
    await send(message, views.waiting_list(visit.say, count=len(waiting), shown=len(shown)))


async def leave_by_command(message: Message, visit: Visit) -> None:
    """/cancel while something about a receipt is asked."""
    await visit.state.clear()
    await send(message, views.as_html(visit.say("receipt-left")))


def _is_operator(visit: Visit) -> bool:
    return visit.user_id in visit.shop.operators


async def _may_not(tap: Tap, visit: Visit) -> bool:
    if _is_operator(visit):
        return False
    log.warning("RECEIPT_FOREIGN_TAP", user_id=visit.user_id)
    await tap.answer(visit.say("receipt-not-operator"), alert=True)
    return True


async def _turn_away(message: Message, visit: Visit) -> None:
    """Somebody who was an operator when the question was asked, and is none now."""
    log.warning("RECEIPT_FOREIGN_TAP", user_id=visit.user_id)
    await visit.state.clear()
    await send(message, views.as_html(visit.say("receipt-not-operator")))


async def _undecided(tap: Tap, visit: Visit, receipt_id: int) -> Receipt | None:
    """The receipt, while it waits; otherwise the tap is answered with what became of it."""
    if await _may_not(tap, visit):
        return None
    receipt = await transfers.find_receipt(visit.shop.pool, receipt_id)
    if receipt is not None and receipt.state is ReceiptState.WAITING:
        return receipt
    ruling = Decision.DECIDED_BEFORE if receipt else Decision.NO_SUCH
    ruled = DecisionResult(ruling=ruling, sentence="", receipt=receipt)
    await tap.answer(views.answer(visit.say, ruled, most=_most(visit)), alert=True)
    return None


async def _approve(visit: Visit, receipt_id: int, *, minor: int | None = None, anyway: bool) -> DecisionResult:
    return await approve_receipt(
        visit.shop.pool, receipt_id, operator=_operator(visit), most=_most(visit), minor=minor, anyway=anyway
    )


async def _answer_typed(message: Message, visit: Visit, ruled: DecisionResult) -> None:
    if ruled.ruling not in {Decision.BAD_SUM, Decision.BAD_REASON}:
        await visit.state.clear()
    await send(message, views.as_html(views.answer(visit.say, ruled, most=_most(visit))))


async def _leave(visit: Visit) -> None:
    if await visit.state.get_state() in Deciding:
        await visit.state.clear()


def _operator(visit: Visit) -> str:
    """Who decided, for the journal and for the other operators."""
    user = visit.person.user
    name = f"@{user.username}" if user.username else user.first_name
    return str(storable(f"telegram:{user.user_id} {name}"[:MOST_NAME]))


def _most(visit: Visit) -> Money:
    offers = visit.shop.offers
    return offers.most if offers is not None else Money(0, visit.shop.welcome_credit.currency)


def receipts_commands_router() -> Router:
    """What is asked before a command finds its general meaning."""
    routes = Router(name="receipts-commands")
    routes.message.register(leave_by_command, Command("cancel"), StateFilter(Deciding))
    routes.message.register(list_waiting, Command("receipts"))
    return routes


def receipts_router() -> Router:
    """The ways to get here."""
    routes = Router(name="receipts")
    decides = F.action.in_({ReceiptAction.APPROVE, ReceiptAction.ANYWAY})
    routes.message.register(take_sum, StateFilter(Deciding.naming_sum), SpokenToUs())
    routes.message.register(take_reason, StateFilter(Deciding.naming_reason), SpokenToUs())
    routes.callback_query.register(approve, ReceiptButton.filter(decides))
    routes.callback_query.register(ask_for_sum, ReceiptButton.filter(F.action == ReceiptAction.OTHER_SUM))
    routes.callback_query.register(ask_for_reason, ReceiptButton.filter(F.action == ReceiptAction.DECLINE))
    routes.callback_query.register(reason_by_tap, ReasonButton.filter())
    return routes
