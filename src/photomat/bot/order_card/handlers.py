"""Buying a draft from its card, or putting it away.

Create is answered with what happened, so it is answered after its transaction. From then on the card is edited by
`delivery` alone; killed before the answer, the tap is handled again and finds the job it made, though the model be hidden by
then or the order fit the catalogue no longer.

Changing a draft from its card: which input, then its question, then the card anew.

Opening the menu raises the draft's revision at once, so a card that is being changed can no longer be bought as it was. A
draft that is bought cannot be changed, so a bought card is never edited here.

Why does it cost that? Answered from today's quote for a draft, from the frozen one for a job. Nothing is changed here.
"""

from html import unescape

from aiogram import F, Router
from aiogram.types import CallbackQuery, InaccessibleMessage, Message

from photomat.bot import pages, price_views
from photomat.bot.buttons import ChangeButton, DraftAction, DraftButton, JobAction, JobButton
from photomat.bot.context import Visit
from photomat.bot.order_card.drafts import draft_on_sale, objections, show_card
from photomat.bot.order_form.flow import ask
from photomat.bot.order_form.form import change_form, still_good
from photomat.bot.order_form.handlers import tell_closed
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.transport import Tap
from photomat.catalog.model import Model
from photomat.catalog.order import open_to_customers
from photomat.catalog.pricing import Quote
from photomat.db.pool import transaction
from photomat.jobs.job import frozen_request
from photomat.jobs.listing import quote_of_own_job
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, DraftId, JobId, MessageId
from photomat.kernel.logs import get_logger
from photomat.orders.draft import Draft, cancel_draft, change_draft
from photomat.orders.limits import LimitReached, free_quota
from photomat.orders.purchase import (
    AlreadyStarted,
    Created,
    Creation,
    DraftChanged,
    DraftGone,
    create_job_atomic,
    started_before,
)

log = get_logger()


