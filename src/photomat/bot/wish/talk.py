"""The card that words and files are about: the one shown last, until its user begins anew."""

from datetime import timedelta
from typing import Final

from photomat.bot.context import UpdateContext
from photomat.orders.draft import Draft

FOLLOW_UP: Final = timedelta(minutes=10)
LEFT: Final = "left_card"


async def card_in_talk(ctx: UpdateContext) -> Draft | None:
    """The newest unbought card of the last minutes; one that was left counts again once it is changed by a button."""
    draft = await ctx.orders.newest_card(ctx.buyer, within=FOLLOW_UP)
    is_left = draft is not None and ctx.conversation.data.get(LEFT) == [draft.draft_id, draft.revision]
    return None if is_left else draft


async def leave_card(ctx: UpdateContext) -> None:
    """What is said next is not about the newest card: its user asked for the menu, or for an end. The card can be bought."""
    if ctx.conversation.state is not None:
        return  # words answer the open question, whose data these are
    draft = await ctx.orders.newest_card(ctx.buyer, within=FOLLOW_UP)
    if draft is not None:
        ctx.conversation.store({**ctx.conversation.data, LEFT: [draft.draft_id, draft.revision]})
