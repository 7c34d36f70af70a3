"""Buttons of a draft's card: buy it, cancel it, choose an option, change an input, explain its price.

✅ Создать is answered after `orders.buy` has committed, with what happened. From then on the card is edited by `delivery`
alone. Killed before the answer, the tap is handled again and finds the job it made, even when the model is hidden by then or
the order no longer fits the catalogue.

Opening the menu of changes raises the draft's revision at once, so a card that is being changed can no longer be bought as it
was. A bought draft cannot be changed, so a bought card is never edited here.
"""

from html import unescape
from typing import TypeAlias

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import price_views
from photomat.bot.buttons import CardOptionButton, ChangeButton, DraftAction, DraftButton, JobAction, JobButton
from photomat.bot.context import UpdateContext
from photomat.bot.menu.handlers import paused_model
from photomat.bot.menu.views import hint
from photomat.bot.moderation.views import refused_card
from photomat.bot.order_card import views
from photomat.bot.order_card.views import show_card
from photomat.bot.order_form.flow import ask
from photomat.bot.order_form.form import change_form
from photomat.bot.order_form.handlers import answer_closed_question
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.transport import Tap
from photomat.bot.view import to_home
from photomat.catalog.order import open_to_customers, still_valid
from photomat.catalog.pricing import Quote
from photomat.jobs.history import own_job
from photomat.kernel.ids import DraftId, JobId
from photomat.orders.draft import Draft
from photomat.orders.outcome import (
    AlreadyStarted,
    CardOutdated,
    CheckUnavailable,
    ConsentMissing,
    ContentRefused,
    Created,
    DraftBought,
    DraftGone,
    DraftOrder,
    LimitReached,
    ModelPaused,
    NotEnoughMoney,
    NotOnSale,
    OrderRefused,
    PurchaseOutcome,
)

Refusal: TypeAlias = (
    DraftGone | NotOnSale | OrderRefused | ContentRefused | CheckUnavailable | LimitReached | ModelPaused
)


def router() -> Router:
    routes = Router(name="order card")
    for action, handler in (
        (DraftAction.CREATE, buy_draft),
        (DraftAction.VOUCHER, buy_draft),
        (DraftAction.CANCEL, cancel_draft),
        (DraftAction.CHANGE, open_changes),
        (DraftAction.MORE, open_further_settings),
        (DraftAction.BACK, back_to_card),
        (DraftAction.WHY, explain_draft_price),
    ):
        routes.callback_query.register(handler, DraftButton.filter(F.action == action))
    routes.callback_query.register(choose_option, CardOptionButton.filter())
    routes.callback_query.register(ask_input_again, ChangeButton.filter())
    routes.callback_query.register(explain_job_price, JobButton.filter(F.action == JobAction.WHY))
    return routes


async def buy_draft(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext) -> None:
    """Buy the draft as its card showed it, for money or by a voucher; the card becomes the card of the job."""
    draft_id = DraftId(callback_data.draft_id)
    outcome = await _buy(tap, ctx, callback_data)
    kept = NotOnSale | OrderRefused | NotEnoughMoney | ModelPaused | ConsentMissing | CheckUnavailable
    if not isinstance(outcome, kept):
        ctx.drop_form(of_draft=draft_id)
    await _answer_purchase(tap, ctx, outcome)


async def _ask_consent_first(tap: Tap, ctx: UpdateContext, missing: ConsentMissing) -> None:
    """The question stands in place of the card; agreeing shows the card again."""
    await tap.answer(ctx.say("consent-tap"))
    ctx.lacks_consent = True
    await show_card(ctx, tap.replace, model=missing.order.model, draft=missing.order.draft)


async def _buy(tap: Tap, ctx: UpdateContext, tapped: DraftButton) -> PurchaseOutcome:
    draft_id = DraftId(tapped.draft_id)
    if tap.message is None:  # there is no message that could become the job's card
        return await ctx.orders.job_of_draft(ctx.user_id, draft_id, message_id=tap.message_id) or NotOnSale()
    return await ctx.orders.buy(
        ctx.buyer,
        draft_id=draft_id,
        revision=tapped.revision,
        message_id=tap.message_id,
        corr=ctx.corr,
        by_voucher=tapped.action is DraftAction.VOUCHER,
    )


