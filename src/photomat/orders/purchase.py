"""A draft becomes a job with its hold, once per draft, all or nothing: `buy_together`, and `buy` for what has to be alone.

Owner, revision and price are tested under the draft's row lock: the user pays what the card showed, or the card is shown again
with today's price. A voucher pays only where its own button was tapped. Operators' rules are those of the assortment whose mark
was read with the draft. Limits are tested under the lock of the user's row, so two taps never both take the last place; a
voucher is used under the same lock. Content rules read the locked draft before anything is held.

Taps that come together, each of another user, are bought in one transaction; what one of them is refused for leaves the others
alone. All drafts are locked before any wallet, both in the order of their users. A tap whose draft or user something else has
locked, or that may end in a ban, is left out and bought alone.

The message whose button was tapped becomes the job's card. A double tap, or the same update handled again, finds the same job.
Killed before the commit: nothing happened, and the update is handled again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

from photomat.catalog.answers import Refused
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, unfit
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, quote
from photomat.catalog.reference import files_in
from photomat.db.pool import Pool, Transaction, transaction
from photomat.files.facts import Referred, file_facts, measured_inputs, referred
from photomat.jobs import store as jobs_store
from photomat.jobs.claims import CREATES
from photomat.jobs.history import inputs_of_earlier_jobs
from photomat.jobs.job import NewJob, frozen_request, hold_reference
from photomat.kernel.errors import NotEnough
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import DraftId, JobId, MessageId, UserId
from photomat.orders import draft as drafts
from photomat.orders import limits
from photomat.orders.assortment import Assortment, AssortmentMark, read_mark
from photomat.orders.content import ContentCheck
from photomat.orders.draft import Buyer, Draft, LockedDraft, OwnedDraft
from photomat.orders.limits import USUAL, BuyingUser, Limits
from photomat.orders.outcome import (
    AlreadyStarted,
    CardOutdated,
    ConsentMissing,
    Created,
    CreateOutcome,
    DraftGone,
    DraftOrder,
    ModelPaused,
    NotEnoughMoney,
    NotOnSale,
    OrderRefused,
    PurchaseOutcome,
)
from photomat.rewards import vouchers
from photomat.rewards.vouchers import voucher_for
from photomat.users.consent import ConsentDocument, consent_in_force
from photomat.wallet import ledger
from photomat.wallet.postings import Hold
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """A tap that buys a draft, and by which prices, limits and rules, with the assortment that was sold when they were read."""

    buyer: Buyer
    draft_id: DraftId
    tap: CardTap
    rates: Rates
    sold: Assortment
    limits: Limits = USUAL
    consent: ConsentDocument | None = None
    check_of: Callable[[Model], ContentCheck] | None = None

    @property
    def owned(self) -> OwnedDraft:
        return OwnedDraft(self.draft_id, self.buyer.user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedJob:
    """A job to make of a locked draft at this revision, and what may refuse it; `pause` is that of the model.

    A quote with a voucher is bought by that voucher, or not at all: it never becomes a purchase for money.
    """

    new: NewJob
    model: Model
    revision: int
    locked: LockedDraft
    limits: Limits = USUAL
    content: ContentCheck | None = None
    pause: Pause | None = None

    @property
    def draft(self) -> Draft:
        return self.locked.draft

    @property
    def shown(self) -> Quote:
        """What the card has to show: the price without a voucher."""
        return self.new.quote.without_voucher()


Outcomes: TypeAlias = dict[DraftId, CreateOutcome | NotEnough]


async def buy(pool: Pool, purchase: Purchase) -> PurchaseOutcome | AssortmentMark:
    """Buy a draft while its assortment holds; gives the mark of another one that holds by now."""
    async with transaction(pool) as tx:
        locked = (await drafts.lock_drafts_to_buy(tx, [purchase.owned])).get(purchase.owned)
        if locked is not None:  # after a wait for the lock: that statement saw the assortment from before it
            locked = locked._replace(mark=await read_mark(tx))
        judged = await _judged(tx, purchase, locked)
        if not isinstance(judged, WantedJob):
            return judged
        [outcome] = await create_job_atomic(tx, [judged])
    return _as_outcome(outcome, judged)


async def buy_together(pool: Pool, purchases: Sequence[Purchase]) -> list[PurchaseOutcome | AssortmentMark | None]:
    """As `buy`, for drafts of different users, in one transaction that waits for none of them.

    None for those that have to be bought alone: the draft is not there, it or its user is locked, a tap of the same user came
    before, or the content may be refused, which can end in a ban and with it the jobs that the user has queued.
    """
    first_of = {each.buyer.user_id: each for each in reversed(purchases)}
    async with transaction(pool) as tx:
        locked = await drafts.lock_drafts_to_buy(tx, [each.owned for each in first_of.values()], waits=False)
        judged = [
            await _judged_among_others(tx, each, locked.get(each.owned))
            if first_of[each.buyer.user_id] is each
            else None
            for each in purchases
        ]
        made = iter(await create_job_atomic(tx, [each for each in judged if isinstance(each, WantedJob)]))
    return [_as_outcome(next(made), each) if isinstance(each, WantedJob) else each for each in judged]


def _as_outcome(outcome: CreateOutcome | NotEnough, wanted: WantedJob) -> PurchaseOutcome:
    if not isinstance(outcome, NotEnough):
        return outcome
    order = DraftOrder(wanted.draft, wanted.model)
    return NotEnoughMoney(order=order, price=outcome.price, available=outcome.available)


async def _judged_among_others(
    tx: Transaction, purchase: Purchase, locked: LockedDraft | None
) -> WantedJob | PurchaseOutcome | AssortmentMark | None:
    """As `_judged`, and by its content already; None for one that has to be bought alone."""
    judged = None if locked is None else await _judged(tx, purchase, locked)
    if not isinstance(judged, WantedJob) or judged.content is None:
        return judged
    return None if await judged.content.may_refuse(tx, judged.draft) else replace(judged, content=None)


async def _judged(
    tx: Transaction, purchase: Purchase, locked: LockedDraft | None
) -> WantedJob | PurchaseOutcome | AssortmentMark:
    """What a tap wants made at today's price, or why nothing can be bought."""
    sold, user_id = purchase.sold, purchase.buyer.user_id
    if locked is not None and not sold.holds(locked.mark):
        return locked.mark
    order = None if locked is None else as_sold(locked.draft, sold)
    if locked is None or order is None:
        started = await job_of_draft(
            tx, draft_id=purchase.draft_id, user_id=user_id, message_id=purchase.tap.message_id
        )
        return started or NotOnSale()
    if await _must_not_buy(tx, order, purchase.consent):
        return await _not_bought(tx, order, message_id=purchase.tap.message_id)
    return await wanted_job(
        tx,
        purchase.buyer,
        locked,
        order.model,
        purchase.tap,
        rates=purchase.rates,
        standing=sold.rules_of(order.model.id),
        pause=sold.pauses.of_model(order.model.id),
        allowed=purchase.limits,
        content=None if purchase.check_of is None else purchase.check_of(order.model),
    )


