"""The button below a broadcast: it opens a model, a template or the top-up as a new message, so that the broadcast stays."""

from aiogram import Router
from aiogram.types import CallbackQuery

from photomat.bot.buttons import OpenBroadcast
from photomat.bot.context import UpdateContext
from photomat.bot.menu.handlers import find_model, home_page
from photomat.bot.order_form.flow import open_model
from photomat.bot.templates.handlers import begin_template
from photomat.bot.topup.methods import methods_view
from photomat.bot.transport import Tap
from photomat.broadcasts.broadcast import note_tap
from photomat.db.pool import transaction


def router() -> Router:
    routes = Router(name="broadcast button")
    routes.callback_query.register(open_offer, OpenBroadcast.filter())
    return routes


async def open_offer(_query: CallbackQuery, callback_data: OpenBroadcast, tap: Tap, ctx: UpdateContext) -> None:
    """Open what the button of a broadcast leads to; where that is gone, say so and show the menu."""
    async with transaction(ctx.pool) as tx:
        opens = await note_tap(tx, callback_data.broadcast_id, user_id=ctx.user_id)
    kind, _, target = (opens or "").partition(":")
    if kind == "model":
        model = await find_model(tap, ctx, target)
        if model is not None:
            await tap.answer()
            await open_model(ctx, tap.send, model)
    elif kind == "topup":
        await tap.answer()
        await tap.send(await methods_view(ctx))
    elif kind == "template" and await begin_template(ctx, tap.send, target):
        await tap.answer()
    else:
        await tap.answer(ctx.say("broadcast-offer-gone"), alert=True)
        await tap.send(await home_page(ctx))
