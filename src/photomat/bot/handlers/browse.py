"""What is on sale, and picking one of it: a picked model opens its form."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import views
from photomat.bot.buttons import MenuButton, ModelButton, Screen
from photomat.bot.form import first_missing, open_form
from photomat.bot.screen import Tap
from photomat.bot.views import Offer
from photomat.bot.visit import Visit


async def open_models(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """List the image models with their prices."""
    await tap.answer()
    offers = [
        Offer(model=model, price=quote.price, is_least=not model.has_one_price and quote.rule not in {"fixed", "free"})
        for model, quote in await visit.shop.quotes("image")
    ]
    await tap.open(views.model_list(visit.say, offers))


async def pick_model(_query: CallbackQuery, callback_data: ModelButton, tap: Tap, visit: Visit) -> None:
    """Open the form of the model and ask its first question."""
    model = visit.shop.model(callback_data.model)
    asked = first_missing(model, {}) if model else None
    if model is None or asked is None:
        await tap.answer(visit.say("tap-model-gone"), alert=True)
        return
    await tap.answer()
    form = open_form(model, asked, form_id=visit.unit.received_id)
    await visit.keep_form(form)
    await tap.open(views.question(visit.say, model, form, asked))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="browse")
    routes.callback_query.register(open_models, MenuButton.filter(F.screen == Screen.CREATE))
    routes.callback_query.register(pick_model, ModelButton.filter())
    return routes
