"""/history: the last orders, newest first."""

from typing import Final

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.buttons import MenuButton, Screen
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.jobs.history import recent_jobs

SHOWN: Final = 5


async def show_history(message: Message, visit: Visit) -> None:
    """Answer the command."""
    await send(message, await _page(visit))


async def open_history(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Open it from the menu."""
    await tap.answer()
    await tap.open(await _page(visit))


async def _page(visit: Visit) -> View:
    jobs = await recent_jobs(visit.shop.pool, user_id=visit.user_id, limit=SHOWN)
    titles = {model.id: model.title for model in visit.shop.catalog.models.values()}
    return views.history_page(visit.say, jobs, titles)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="history")
    routes.message.register(show_history, Command("history"))
    routes.callback_query.register(open_history, MenuButton.filter(F.screen == Screen.HISTORY))
    return routes
