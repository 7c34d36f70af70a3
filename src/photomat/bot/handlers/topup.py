"""/topup: the ways to pay, then the packages or sums of one. From a card that costs too much the card stays as it is."""

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot import pay_view
from photomat.bot.buttons import MenuButton, PayButton, PayStep, Screen, TopupButton
from photomat.bot.paying import limit_reached, open_ways, waiting_order, ways_view
from photomat.bot.screen import Tap, send
from photomat.bot.visit import Visit


async def show_ways(message: Message, visit: Visit) -> None:
    """Answer the command."""
    await visit.forget_form()
    await send(message, await ways_view(visit))


async def open_menu(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Open it from the menu."""
    await tap.answer()
    await tap.open(await ways_view(visit))


async def open_for_draft(_query: CallbackQuery, callback_data: TopupButton, tap: Tap, visit: Visit) -> None:
    """Open it for an order, as a message of its own under the order's card; the way back edits in place."""
    await tap.answer()
    view = await ways_view(visit, draft_id=callback_data.draft_id)
    await (tap.send(view) if callback_data.on_card else tap.open(view))


async def open_sums(_query: CallbackQuery, callback_data: PayButton, tap: Tap, visit: Visit) -> None:
    """Show what can be paid this way."""
    say, offers, draft_id = visit.say, visit.shop.offers, callback_data.draft_id
    if offers is None or callback_data.way not in open_ways(visit.shop):
        await tap.answer(say("pay-way-closed"), alert=True)
        await tap.open(await ways_view(visit, draft_id=draft_id))
        return
    await tap.answer()
    await visit.forget_form()
    refusal = await limit_reached(visit)
    if refusal is not None:
        await tap.open(pay_view.refused(say, refusal, draft_id=draft_id))
        return
    way, waiting = callback_data.way, await waiting_order(visit, draft_id)
    view = (
        pay_view.packages_page(say, offers, waiting)
        if way == "stars"
        else pay_view.sums_page(say, offers, way, waiting)
    )
    await tap.open(view)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="topup")
    routes.message.register(show_ways, Command("topup"))
    routes.callback_query.register(open_menu, MenuButton.filter(F.screen == Screen.TOPUP))
    routes.callback_query.register(open_for_draft, TopupButton.filter())
    routes.callback_query.register(open_sums, PayButton.filter(F.step == PayStep.SUMS))
    return routes
