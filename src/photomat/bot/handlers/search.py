"""Finding a model by words: /search, the button of the menu, and words typed while nothing is asked."""

from math import ceil
from typing import Final

from aiogram import F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import menu_view
from photomat.bot.buttons import MenuButton, Screen, SearchPageButton
from photomat.bot.filters import SpokenToUs
from photomat.bot.menu import wishes_now
from photomat.bot.menu_view import Found
from photomat.bot.screen import Tap, send
from photomat.bot.states import Typing
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.catalog.model import Model
from photomat.catalog.search import meaningful, search
from photomat.catalog.storefront import Storefront, in_order

SHOWN: Final = 10
WORDS: Final = "search_words"
A_FEW_WORDS: Final = 5
"""Whoever writes more while nothing is asked describes a picture; they are not looking for a model."""


async def by_command(message: Message, command: CommandObject, visit: Visit) -> None:
    """Look for the words behind the command, or ask for some."""
    if command.args:
        await send(message, await _answer(visit, command.args))
        return
    await visit.state.set_state(Typing.search)
    await send(message, menu_view.search_page(visit.say))


async def by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Ask for words."""
    await tap.answer()
    await visit.state.set_state(Typing.search)
    await tap.open(menu_view.search_page(visit.say))


async def by_text(message: Message, visit: Visit) -> None:
    """Look for the words that were asked for; more of them may follow."""
    await send(message, await _answer(visit, message.text or ""))


async def turn_page(_query: CallbackQuery, callback_data: SearchPageButton, tap: Tap, visit: Visit) -> None:
    """Show more of what the words found; they are kept while nothing else was begun."""
    words = (await visit.state.get_data()).get(WORDS)
    if not isinstance(words, str):
        await tap.answer(visit.say("tap-stale"), alert=True)
        return
    await tap.answer()
    await tap.open(await _answer(visit, words, page=callback_data.page))


async def found_by_chance(visit: Visit, text: str) -> View | None:
    """What words typed while nothing is asked find; only what fits every one of a few."""
    if not 0 < len(meaningful(text)) <= A_FEW_WORDS:
        return None
    found = await _find(visit, text, some=False)
    await _keep_words(visit, found)
    return menu_view.found_page(visit.say, found, language=visit.language) if found.offers else None


async def _keep_words(visit: Visit, found: Found) -> None:
    """What fills more than a page is looked for again, when its page is turned."""
    if found.pages > 1:
        await visit.state.set_data({WORDS: found.words})


async def _answer(visit: Visit, words: str, *, page: int = 0) -> View:
    found = await _find(visit, words, some=True, page=page)
    await _keep_words(visit, found)
    if not found.offers:
        return menu_view.nothing_found(visit.say, words, await wishes_now(visit))
    return menu_view.found_page(visit.say, found, language=visit.language)


async def _find(visit: Visit, words: str, *, some: bool, page: int = 0) -> Found:
    """What fits every word; else what is sold in place of a model that does; else, if wanted, what fits `some` of them."""
    shelf, language = await visit.shop.shelf(), visit.language
    offers = {each.model.id: each for each in in_order(await visit.shop.offers_on(shelf))}
    models = [each.as_found for each in offers.values()]
    found, gone = search(models, words), None
    was = None if found else _replaced(shelf, words)
    if was is not None:
        instead = offers[was.instead or ""].model
        found = [instead]
        gone = menu_view.model_gone(visit.say, title=was.title_in(language), instead=instead.title_in(language))
    if not found and some:
        found = search(models, words, every=False)
    pages = max(1, ceil(len(found) / SHOWN))
    number = min(page, pages - 1)
    shown = [offers[each.id] for each in found[number * SHOWN : (number + 1) * SHOWN]]
    return Found(words=words, offers=shown, count=len(found), gone=gone, page=number, pages=pages)


def _replaced(shelf: Storefront, words: str) -> Model | None:
    """A model that fits and is not sold, in whose place another is listed."""
    listed = {each.model.id for each in shelf.listed}
    known = shelf.catalog.models.values()
    unsold = [each for each in known if shelf.get(each.id) is None and each.instead in listed]
    return next(iter(search(unsold, words)), None)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="search")
    routes.message.register(by_command, Command("search"))
    routes.message.register(by_text, StateFilter(Typing.search), F.text, ~F.text.startswith("/"), SpokenToUs())
    routes.callback_query.register(turn_page, SearchPageButton.filter())
    routes.callback_query.register(by_button, MenuButton.filter(F.screen == Screen.SEARCH))
    return routes
