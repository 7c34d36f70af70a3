"""/start, the menu, /help and /cancel: always there, whatever a conversation stands at."""

from functools import partial
from html import escape

from aiogram import F, Router
from aiogram.filters import Command, CommandStart
from aiogram.types import CallbackQuery, Message

from photomat.bot import menu_view, views
from photomat.bot.buttons import MenuButton, Screen
from photomat.bot.forms.order import draft_on_sale, show_card
from photomat.bot.menu import home_page, wishes_now
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.jobs.draft import open_draft
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
    """Leave a form, or whatever else waits for an answer; one that changed an order goes back to its card.

    Bought jobs are canceled from their cards, and so are orders that wait on one.
    """
    open_question, left = await visit.state.get_state(), await visit.form()
    await visit.forget_form()
    changed = await draft_on_sale(visit, left.draft_id) if left is not None and left.draft_id is not None else None
    if changed is not None and not changed[0].expired:
        await show_card(visit, partial(send, message), draft=changed[0], model=changed[1])
    elif open_question is not None:
        await send(message, views.hint(visit.say, "cancel-done"))
    else:
        await send(message, await _nothing_to_cancel(visit))


async def _nothing_to_cancel(visit: Visit) -> View:
    draft = await open_draft(visit.shop.pool, user_id=visit.user_id)
    if draft is None:
        return views.hint(visit.say, "cancel-nothing")
    titles = await visit.shop.titles(visit.language)
    text = visit.say("cancel-card", model=escape(titles.get(draft.model, draft.model)))
    return View(text=text, rows=[[views.to_home(visit.say)]])


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
