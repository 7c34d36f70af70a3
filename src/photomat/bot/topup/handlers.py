"""/topup: the payment methods, their packages and sums, a typed sum, invoices; /paysupport and /terms.

From a card that costs too much the card stays as it is. Telegram asks every shop for /paysupport and /terms.
"""

from functools import partial
from typing import Final, cast

from aiogram import Bot, F, Router
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import CheckInvoiceButton, MenuButton, PayButton, PayStep, Screen, TopupButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Paying
from photomat.bot.middlewares import FOR_BANNED, AddressedToBot
from photomat.bot.topup import views
from photomat.bot.topup.invoice import show_provider_invoice
from photomat.bot.topup.methods import answer_method_closed, methods_view, note_invoice, refusal_text, waiting_order
from photomat.bot.transport import Tap, send
from photomat.kernel.money import Money, read_minor
from photomat.payments.options import PaymentMethod, PaymentOptions
from photomat.payments.payment import list_payments

SHOWN: Final = 5


def router() -> Router:
    routes = Router(name="topup")
    routes.message.register(show_methods, Command("topup"))
    routes.message.register(show_support, Command("paysupport"), flags=FOR_BANNED)
    routes.message.register(show_terms, Command("terms"))
    routes.callback_query.register(open_methods, MenuButton.filter(F.screen == Screen.TOPUP))
    routes.callback_query.register(open_for_draft, TopupButton.filter())
    routes.callback_query.register(open_sums, PayButton.filter(F.step == PayStep.SUMS))
    routes.callback_query.register(ask_own_sum, PayButton.filter(F.step == PayStep.OWN))
    routes.callback_query.register(show_invoice, PayButton.filter((F.step == PayStep.INVOICE) & (F.way != "stars")))
    routes.callback_query.register(check_payment, CheckInvoiceButton.filter())
    return routes


def own_sum_router() -> Router:
    """Registered after all commands: they are not sums."""
    routes = Router(name="own-sum")
    routes.message.register(take_own_sum, StateFilter(Paying.naming_sum), AddressedToBot(), ~F.text.startswith("/"))
    return routes


async def show_methods(message: Message, ctx: UpdateContext) -> None:
    ctx.drop_form()
    await send(message, await methods_view(ctx))


async def open_methods(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await methods_view(ctx))


async def open_for_draft(_query: CallbackQuery, callback_data: TopupButton, tap: Tap, ctx: UpdateContext) -> None:
    """Open the payment methods for an order, as a new message below the order's card; coming back edits in place."""
    await tap.answer()
    view = await methods_view(ctx, draft_id=callback_data.draft_id)
    await (tap.send(view) if callback_data.on_card else tap.open(view))


async def open_sums(_query: CallbackQuery, callback_data: PayButton, tap: Tap, ctx: UpdateContext) -> None:
    say, options = ctx.say, ctx.topups.options
    method, draft_id = callback_data.way, callback_data.draft_id
    if method not in ctx.topups.methods():
        await answer_method_closed(tap, ctx, draft_id)
        return
    await tap.answer()
    ctx.drop_form()
    note_invoice(ctx, tap.message_id)
    refusal = await ctx.topups.refusal(ctx.user_id, method)
    if refusal is not None:
        await tap.open(views.refused(say, refusal_text(say, refusal), draft_id=draft_id))
        return
    waiting, bonus = await waiting_order(ctx, draft_id), await ctx.topups.waiting_bonus(ctx.user_id)
    if method == "stars":
        await tap.open(views.packages_page(say, options, waiting, bonus=bonus))
    else:
        await tap.open(views.sums_page(say, options, method, waiting, bonus=bonus))


async def show_invoice(_query: CallbackQuery, callback_data: PayButton, bot: Bot, tap: Tap, ctx: UpdateContext) -> None:
    options, method, draft_id = ctx.topups.options, callback_data.way, callback_data.draft_id
    if method not in ctx.topups.providers:
        await answer_method_closed(tap, ctx, draft_id)
        return
    amount = Money(callback_data.amount, options.currency)
    if not options.allows(amount):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await tap.answer()
    await show_provider_invoice(ctx, bot, tap.open, method, amount, draft_id=draft_id)


async def check_payment(_query: CallbackQuery, callback_data: CheckInvoiceButton, tap: Tap, ctx: UpdateContext) -> None:
    """Have the invoice checked, and say what is known; money that arrives is announced by a notice."""
    match await ctx.topups.check_invoice(ctx.user_id, callback_data.topup_id):
        case "paid":
            await tap.answer(ctx.say("pay-check-paid"))
            await tap.replace(views.invoice_paid(ctx.say))
        case "open":
            await tap.answer(ctx.say("pay-check-open"), alert=True)
        case "canceled":
            await tap.answer(ctx.say("pay-check-canceled"), alert=True)
            await tap.replace(views.invoice_canceled(ctx.say))
        case "gone":
            await tap.answer(ctx.say("tap-stale"), alert=True)


async def ask_own_sum(_query: CallbackQuery, callback_data: PayButton, tap: Tap, ctx: UpdateContext) -> None:
    method, draft_id = callback_data.way, callback_data.draft_id
    if method not in ctx.topups.methods():
        await tap.answer(ctx.say("pay-way-closed"), alert=True)
        return
    await tap.answer()
    ctx.conversation.wait_for(Paying.naming_sum, {"way": method, "paying_for": draft_id})
    await tap.open(views.own_sum_page(ctx.say, ctx.topups.options, method, draft_id))


async def take_own_sum(message: Message, bot: Bot, ctx: UpdateContext) -> None:
    options, data = ctx.topups.options, ctx.conversation.data
    method, draft_id = cast("PaymentMethod", str(data.get("way"))), int(data.get("paying_for") or 0)
    if method not in ctx.topups.providers:
        ctx.conversation.clear()
        await send(message, await methods_view(ctx))
        return
    amount = _read(message.text or "", options)
    if amount is None:
        await send(message, views.own_sum_page(ctx.say, options, method, draft_id, again=True))
        return
    ctx.conversation.clear()
    await show_provider_invoice(ctx, bot, partial(send, message), method, amount, draft_id=draft_id)


def _read(text: str, options: PaymentOptions) -> Money | None:
    try:
        amount = Money(read_minor(text), options.currency)
    except ValueError:
        return None
    return amount if options.allows(amount) else None


async def show_support(message: Message, ctx: UpdateContext) -> None:
    payments = await list_payments(ctx.pool, user_id=ctx.user_id, limit=SHOWN)
    await send(message, views.support_page(ctx.say, payments, contact=ctx.config.support.contact))


async def show_terms(message: Message, ctx: UpdateContext) -> None:
    support = ctx.config.support
    await send(message, views.terms_page(ctx.say, url=support.terms_url, contact=support.contact))
