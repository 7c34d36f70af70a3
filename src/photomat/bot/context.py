"""One update as its handler sees it: who came, where their conversation stands, the shop, and a voice.

What one update does to the database: loaded before its handlers, kept back, written together with "handled".

What is the same for every customer: what is on sale, for how much, and how much of it one may buy.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, TypeAlias

from aiogram.fsm.context import FSMContext
from aiogram.types import Chat
from aiogram.types import User as Sender

from photomat.bot.conversation import Composing, Conversation, Transferring, read_conversation, write_conversation
from photomat.bot.order_form.form import Form, form_from_data
from photomat.catalog.model import Catalog, Model
from photomat.catalog.overrides import rules_of, setting_of, settings_of_models, standing_rules
from photomat.catalog.price_list import usual_price
from photomat.catalog.pricing import NO_RULES, Quote, Rates, quote
from photomat.catalog.storefront import (
    AS_IN_ITS_FILE,
    Cheapest,
    Offer,
    OnSale,
    Storefront,
    as_sold,
    called,
    storefront_of,
)
from photomat.db.pool import Pool, Transaction, transaction
from photomat.delivery.rearm import rearm_user
from photomat.files.facts import measured_inputs
from photomat.files.sources import FileSources
from photomat.inbox.lanes import finish
from photomat.inbox.update import Claimed, kind_of
from photomat.jobs.history import inputs_of_earlier_jobs
from photomat.jobs.job import Times
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, ChatId, ReceivedId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import retry_blocked_notices
from photomat.orders.limits import USUAL, Limits
from photomat.payments.offers import Offers
from photomat.providers.port import PaymentProvider
from photomat.rewards.book import ReferralTerms
from photomat.rewards.newcomer import ensure_user
from photomat.rewards.vouchers import voucher_for
from photomat.texts.load import Say
from photomat.users.user import User, clear_blocked, find_user, starting_language
from photomat.wallet import ledger
from photomat.wallet.postings import Balance

Step: TypeAlias = Callable[[Transaction], Awaitable[None]]


class LaneLost(Exception):
    """Another worker took the lane over while we worked: nothing of ours may be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who sent the update. A new person has no row yet; `language_code` is what their client says."""

    user: User
    is_new: bool
    language_code: str | None


@dataclass(slots=True, kw_only=True)
class Unit:
    """One update's unit of work. `corr` follows the update, or the job the update turns out to concern."""

    bot_id: BotId
    received_id: ReceivedId
    kind: str
    corr: str
    person: Person | None
    conversation: Conversation | None
    registers: bool = False
    steps: list[Step] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """Names what this update makes, so that the update handled again finds it."""
        return f"update:{self.bot_id}:{self.received_id}"


async def load_unit(pool: Pool, claimed: Claimed, *, corr: str, sender: Sender | None, chat: Chat | None) -> Unit:
    """Read who sent the update and where their conversation stands; bots and anonymous senders are nobody."""
    person = await _load_person(pool, sender) if sender is not None and not sender.is_bot else None
    conversation = None
    if person is not None:
        user_id = person.user.user_id
        chat_id = ChatId(chat.id if chat is not None else user_id)
        conversation = await read_conversation(pool, bot_id=claimed.bot_id, chat_id=chat_id, user_id=user_id)
    return Unit(
        bot_id=claimed.bot_id,
        received_id=claimed.received_id,
        kind=kind_of(claimed.update),
        corr=corr,
        person=person,
        conversation=conversation,
    )


async def register_at_once(pool: Pool, person: Person, *, welcome_credit: Money) -> Person:
    """Make a new person a user before their update is done, because money is to reach them now; bears repeating."""
    async with transaction(pool) as tx:
        await _register(tx, person, welcome_credit=welcome_credit)
    return replace(person, is_new=False)


async def commit_unit(pool: Pool, claimed: Claimed, unit: Unit, *, welcome_credit: Money) -> None:
    """Write everything and mark the update as handled, in one transaction; `LaneLost` when the fence has moved on."""
    async with transaction(pool) as tx:
        if not await finish(tx, claimed):
            raise LaneLost
        if unit.person is not None and unit.registers:
            await _register(tx, unit.person, welcome_credit=welcome_credit)
        for step in unit.steps:
            await step(tx)
        if unit.conversation is not None and unit.conversation.is_changed:
            await write_conversation(tx, unit.conversation)
        failpoint("update.before_commit")


async def _load_person(pool: Pool, sender: Sender) -> Person:
    user_id = UserId(sender.id)
    async with transaction(pool) as tx:
        known = await find_user(tx, user_id)
    user = User(
        user_id=user_id,
        first_name=sender.first_name,
        username=sender.username,
        language=known.language if known else starting_language(sender.language_code),
        is_blocked=known.is_blocked if known else False,
    )
    return Person(user=user, is_new=known is None, language_code=sender.language_code)


