"""Buying a draft from its card, or putting it away.

Create is answered with what happened, so it is answered after its transaction. From then on the card is edited by
`delivery` alone; killed before the answer, the tap is handled again and finds the job it made, though the model be hidden by
then or the order fit the catalogue no longer.
"""

from html import unescape

from aiogram import F, Router
from aiogram.types import CallbackQuery, InaccessibleMessage, Message

from photomat.bot import price_words, views
from photomat.bot.buttons import DraftAction, DraftButton
from photomat.bot.forms.order import draft_on_sale, objections, show_card
from photomat.bot.forms.wording import refused_in_words
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.model import Model
from photomat.db.pool import transaction
from photomat.jobs.create import (
    AlreadyStarted,
    Created,
    Creation,
    DraftChanged,
    DraftGone,
    create_job_atomic,
    started_before,
)
from photomat.jobs.draft import Draft, cancel_draft
from photomat.jobs.limits import LimitReached
from photomat.jobs.request import frozen_request
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, DraftId, MessageId
from photomat.kernel.logs import get_logger

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
        await tap.answer(views.not_enough(visit.say, refusal), alert=True)
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
    await tap.replace(views.hint(visit.say, "draft-canceled"))


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
            await tap.answer(price_words.refusal(say, creation), alert=True)


async def _tell_started(tap: Tap, visit: Visit, started: AlreadyStarted) -> None:
    say, visit.unit.corr = visit.say, started.corr
    await tap.answer(say("tap-accepted-before" if started.this_card else "tap-accepted-elsewhere"))
    if not started.this_card:
        await tap.replace(views.hint(say, "draft-ran-elsewhere"))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="confirm")
    routes.callback_query.register(create, DraftButton.filter(F.action == DraftAction.CREATE))
    routes.callback_query.register(cancel, DraftButton.filter(F.action == DraftAction.CANCEL))
    return routes
