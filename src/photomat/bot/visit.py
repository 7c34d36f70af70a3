"""One update as its handler sees it: who came, where their conversation stands, the shop, and a voice."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from aiogram.fsm.context import FSMContext

from photomat.bot.forms.form import Form, form_from_data
from photomat.bot.shop import Shop
from photomat.bot.states import Composing, Transferring
from photomat.bot.unit import Person, Unit, register_at_once
from photomat.catalog.model import Model
from photomat.catalog.pricing import Quote
from photomat.db.pool import Transaction, transaction
from photomat.files.facts import measured_inputs
from photomat.jobs.earlier import chosen_then
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.money import Money
from photomat.rewards.passes import pass_for
from photomat.texts.load import Say
from photomat.wallet import ledger
from photomat.wallet.posting import Balance


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
        then = await chosen_then(session, self.user_id, model, inputs)
        measured = await measured_inputs(session, self.user_id, model, inputs)
        quote = await self.shop.quote(model, {**inputs, **then}, measured=measured, tx=tx)
        paid_by = await pass_for(tx or self.shop.pool, user_id=self.user_id, quote=quote) if quote.price.minor else None
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
