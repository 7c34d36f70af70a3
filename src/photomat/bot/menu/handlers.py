"""/start, the menu, /help, /cancel and /lang; lists of models, and opening a model's form.

Categories and offers are read with every menu, so that an operator's change counts at once.
"""

from dataclasses import dataclass
from functools import partial
from html import escape

from aiogram import F, Router
from aiogram.filters import Command, CommandStart
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import (
    GroupButton,
    LanguageButton,
    ListButton,
    ListedButton,
    MenuButton,
    ModelButton,
    Screen,
    WayBackButton,
)
from photomat.bot.context import UpdateContext
from photomat.bot.menu import views
from photomat.bot.menu.views import hint
from photomat.bot.order_card.views import show_card
from photomat.bot.order_form.flow import open_model
from photomat.bot.order_form.form import Form
from photomat.bot.templates.examples import send_example
from photomat.bot.transport import Tap, send
from photomat.bot.view import Show, View, to_home
from photomat.bot.wish.talk import leave_card
from photomat.catalog.model import Model
from photomat.catalog.storefront import (
    PICTURE,
    MenuCategory,
    Offer,
    OfferFilter,
    menu_category,
    menu_group,
    menu_group_of,
    page_of,
)
from photomat.texts.load import Say
from photomat.texts.pauses import pause_words
from photomat.users.user import LANGUAGES, set_language
from photomat.work.controls import Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSold:
    """Why a model is not sold, in a sentence; and the page that leads to what is sold in its place, if anything is."""

    why: str
    page: View | None


def router() -> Router:
    routes = Router(name="menu")
    routes.message.register(start, CommandStart())
    routes.message.register(show_help, Command("help"))
    routes.message.register(cancel, Command("cancel"))
    routes.message.register(ask_language, Command("lang"))
    for screen, handler in (
        (Screen.HOME, open_home),
        (Screen.HELP, open_help),
        (Screen.PICTURES, open_pictures),
        (Screen.LANGUAGE, open_languages),
        (Screen.MORE, open_more),
    ):
        routes.callback_query.register(handler, MenuButton.filter(F.screen == screen))
    routes.callback_query.register(open_group, GroupButton.filter())
    routes.callback_query.register(open_list, ListButton.filter())
    routes.callback_query.register(go_back_to_list, WayBackButton.filter())
    routes.callback_query.register(pick_model, ModelButton.filter())
    routes.callback_query.register(pick_from_list, ListedButton.filter())
    routes.callback_query.register(choose_language, LanguageButton.filter(F.language.in_(set(LANGUAGES))))
    return routes


async def home_page(ctx: UpdateContext, say: Say | None = None) -> View:
    """The menu with the balance; `say` overrides the user's language."""
    balance = await ctx.balance()
    return views.home(say or ctx.say, balance=balance.available, categories=await offered_categories(ctx))


async def offered_categories(ctx: UpdateContext) -> tuple[MenuCategory, ...]:
    """The menu categories with at least one model on sale."""
    return (await ctx.orders.storefront()).categories


async def sold_model(ctx: UpdateContext, model_id: str) -> Model | NotSold:
    sold = await ctx.orders.model(model_id)
    pause = (await ctx.orders.pauses()).of_model(model_id)
    if sold is not None and pause is not None:
        return NotSold(why=await paused_model(ctx, model_id, pause), page=None)
    if sold is not None:
        return sold
    instead, language = (await ctx.orders.storefront()).instead_of(model_id), ctx.language
    title = (await ctx.orders.titles(language)).get(model_id)
    why = views.model_gone(ctx.say, title=title, instead=instead.title_in(language) if instead else None)
    page = views.instead_page(ctx.say, why, instead, language=language) if instead else None
    return NotSold(why=why, page=page)


async def paused_model(ctx: UpdateContext, model_id: str, pause: Pause) -> str:
    """Why a model cannot be bought now and until when; plain words, for an alert too."""
    title = (await ctx.orders.titles(ctx.language)).get(model_id, model_id)
    return ctx.say("controls-model-paused", model=title, why=pause_words(ctx.say, pause))


async def start(message: Message, ctx: UpdateContext) -> None:
    """Greet by name, with the balance and the menu; a form left open is closed, and so is the talk about a card.

    An example comes first: the menu is edited in place, and its pages must not open above the end of the chat.
    """
    ctx.drop_form()
    await leave_card(ctx)
    user, balance = ctx.user, await ctx.balance()
    greeting = views.greeting(
        ctx.say,
        name=user.first_name,
        balance=balance.available,
        categories=await offered_categories(ctx),
    )
    await send_example(message, ctx)
    await send(message, greeting)