async def _must_not_buy(tx: Transaction, order: DraftOrder, consent: ConsentDocument | None) -> bool:
    return bool(await _objections(tx, order)) or (
        consent is not None and await consent_in_force(tx, order.draft.user_id, consent) is None
    )


async def _not_bought(tx: Transaction, order: DraftOrder, *, message_id: MessageId) -> PurchaseOutcome:
    """What a tap gets on an order that must not be bought: the job it made before, or why not."""
    draft = order.draft
    started = await job_of_draft(tx, draft_id=draft.draft_id, user_id=draft.user_id, message_id=message_id)
    if started is not None:
        return started
    refused = await _objections(tx, order)
    return OrderRefused(model=order.model, why=refused[0]) if refused else ConsentMissing(order=order)


async def _objections(tx: Transaction, order: DraftOrder) -> tuple[Refused, ...]:
    draft, model = order
    return objections_to(model, draft.inputs, await referred(tx, draft.user_id, draft.inputs))


def as_sold(draft: Draft, sold: Assortment) -> DraftOrder | None:
    """A draft with its model, while that is sold."""
    model = sold.storefront.sold(draft.model)
    return None if model is None else DraftOrder(draft, model)


def objections_to(model: Model, inputs: Mapping[str, Any], known: Referred) -> tuple[Refused, ...]:
    """Every reason why an order cannot be bought now."""
    misfits = unfit(model, inputs, gone=known.gone, facts=known.files)
    return (*misfits.values(), *check_order(model, inputs, measured_inputs(model, inputs, known.files)))


