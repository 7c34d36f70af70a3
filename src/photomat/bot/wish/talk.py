"""The card that words and files are about: the one shown last, until its user starts over."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from photomat.bot.context import UpdateContext
from photomat.orders.service import Talk

FOLLOW_UP: Final = timedelta(minutes=10)
LEFT: Final = "left_card"


async def current_talk(ctx: UpdateContext) -> Talk:
    """The newest unbought card of the last minutes; one that was left counts again once it is changed by a button."""
    talk = Talk() if ctx.is_new_user else await ctx.orders.talk(ctx.buyer, within=FOLLOW_UP)
    draft = talk.newest
    is_left = draft is not None and ctx.conversation.data.get(LEFT) == [draft.draft_id, draft.revision]
    return replace(talk, newest=None) if is_left else talk


async def leave_card(ctx: UpdateContext) -> None:
    """What is said next is not about the newest card: its user asked for the menu, or for an end. The card can be bought."""
    if ctx.is_new_user or ctx.conversation.state is not None:
        return  # there is no card; or words answer the open question, whose data these are
    draft = await ctx.orders.newest_card(ctx.buyer, within=FOLLOW_UP)
    if draft is not None:
        ctx.conversation.store({**ctx.conversation.data, LEFT: [draft.draft_id, draft.revision]})