async def open_home(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await leave_card(ctx)
    await tap.open(await home_page(ctx))


async def show_help(message: Message, ctx: UpdateContext) -> None:
    await send(message, views.help_page(ctx.say, for_operator=ctx.is_operator))


async def open_help(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(views.help_page(ctx.say, for_operator=ctx.is_operator))


async def cancel(message: Message, ctx: UpdateContext) -> None:
    """Leave a form, or whatever else waits for an answer; one that changed an order goes back to its card.

    Bought jobs are canceled from their cards, and so are orders that wait on one.
    """
    open_question, left = ctx.conversation.state, ctx.form
    ctx.drop_form()
    if left is not None and await show_changed_card(ctx, partial(send, message), left):
        return
    if open_question is not None:
        await send(message, hint(ctx.say, "cancel-done"))
    else:
        await leave_card(ctx)
        await send(message, await _nothing_to_cancel(ctx))


async def show_changed_card(ctx: UpdateContext, show: Show, form: Form) -> bool:
    """Show the card of the draft that a form changed; False when there is none to go back to."""
    found = None if form.draft_id is None else await ctx.orders.find(ctx.user_id, form.draft_id)
    if found is None or found.draft.is_closed:
        return False
    await show_card(ctx, show, model=found.model, draft=found.draft)
    return True


async def _nothing_to_cancel(ctx: UpdateContext) -> View:
    draft = await ctx.orders.newest_open(ctx.user_id)
    if draft is None:
        return hint(ctx.say, "cancel-nothing")
    titles = await ctx.orders.titles(ctx.language)
    text = ctx.say("cancel-card", model=escape(titles.get(draft.model, draft.model)))
    return View(text=text, rows=[[to_home(ctx.say)]])


async def open_more(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(views.more_page(ctx.say))


async def open_group(_query: CallbackQuery, callback_data: GroupButton, tap: Tap, ctx: UpdateContext) -> None:
    """Show what can be done in a group; one with a single entry opens that."""
    await tap.answer()
    group, categories = menu_group(callback_data.group), await offered_categories(ctx)
    entries = group.among(categories) if group else ()
    if group is None or not entries:
        await tap.open(await home_page(ctx))
    elif len(entries) == 1:
        await _open_category(tap, ctx, ListButton(category=entries[0].id))
    else:
        await tap.open(views.group_page(ctx.say, group, categories))


async def open_pictures(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await leave_card(ctx)
    await _open_category(tap, ctx, ListButton(category=PICTURE.id))


async def open_list(_query: CallbackQuery, callback_data: ListButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await _open_category(tap, ctx, callback_data)


async def go_back_to_list(_query: CallbackQuery, callback_data: WayBackButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    category = menu_category(callback_data.category) or PICTURE
    offers, group = await _offers_in(ctx, category), menu_group_of(category)
    if len(offers) != 1:
        await _show_list(tap, ctx, category, offers, ListButton(**callback_data.model_dump()))
    elif group is not None and len(group.among(categories := await offered_categories(ctx))) > 1:
        await tap.open(views.group_page(ctx.say, group, categories))
    else:
        await tap.open(await home_page(ctx))


async def pick_model(_query: CallbackQuery, callback_data: ModelButton, tap: Tap, ctx: UpdateContext) -> None:
    await _open(tap, ctx, callback_data.model)


async def pick_from_list(_query: CallbackQuery, callback_data: ListedButton, tap: Tap, ctx: UpdateContext) -> None:
    here = ListButton(category=callback_data.category, only=callback_data.only, page=callback_data.page)
    await _open(tap, ctx, callback_data.model, came_from=here.pack())


async def _open(tap: Tap, ctx: UpdateContext, model_id: str, *, came_from: str | None = None) -> None:
    model = await find_model(tap, ctx, model_id)
    if model is not None:
        await tap.answer()
        await open_model(ctx, tap.open, model, came_from=came_from)


async def find_model(tap: Tap, ctx: UpdateContext, model_id: str) -> Model | None:
    """The model as it is sold now; for one that is not, answer the tap with why and send what is sold instead."""
    model = await sold_model(ctx, model_id)
    if not isinstance(model, NotSold):
        return model
    await tap.answer(model.why, alert=True)
    if model.page is not None:
        await tap.send(model.page)
    return None


async def _open_category(tap: Tap, ctx: UpdateContext, asked: ListButton) -> None:
    """Show a page of the models of a category; its only model is opened at once."""
    category = menu_category(asked.category) or PICTURE
    offers = await _offers_in(ctx, category)
    if len(offers) == 1 and asked.only is OfferFilter.ALL and not offers[0].is_paused:
        await open_model(ctx, tap.open, offers[0].model, came_from=asked.pack())
    else:
        await _show_list(tap, ctx, category, offers, asked)


async def _offers_in(ctx: UpdateContext, category: MenuCategory) -> list[Offer]:
    offers = await ctx.orders.offers(with_paused=True)
    return [each for each in offers if category.includes(each.model)]


async def _show_list(
    tap: Tap, ctx: UpdateContext, category: MenuCategory, offers: list[Offer], asked: ListButton
) -> None:
    page = page_of(offers, only=asked.only, number=asked.page)
    await tap.open(views.model_list(ctx.say, category, page, language=ctx.language))


async def ask_language(message: Message, ctx: UpdateContext) -> None:
    await send(message, views.languages(ctx.say))


async def open_languages(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(views.languages(ctx.say))


async def choose_language(_query: CallbackQuery, callback_data: LanguageButton, tap: Tap, ctx: UpdateContext) -> None:
    """Store the language with this update, and answer in it already."""
    language = callback_data.language
    ctx.on_commit(lambda tx: set_language(tx, user_id=ctx.user_id, language=language))
    say = ctx.config.texts.speaker(language)
    await tap.answer(say("lang-chosen"))
    await tap.open(await home_page(ctx, say))
