"""`create_job_atomic`: a draft becomes a job with its hold, once per draft, all or nothing.

Owner, revision and price are tested under the draft's row lock: the user pays what the card showed, or the card is shown again
with today's price. A voucher pays only where its own button was tapped. Operators' rules are those of the assortment whose mark
was read with the draft. Limits are tested under the lock of the user's row, so two taps never both take the last place; a
voucher is used under the same lock. Content rules read the locked draft before anything is held.

The message whose button was tapped becomes the job's card. A double tap, or the same update handled again, finds the same job.
Killed before the commit: nothing happened, and the update is handled again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from photomat.catalog.model import Model
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, quote
from photomat.catalog.reference import files_in
from photomat.db.pool import Transaction
from photomat.files.facts import file_facts, measured_inputs
from photomat.jobs import store as jobs_store
from photomat.jobs.claims import CREATES
from photomat.jobs.history import inputs_of_earlier_jobs
from photomat.jobs.job import NewJob, frozen_request, hold_reference
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import DraftId, JobId, MessageId, UserId
from photomat.kernel.trace import traced
from photomat.orders import draft as drafts
from photomat.orders import limits
from photomat.orders.content import ContentCheck
from photomat.orders.draft import Buyer, Draft, LockedDraft
from photomat.orders.limits import USUAL, Limits
from photomat.orders.outcome import (
    AlreadyStarted,
    CardOutdated,
    Created,
    CreateOutcome,
    DraftGone,
    ModelPaused,
)
from photomat.rewards import vouchers
from photomat.rewards.vouchers import voucher_for
from photomat.wallet import ledger
from photomat.work.controls import Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTap:
    """A tap that buys: the revision its card showed, and the message that becomes the job's card."""

    revision: int
    message_id: MessageId
    corr: str
    by_voucher: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceFacts:
    """What a price depends on besides the inputs: the jobs and files they refer to, and operators' rules."""

    chosen_before: Mapping[str, str]
    measured: Mapping[str, Decimal]
    standing: PriceRules

    def quote(self, model: Model, inputs: Mapping[str, Any], rates: Rates) -> Quote:
        return quote(model, {**inputs, **self.chosen_before}, rates, self.standing, measured=self.measured)


async def price_facts(
    tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any], *, standing: PriceRules
) -> PriceFacts:
    return PriceFacts(
        chosen_before=await inputs_of_earlier_jobs(tx, user_id, model, inputs),
        measured=measured_inputs(model, inputs, await file_facts(tx, user_id, files_in(inputs))),
        standing=standing,
    )


@traced("order.purchase")
async def purchase(
    tx: Transaction,
    buyer: Buyer,
    locked: LockedDraft,
    model: Model,
    tap: CardTap,
    *,
    rates: Rates,
    standing: PriceRules = NO_RULES,
    pause: Pause | None = None,
    allowed: Limits = USUAL,
    content: ContentCheck | None = None,
    job_id: JobId | None = None,  # for a check that is rolled back: it must not use up the next number
) -> CreateOutcome:
    """Quote a draft that is locked, and buy it, for money or by a voucher; its request is frozen on the job.

    `standing` and `pause` are the operators' rules for the model, as the assortment in force has them.
    """
    draft = locked.draft
    facts = await price_facts(tx, buyer.user_id, model, draft.inputs, standing=standing)
    quoted = facts.quote(model, draft.inputs, rates)
    voucher = await voucher_for(tx, user_id=buyer.user_id, quote=quoted) if tap.by_voucher else None
    if tap.by_voucher and voucher is None:
        return await _without_voucher(tx, draft, message_id=tap.message_id)
    new = NewJob(
        draft_id=draft.draft_id,
        corr=tap.corr,
        user_id=buyer.user_id,
        language=buyer.language,
        bot_id=buyer.bot_id,
        chat_id=buyer.chat_id,
        card_message_id=tap.message_id,
        model=draft.model,
        kind=model.kind,
        inputs=draft.inputs,
        quote=quoted if voucher is None else quoted.with_voucher(voucher),
        request=frozen_request(model, draft.inputs, checks=content.provider_checks if content else None),
        title=model.title_in(buyer.language),
        job_id=job_id,
    )
    return await create_job_atomic(
        tx, new, revision=tap.revision, allowed=allowed, content=content, pause=pause, locked=locked
    )


async def create_job_atomic(
    tx: Transaction,
    new: NewJob,
    *,
    revision: int,
    allowed: Limits = USUAL,
    content: ContentCheck | None = None,
    pause: Pause | None = None,
    locked: LockedDraft | None = None,
) -> CreateOutcome:
    """Buy a draft at today's quote; raises NotEnough when the wallet does not cover it (then nothing happened).

    A quote with a voucher is bought by that voucher, or not at all: it never becomes a purchase for money. `pause` is that of
    the model. `locked` is the draft as the caller has locked it.
    """
    user_id, draft_id = new.user_id, new.draft_id
    locked = locked or await drafts.lock_draft_to_buy(tx, draft_id=draft_id, user_id=user_id)
    if locked is None:
        return DraftGone()
    draft = locked.draft
    if draft.is_bought and (started := await _started(tx, draft_id, message_id=new.card_message_id)) is not None:
        return started
    if draft.is_closed:
        return DraftGone()
    if draft.revision != revision:
        return CardOutdated(draft=draft)
    quote, shown = new.quote, new.quote.without_voucher().price
    if draft.price != shown or not await vouchers.is_voucher_left(tx, user_id=user_id, quote=quote):
        return CardOutdated(draft=await drafts.set_price(tx, draft_id=draft_id, price=shown))
    refusal = await _refusal(tx, locked, content=content, pause=pause, allowed=allowed, is_free=not shown.minor)
    if refusal is not None:
        return refusal
    as_locked = replace(new, model=draft.model, inputs=draft.inputs)
    made = await jobs_store.insert_job(tx, as_locked, queue=CREATES, sell=drafts.MARK_BOUGHT)
    if made is None:
        return await _started(tx, draft_id, message_id=new.card_message_id) or DraftGone()
    if quote.paid_by is not None:
        await vouchers.use_voucher(tx, use_id=quote.paid_by.use_id, job_id=made)
    if quote.price.minor:
        await ledger.hold(tx, user_id=user_id, amount=quote.price, reference=hold_reference(made), job_id=made)
    failpoint("create.before_commit")
    return Created(
        job_id=made,
        corr=new.corr,
        model=draft.model,
        kind=new.kind,
        price=quote.price,
        needs_files=as_locked.needs_files,
    )


async def _refusal(
    tx: Transaction,
    locked: LockedDraft,
    *,
    content: ContentCheck | None,
    pause: Pause | None,
    allowed: Limits,
    is_free: bool,
) -> CreateOutcome | None:
    """Why this draft may not be bought now: its content, a pause, or a limit of its user."""
    draft = locked.draft
    refused = None if content is None else await content.refusal_to_buy(tx, draft)
    if refused is not None:
        return refused
    if pause is not None:
        return ModelPaused(model=draft.model, pause=pause)
    return await limits.refusal(tx, draft.user_id, locked.owner, allowed, is_free=is_free)


async def _without_voucher(tx: Transaction, draft: Draft, *, message_id: MessageId) -> CreateOutcome:
    """What a tap on a voucher gets that no longer covers the order: the job it made before, or the card again."""
    started = await job_of_draft(tx, draft_id=draft.draft_id, user_id=draft.user_id, message_id=message_id)
    return started or (DraftGone() if draft.is_closed else CardOutdated(draft=draft))


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