async def wanted_job(
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
) -> WantedJob | CreateOutcome:
    """Quote a locked draft, for money or by a voucher, and freeze its request.

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
    return WantedJob(
        new=new,
        model=model,
        revision=tap.revision,
        locked=locked,
        limits=allowed,
        content=content,
        pause=pause,
    )


async def create_job_atomic(tx: Transaction, wanted: Sequence[WantedJob]) -> list[CreateOutcome | NotEnough]:
    """Make the jobs of locked drafts of different users with their holds; one that is refused gets neither."""
    outcomes: Outcomes = {}
    for each in wanted:
        refused = await _refusal(tx, each)
        if refused is not None:
            outcomes[each.draft.draft_id] = refused
    outcomes |= await _limited(tx, _left(wanted, outcomes))
    outcomes |= await _not_covered(tx, _left(wanted, outcomes))
    outcomes |= await _made(tx, _left(wanted, outcomes))
    return [outcomes[each.draft.draft_id] for each in wanted]


def _left(wanted: Sequence[WantedJob], outcomes: Outcomes) -> list[WantedJob]:
    return [each for each in wanted if each.draft.draft_id not in outcomes]


async def _refusal(tx: Transaction, wanted: WantedJob) -> CreateOutcome | None:
    """Why this draft may not be bought now: it was before, the card is old, its content is refused, or the model is paused."""
    draft, new = wanted.draft, wanted.new
    if draft.is_bought and (started := await _started(tx, draft.draft_id, message_id=new.card_message_id)) is not None:
        return started
    if draft.is_closed:
        return DraftGone()
    if draft.revision != wanted.revision:
        return CardOutdated(draft=draft)
    price = wanted.shown.price
    if draft.price != price or not await vouchers.is_voucher_left(tx, user_id=new.user_id, quote=new.quote):
        return CardOutdated(draft=await drafts.set_price(tx, draft_id=draft.draft_id, price=price))
    refused = None if wanted.content is None else await wanted.content.refusal_to_buy(tx, draft)
    if refused is not None:
        return refused
    return None if wanted.pause is None else ModelPaused(model=draft.model, pause=wanted.pause)


async def _limited(tx: Transaction, wanted: Sequence[WantedJob]) -> Outcomes:
    """Those who have reached a limit."""
    buying = [
        BuyingUser(each.new.user_id, each.locked.owner, each.limits, is_free=not each.shown.price.minor)
        for each in wanted
    ]
    refusals = await limits.refusals(tx, buying)
    return {each.draft.draft_id: why for each, why in zip(wanted, refusals, strict=True) if why is not None}


async def _not_covered(tx: Transaction, wanted: Sequence[WantedJob]) -> Outcomes:
    """Those whose wallet, locked from here on, does not cover the price."""
    paid = [each.new for each in wanted if each.new.quote.price.minor]
    wallets = await ledger.lock_wallets(tx, *(new.user_id for new in paid)) if paid else {}
    return {
        new.draft_id: NotEnough(price=new.quote.price, available=wallets[new.user_id].available)
        for new in paid
        if wallets[new.user_id].available < new.quote.price
    }


async def _made(tx: Transaction, wanted: Sequence[WantedJob]) -> Outcomes:
    """The jobs with their holds. One that exists already has been started."""
    if not wanted:
        return {}
    made = await jobs_store.insert_jobs(tx, [each.new for each in wanted], queue=CREATES, sell=drafts.MARK_BOUGHT)
    outcomes: Outcomes = {}
    holds = []
    for new in (each.new for each in wanted):
        job_id, price = made.get(new.draft_id), new.quote.price
        if job_id is None:
            outcomes[new.draft_id] = await _started(tx, new.draft_id, message_id=new.card_message_id) or DraftGone()
            continue
        if new.quote.paid_by is not None:
            await vouchers.use_voucher(tx, use_id=new.quote.paid_by.use_id, job_id=job_id)
        if price.minor:
            holds.append(Hold(reference=hold_reference(job_id), user_id=new.user_id, amount=price, job_id=job_id))
        outcomes[new.draft_id] = Created(
            job_id=job_id, corr=new.corr, model=new.model, kind=new.kind, price=price, needs_files=new.needs_files
        )
    if holds:
        await ledger.hold_covered(tx, holds)
    failpoint("create.before_commit")
    return outcomes


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
