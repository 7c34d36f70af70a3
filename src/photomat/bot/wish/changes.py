"""Buttons of a card of said words: another wish, another model, an order of its own.

Each raises the draft's revision, so that an older card cannot buy what it no longer shows.
"""

from typing import TypeAlias

from aiogram import Router
from aiogram.types import CallbackQuery

from photomat.assistant.said_order import SaidOrder, models_for, order_apart, order_for
from photomat.bot.buttons import ApartButton, OtherModelButton, OtherModelsButton, WishButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.transport import Tap
from photomat.bot.wish import views
from photomat.bot.wish.order import change_order, open_order
from photomat.catalog.carry import carried, words_of
from photomat.catalog.storefront import OfferFilter, page_of
from photomat.catalog.wishes import model_for, wishes
from photomat.orders.outcome import DraftOrder

Changing: TypeAlias = WishButton | OtherModelsButton | OtherModelButton | ApartButton


def router() -> Router:
    routes = Router(name="wish changes")
    routes.callback_query.register(choose_wish, WishButton.filter())
    routes.callback_query.register(list_models, OtherModelsButton.filter())
    routes.callback_query.register(choose_model, OtherModelButton.filter())
    routes.callback_query.register(set_order_apart, ApartButton.filter())
    return routes


async def choose_wish(_query: CallbackQuery, callback_data: WishButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _open_order(tap, ctx, callback_data)
    wish = wishes().get(callback_data.wish)
    model = model_for(wish, await ctx.orders.storefront()) if wish is not None else None
    if found is None:
        return
    if wish is None or model is None:
        await tap.answer(ctx.say("tap-model-gone"), alert=True)
        return
    await tap.answer()
    order = order_for(wish, model, old=found.model, inputs=found.draft.inputs, language=ctx.language)
    await change_order(ctx, tap.replace, found.draft, order)


async def list_models(_query: CallbackQuery, callback_data: OtherModelsButton, tap: Tap, ctx: UpdateContext) -> None:
    """The models that can make the same of the same words and files, in place of the card."""
    found = await _open_order(tap, ctx, callback_data)
    if found is None:
        return
    await tap.answer()
    offers = await ctx.orders.offers()
    fitting = {each.id for each in models_for(found.model, found.draft.inputs, (offer.model for offer in offers))}
    page = page_of(
        [offer for offer in offers if offer.model.id in fitting], only=OfferFilter.ALL, number=callback_data.page
    )
    await tap.replace(views.other_models(ctx.say, found.draft, page, language=ctx.language))


async def choose_model(_query: CallbackQuery, callback_data: OtherModelButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _open_order(tap, ctx, callback_data)
    if found is None:
        return
    model = await ctx.orders.model(callback_data.model)
    if model is None:
        await tap.answer(ctx.say("tap-model-gone"), alert=True)
        return
    await tap.answer()
    order = SaidOrder(model=model, inputs=carried(found.model, model, found.draft.inputs))
    await change_order(ctx, tap.replace, found.draft, order)


async def set_order_apart(_query: CallbackQuery, callback_data: ApartButton, tap: Tap, ctx: UpdateContext) -> None:
    """The card gets its earlier words back; the newer words or file become an order of their own, below it."""
    found = await _open_order(tap, ctx, callback_data)
    if found is None or found.draft.inputs_before is None:
        await tap.answer(ctx.say("tap-stale"), alert=True)
        return
    await tap.answer()
    draft, model, before = found.draft, found.model, found.draft.inputs_before
    apart = order_apart(model, draft.inputs, before, language=ctx.language, storefront=await ctx.orders.storefront())
    await open_order(ctx, tap.send, apart, said=words_of(apart.model, apart.inputs), origin=f"{ctx.origin}:apart")
    await change_order(ctx, tap.replace, draft, SaidOrder(model=model, inputs=before))


async def _open_order(tap: Tap, ctx: UpdateContext, tapped: Changing) -> DraftOrder | None:
    """The draft as its card shows it; answers the tap where it is bought, gone or newer than the card."""
    found = await ctx.orders.find(ctx.user_id, tapped.draft_id)
    if found is None or found.draft.is_closed or found.draft.is_bought:
        await tap.answer(ctx.say("tap-draft-bought"), alert=True)
        return None
    if not isinstance(tapped, OtherModelButton) and found.draft.revision != tapped.revision:
        await tap.answer(ctx.say("tap-card-renewed"))
        await show_card(ctx, tap.replace, model=found.model, draft=found.draft)
        return None
    return found
