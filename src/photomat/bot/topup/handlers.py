"""/topup: the ways to pay, their packages and sums, a typed sum, invoices; /paysupport and /terms.

From a card that costs too much the card stays as it is. Telegram asks every shop for /paysupport and /terms.
"""

from typing import Final, cast

from aiogram import Bot, F, Router
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import CheckInvoiceButton, MenuButton, PayButton, PayStep, Screen, TopupButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Paying
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.topup import views
from photomat.bot.topup.ways import (
    answer_way_closed,
    home_link,
    limit_reached,
    open_ways,
    provider_invoice,
    waiting_order,
    ways_view,
)
from photomat.bot.transport import Tap, send
from photomat.kernel.money import Money, read_minor
from photomat.payments.invoices import check_invoice
from photomat.payments.options import PaymentOptions, Way
from photomat.payments.payment import list_payments

SHOWN: Final = 5


def router() -> Router:
    routes = Router(name="topup")
    routes.message.register(show_ways, Command("topup"))
    routes.message.register(show_support, Command("paysupport"))
    routes.message.register(show_terms, Command("terms"))
    routes.callback_query.register(open_ways_page, MenuButton.filter(F.screen == Screen.TOPUP))
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


async def show_ways(message: Message, ctx: UpdateContext) -> None:
    ctx.drop_form()
    await send(message, await ways_view(ctx))


async def open_ways_page(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await ways_view(ctx))


async def open_for_draft(_query: CallbackQuery, callback_data: TopupButton, tap: Tap, ctx: UpdateContext) -> None:
    """Open the ways to pay for an order, as a new message below the order's card; the way back edits in place."""
    await tap.answer()
    view = await ways_view(ctx, draft_id=callback_data.draft_id)
    await (tap.send(view) if callback_data.on_card else tap.open(view))


async def open_sums(_query: CallbackQuery, callback_data: PayButton, tap: Tap, ctx: UpdateContext) -> None:
    say, offers, draft_id = ctx.say, ctx.config.offers, callback_data.draft_id
    if offers is None or callback_data.way not in open_ways(ctx.config):
        await answer_way_closed(tap, ctx, draft_id)
        return
    await tap.answer()
    ctx.drop_form()
    refusal = await limit_reached(ctx)
    if refusal is not None:
        await tap.open(views.refused(say, refusal, draft_id=draft_id))
        return
    way, waiting = callback_data.way, await waiting_order(ctx, draft_id)
    view = views.packages_page(say, offers, waiting) if way == "stars" else views.sums_page(say, offers, way, waiting)
    await tap.open(view)


async def show_invoice(_query: CallbackQuery, callback_data: PayButton, bot: Bot, tap: Tap, ctx: UpdateContext) -> None:
    offers, draft_id = ctx.config.offers, callback_data.draft_id
    if offers is None or callback_data.way not in ctx.config.providers:
        await answer_way_closed(tap, ctx, draft_id)
        return
    amount = Money(callback_data.amount, offers.currency)
    if not offers.least <= amount <= offers.most:
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await tap.answer()
    link = await home_link(bot)
    await tap.open(await provider_invoice(ctx, callback_data.way, amount, draft_id=draft_id, return_url=link))


async def check_payment(_query: CallbackQuery, callback_data: CheckInvoiceButton, tap: Tap, ctx: UpdateContext) -> None:
    """Have the invoice checked, and say what is known; money that arrives is announced by a notice."""
    match await check_invoice(ctx.pool, topup_id=callback_data.topup_id, user_id=ctx.user_id):
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
    offers, way, draft_id = ctx.config.offers, callback_data.way, callback_data.draft_id
    if offers is None or way not in open_ways(ctx.config):
        await tap.answer(ctx.say("pay-way-closed"), alert=True)
        return
    await tap.answer()
    ctx.conversation.wait_for(Paying.naming_sum, {"way": way, "paying_for": draft_id})
    await tap.open(views.ask_own_sum(ctx.say, offers, way, draft_id))


async def take_own_sum(message: Message, bot: Bot, ctx: UpdateContext) -> None:
    offers, data = ctx.config.offers, ctx.conversation.data
    way, draft_id = str(data.get("way")), int(data.get("paying_for") or 0)
    if offers is None or way not in ctx.config.providers:
        ctx.conversation.clear()
        await send(message, await ways_view(ctx))
        return
    amount = _read(message.text or "", offers)
    if amount is None:
        await send(message, views.ask_own_sum(ctx.say, offers, cast("Way", way), draft_id, again=True))
        return
    ctx.conversation.clear()
    link = await home_link(bot)
    await send(message, await provider_invoice(ctx, cast("Way", way), amount, draft_id=draft_id, return_url=link))


def _read(text: str, offers: PaymentOptions) -> Money | None:
    try:
        amount = Money(read_minor(text), offers.currency)
    except ValueError:
        return None
    return amount if offers.least <= amount <= offers.most else None


async def show_support(message: Message, ctx: UpdateContext) -> None:
    payments = await list_payments(ctx.pool, user_id=ctx.user_id, limit=SHOWN)
    await send(message, views.support_page(ctx.say, payments, contact=ctx.config.support.contact))


async def show_terms(message: Message, ctx: UpdateContext) -> None:
    support = ctx.config.support
    await send(message, views.terms_page(ctx.say, url=support.terms_url, contact=support.contact))
