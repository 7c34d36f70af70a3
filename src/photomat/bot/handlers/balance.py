"""/balance: what is available, and what running jobs hold."""

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.buttons import MenuButton, Screen
from photomat.bot.screen import Tap, send
from photomat.bot.visit import Visit


async def show_balance(message: Message, visit: Visit) -> None:
    """Answer the command, always with a new message."""
    balance = await visit.balance()
    await send(message, views.balance_page(visit.say, balance))


async def open_balance(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Open it from the menu."""
    await tap.answer()
    balance = await visit.balance()
    await tap.open(views.balance_page(visit.say, balance))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="balance")
    routes.message.register(show_balance, Command("balance"))
    routes.callback_query.register(open_balance, MenuButton.filter(F.screen == Screen.BALANCE))
    return routes
