"""The question for consent, asked in place of the first card or of the answer to the first file.

Agreeing shows the card of the draft that was kept, or has the update with the file handled again: nothing is typed or
sent again. The consent is recorded in the commit of the tap.
"""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot.buttons import ConsentAction, ConsentButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.privacy import views
from photomat.bot.transport import Tap
from photomat.db.pool import Transaction
from photomat.inbox.lanes import handle_again
from photomat.kernel.ids import DraftId, ReceivedId
from photomat.users.consent import give_consent


def router() -> Router:
    routes = Router(name="consent")
    for action, handler in (
        (ConsentAction.AGREE, agree),
        (ConsentAction.READ, read_document),
        (ConsentAction.BACK, back_to_question),
        (ConsentAction.DECLINE, decline),
    ):
        routes.callback_query.register(handler, ConsentButton.filter(F.action == action))
    return routes


async def agree(_query: CallbackQuery, callback_data: ConsentButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer(ctx.say("consent-tap-thanks"))
    document = ctx.orders.consent
    if document is not None:
        ctx.on_commit(lambda tx: give_consent(tx, ctx.user_id, document, language=ctx.language, origin=ctx.origin))
    ctx.lacks_consent = False
    if callback_data.update:
        ctx.on_commit(lambda tx: _handle_again(tx, ctx, callback_data))
    found = await ctx.orders.find(ctx.user_id, callback_data.draft_id) if callback_data.draft_id else None
    if found is not None and not found.draft.is_closed and not found.draft.is_bought:
        await show_card(ctx, tap.replace, model=found.model, draft=found.draft)
    else:
        await tap.replace(views.consent_thanks(ctx.say))


async def _handle_again(tx: Transaction, ctx: UpdateContext, tapped: ConsentButton) -> None:
    await handle_again(tx, ReceivedId(tapped.update), user_id=ctx.user_id)


async def read_document(_query: CallbackQuery, callback_data: ConsentButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.replace(views.consent_text(ctx, draft_id=callback_data.draft_id, update=callback_data.update))


async def back_to_question(_query: CallbackQuery, callback_data: ConsentButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.replace(views.ask_consent(ctx, draft_id=callback_data.draft_id, update=callback_data.update))


async def decline(_query: CallbackQuery, callback_data: ConsentButton, tap: Tap, ctx: UpdateContext) -> None:
    """Nothing is made, and the draft is canceled: the question comes again with the next card."""
    await tap.answer()
    if callback_data.draft_id:
        await ctx.orders.cancel(ctx.user_id, DraftId(callback_data.draft_id))
    await tap.replace(views.consent_declined(ctx.say))
