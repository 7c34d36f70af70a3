"""Everything before there is a job: list what is sold, quote, check and store an order as a draft, buy it.

The chat, the checks and the crash lab all buy here. Each method runs its own short transactions. A crash before the commit
of `save_draft` or `buy` leaves nothing; after it, the update handled again finds the same draft, the tap the same job.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import FileFacts, Refused, check_files
from photomat.catalog.defaults import with_defaults
from photomat.catalog.input import Input
from photomat.catalog.model import Catalog, Model
from photomat.catalog.options import Order, option_rows, with_option
from photomat.catalog.order import unfit
from photomat.catalog.price_list import PriceGroups, price_groups, usual_price
from photomat.catalog.pricing import Quote, Rates, Voucher
from photomat.catalog.reference import files_in, references
from photomat.catalog.storefront import AS_IN_ITS_FILE, Cheapest, Offer, OnSale, Storefront, called
from photomat.db.pool import Pool, Transaction, transaction
from photomat.files.facts import NOTHING_REFERRED, Referred, file_facts, measured_inputs, referred
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import DraftId, MessageId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.kernel.trace import traced
from photomat.moderation import checker as verdicts
from photomat.moderation.checker import ALLOWED
from photomat.moderation.order_texts import order_hash
from photomat.orders import draft as drafts
from photomat.orders import limits
from photomat.orders.assortment import Assortment, AssortmentMark, LatestAssortment, SaleOptions, read_mark
from photomat.orders.content import ContentCheck, ContentGate, question_about
from photomat.orders.draft import Buyer, Draft, NewDraft
from photomat.orders.limits import USUAL, Limits
from photomat.orders.outcome import (
    AlreadyStarted,
    Alternatives,
    CardOutdated,
    ChangeOutcome,
    CheckUnavailable,
    ContentRefused,
    Created,
    DraftBought,
    DraftGone,
    DraftOrder,
    LimitReached,
    ModelPaused,
    OrderRefused,
    PurchaseOutcome,
)
from photomat.orders.purchase import CardTap, PriceFacts, Purchase, job_of_draft, objections_to, price_facts
from photomat.orders.writer import OrderWriter
from photomat.rewards.vouchers import voucher_for
from photomat.users.consent import ConsentDocument, consent_in_force
from photomat.work.controls import Pauses

MINUTE: Final = timedelta(minutes=1)
MAX_CARDS_A_MINUTE: Final = 12
DOUBLE_TAP: Final = timedelta(minutes=1)
"""Within it the same order does not get a second card: both could be paid."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What words or a file may be about: the newest card; else they open one more, where cards are not too many a minute."""

    newest: Draft | None = None
    may_open: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderService:
    """The one way to buy. `writer` saves and buys, for the copies of the service that the updates of a moment have.

    `accepts_callbacks`: Kie can call us back, which some models need. `content` is what orders may not ask for, `consent` what
    users must have agreed to. `assortment` is what is sold as of an update; without it, each call looks whether it is the same.
    """

    pool: Pool
    writer: OrderWriter
    catalog: Catalog
    rates: Rates
    limits: Limits = USUAL
    accepts_callbacks: bool = False
    content: ContentGate | None = None
    cheapest: Cheapest = field(default_factory=Cheapest)
    latest: LatestAssortment = field(default_factory=LatestAssortment)
    consent: ConsentDocument | None = None
    assortment: Assortment | None = None

    async def as_of(self, mark: AssortmentMark) -> "OrderService":
        """The service with the assortment of this mark, for everything one update asks it; this very one if it has that."""
        sold = await self._sold_at(mark)
        return self if sold is self.assortment else replace(self, assortment=sold)

    async def _sold_now(self) -> Assortment:
        return self.assortment or await self._sold_at(await read_mark(self.pool))

    async def _sold_at(self, mark: AssortmentMark) -> Assortment:
        options = SaleOptions(catalog=self.catalog, accepts_callbacks=self.accepts_callbacks, rates=self.rates)
        return await self.latest.get(self.pool, mark, options)

    async def titles(self, language: str) -> Mapping[str, str]:
        """The titles of all models, also of those that are no longer sold."""
        settings = (await self._sold_now()).settings
        models = self.catalog.models.values()
        return {each.id: called(each, settings.get(each.id, AS_IN_ITS_FILE)).title_in(language) for each in models}

    async def model(self, model_id: str) -> Model | None:
        """The model as it is sold now, also while it is paused; None while it is not."""
        return (await self.storefront()).sold(model_id)

    async def storefront(self) -> Storefront:
        return (await self._sold_now()).storefront

    async def pauses(self) -> Pauses:
        return (await self._sold_now()).pauses

    async def offers(self, *, with_paused: bool = False) -> list[Offer]:
        """Everything that can be bought, each with the least it costs now; menus show it `with_paused` models."""
        sold = await self._sold_now()
        if not sold.offers:
            sold.offers.extend([self._offer(sold, each) for each in sold.storefront.shown])
        return [each for each in sold.offers if with_paused or not each.is_paused]

    def _offer(self, sold: Assortment, on_sale: OnSale) -> Offer:
        offer = self.cheapest.offer(on_sale, self.rates, sold.rules_of(on_sale.model.id))
        return replace(offer, is_paused=on_sale.model.id in sold.storefront.paused)

    async def offer(self, model: Model) -> Offer:
        """A model with the least it costs now, and what it usually costs."""
        standing = (await self._sold_now()).rules_of(model.id)
        offer = self.cheapest.offer(OnSale(model=model, featured=False, listed=True), self.rates, standing)
        return replace(offer, usual=usual_price(model, self.rates, standing))

    async def prices_of(self, model: Model) -> PriceGroups:
        return price_groups(model, self.rates, (await self._sold_now()).rules_of(model.id))

    async def quote(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> Quote:
        return (await self._price_facts(user_id, model, inputs)).quote(model, inputs, self.rates)

    async def _price_facts(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> PriceFacts:
        standing = (await self._sold_now()).rules_of(model.id)
        if not any(references(inputs)):
            return PriceFacts(chosen_before={}, measured={}, standing=standing)
        async with transaction(self.pool) as tx:
            return await price_facts(tx, user_id, model, inputs, standing=standing)

    async def alternatives(
        self, user_id: UserId, model: Model, inputs: Mapping[str, Any], *, is_new_user: bool = False
    ) -> Alternatives:
        """What an order costs, and what it would cost with other options; a new user has no voucher to look for."""
        facts = await self._price_facts(user_id, model, inputs)
        now = facts.quote(model, inputs, self.rates)
        voucher = await self._voucher_for(user_id, now) if now.price.minor and not is_new_user else None
        order = Order(
            model=model,
            inputs=inputs,
            measured=facts.measured,
            price_of=lambda changed: (
                now.price if model.has_one_price else facts.quote(model, changed, self.rates).price
            ),
        )
        return Alternatives(quote=now, rows=option_rows(order), voucher=voucher)

    async def _voucher_for(self, user_id: UserId, quote: Quote) -> Voucher | None:
        async with self.pool.acquire() as session:
            return await voucher_for(session, user_id=user_id, quote=quote)

    async def free_quota(self, user_id: UserId) -> int:
        async with transaction(self.pool) as tx:
            return await limits.free_quota(tx, user_id, self.limits)

    async def measured(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> dict[str, Decimal]:
        """What is known of the files of an order, by the names its price counts them under."""
        return measured_inputs(model, inputs, (await self._referred(user_id, inputs)).files)

    async def objections(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> tuple[Refused, ...]:
        """Every reason why this order cannot be bought now; empty when it can."""
        return objections_to(model, inputs, await self._referred(user_id, inputs))

    async def objections_to(self, order: DraftOrder) -> tuple[Refused, ...]:
        return await self.objections(order.draft.user_id, order.model, order.draft.inputs)

    async def unfit_inputs(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> dict[str, Refused]:
        """The inputs that have to be given again, and why: a file or result is gone, or a file no longer fits the catalogue."""
        known = await self._referred(user_id, inputs)
        return unfit(model, inputs, gone=known.gone, facts=known.files)

    async def _referred(self, user_id: UserId, inputs: Mapping[str, Any]) -> Referred:
        """What is known of what an order refers to; one that refers to nothing needs no database."""
        if not any(references(inputs)):
            return NOTHING_REFERRED
        async with transaction(self.pool) as tx:
            return await referred(tx, user_id, inputs)

    async def completed(self, user_id: UserId, model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs with sensible values for everything required that a customer need not be asked for."""
        files = files_in(inputs)
        if not files:
            return with_defaults(model, inputs, {})
        async with transaction(self.pool) as tx:
            facts = await file_facts(tx, user_id, files)
        return with_defaults(model, inputs, facts)

    async def files_too_long(
        self, user_id: UserId, asked: Input, given: Sequence[Mapping[str, Any]], added: FileFacts
    ) -> Refused | None:
        """Whether the files of an input would be too long in total, with one added to those given."""
        if asked.files is None or asked.files.total_seconds is None:
            return None
        refs = files_in(list(given))
        async with transaction(self.pool) as tx:
            known = await file_facts(tx, user_id, refs)
        before = [known[ref] for ref in refs if ref in known]
        return check_files(replace(asked, min_items=1), [*before, added])

    async def save_draft(
        self,
        buyer: Buyer,
        model: Model,
        inputs: Mapping[str, Any],
        *,
        origin: str,
        draft_id: int | None = None,
        said: str | None = None,
        can_be_undone: bool = False,
    ) -> Draft:
        """Commit a draft at today's price, as a new revision of `draft_id` while that is not bought yet.

        The new revision may be of another model; one that can be undone keeps the inputs before it. `said` are the plain
        words a new draft began with.
        """
        price = (await self.quote(buyer.user_id, model, inputs)).price
        failpoint("draft.before_save")
        if draft_id is not None:
            changed = await drafts.change_draft(
                self.pool,
                draft_id=DraftId(draft_id),
                user_id=buyer.user_id,
                origin=origin,
                model=model.id,
                inputs=inputs,
                price=price,
                can_be_undone=can_be_undone,
            )
            if changed is not None and not changed.is_closed:
                return changed
        origin = origin if draft_id is None else f"{origin}:new"
        return await self.writer.save(
            NewDraft(buyer=buyer, origin=origin, model=model.id, inputs=inputs, price=price, said=said)
        )

    async def revise(
        self, draft: Draft, model: Model, inputs: Mapping[str, Any], *, origin: str, assistant: Mapping[str, Any]
    ) -> Draft | None:
        """The assistant's revision of this very revision at today's price; None when the draft has moved on or is bought."""
        price = (await self.quote(draft.user_id, model, inputs)).price
        return await drafts.revise_draft(
            self.pool,
            draft_id=draft.draft_id,
            user_id=draft.user_id,
            revision=draft.revision,
            origin=origin,
            model=model.id,
            inputs=inputs,
            price=price,
            assistant=assistant,
        )

    async def find(self, user_id: UserId, draft_id: int) -> DraftOrder | None:
        """A draft of this user with its model, while that is sold."""
        draft = await drafts.read_draft(self.pool, draft_id=DraftId(draft_id), user_id=user_id)
        model = await self.model(draft.model) if draft else None
        return DraftOrder(draft, model) if draft and model else None

    async def newest_open(self, user_id: UserId) -> Draft | None:
        return await drafts.open_draft(self.pool, user_id=user_id)

    async def newest_card(self, buyer: Buyer, *, within: timedelta) -> Draft | None:
        """The draft whose card was shown last in this chat, if within this time."""
        return await drafts.newest_card(
            self.pool, bot_id=buyer.bot_id, user_id=buyer.user_id, chat_id=buyer.chat_id, within=within
        )

    async def talk(self, buyer: Buyer, *, within: timedelta) -> Talk:
        """The newest card of this chat, if within this time, and whether the user may have one more for what they say."""
        newest, made = await drafts.talk_of(
            self.pool,
            bot_id=buyer.bot_id,
            user_id=buyer.user_id,
            chat_id=buyer.chat_id,
            within=within,
            counted=MINUTE,
            most=MAX_CARDS_A_MINUTE,
        )
        return Talk(newest=newest, may_open=made < MAX_CARDS_A_MINUTE)

    async def has_recent_duplicate(
        self, user_id: UserId, model: Model, inputs: Mapping[str, Any], *, origin: str
    ) -> bool:
        """Whether another update has just opened the same order, which can still be bought."""
        return await drafts.has_recent_duplicate(
            self.pool, user_id=user_id, model=model.id, inputs=inputs, origin=origin, within=DOUBLE_TAP
        )

    async def reopen(self, user_id: UserId, draft_id: int, *, origin: str) -> DraftOrder | None:
        """The order at a new revision and today's price, so that older cards cannot buy it; None when it is bought or gone."""
        found = await self.find(user_id, draft_id)
        if found is None:
            return None
        draft, model = found
        is_good = not await self.objections_to(found)
        price = (await self.quote(user_id, model, draft.inputs)).price if is_good else draft.price
        changed = await self.reprice(draft, price, origin=origin)
        return None if changed is None or changed.is_closed else DraftOrder(changed, model)

    async def choose(
        self, user_id: UserId, draft_id: int, *, revision: int, question: int, option: int, origin: str
    ) -> ChangeOutcome:
        """Give an input of a draft one of its values, both by number, as a new revision at today's price."""
        found = await self.find(user_id, draft_id)
        if found is None or found.draft.is_closed:
            return DraftGone()
        draft, model = found
        if draft.is_bought:
            return DraftBought()
        asked = model.inputs[question] if question < len(model.inputs) else None
        inputs = with_option(model, draft.inputs, asked, option) if asked is not None else None
        if draft.revision != revision or inputs is None:
            return CardOutdated(draft=draft)
        if inputs == draft.inputs:
            return found
        refused = await self.objections(user_id, model, inputs)
        if refused:
            return OrderRefused(model=model, why=refused[0])
        price = (await self.quote(user_id, model, inputs)).price
        changed = await self._changed(draft, inputs, price, origin=origin, revision=revision)
        return DraftBought() if changed is None else DraftOrder(changed, model)

    async def reprice(self, draft: Draft, price: Money, *, origin: str) -> Draft | None:
        """The draft at a new revision with this price; None when it is bought."""
        return await self._changed(draft, draft.inputs, price, origin=origin)

    async def _changed(
        self, draft: Draft, inputs: Mapping[str, Any], price: Money, *, origin: str, revision: int | None = None
    ) -> Draft | None:
        return await drafts.change_draft(
            self.pool,
            draft_id=draft.draft_id,
            user_id=draft.user_id,
            origin=origin,
            model=draft.model,
            inputs=inputs,
            price=price,
            revision=revision,
        )

    async def lacks_consent(self, user_id: UserId) -> bool:
        """Whether this user must agree first: no order is made and no file is accepted before that."""
        async with transaction(self.pool) as tx:
            return await self._lacks_consent(tx, user_id)

    async def _lacks_consent(self, tx: Transaction, user_id: UserId) -> bool:
        return self.consent is not None and await consent_in_force(tx, user_id, self.consent) is None

    async def cancel(self, user_id: UserId, draft_id: DraftId) -> bool:
        async with transaction(self.pool) as tx:
            return await drafts.cancel_draft(tx, draft_id=draft_id, user_id=user_id)

    async def job_of_draft(self, user_id: UserId, draft_id: DraftId, *, message_id: MessageId) -> AlreadyStarted | None:
        async with transaction(self.pool) as tx:
            return await job_of_draft(tx, draft_id=draft_id, user_id=user_id, message_id=message_id)

    async def content_refusal(self, order: DraftOrder) -> ContentRefused | None:
        """Why this draft may not be ordered, said early: the purchase asks again. A new strike counts from here on."""
        if self.content is None or order.draft.is_bought:
            return None
        check = self.content.check_of(order.model, await self.content.rules())
        if not check.finds_fault(order.draft):
            return None
        async with transaction(self.pool) as tx:
            return await check.refusal(tx, order.draft)

    @traced("order.purchase")
    async def buy(
        self,
        buyer: Buyer,
        *,
        draft_id: DraftId,
        revision: int,
        message_id: MessageId,
        corr: str,
        by_voucher: bool = False,
    ) -> PurchaseOutcome:
        """Buy a draft as the card in this message showed it; a draft that became a job before gives that job.

        It is paid from the wallet, or `by_voucher`: then not at all where the user has none that covers it.
        """
        if not await self._is_judged(buyer.user_id, draft_id, revision=revision):
            return CheckUnavailable()
        purchase = Purchase(
            buyer=buyer,
            draft_id=draft_id,
            tap=CardTap(revision=revision, message_id=message_id, corr=corr, by_voucher=by_voucher),
            rates=self.rates,
            sold=await self._sold_now(),
            limits=self.limits,
            consent=self.consent,
            check_of=await self._content_check(),
        )
        outcome = await self.writer.buy(purchase)
        while isinstance(outcome, AssortmentMark):
            outcome = await self.writer.buy(replace(purchase, sold=await self._sold_at(outcome)))
        _log_outcome(buyer.user_id, outcome)
        return outcome

    async def _content_check(self) -> Callable[[Model], ContentCheck] | None:
        """The content rules in force, for any model."""
        if self.content is None:
            return None
        gate, rules = self.content, await self.content.rules()
        return lambda model: gate.check_of(model, rules)

    async def _is_judged(self, user_id: UserId, draft_id: DraftId, *, revision: int) -> bool:
        """Whether an external checker, if there is one, has answered about this revision, or need not."""
        if self.content is None or self.content.checker is None:
            return True
        order = await self.find(user_id, draft_id)
        if order is None or await self.objections_to(order):
            return True
        return await self._has_verdict(order, revision=revision)

    async def _has_verdict(self, order: DraftOrder, *, revision: int) -> bool:
        """Ask the external checker about this revision, unless it was asked before; False when it had to answer and did not.

        What cannot be bought anyway is not asked about: the purchase says why.
        """
        draft, checker = order.draft, self.content.checker if self.content is not None else None
        if checker is None or draft.is_bought or draft.is_closed or draft.revision != revision:
            return True
        about = order_hash(draft.model, draft.inputs)
        async with transaction(self.pool) as tx:
            if await verdicts.read_stored(tx, draft_id=draft.draft_id, revision=revision, order_hash=about):
                return True
        verdict = await checker.ask(question_about(order))
        if verdict is None and not checker.allows_without:
            return False
        async with transaction(self.pool) as tx:
            await verdicts.store_verdict(
                tx,
                verdict or ALLOWED,
                draft_id=draft.draft_id,
                revision=revision,
                user_id=draft.user_id,
                order_hash=about,
            )
        failpoint("content.after_verdict")
        return True


def _log_outcome(user_id: UserId, outcome: PurchaseOutcome) -> None:
    match outcome:
        case Created():
            failpoint("create.after_commit")
            log.info(
                "JOB_CREATED", job_id=outcome.job_id, user_id=user_id, model=outcome.model, price=outcome.price.minor
            )
        case LimitReached():
            log.info("ORDER_REFUSED", user_id=user_id, why=outcome.why, limit=outcome.limit)
        case ContentRefused():
            log.info("ORDER_REFUSED", user_id=user_id, why="content", limit=0)
        case ModelPaused():
            log.info("ORDER_REFUSED", user_id=user_id, why="paused", limit=0)
        case _:
            pass
