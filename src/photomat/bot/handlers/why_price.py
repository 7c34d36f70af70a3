"""Why does it cost that? Answered from today's quote for a draft, from the frozen one for a job. Nothing is changed here."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import price_words, views
from photomat.bot.buttons import DraftAction, DraftButton, JobAction, JobButton
from photomat.bot.forms.order import draft_on_sale, objections, show_card
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.model import Model
from photomat.catalog.pricing import Quote
from photomat.jobs.draft import Draft, change_draft
from photomat.jobs.limits import free_quota
from photomat.jobs.quote import quote_of_own_job
from photomat.kernel.ids import JobId


async def why_draft(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Explain the price of a draft in place of its card; one that has changed meanwhile is shown on the card instead."""
    found = await draft_on_sale(visit, callback_data.draft_id)
    if found is None or found[0].expired:
        await tap.answer(visit.say("tap-draft-gone"), alert=True)
        return
    draft, model = found
    if await objections(visit, model, draft.inputs):
        await tap.answer(visit.say("tap-draft-gone"), alert=True)
        return
    quote = await visit.quote(model, draft.inputs)
    if quote.price != draft.price:
        await _show_anew(tap, visit, draft, model, quote)
        return
    await tap.answer()
    rows = [[views.back_to_card(visit.say, draft)]]
    free = await free_quota(visit.shop.pool, visit.user_id, visit.shop.limits)
    await tap.replace(
        price_words.why_page(
            visit.say,
            model.title_in(visit.language),
            quote,
            free_a_day=free,
            rows=rows,
            model=model,
            language=visit.language,
        )
    )


async def why_job(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Explain the price a job was bought for, in a message of its own: its card belongs to `delivery`."""
    found = await quote_of_own_job(visit.shop.pool, job_id=JobId(callback_data.job_id), user_id=visit.user_id)
    if found is None:
        await tap.answer(visit.say("tap-not-yours"), alert=True)
        return
    visit.unit.corr = found.corr
    if found.quote is None:
        await tap.answer(visit.say("tap-why-unknown", price=found.price), alert=True)
        return
    await tap.answer()
    titles = await visit.shop.titles(visit.language)
    title = visit.say("why-order", model=titles.get(found.model, found.model), job=str(callback_data.job_id))
    free = await free_quota(visit.shop.pool, visit.user_id, visit.shop.limits)
    await tap.send(
        price_words.why_page(
            visit.say,
            title,
            found.quote,
            free_a_day=free,
            rows=[[views.to_home(visit.say)]],
            model=visit.shop.catalog.models.get(found.model),
            language=visit.language,
        )
    )


async def _show_anew(tap: Tap, visit: Visit, draft: Draft, model: Model, quote: Quote) -> None:
    changed = await change_draft(
        visit.shop.pool,
        draft_id=draft.draft_id,
        user_id=visit.user_id,
        origin=visit.unit.origin,
        inputs=draft.inputs,
        price=quote.price,
    )
    if changed is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    await tap.answer(visit.say("tap-card-renewed"), alert=True)
    await show_card(visit, tap.replace, model=model, draft=changed)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="pricing")
    routes.callback_query.register(why_draft, DraftButton.filter(F.action == DraftAction.WHY))
    routes.callback_query.register(why_job, JobButton.filter(F.action == JobAction.WHY))
    return routes
