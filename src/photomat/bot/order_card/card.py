"""Showing the card of a draft, which is committed before: killed in between, the update is handled again and shows it again."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import draft_card
from photomat.bot.view import View
from photomat.catalog.model import Model
from photomat.kernel.failpoint import failpoint
from photomat.orders.draft import Draft

Show: TypeAlias = Callable[[View], Awaitable[object]]


async def show_card(ctx: UpdateContext, show: Show, *, model: Model, draft: Draft) -> None:
    """Show a draft with what it costs and what the user has."""
    failpoint("draft.before_card")
    balance = await ctx.balance()
    paid_by = None if draft.price.minor else (await ctx.orders.quote(ctx.user_id, model, draft.inputs)).paid_by
    card = draft_card(ctx.say, model, draft, language=ctx.language, balance=balance.available, paid_by=paid_by)
    await show(card)
    failpoint("draft.after_card")
