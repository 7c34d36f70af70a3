"""A draft made from what a user said, completed with defaults and shown on its card.

Such a draft may lack something. Its card then has no button to buy it and says what to send; the next message completes it.
"""

from photomat.assistant.said_order import SaidOrder
from photomat.bot.assistant.queue import ask_for_plan
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.view import Show
from photomat.orders.draft import Draft


async def open_order(
    ctx: UpdateContext, show: Show, order: SaidOrder, *, said: str, origin: str | None = None
) -> Draft:
    """A new draft of what was said, shown in a card of its own."""
    inputs = await ctx.orders.completed(ctx.user_id, order.model, order.inputs)
    await ctx.ensure_registered()
    draft = await ctx.orders.save_draft(ctx.buyer, order.model, inputs, origin=origin or ctx.origin, said=said)
    await show_card(ctx, show, model=order.model, draft=draft)
    ask_for_plan(ctx, draft, words=said)
    return draft


async def change_order(
    ctx: UpdateContext, show: Show, draft: Draft, order: SaidOrder, *, can_be_undone: bool = False
) -> Draft:
    """A new revision of a draft, in the card that `show` shows."""
    inputs = await ctx.orders.completed(ctx.user_id, order.model, order.inputs)
    changed = await ctx.orders.save_draft(
        ctx.buyer,
        order.model,
        inputs,
        origin=ctx.origin,
        draft_id=draft.draft_id,
        said=draft.said,
        can_be_undone=can_be_undone,
    )
    await show_card(ctx, show, model=order.model, draft=changed)
    return changed
