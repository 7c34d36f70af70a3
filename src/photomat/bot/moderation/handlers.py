"""Buttons of a refused order: the customer appeals, an operator decides.

An appeal is stored with the messages to operators in one transaction, once per refusal; killed before the answer, the tap is
handled again and finds it. A banned user may appeal too.
"""

from typing import Final

from aiogram import Router
from aiogram.types import CallbackQuery

from photomat.bot.admin.access import OperatorOnly, operator_name, refuse_viewer
from photomat.bot.buttons import AppealButton, AppealVerdict, DecideAppealButton
from photomat.bot.context import UpdateContext
from photomat.bot.middlewares import FOR_BANNED
from photomat.bot.moderation.views import refused_card
from photomat.bot.transport import Tap
from photomat.db.pool import transaction
from photomat.moderation.appeal import appeal_to_operators
from photomat.moderation.refusal import NO_STRIKES, AppealOutcome, StrikePolicy
from photomat.operators import content
from photomat.operators.access import Role, operators_reached

ANSWERS: Final = {
    AppealOutcome.SENT: "content-appeal-sent",
    AppealOutcome.SENT_BEFORE: "content-appeal-before",
    AppealOutcome.DECLINED: "content-appeal-no",
    AppealOutcome.ACCEPTED: "content-appeal-yes",
    AppealOutcome.UNKNOWN: "tap-not-yours",
}


def router() -> Router:
    routes = Router(name="moderation")
    routes.callback_query.register(appeal, AppealButton.filter(), flags=FOR_BANNED)
    routes.callback_query.register(decide, DecideAppealButton.filter(), OperatorOnly(in_their_group=True))
    return routes


async def appeal(_query: CallbackQuery, callback_data: AppealButton, tap: Tap, ctx: UpdateContext) -> None:
    operators = await operators_reached(ctx.pool, ctx.config.operators)
    async with transaction(ctx.pool) as tx:
        outcome, refusal = await appeal_to_operators(
            tx, callback_data.refusal_id, user_id=ctx.user_id, operators=operators, policy=_policy(ctx)
        )
    await tap.answer(ctx.say(ANSWERS[outcome]), alert=True)
    if outcome is AppealOutcome.SENT and refusal is not None and refusal.draft_id is not None:
        await _show_waiting(tap, ctx, refusal.draft_id)


async def _show_waiting(tap: Tap, ctx: UpdateContext, draft_id: int) -> None:
    """The refused order without the button that was tapped, while it is still refused."""
    found = await ctx.orders.find(ctx.user_id, draft_id)
    refused = await ctx.orders.content_refusal(found) if found is not None and not found.draft.is_closed else None
    if refused is not None:
        await tap.replace(refused_card(ctx.say, refused, language=ctx.language))


async def decide(
    _query: CallbackQuery, callback_data: DecideAppealButton, tap: Tap, ctx: UpdateContext, role: Role
) -> None:
    """An operator's tap under an appeal; a reason in words is written in the console."""
    if await refuse_viewer(tap, ctx, role):
        return
    number, operator = callback_data.refusal_id, operator_name(ctx)
    if callback_data.verdict is AppealVerdict.ALLOW:
        result = await content.accept_appeal(ctx.pool, number, policy=_policy(ctx), operator=operator, reason=None)
    else:
        result = await content.decline_appeal(ctx.pool, number, operator=operator, reason=None)
    await tap.answer(result.says.in_(ctx.say), alert=True)


def _policy(ctx: UpdateContext) -> StrikePolicy:
    gate = ctx.orders.content
    return NO_STRIKES if gate is None else gate.policy
