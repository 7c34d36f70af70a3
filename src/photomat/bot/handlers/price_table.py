"""What every choice of a model costs: «💰 Цены» under its first question, which stays open meanwhile."""

from aiogram import Router
from aiogram.types import CallbackQuery

from photomat.bot import price_table
from photomat.bot.buttons import ListButton, PricesButton
from photomat.bot.menu import Gone, model_or_why_not
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.overrides import rules_of
from photomat.catalog.price_list import price_groups


async def open_prices(_query: CallbackQuery, callback_data: PricesButton, tap: Tap, visit: Visit) -> None:
    """Show the table by the rules that stand now."""
    model = await model_or_why_not(visit, callback_data.model)
    if isinstance(model, Gone):
        await tap.answer(model.why, alert=True)
        return
    await tap.answer()
    rates = visit.shop.rates
    prices = price_groups(model, rates, await rules_of(visit.shop.pool, model.id, currency=rates.currency))
    form = await visit.form()
    way_back = form.came_from if form is not None and form.model == model.id else None
    came_from = ListButton.unpack(way_back) if way_back else None
    await tap.open(price_table.prices_page(visit.say, model, prices, language=visit.language, came_from=came_from))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="price page")
    routes.callback_query.register(open_prices, PricesButton.filter())
    return routes
