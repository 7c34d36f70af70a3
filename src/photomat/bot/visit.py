"""One update as its handler sees it: who came, where their conversation stands, the shop, and a voice."""

from dataclasses import dataclass

from aiogram.fsm.context import FSMContext

from photomat.bot.form import Form, form_from_data
from photomat.bot.shop import Shop
from photomat.bot.states import Composing
from photomat.bot.unit import Person, Unit
from photomat.db.pool import transaction
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
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

    async def balance(self) -> Balance:
        """The person's wallet; a new person's is the one they will have when this update is done."""
        if self.person.is_new:
            welcome = self.shop.welcome_credit
            nothing = Money(0, welcome.currency)
            return Balance(posted=welcome, held=nothing, owed=nothing)
        async with transaction(self.shop.pool) as tx:
            return await ledger.balance(tx, user_id=self.user_id)

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
