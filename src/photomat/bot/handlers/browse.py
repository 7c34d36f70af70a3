"""What is on sale, by what a person wants, and picking one of it: a picked model opens its form."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import menu_view
from photomat.bot.buttons import ListButton, ListedButton, MenuButton, ModelButton, Screen
from photomat.bot.forms.composing import open_model
from photomat.bot.menu import Gone, model_or_why_not
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.menu_categories import PICTURE, menu_category
from photomat.catalog.storefront import page_of


async def open_pictures(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """List the models that draw."""
    await tap.answer()
    await _show_list(tap, visit, ListButton(wish=PICTURE.id))


async def open_list(_query: CallbackQuery, callback_data: ListButton, tap: Tap, visit: Visit) -> None:
    """List the models that grant a wish, filtered, one page of them."""
    await tap.answer()
    await _show_list(tap, visit, callback_data)


async def pick_model(_query: CallbackQuery, callback_data: ModelButton, tap: Tap, visit: Visit) -> None:
    """Open the form of the model."""
    await _open(tap, visit, callback_data.model)


async def pick_from_list(_query: CallbackQuery, callback_data: ListedButton, tap: Tap, visit: Visit) -> None:
    """Open the form of the model, with the way back to its list."""
    here = ListButton(wish=callback_data.wish, only=callback_data.only, page=callback_data.page)
    await _open(tap, visit, callback_data.model, came_from=here.pack())


async def _open(tap: Tap, visit: Visit, model_id: str, *, came_from: str | None = None) -> None:
    """Ask the model's first question; one that is not sold is refused, with what is sold instead."""
    model = await model_or_why_not(visit, model_id)
    if isinstance(model, Gone):
        await tap.answer(model.why, alert=True)
        if model.page is not None:
            await tap.send(model.page)
        return
    await tap.answer()
    await open_model(visit, tap.open, model, came_from=came_from)


async def _show_list(tap: Tap, visit: Visit, asked: ListButton) -> None:
    wish = menu_category(asked.wish) or PICTURE
    offers = await visit.shop.offers_on(await visit.shop.shelf())
    granting = [each for each in offers if wish.includes(each.model)]
    page = page_of(granting, only=asked.only, number=asked.page)
    await tap.open(menu_view.model_list(visit.say, wish, page, language=visit.language))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="browse")
    routes.callback_query.register(open_pictures, MenuButton.filter(F.screen == Screen.CREATE))
    routes.callback_query.register(open_list, ListButton.filter())
    routes.callback_query.register(pick_model, ModelButton.filter())
    routes.callback_query.register(pick_from_list, ListedButton.filter())
    return routes
