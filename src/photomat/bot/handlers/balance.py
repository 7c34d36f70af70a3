"""/balance: what is available, what running orders hold, what is owed or on its way, and where to go from there."""

from dataclasses import replace

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import MenuButton, Screen
from photomat.bot.screen import Tap, send
from photomat.bot.transfer_view import waiting_sum
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.bot.wallet_view import balance_page
from photomat.db.pool import transaction
from photomat.payments.receipts import waiting_of
from photomat.wallet.open_holds import open_holds


async def show_balance(message: Message, visit: Visit) -> None:
    """Answer the command, always with a new message."""
    await send(message, await _page(visit))


async def open_balance(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Open it from the menu."""
    await tap.answer()
    await tap.open(await _page(visit))


async def _page(visit: Visit) -> View:
    balance = await visit.balance()
    async with transaction(visit.shop.pool) as tx:
        holds = await open_holds(tx, user_id=visit.user_id)
        on_their_way = waiting_sum(visit.say, await waiting_of(tx, visit.user_id))
    page = balance_page(visit.say, balance, orders=len(holds))
    return replace(page, text=f"{page.text}\n{on_their_way}") if on_their_way else page


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="balance")
    routes.message.register(show_balance, Command("balance"))
    routes.callback_query.register(open_balance, MenuButton.filter(F.screen == Screen.BALANCE))
    return routes
