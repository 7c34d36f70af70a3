"""The buttons of a job's card. Only the tap is answered here: the card is edited by `delivery` alone, from its row."""

from datetime import timedelta
from typing import Final

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import views
from photomat.bot.buttons import JobAction, JobButton, JobPageButton
from photomat.bot.forms.composing import reorder
from photomat.bot.menu import Gone, model_or_why_not
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.db.pool import transaction
from photomat.delivery.page import turn_page
from photomat.jobs.cancel import Canceled, NotYours, TooLate, cancel_job
from photomat.jobs.draft import has_fresh_twin
from photomat.jobs.history import Bought, own_job
from photomat.jobs.offer import accept_offer
from photomat.kernel.errors import NotEnough
from photomat.kernel.ids import JobId

DOUBLE_TAP: Final = timedelta(minutes=1)
"""Within it the same order is not opened on a second card: both could be paid."""


async def cancel(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Cancel the job, if it may be canceled now."""
    say, shop, job_id = visit.say, visit.shop, JobId(callback_data.job_id)
    bought = await _own_job(tap, visit, job_id)
    if bought is None:
        return
    model = shop.catalog.models.get(bought.model)
    usually = shop.times.overdue_of(model.kind if model else "")
    async with transaction(shop.pool) as tx:
        outcome = await cancel_job(tx, job_id=job_id, user_id=visit.user_id, message_id=tap.message_id, usually=usually)
    match outcome:
        case Canceled():
            await tap.answer(say("tap-canceled"))
        case TooLate(finished=True):
            await tap.answer(say("tap-cancel-finished"), alert=True)
        case TooLate():
            minutes = max(1, round(usually.total_seconds() / 60))
            await tap.answer(say("tap-cancel-too-late", minutes=minutes), alert=True)
        case NotYours():
            await tap.answer(say("tap-not-yours"), alert=True)


async def accept(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Buy the result of a canceled job."""
    job_id = JobId(callback_data.job_id)
    if await _own_job(tap, visit, job_id) is None:
        return
    try:
        async with transaction(visit.shop.pool) as tx:
            is_accepted = await accept_offer(tx, job_id=job_id, user_id=visit.user_id, message_id=tap.message_id)
    except NotEnough as refusal:
        await tap.answer(views.not_enough(visit.say, refusal), alert=True)
        return
    await tap.answer(visit.say("tap-offer-accepted" if is_accepted else "tap-offer-gone"), alert=not is_accepted)


async def turn(_query: CallbackQuery, callback_data: JobPageButton, tap: Tap, visit: Visit) -> None:
    """Show another output of the job."""
    job_id = JobId(callback_data.job_id)
    if await _own_job(tap, visit, job_id) is None:
        return
    async with transaction(visit.shop.pool) as tx:
        is_turned = await turn_page(
            tx, job_id=job_id, user_id=visit.user_id, message_id=tap.message_id, page=callback_data.page
        )
    await tap.answer(None if is_turned else visit.say("tap-page-gone"), alert=not is_turned)


async def again(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Open a new draft with the job's inputs, on a new card."""
    bought = await _own_job(tap, visit, JobId(callback_data.job_id))
    if bought is None or tap.message is None:
        return
    model = await model_or_why_not(visit, bought.model)
    if isinstance(model, Gone):
        await tap.answer(model.why, alert=True)
        if model.page is not None:
            await tap.send(model.page)
        return
    if await has_fresh_twin(
        visit.shop.pool,
        user_id=visit.user_id,
        model=model.id,
        inputs=bought.inputs,
        origin=visit.unit.origin,
        within=DOUBLE_TAP,
    ):
        await tap.answer(visit.say("tap-again-twice"), alert=True)
        return
    await tap.answer()
    await reorder(visit, tap.send, model, bought.inputs)


async def _own_job(tap: Tap, visit: Visit, job_id: JobId) -> Bought | None:
    """The job whose button was tapped; its correlation id follows the tap. Somebody else's is refused here."""
    bought = await own_job(visit.shop.pool, job_id=job_id, user_id=visit.user_id)
    if bought is None:
        await tap.answer(visit.say("tap-not-yours"), alert=True)
    else:
        visit.unit.corr = bought.corr
    return bought


async def nothing(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """A button that only shows a number."""
    await tap.answer(visit.say("tap-nothing"))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="result")
    routes.callback_query.register(cancel, JobButton.filter(F.action == JobAction.CANCEL))
    routes.callback_query.register(accept, JobButton.filter(F.action == JobAction.ACCEPT))
    routes.callback_query.register(again, JobButton.filter(F.action == JobAction.AGAIN))
    routes.callback_query.register(nothing, JobButton.filter(F.action == JobAction.NOTHING))
    routes.callback_query.register(turn, JobPageButton.filter(F.action == "page"))
    return routes
