"""What the card of said words shows beside the order, with prices: what is missing, other wishes, other models."""

from dataclasses import dataclass
from typing import Final

from photomat.assistant.said_order import lacks, models_for, order_for, other_wishes, start_of
from photomat.bot.context import UpdateContext
from photomat.bot.view import Rows
from photomat.bot.wish import views
from photomat.bot.wish.views import OtherWish
from photomat.catalog.model import Model
from photomat.catalog.wishes import Wish, model_for
from photomat.orders.draft import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class CardExtras:
    """With `missing` the order cannot be bought yet. `rows` come below the button that buys it."""

    missing: str | None
    rows: Rows


NO_EXTRAS: Final = CardExtras(missing=None, rows=[])


async def card_extras(ctx: UpdateContext, model: Model, draft: Draft) -> CardExtras:
    """Nothing for an order that a form made."""
    lacking = lacks(model, draft.inputs)
    missing = views.missing_line(ctx.say, lacking, start=start_of(model, draft.inputs)) if lacking is not None else None
    apart = views.apart_row(ctx.say, draft)
    if draft.said is None:
        return CardExtras(missing=missing, rows=apart)
    storefront = await ctx.orders.storefront()
    others = [
        await _priced(ctx, draft, each, old=model, new=served)
        for each in other_wishes(model, draft.inputs, storefront)
        if (served := model_for(each, storefront)) is not None
    ]
    rival = next(models_for(model, draft.inputs, (each.model for each in storefront.listed)), None)
    rivals = [[views.other_model(ctx.say, draft)]] if rival is not None else []
    return CardExtras(missing=missing, rows=[*apart, *views.wish_rows(ctx.say, draft, others), *rivals])


async def _priced(ctx: UpdateContext, draft: Draft, wish: Wish, *, old: Model, new: Model) -> OtherWish:
    """The wish with what it costs for the same words and files, where it lacks nothing else."""
    order = order_for(wish, new, old=old, inputs=draft.inputs, language=ctx.language)
    inputs = await ctx.orders.completed(ctx.user_id, new, order.inputs)
    is_complete = lacks(new, inputs) is None
    price = (await ctx.orders.quote(ctx.user_id, new, inputs)).price if is_complete else None
    return OtherWish(wish=wish, price=price)