async def _register(tx: Transaction, person: Person, *, welcome_credit: Money) -> None:
    user = person.user
    registered = await ensure_user(
        tx,
        user_id=user.user_id,
        first_name=user.first_name,
        username=user.username,
        language_code=person.language_code,
        welcome=welcome_credit,
    )
    if registered.user.is_blocked:
        await clear_blocked(tx, user_id=user.user_id)
        await rearm_user(tx, user_id=user.user_id)
        await retry_blocked_notices(tx, chat_id=ChatId(user.user_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Whom to ask about a payment, and where the terms are; empty where the operator said neither."""

    contact: str = ""
    terms_url: str | None = None


NO_SUPPORT: Final = Support()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """What taking an order needs to know; `reachable` says that Kie can call us back."""

    pool: Pool
    catalog: Catalog
    rates: Rates
    times: Times
    welcome_credit: Money
    limits: Limits = USUAL
    terms: ReferralTerms | None = None
    offers: Offers | None = None
    providers: Mapping[str, PaymentProvider] = field(default_factory=dict)
    operators: frozenset[UserId] = frozenset()
    support: Support = NO_SUPPORT
    reachable: bool = False
    files: FileSources | None = None
    cheapest: Cheapest = field(default_factory=Cheapest)

    async def titles(self, language: str) -> Mapping[str, str]:
        """What the models are called, those too that are no longer sold."""
        settings = await settings_of_models(self.pool)
        models = self.catalog.models.values()
        return {each.id: called(each, settings.get(each.id, AS_IN_ITS_FILE)).title_in(language) for each in models}

    async def model(self, model_id: str) -> Model | None:
        """The model as it is sold now; None while it is not. What operators set is read with it: a change counts at once."""
        known = self.catalog.models.get(model_id)
        if known is None:
            return None
        return as_sold(known, await setting_of(self.pool, model_id), reachable=self.reachable)

    async def shelf(self) -> Storefront:
        """Everything that is sold now."""
        return storefront_of(self.catalog, await settings_of_models(self.pool), reachable=self.reachable)

    async def offers_on(self, shelf: Storefront) -> list[Offer]:
        """Everything menus list, each with the least it costs now."""
        standing = await standing_rules(self.pool, currency=self.rates.currency)
        return [self.cheapest.offer(each, self.rates, standing.get(each.model.id, NO_RULES)) for each in shelf.listed]

    async def offer(self, model: Model) -> Offer:
        """A model with the least it costs now, and what it usually does."""
        standing = await rules_of(self.pool, model.id, currency=self.rates.currency)
        offer = self.cheapest.offer(OnSale(model=model, featured=False, listed=True), self.rates, standing)
        return replace(offer, usual=usual_price(model, self.rates, standing))

    async def quote(
        self,
        model: Model,
        inputs: Mapping[str, Any],
        *,
        measured: Mapping[str, Decimal] | None = None,
        tx: Transaction | None = None,
    ) -> Quote:
        """What one generation costs now, and why; an operator's rule is read with it, so a change counts at once.

        `measured` is what is known of the files among the inputs (`files/facts.py`).
        """
        standing = await rules_of(tx or self.pool, model.id, currency=self.rates.currency)
        return quote(model, inputs, self.rates, standing, measured=measured)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Everything a handler needs beside the event itself."""

    unit: Unit
    person: Person
    state: FSMContext
    say: Say
    shop: Shop

    @property
    def user_id(self) -> UserId:
        """Who came."""
        return self.person.user.user_id

    @property
    def language(self) -> str:
        """What they speak."""
        return self.person.user.language

    @property
    def chat_id(self) -> ChatId:
        """Where they are."""
        conversation = self.unit.conversation
        return conversation.chat_id if conversation is not None else ChatId(self.user_id)

    async def as_user(self) -> "Visit":
        """The same visit of somebody who has a wallet: a new person is registered at once."""
        if not self.person.is_new:
            return self
        person = await register_at_once(self.shop.pool, self.person, welcome_credit=self.shop.welcome_credit)
        return replace(self, person=person)

    async def balance(self) -> Balance:
        """The person's wallet; a new person's is the one they will have when this update is done."""
        if self.person.is_new:
            welcome = self.shop.welcome_credit
            nothing = Money(0, welcome.currency)
            return Balance(posted=welcome, held=nothing, owed=nothing)
        async with transaction(self.shop.pool) as tx:
            return await ledger.balance(tx, user_id=self.user_id)

    async def quote(self, model: Model, inputs: Mapping[str, Any], *, tx: Transaction | None = None) -> Quote:
        """What one generation costs this person now: the shop's price, or nothing where a promo code pays."""
        session = tx or self.shop.pool
        then = await inputs_of_earlier_jobs(session, self.user_id, model, inputs)
        measured = await measured_inputs(session, self.user_id, model, inputs)
        quote = await self.shop.quote(model, {**inputs, **then}, measured=measured, tx=tx)
        paid_by = (
            await voucher_for(tx or self.shop.pool, user_id=self.user_id, quote=quote) if quote.price.minor else None
        )
        return quote if paid_by is None else quote.with_voucher(paid_by)

    async def form(self) -> Form | None:
        """The form that is being filled in."""
        return form_from_data(await self.state.get_data())

    async def keep_form(self, form: Form) -> None:
        """Wait for the answer to the form's open question."""
        await self.state.set_state(Composing.answering)
        await self.state.set_data(form.as_data())

    async def forget_form(self, *, of_draft: int | None = None) -> None:
        """Leave the form; with `of_draft` only one that changes that draft."""
        form = await self.form()
        if of_draft is None or (form is not None and form.draft_id == of_draft):
            await self.state.clear()

    async def leave_question(self) -> None:
        """Leave whatever is being asked; only the receipt of a transfer goes on being waited for."""
        if await self.state.get_state() != Transferring.sending_receipt.state:
            await self.state.clear()