async def create(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Buy the draft as its card showed it."""
    draft_id = DraftId(callback_data.draft_id)
    found = await draft_on_sale(visit, draft_id)
    if found is None or tap.message is None:
        await _find_or_refuse(tap, visit, draft_id, why=visit.say("tap-draft-gone"))
        return
    draft, model = found
    refused = await objections(visit, model, draft.inputs)
    if refused:
        why = unescape(refused_in_words(visit.say, model, refused[0], visit.language))
        await _find_or_refuse(tap, visit, draft_id, why=why)
        return
    try:
        creation = await _buy(visit, draft, model, revision=callback_data.revision, card=tap.message)
    except NotEnough as refusal:
        await tap.answer(pages.not_enough(visit.say, refusal), alert=True)
        await show_card(visit, tap.replace, model=model, draft=draft)
        return
    except Rejected as refusal:
        await tap.answer(visit.say(refusal.text_key, **refusal.facts), alert=True)
        return
    await visit.forget_form(of_draft=draft.draft_id)
    await _tell(tap, visit, creation, kind=model.kind)
    if isinstance(creation, DraftChanged):
        await show_card(visit, tap.replace, model=model, draft=creation.draft)


async def cancel(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Put the draft away."""
    draft_id = DraftId(callback_data.draft_id)
    async with transaction(visit.shop.pool) as tx:
        is_canceled = await cancel_draft(tx, draft_id=draft_id, user_id=visit.user_id)
    if not is_canceled:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    await tap.answer()
    await visit.forget_form(of_draft=draft_id)
    await tap.replace(pages.hint(visit.say, "draft-canceled"))


async def _find_or_refuse(tap: Tap, visit: Visit, draft_id: DraftId, *, why: str) -> None:
    """Answer a tap that can buy nothing now: with the job that it, or another tap, made before; else with the reason."""
    async with transaction(visit.shop.pool) as tx:
        started = await started_before(tx, draft_id=draft_id, user_id=visit.user_id, message_id=tap.message_id)
    if started is None:
        await tap.answer(why, alert=True)
        return
    await visit.forget_form(of_draft=draft_id)
    await _tell_started(tap, visit, started)


async def _buy(
    visit: Visit, draft: Draft, model: Model, *, revision: int, card: Message | InaccessibleMessage
) -> Creation:
    async with transaction(visit.shop.pool) as tx:
        quote = await visit.quote(model, draft.inputs, tx=tx)
        creation = await create_job_atomic(
            tx,
            draft_id=draft.draft_id,
            revision=revision,
            bot_id=visit.unit.bot_id,
            user_id=visit.user_id,
            chat_id=ChatId(card.chat.id),
            message_id=MessageId(card.message_id),
            language=visit.person.user.language,
            kind=model.kind,
            quote=quote,
            request=frozen_request(model, draft.inputs),
            title=model.title_in(visit.person.user.language),
            allowed=visit.shop.limits,
            corr=visit.unit.corr,
        )
    if isinstance(creation, Created):
        failpoint("create.after_commit")
        log.info(
            "JOB_CREATED",
            job_id=creation.job_id,
            user_id=visit.user_id,
            model=creation.model,
            price=creation.price.minor,
        )
    return creation


async def _tell(tap: Tap, visit: Visit, creation: Creation, *, kind: str = "image") -> None:
    say = visit.say
    match creation:
        case Created():
            await tap.answer(say("tap-accepted", kind=kind))
        case AlreadyStarted():
            await _tell_started(tap, visit, creation)
        case DraftChanged():
            await tap.answer(say("tap-card-renewed"), alert=True)
        case DraftGone():
            await tap.answer(say("tap-draft-gone"), alert=True)
        case LimitReached():
            log.info("ORDER_REFUSED", user_id=visit.user_id, why=creation.why, limit=creation.limit)
            await tap.answer(price_views.refusal(say, creation), alert=True)


async def _tell_started(tap: Tap, visit: Visit, started: AlreadyStarted) -> None:
    say, visit.unit.corr = visit.say, started.corr
    await tap.answer(say("tap-accepted-before" if started.this_card else "tap-accepted-elsewhere"))
    if not started.this_card:
        await tap.replace(pages.hint(say, "draft-ran-elsewhere"))


def confirm_router() -> Router:
    """The ways to get here."""
    routes = Router(name="confirm")
    routes.callback_query.register(create, DraftButton.filter(F.action == DraftAction.CREATE))
    routes.callback_query.register(cancel, DraftButton.filter(F.action == DraftAction.CANCEL))
    return routes


async def open_menu(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Ask which input is to be changed."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await tap.replace(pages.change_menu(visit.say, model, draft, language=visit.language))


async def open_further(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Ask which of the settings few people change."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await tap.replace(pages.further_settings(visit.say, model, draft, language=visit.language))


async def ask_again(_query: CallbackQuery, callback_data: ChangeButton, tap: Tap, visit: Visit) -> None:
    """Ask one input of the draft again."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None or callback_data.question >= len(found[1].inputs):
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    asked, inputs = model.inputs[callback_data.question], still_good(model, draft.inputs)
    if asked not in open_to_customers(model, inputs):
        await tell_closed(tap, visit)
        return
    await tap.answer(await _what_is_left(visit, draft), alert=True)
    form = change_form(model, asked, form_id=visit.unit.received_id, draft_id=draft.draft_id, inputs=inputs)
    await ask(visit, tap.replace, model, form)


async def _what_is_left(visit: Visit, draft: Draft) -> str | None:
    """What somebody should know who was filling in something else: it is closed by this."""
    left = await visit.form()
    if left is None or left.draft_id == draft.draft_id or left.is_first:
        return None
    titles = await visit.shop.titles(visit.language)
    return visit.say("tap-form-left", model=titles.get(left.model, left.model))


async def go_back(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Leave the menu for the card."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await show_card(visit, tap.replace, model=model, draft=draft)


async def _draft_to_change(visit: Visit, draft_id: int) -> tuple[Draft, Model] | None:
    """The draft at a new revision; None when it is bought, gone or somebody else's."""
    found = await draft_on_sale(visit, draft_id)
    if found is None:
        return None
    draft, model = found
    is_good = not await objections(visit, model, draft.inputs)
    price = (await visit.quote(model, draft.inputs)).price if is_good else draft.price
    changed = await change_draft(
        visit.shop.pool,
        draft_id=draft.draft_id,
        user_id=visit.user_id,
        origin=visit.unit.origin,
        inputs=draft.inputs,
        price=price,
    )
    return None if changed is None or changed.expired else (changed, model)


def change_router() -> Router:
    """The ways to get here."""
    routes = Router(name="change")
    routes.callback_query.register(open_menu, DraftButton.filter(F.action == DraftAction.CHANGE))
    routes.callback_query.register(open_further, DraftButton.filter(F.action == DraftAction.MORE))
    routes.callback_query.register(go_back, DraftButton.filter(F.action == DraftAction.BACK))
    routes.callback_query.register(ask_again, ChangeButton.filter())
    return routes


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
    rows = [[pages.back_to_card(visit.say, draft)]]
    free = await free_quota(visit.shop.pool, visit.user_id, visit.shop.limits)
    await tap.replace(
        price_views.why_page(
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
        price_views.why_page(
            visit.say,
            title,
            found.quote,
            free_a_day=free,
            rows=[[pages.to_home(visit.say)]],
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


def why_price_router() -> Router:
    """The ways to get here."""
    routes = Router(name="pricing")
    routes.callback_query.register(why_draft, DraftButton.filter(F.action == DraftAction.WHY))
    routes.callback_query.register(why_job, JobButton.filter(F.action == JobAction.WHY))
    return routes