async def _answer_purchase(tap: Tap, ctx: UpdateContext, outcome: PurchaseOutcome) -> None:
    say = ctx.say
    match outcome:
        case Created():
            ctx.wakes = ("uploads" if outcome.needs_files else "submits", "deliveries")
            await tap.answer(say("tap-accepted", kind=outcome.kind))
        case AlreadyStarted(this_card=True):
            ctx.corr = outcome.corr
            await tap.answer(say("tap-accepted-before"))
        case AlreadyStarted():
            ctx.corr = outcome.corr
            await tap.answer(say("tap-accepted-elsewhere"))
            await tap.replace(hint(say, "draft-ran-elsewhere"))
        case CardOutdated(draft=draft):
            await _show_anew(tap, ctx, draft)
        case ConsentMissing():
            await _ask_consent_first(tap, ctx, outcome)
        case NotEnoughMoney(order=order):
            missing = views.not_enough(say, price=outcome.price, available=outcome.available)
            await tap.answer(missing, alert=True)
            await show_card(ctx, tap.replace, model=order.model, draft=order.draft)
        case _:
            await _answer_refusal(tap, ctx, outcome)


async def _answer_refusal(tap: Tap, ctx: UpdateContext, outcome: Refusal) -> None:
    say = ctx.say
    match outcome:
        case DraftGone() | NotOnSale():
            await tap.answer(say("tap-draft-gone"), alert=True)
        case OrderRefused(model=model, why=why):
            await tap.answer(unescape(refused_in_words(say, model, why, ctx.language)), alert=True)
        case ContentRefused():
            await tap.answer(say("content-toast"), alert=True)
            await tap.replace(refused_card(say, outcome, language=ctx.language))
        case CheckUnavailable():
            await tap.answer(say("content-check-unavailable"), alert=True)
        case LimitReached():
            await tap.answer(price_views.refusal(say, outcome), alert=True)
        case ModelPaused(model=model_id, pause=pause):
            await tap.answer(await paused_model(ctx, model_id, pause), alert=True)


async def _show_anew(tap: Tap, ctx: UpdateContext, draft: Draft) -> None:
    await tap.answer(ctx.say("tap-card-renewed"), alert=True)
    model = await ctx.orders.model(draft.model)
    if model is not None:
        await show_card(ctx, tap.replace, model=model, draft=draft)


async def choose_option(_query: CallbackQuery, callback_data: CardOptionButton, tap: Tap, ctx: UpdateContext) -> None:
    """Give the draft another value at once; an older card is shown as the draft is now."""
    outcome = await ctx.orders.choose(
        ctx.user_id,
        callback_data.draft_id,
        revision=callback_data.revision,
        question=callback_data.question,
        option=callback_data.option,
        origin=ctx.origin,
    )
    match outcome:
        case DraftOrder(draft=draft, model=model):
            await tap.answer()
            ctx.drop_form(of_draft=draft.draft_id)
            await show_card(ctx, tap.replace, model=model, draft=draft)
        case CardOutdated(draft=draft):
            ctx.drop_form(of_draft=draft.draft_id)
            await _show_anew(tap, ctx, draft)
        case OrderRefused(model=model, why=why):
            await tap.answer(unescape(refused_in_words(ctx.say, model, why, ctx.language)), alert=True)
        case DraftBought():
            await tap.answer(ctx.say("tap-draft-bought"), alert=True)
        case DraftGone():
            await tap.answer(ctx.say("tap-draft-gone"), alert=True)


async def cancel_draft(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext) -> None:
    draft_id = DraftId(callback_data.draft_id)
    if not await ctx.orders.cancel(ctx.user_id, draft_id):
        await tap.answer(ctx.say("tap-draft-bought"), alert=True)
        return
    await tap.answer()
    ctx.drop_form(of_draft=draft_id)
    await tap.replace(hint(ctx.say, "draft-canceled"))


