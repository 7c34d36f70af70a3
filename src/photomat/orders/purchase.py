"""`create_job_atomic`: a draft becomes a job with its hold, once per draft, all or nothing.

Owner, revision and price are tested under the draft's row lock: the user pays what the card showed, or the card is shown again
with today's price. Operators' rules and the user's vouchers are read with every quote. Limits are tested under the lock of the
user's row, so two taps never both take the last place; a voucher is used under the same lock.

The message whose button was tapped becomes the job's card. A double tap, or the same update handled again, finds the same job.
Killed before the commit: nothing happened, and the update is handled again.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from photomat.catalog.model import Model
from photomat.catalog.overrides import rules_of
from photomat.catalog.pricing import Quote, Rates, quote
from photomat.db.pool import Transaction
from photomat.files.facts import measured_inputs
from photomat.jobs import store as jobs_store
from photomat.jobs import timeline
from photomat.jobs.claims import CREATES
from photomat.jobs.history import inputs_of_earlier_jobs
from photomat.jobs.job import NewJob, frozen_request, hold_reference
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import DraftId, JobId, MessageId, UserId
from photomat.orders import draft as drafts
from photomat.orders import limits
from photomat.orders.draft import Buyer
from photomat.orders.limits import USUAL, Limits
from photomat.orders.outcome import AlreadyStarted, CardOutdated, Created, CreateOutcome, DraftGone, DraftOrder
from photomat.rewards import vouchers
from photomat.rewards.vouchers import voucher_for
from photomat.wallet import ledger
from photomat.work import budget


async def quote_for(
    tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any], *, rates: Rates
) -> Quote:
    """The price with everything it is made of; 0 where a voucher of the user covers it."""
    chosen_before = await inputs_of_earlier_jobs(tx, user_id, model, inputs)
    measured = await measured_inputs(tx, user_id, model, inputs)
    standing = await rules_of(tx, model.id, currency=rates.currency)
    found = quote(model, {**inputs, **chosen_before}, rates, standing, measured=measured)
    paid_by = await voucher_for(tx, user_id=user_id, quote=found) if found.price.minor else None
    return found if paid_by is None else found.with_voucher(paid_by)


async def purchase(
    tx: Transaction,
    buyer: Buyer,
    order: DraftOrder,
    *,
    revision: int,
    message_id: MessageId,
    rates: Rates,
    corr: str,
    allowed: Limits = USUAL,
    job_id: JobId | None = None,  # for a check that is rolled back: it must not use up the next number
) -> CreateOutcome:
    """Quote an order and buy it in one transaction; its request is frozen on the job."""
    draft, model = order
    new = NewJob(
        draft_id=draft.draft_id,
        corr=corr,
        user_id=buyer.user_id,
        language=buyer.language,
        bot_id=buyer.bot_id,
        chat_id=buyer.chat_id,
        card_message_id=message_id,
        model=draft.model,
        kind=model.kind,
        inputs=draft.inputs,
        quote=await quote_for(tx, buyer.user_id, model, draft.inputs, rates=rates),
        request=frozen_request(model, draft.inputs),
        title=model.title_in(buyer.language),
        job_id=job_id,
    )
    return await create_job_atomic(tx, new, revision=revision, allowed=allowed)


async def create_job_atomic(tx: Transaction, new: NewJob, *, revision: int, allowed: Limits = USUAL) -> CreateOutcome:
    """Buy a draft at today's quote; raises NotEnough when the wallet does not cover it (then nothing happened)."""
    user_id, draft_id = new.user_id, new.draft_id
    draft = await drafts.lock_draft(tx, draft_id=draft_id, user_id=user_id)
    if draft is None:
        return DraftGone()
    if (started := await _started(tx, draft_id, message_id=new.card_message_id)) is not None:
        return started
    if draft.is_closed:
        return DraftGone()
    if draft.revision != revision:
        return CardOutdated(draft=draft)
    quote = await vouchers.drop_used_voucher(tx, user_id=user_id, quote=new.quote)
    if draft.price != quote.price:
        return CardOutdated(draft=await drafts.set_price(tx, draft_id=draft_id, price=quote.price))
    refusal = await limits.refusal(tx, user_id, allowed, is_free=not draft.price.minor and quote.paid_by is None)
    if refusal is not None:
        return refusal
    as_locked = replace(new, model=draft.model, inputs=draft.inputs, quote=quote)
    made = await jobs_store.insert_job(tx, as_locked, current_turn=await budget.current_turn(tx, CREATES))
    if made is None:
        return DraftGone()
    await drafts.mark_bought(tx, draft_id=draft_id)
    if quote.paid_by is not None:
        await vouchers.use_voucher(tx, use_id=quote.paid_by.use_id, job_id=made)
    if draft.price.minor:
        await ledger.hold(tx, user_id=user_id, amount=draft.price, reference=hold_reference(made), job_id=made)
    await timeline.record(tx, made, Tag.CREATED, model=draft.model, price=draft.price.minor)
    failpoint("create.before_commit")
    return Created(job_id=made, corr=new.corr, model=draft.model, kind=new.kind, price=draft.price)


async def job_of_draft(
    tx: Transaction, *, draft_id: DraftId, user_id: UserId, message_id: MessageId
) -> AlreadyStarted | None:
    """The job a draft of this user became, also where it could not be bought any more."""
    draft = await drafts.lock_draft(tx, draft_id=draft_id, user_id=user_id)
    return None if draft is None else await _started(tx, draft_id, message_id=message_id)


async def _started(tx: Transaction, draft_id: DraftId, *, message_id: MessageId) -> AlreadyStarted | None:
    bought = await jobs_store.find_by_draft(tx, draft_id)
    if bought is None:
        return None
    job_id, corr, card = bought
    return AlreadyStarted(job_id=job_id, corr=corr, this_card=card == message_id)
