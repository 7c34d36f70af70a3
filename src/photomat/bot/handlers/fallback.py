"""Zero silence: whatever nobody else understood is answered, with the way to a picture."""

from aiogram import F, Router
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.filters import SpokenToUs
from photomat.bot.handlers.search import found_by_chance
from photomat.bot.screen import Tap, send
from photomat.bot.visit import Visit


async def unknown_command(message: Message, visit: Visit) -> None:
    """A command we do not have."""
    await send(message, views.hint(visit.say, "fallback-command"))


async def text_outside_a_form(message: Message, visit: Visit) -> None:
    """Words nobody asked for: a model may be meant."""
    await send(message, await found_by_chance(visit, message.text or "") or views.hint(visit.say, "fallback-text"))


async def anything_else(message: Message, visit: Visit) -> None:
    """Stickers, files, places, and whatever Telegram adds next."""
    await send(message, views.hint(visit.say, "fallback-other"))


async def stale_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """A button of an older program."""
    await tap.answer(visit.say("tap-stale"), alert=True)


def commands_router() -> Router:
    """Unknown commands, asked before a form takes them for an answer."""
    routes = Router(name="fallback-commands")
    routes.message.register(unknown_command, F.text.startswith("/"), SpokenToUs())
    return routes


def router() -> Router:
    """Everything else, asked last."""
    routes = Router(name="fallback")
    routes.message.register(text_outside_a_form, F.text, SpokenToUs())
    routes.message.register(anything_else, SpokenToUs())
    routes.callback_query.register(stale_button)
    return routes
