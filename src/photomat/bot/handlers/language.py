"""/lang: Russian or English. The choice is written with the update that made it; its answer speaks the new language."""

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.buttons import LanguageButton, MenuButton, Screen
from photomat.bot.menu import home_page
from photomat.bot.screen import Tap, send
from photomat.bot.visit import Visit
from photomat.db.pool import Transaction
from photomat.texts.load import Texts
from photomat.users.preferences import choose_language
from photomat.users.user import LANGUAGES


async def ask_language(message: Message, visit: Visit) -> None:
    """Show the two buttons."""
    await send(message, views.languages(visit.say))


async def open_languages(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Show the two buttons in place of the menu."""
    await tap.answer()
    await tap.open(views.languages(visit.say))


async def choose(
    _query: CallbackQuery,
    callback_data: LanguageButton,
    tap: Tap,
    visit: Visit,
    texts: Texts,
) -> None:
    """Speak the chosen language from now on."""
    language = callback_data.language

    async def write(tx: Transaction) -> None:
        await choose_language(tx, user_id=visit.user_id, language=language)

    visit.unit.steps.append(write)
    say = texts.speaker(language)
    await tap.answer(say("lang-chosen"))
    await tap.open(await home_page(visit, say))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="language")
    routes.message.register(ask_language, Command("lang"))
    routes.callback_query.register(open_languages, MenuButton.filter(F.screen == Screen.LANGUAGE))
    routes.callback_query.register(choose, LanguageButton.filter(F.language.in_(set(LANGUAGES))))
    return routes
