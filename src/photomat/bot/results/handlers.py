"""The buttons of a job's card and of its details; a result can be sent again, or as files, for free.

Only the tap is answered here: the card is edited by `delivery` alone, from its row.
"""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import price_views
from photomat.bot.buttons import JobAction, JobButton, JobPageButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import not_enough
from photomat.bot.results.next_order import find_own_job
from photomat.bot.results.views import Details, details_page
from photomat.bot.transport import Tap
from photomat.bot.view import View
from photomat.db.pool import transaction
from photomat.delivery.lock import turn_page
from photomat.delivery.outputs import outputs_of
from photomat.delivery.resend import ResendAnswer, ask_again
from photomat.jobs.actions import CancelOutcome, accept_offer, cancel_job, mark_favourite
from photomat.jobs.history import OwnJob, own_job
from photomat.jobs.job import JobStatus
from photomat.kernel.errors import NotEnough
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.logs import get_logger

log = get_logger()


def router() -> Router:
    routes = Router(name="results")
    for action, handler in (
        (JobAction.CANCEL, cancel_order),
        (JobAction.ACCEPT, accept_result),
        (JobAction.RESEND, resend),
        (JobAction.FILES, send_originals),
        (JobAction.LIKE, like),
        (JobAction.UNLIKE, like),
        (JobAction.DETAILS, show_details),
    ):
        routes.callback_query.register(handler, JobButton.filter(F.action == action))
    routes.callback_query.register(show_nothing, JobButton.filter(F.action == JobAction.NOTHING))
    routes.callback_query.register(turn_output_page, JobPageButton.filter(F.action == "page"))
    return routes


async def cancel_order(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    say, job_id = ctx.say, JobId(callback_data.job_id)
    bought = await find_own_job(tap, ctx, job_id)
    if bought is None:
        return
    async with transaction(ctx.pool) as tx:
        outcome = await cancel_job(tx, job_id=job_id, user_id=ctx.user_id, message_id=tap.message_id)
    match outcome:
        case CancelOutcome.CANCELED:
            await tap.answer(say("tap-canceled"))
        case CancelOutcome.SETTLED:
            await tap.answer(say("tap-cancel-finished"), alert=True)
        case CancelOutcome.TOO_LATE:
            model = ctx.orders.catalog.models.get(bought.model)
            usually = ctx.config.times.overdue_of(model.kind if model else "")
            minutes = max(1, round(usually.total_seconds() / 60))
            await tap.answer(say("tap-cancel-too-late", minutes=minutes), alert=True)
        case CancelOutcome.NOT_YOURS:
            await tap.answer(say("tap-not-yours"), alert=True)


async def accept_result(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    job_id = JobId(callback_data.job_id)
    if await find_own_job(tap, ctx, job_id) is None:
        return
    try:
        async with transaction(ctx.pool) as tx:
            is_accepted = await accept_offer(tx, job_id=job_id, user_id=ctx.user_id, message_id=tap.message_id)
    except NotEnough as refusal:
        await tap.answer(not_enough(ctx.say, price=refusal.price, available=refusal.available), alert=True)
        return
    await tap.answer(ctx.say("tap-offer-accepted" if is_accepted else "tap-offer-gone"), alert=not is_accepted)


async def turn_output_page(_query: CallbackQuery, callback_data: JobPageButton, tap: Tap, ctx: UpdateContext) -> None:
    job_id = JobId(callback_data.job_id)
    if await find_own_job(tap, ctx, job_id) is None:
        return
    async with transaction(ctx.pool) as tx:
        is_turned = await turn_page(
            tx, job_id=job_id, user_id=ctx.user_id, message_id=tap.message_id, page=callback_data.page
        )
    await tap.answer(None if is_turned else ctx.say("tap-page-gone"), alert=not is_turned)


async def like(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """Make a result a favourite, or no favourite any more; `delivery` shows it on the card."""
    is_favourite = callback_data.action is JobAction.LIKE
    async with transaction(ctx.pool) as tx:
        is_marked = await mark_favourite(
            tx,
            job_id=JobId(callback_data.job_id),
            user_id=ctx.user_id,
            is_favourite=is_favourite,
            message_id=tap.message_id,
        )
    if is_marked:
        await tap.answer(ctx.say("tap-liked" if is_favourite else "tap-unliked"))
    else:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)


async def show_details(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """What was ordered, why it cost what it did, and what else can be done with it, in a message of its own."""
    job_id = JobId(callback_data.job_id)
    bought = await find_own_job(tap, ctx, job_id)
    if bought is None:
        return
    await tap.answer()
    await tap.send(await _details(ctx, job_id, bought))


async def _details(ctx: UpdateContext, job_id: JobId, bought: OwnJob) -> View:
    model = ctx.orders.catalog.models.get(bought.model)
    title = (await ctx.orders.titles(ctx.language)).get(bought.model, bought.model)
    price = None
    if bought.quote is not None and not bought.gift:
        free_a_day, quote = await ctx.orders.free_quota(ctx.user_id), bought.quote
        why = price_views.why_page(
            ctx.say, title, quote, free_a_day=free_a_day, rows=[], model=model, language=ctx.language
        )
        price = why.text
    outputs = len(await outputs_of(ctx.pool, job_id)) if bought.status is JobStatus.DONE else 0
    details = Details(job_id=job_id, job=bought, model=model, title=title, price=price, outputs=outputs)
    return details_page(ctx.say, details, language=ctx.language)


async def show_nothing(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    """A button that only shows a number."""
    await tap.answer(ctx.say("tap-nothing"))


async def resend(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    await _queue_resend(callback_data, tap, ctx, as_file=False)


async def send_originals(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    await _queue_resend(callback_data, tap, ctx, as_file=True)


async def _queue_resend(callback_data: JobButton, tap: Tap, ctx: UpdateContext, *, as_file: bool) -> None:
    """Queue a result to be sent again, or each of its outputs (a text too) as a file; idempotent per tap."""
    job_id, chat = JobId(callback_data.job_id), tap.message.chat.id if tap.message else ctx.user_id
    bought = await own_job(ctx.pool, job_id=job_id, user_id=ctx.user_id)
    if bought is not None:
        ctx.corr = bought.corr
    async with transaction(ctx.pool) as tx:
        asked = await ask_again(
            tx,
            job_id=job_id,
            user_id=ctx.user_id,
            chat_id=ChatId(chat),
            origin=ctx.origin,
            language=ctx.language,
            as_file=as_file,
            limits=ctx.server,
        )
    log.info("RESULT_ASKED_AGAIN", job_id=job_id, corr=ctx.corr, answer=asked, as_file=as_file)
    answer = ctx.say("tap-originals" if as_file and asked is ResendAnswer.SENDING else f"tap-resend-{asked}")
    await tap.answer(answer, alert=asked not in {ResendAnswer.SENDING, ResendAnswer.SHOWING})
