"""Finding a model by words: /search, the button of the menu, and words typed while nothing is asked."""

from math import ceil
from typing import Final

from aiogram import F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import MenuButton, Screen, SearchPageButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Typing
from photomat.bot.menu import views
from photomat.bot.menu.handlers import offered_categories
from photomat.bot.menu.views import FoundModels
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.catalog.model import Model
from photomat.catalog.search import meaningful, search
from photomat.catalog.storefront import Storefront, in_order

SHOWN: Final = 10
WORDS: Final = "search_words"
A_FEW_WORDS: Final = 5
"""A longer text without an open question describes a picture; it does not name a model."""


def router() -> Router:
    routes = Router(name="search")
    routes.message.register(search_by_command, Command("search"))
    words = (F.text, ~F.text.startswith("/"), AddressedToBot())
    routes.message.register(search_by_text, StateFilter(Typing.search), *words)
    routes.callback_query.register(turn_search_page, SearchPageButton.filter())
    routes.callback_query.register(ask_for_words, MenuButton.filter(F.screen == Screen.SEARCH))
    return routes


async def search_by_command(message: Message, command: CommandObject, ctx: UpdateContext) -> None:
    if command.args:
        await send(message, await _answer(ctx, command.args))
        return
    ctx.conversation.wait_for(Typing.search)
    await send(message, views.search_page(ctx.say))


async def ask_for_words(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Typing.search)
    await tap.open(views.search_page(ctx.say))


async def search_by_text(message: Message, ctx: UpdateContext) -> None:
    """Search for the words that were asked for; more of them may follow."""
    await send(message, await _answer(ctx, message.text or ""))


async def turn_search_page(
    _query: CallbackQuery, callback_data: SearchPageButton, tap: Tap, ctx: UpdateContext
) -> None:
    words = ctx.conversation.data.get(WORDS)
    if not isinstance(words, str):
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await tap.answer()
    await tap.open(await _answer(ctx, words, page=callback_data.page))


async def search_plain_text(ctx: UpdateContext, text: str) -> View | None:
    """What a few words typed without an open question find: only models that fit every word."""
    if not 0 < len(meaningful(text)) <= A_FEW_WORDS:
        return None
    found = await _find(ctx, text, some=False)
    return views.found_page(ctx.say, found, language=ctx.language) if found.offers else None


async def _answer(ctx: UpdateContext, words: str, *, page: int = 0) -> View:
    found = await _find(ctx, words, some=True, page=page)
    if not found.offers:
        return views.nothing_found(ctx.say, words, await offered_categories(ctx))
    return views.found_page(ctx.say, found, language=ctx.language)


async def _find(ctx: UpdateContext, words: str, *, some: bool, page: int = 0) -> FoundModels:
    """What fits every word; else what is sold in place of a model that does; else, if wanted, what fits `some` of them.

    Words that find more than one page are stored, to search again when a page is turned.
    """
    storefront, language = await ctx.orders.storefront(), ctx.language
    offers = {each.model.id: each for each in in_order(await ctx.orders.offers(with_paused=True))}
    models = [each.as_found for each in offers.values()]
    found, gone = search(models, words), None
    was = None if found else _replaced(storefront, words)
    if was is not None:
        instead = offers[was.instead or ""].model
        found = [instead]
        gone = views.model_gone(ctx.say, title=was.title_in(language), instead=instead.title_in(language))
    if not found and some:
        found = search(models, words, every=False)
    pages = max(1, ceil(len(found) / SHOWN))
    number = min(page, pages - 1)
    if pages > 1:
        ctx.conversation.store({WORDS: words})
    shown = [offers[each.id] for each in found[number * SHOWN : (number + 1) * SHOWN]]
    return FoundModels(words=words, offers=shown, count=len(found), gone=gone, page=number, pages=pages)


def _replaced(storefront: Storefront, words: str) -> Model | None:
    """A model that fits and is not sold, in whose place another is listed."""
    listed = {each.model.id for each in storefront.listed}
    known = storefront.catalog.models.values()
    unsold = [each for each in known if storefront.get(each.id) is None and each.instead in listed]
    return next(iter(search(unsold, words)), None)
