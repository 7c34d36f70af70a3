"""/statement: every move of one's money, page by page, and the story of each. Only the owner's own are shown."""

from typing import Final

from aiogram import Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import MoveButton, StatementButton
from photomat.bot.move_view import story_page
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.bot.wallet_view import Page, statement_page
from photomat.db.pool import transaction
from photomat.wallet.open_holds import open_holds
from photomat.wallet.statement import newer_page, statement
from photomat.wallet.story import story_of_move

SHOWN: Final = 8


async def show_statement(message: Message, visit: Visit) -> None:
    """Answer the command."""
    await send(message, await _page(visit, before=0))


async def turn(_query: CallbackQuery, callback_data: StatementButton, tap: Tap, visit: Visit) -> None:
    """Open a page, the newest from the wallet."""
    await tap.answer()
    await tap.open(await _page(visit, before=callback_data.before))


async def explain(_query: CallbackQuery, callback_data: MoveButton, tap: Tap, visit: Visit) -> None:
    """Tell the story of one move; somebody else's, or one that never was, is refused in the same words."""
    async with transaction(visit.shop.pool) as tx:
        story = await story_of_move(tx, user_id=visit.user_id, move_id=callback_data.move_id)
    if story is None:
        await tap.answer(visit.say("wallet-not-your-move"), alert=True)
        return
    await tap.answer()
    titles = await visit.shop.titles(visit.language)
    await tap.open(story_page(visit.say, story, titles, before=callback_data.before))


async def _page(visit: Visit, *, before: int) -> View:
    user_id, balance = visit.user_id, await visit.balance()
    async with transaction(visit.shop.pool) as tx:
        holds = await open_holds(tx, user_id=user_id)
        moves = await statement(tx, user_id=user_id, limit=SHOWN + 1, before=before or None)
        newer = await newer_page(tx, user_id=user_id, before=before, limit=SHOWN) or 0 if before else None
    shown = moves[:SHOWN]
    page = Page(before=before, moves=shown, newer=newer, older=shown[-1].move_id if len(moves) > SHOWN else None)
    titles = await visit.shop.titles(visit.language)
    return statement_page(visit.say, balance, holds, page, titles)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="statement")
    routes.message.register(show_statement, Command("statement"))
    routes.callback_query.register(turn, StatementButton.filter())
    routes.callback_query.register(explain, MoveButton.filter())
    return routes
