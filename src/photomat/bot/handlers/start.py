"""/start, the menu, /help and /cancel: always there, whatever a conversation stands at."""

from aiogram import F, Router
from aiogram.filters import Command, CommandStart
from aiogram.types import CallbackQuery, Message

from photomat.bot import menu_view, views
from photomat.bot.buttons import MenuButton, Screen
from photomat.bot.menu import home_page, wishes_now
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.users.user import DEFAULT_LANGUAGE, may_prefer_english


async def start(message: Message, visit: Visit) -> None:
    """Greet by name, with the balance and the menu; a form left open is closed."""
    await visit.forget_form()
    user, balance = visit.person.user, await visit.balance()
    greeting = menu_view.greeting(
        visit.say,
        name=user.first_name,
        balance=balance.available,
        wishes=await wishes_now(visit),
        offers_english=user.language == DEFAULT_LANGUAGE and may_prefer_english(visit.person.language_code),
    )
    await send(message, greeting)


async def open_home(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Come back to the menu."""
    await tap.answer()
    await tap.open(await home_page(visit))


async def show_help(message: Message, visit: Visit) -> None:
    """Say how it works."""
    await send(message, _help(visit))


async def open_help(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Say how it works, in place of the menu."""
    await tap.answer()
    await tap.open(_help(visit))


async def cancel(message: Message, visit: Visit) -> None:
    """Leave a form, or whatever else waits for an answer; bought jobs are canceled from their cards."""
    open_question = await visit.state.get_state()
    await visit.forget_form()
    await send(message, views.hint(visit.say, "cancel-nothing" if open_question is None else "cancel-done"))


def _help(visit: Visit) -> View:
    return views.help_page(visit.say, for_operator=visit.user_id in visit.shop.operators)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="start")
    routes.message.register(start, CommandStart())
    routes.message.register(show_help, Command("help"))
    routes.message.register(cancel, Command("cancel"))
    routes.callback_query.register(open_home, MenuButton.filter(F.screen == Screen.HOME))
    routes.callback_query.register(open_help, MenuButton.filter(F.screen == Screen.HELP))
    return routes
