"""Pausing from the phone: what is paused now, the bot and Kie by a tap, a model by its name. `operators.controls` acts."""

from collections.abc import Sequence
from html import escape
from typing import Final
from zoneinfo import ZoneInfo

from aiogram import F, Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, InlineKeyboardButton, Message

from photomat.bot.admin.access import OperatorOnly, refuse_viewer
from photomat.bot.admin.actions import begin_named
from photomat.bot.admin.buttons import AdminButton, AdminPage, PauseButton, Verb
from photomat.bot.admin.views import to_menu
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Administering
from photomat.bot.transport import Tap, send
from photomat.bot.view import View, button, in_rows
from photomat.catalog.model import Model
from photomat.catalog.search import search
from photomat.operators.access import Role
from photomat.operators.controls import control_title
from photomat.texts.load import Say
from photomat.work.controls import BOT, KIE, MODEL, RESTORE, Pause, read_pauses

SHORT: Final = {"bot": BOT, "kie": KIE}
"""What buttons call the bot and the provider; any other name is a model."""
RESUMED: Final = {**SHORT, "restore": RESTORE}
"""What can be resumed besides models; a restore paused automatically."""
MODELS_SHOWN: Final = 8


def router() -> Router:
    routes, operators = Router(name="admin-pauses"), OperatorOnly()
    routes.callback_query.register(open_pauses, AdminButton.filter(F.page == AdminPage.PAUSES), operators)
    routes.callback_query.register(ask_model, AdminButton.filter(F.page == AdminPage.MODELS), operators)
    routes.callback_query.register(begin_pause, PauseButton.filter(), operators)
    words = (F.text, ~F.text.startswith("/"))
    routes.message.register(find_model, StateFilter(Administering.naming_model), *words, operators)
    return routes


async def open_pauses(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Administering.finding, {})
    paused = (await read_pauses(ctx.pool)).by_name.values()
    await tap.open(pauses_page(ctx.say, list(paused), zone=ctx.config.admin.zone))


async def ask_model(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Administering.naming_model, {})
    await tap.open(View(text=ctx.say("admin-ask-model"), rows=[to_menu(ctx.say)], expects_text=True))


async def find_model(message: Message, ctx: UpdateContext) -> None:
    """The models on sale that a name means; more words may follow."""
    offers = [each.model for each in (await ctx.orders.storefront()).listed]
    found = search(offers, message.text or "")[:MODELS_SHOWN]
    await send(message, models_page(ctx.say, found, language=ctx.language))


async def begin_pause(
    _query: CallbackQuery, callback_data: PauseButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    if await refuse_viewer(tap, ctx, role):
        return
    called = callback_data.model
    names = SHORT if callback_data.stop else RESUMED
    if called not in names and called not in ctx.orders.catalog.models:
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    name = names.get(called, f"{MODEL}{called}")
    await begin_named(tap, ctx, Verb.PAUSE if callback_data.stop else Verb.RESUME, name)


def pauses_page(say: Say, paused: Sequence[Pause], *, zone: ZoneInfo) -> View:
    """What is paused, since when, by whom and why; buttons to resume it, and to pause what is not."""
    lines = [
        say(
            "admin-paused",
            what=escape(control_title(each.name).in_(say)),
            since=f"{each.paused_at.astimezone(zone):%d.%m %H:%M}",
            by=escape(each.paused_by),
            reason=escape(each.reason),
        )
        for each in paused
    ]
    buttons = [_resume(say, each) for each in paused]
    names = {each.name for each in paused}
    buttons += [_pause(say, called) for called, name in SHORT.items() if name not in names]
    buttons.append(button(say("admin-pause-model"), AdminButton(page=AdminPage.MODELS)))
    text = "\n\n".join([say("admin-pauses"), *(lines or [say("admin-pauses-none")])])
    return View(text=text, rows=[*in_rows(buttons, 1), to_menu(say)])


def models_page(say: Say, found: Sequence[Model], *, language: str) -> View:
    if not found:
        return View(text=say("admin-models-none"), rows=[to_menu(say)])
    rows = [[button(f"⏸ {each.title_in(language)}", PauseButton(model=each.id, stop=True))] for each in found]
    return View(text=say("admin-models"), rows=[*rows, to_menu(say)])


def _resume(say: Say, pause: Pause) -> InlineKeyboardButton:
    short = {name: called for called, name in RESUMED.items()}
    called = pause.model or short[pause.name]
    label = say("admin-resume", what=control_title(pause.name).in_(say))
    return button(label, PauseButton(model=called, stop=False))


def _pause(say: Say, called: str) -> InlineKeyboardButton:
    return button(say("admin-pause", what=control_title(SHORT[called]).in_(say)), PauseButton(model=called, stop=True))