async def open_changes(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _reopen(tap, ctx, callback_data)
    if found is not None:
        await tap.replace(views.change_menu(ctx.say, found.model, found.draft, language=ctx.language))


async def open_further_settings(
    _query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext
) -> None:
    found = await _reopen(tap, ctx, callback_data)
    if found is not None:
        await tap.replace(views.further_settings(ctx.say, found.model, found.draft, language=ctx.language))


async def back_to_card(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _reopen(tap, ctx, callback_data)
    if found is not None:
        await show_card(ctx, tap.replace, model=found.model, draft=found.draft)


async def _reopen(tap: Tap, ctx: UpdateContext, tapped: DraftButton) -> DraftOrder | None:
    """Answer the tap, and give the draft at a new revision; None when it is bought, gone or another user's."""
    found = await ctx.orders.reopen(ctx.user_id, tapped.draft_id, origin=ctx.origin)
    await tap.answer(ctx.say("tap-draft-bought") if found is None else None, alert=found is None)
    return found


async def ask_input_again(_query: CallbackQuery, callback_data: ChangeButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await ctx.orders.reopen(ctx.user_id, callback_data.draft_id, origin=ctx.origin)
    if found is None or callback_data.question >= len(found.model.inputs):
        await tap.answer(ctx.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    asked, inputs = model.inputs[callback_data.question], still_valid(model, draft.inputs)
    if asked not in open_to_customers(model, inputs):
        await answer_closed_question(tap, ctx)
        return
    await tap.answer(await _closed_form_warning(ctx, draft), alert=True)
    form = change_form(model, asked, form_id=ctx.received_id, draft_id=draft.draft_id, inputs=inputs)
    await ask(ctx, tap.replace, model, form)


async def _closed_form_warning(ctx: UpdateContext, draft: Draft) -> str | None:
    """For a user who was filling in another order, which is closed by changing this one."""
    left = ctx.form
    if left is None or left.draft_id == draft.draft_id or left.is_first:
        return None
    titles = await ctx.orders.titles(ctx.language)
    return ctx.say("tap-form-left", model=titles.get(left.model, left.model))


async def explain_draft_price(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, ctx: UpdateContext) -> None:
    """Explain today's price in place of the draft's card; a price that has changed is shown on the card instead."""
    found = await ctx.orders.find(ctx.user_id, callback_data.draft_id)
    if found is None or found.draft.is_closed or await ctx.orders.objections_to(found):
        await tap.answer(ctx.say("tap-draft-gone"), alert=True)
        return
    draft, model = found
    quote = await ctx.orders.quote(ctx.user_id, model, draft.inputs)
    if quote.price != draft.price:
        await _show_new_price(tap, ctx, found, quote)
        return
    await tap.answer()
    page = price_views.why_page(
        ctx.say,
        model.title_in(ctx.language),
        quote,
        free_a_day=await ctx.orders.free_quota(ctx.user_id),
        rows=[[views.back_to_card(ctx.say, draft)]],
        model=model,
        language=ctx.language,
    )
    await tap.replace(page)


async def _show_new_price(tap: Tap, ctx: UpdateContext, order: DraftOrder, quote: Quote) -> None:
    changed = await ctx.orders.reprice(order.draft, quote.price, origin=ctx.origin)
    if changed is None:
        await tap.answer(ctx.say("tap-draft-bought"), alert=True)
        return
    await tap.answer(ctx.say("tap-card-renewed"), alert=True)
    await show_card(ctx, tap.replace, model=order.model, draft=changed)


async def explain_job_price(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """Explain the price a job was bought for, in a message of its own: its card belongs to `delivery`."""
    found = await own_job(ctx.pool, job_id=JobId(callback_data.job_id), user_id=ctx.user_id)
    if found is None:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
        return
    ctx.corr = found.corr
    if found.quote is None:
        await tap.answer(ctx.say("tap-why-unknown", price=found.price), alert=True)
        return
    await tap.answer()
    titles = await ctx.orders.titles(ctx.language)
    page = price_views.why_page(
        ctx.say,
        ctx.say("why-order", model=titles.get(found.model, found.model), job=str(callback_data.job_id)),
        found.quote,
        free_a_day=await ctx.orders.free_quota(ctx.user_id),
        rows=[[to_home(ctx.say)]],
        model=ctx.orders.catalog.models.get(found.model),
        language=ctx.language,
    )
    await tap.send(page)
