"""Everything before a payment: which methods are open, whether a user may pay now, the top-up and its invoice.

A top-up is committed before Telegram or a provider is asked for its invoice, under the top-up's own key. A crash in between
leaves a top-up that credits nothing; the update handled again finds it and asks for the same invoice.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, transaction
from photomat.fiscal.contacts import (
    Contact,
    StoredContact,
    find_contact,
    forget_contact,
    read_contact,
    save_contact,
)
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import BotId, DraftId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments import invoices
from photomat.payments.fiscal_terms import FiscalOptions, end_refusal, note_refusal
from photomat.payments.forget import contacts_in_use
from photomat.payments.invoices import InvoiceStatus
from photomat.payments.options import STARS_CURRENCY, Package, PaymentMethod, PaymentOptions, SubscriptionPlan
from photomat.payments.payment import wait_to_pay
from photomat.payments.receipt import count_waiting
from photomat.payments.topup import Topup, open_topup
from photomat.payments.transfers import MAX_WAITING
from photomat.providers.port import FiscalRefused, Invoice, PaymentProvider
from photomat.rewards import bonus
from photomat.rewards.bonus import PercentBonus
from photomat.users.standing import read_ban

PROVIDER_TIMEOUT_S: Final = 12
"""Well within the lease of the update: the user gets an answer rather than a wait."""
WITH_RECEIPTS: Final[PaymentMethod] = "yookassa"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopupRequest:
    """Who asks for a top-up, for which order; `origin` names what asked, so that it is answered once."""

    origin: str
    bot_id: BotId
    user_id: UserId
    draft_id: DraftId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyLimitReached:
    limit: int
    wait: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class TooManyReceipts:
    limit: int = MAX_WAITING


@dataclass(frozen=True, slots=True, kw_only=True)
class PayerBanned:
    """Until `wait` is over; None: for good."""

    wait: timedelta | None


InvoiceTrouble: TypeAlias = Literal["no-answer", "closed"]
"""Why there is no invoice; nothing was paid either way. `closed`: the provider refuses payments until a setting is changed."""
TopupRefusal: TypeAlias = DailyLimitReached | TooManyReceipts | PayerBanned


@dataclass(frozen=True, slots=True, kw_only=True)
class TopupService:
    pool: Pool
    options: PaymentOptions
    providers: Mapping[str, PaymentProvider]
    fiscal: FiscalOptions | None = None
    """What YooKassa's fiscal receipts say; None: it is sent none."""

    def methods(self) -> tuple[PaymentMethod, ...]:
        """The methods that are switched on, the usual one first."""
        switched_on: dict[PaymentMethod, bool] = {
            "stars": bool(self.options.packages),
            "yookassa": "yookassa" in self.providers,
            "cryptopay": "cryptopay" in self.providers,
            "transfer": self.options.takes_transfers,
        }
        return tuple(method for method, is_on in switched_on.items() if is_on)

    async def refusal(self, user_id: UserId, method: PaymentMethod) -> TopupRefusal | None:
        """Why the user may not pay by this method now; None when they may."""
        async with transaction(self.pool) as tx:
            ban = await read_ban(tx, user_id)
        if ban is not None:
            return PayerBanned(wait=ban.left)
        if method == "transfer" and await count_waiting(self.pool, user_id) >= MAX_WAITING:
            return TooManyReceipts()
        wait = await wait_to_pay(self.pool, user_id, a_day=self.options.a_day)
        return None if wait is None else DailyLimitReached(limit=self.options.a_day, wait=wait)

    async def waiting_bonus(self, user_id: UserId) -> PercentBonus | None:
        """What a waiting promo code adds to this user's next top-up."""
        async with transaction(self.pool) as tx:
            return await bonus.waiting_bonus(tx, user_id=user_id, currency=self.options.currency)

    async def start(self, request: TopupRequest, method: PaymentMethod, amount: Money) -> Topup:
        """Commit a top-up of this sum, which is credited as it is paid."""
        return await self._open(request, method, asked=amount, credit=amount)

    async def start_in_stars(self, request: TopupRequest, sold: Package | SubscriptionPlan) -> Topup:
        method: PaymentMethod = "subscription" if isinstance(sold, SubscriptionPlan) else "stars"
        return await self._open(request, method, asked=Money(sold.stars, STARS_CURRENCY), credit=sold.credit)

    def sends_receipts(self, method: PaymentMethod) -> bool:
        """Whether payments by this method carry a fiscal receipt, and so need the customer's contact."""
        return self.fiscal is not None and method == WITH_RECEIPTS

    @property
    def email_only(self) -> bool:
        return self.fiscal is not None and self.fiscal.email_only

    async def receipt_contact(self, user_id: UserId) -> Contact | None:
        """Where this user's fiscal receipts go; None while it must be asked."""
        stored = await self._stored_contact(user_id)
        return None if stored is None else stored.contact

    def read_contact(self, text: str) -> Contact:
        """Read what a customer typed; `ContactRefused` if receipts cannot be sent there."""
        return read_contact(text, email_only=self.email_only)

    async def save_contact(self, user_id: UserId, contact: Contact) -> None:
        async with transaction(self.pool) as tx:
            await save_contact(tx, user_id=user_id, contact=contact)

    async def delete_contact(self, user_id: UserId) -> bool:
        """False while a refund is under way: its receipt goes there."""
        async with transaction(self.pool) as tx:
            if await contacts_in_use(tx, user_id):
                return False
            await forget_contact(tx, user_id)
        return True

    async def create_invoice(
        self, topup: Topup, *, description: str, return_url: str | None
    ) -> Invoice | InvoiceTrouble:
        """Have the provider create the top-up's invoice. Idempotent."""
        provider, topup_id, fiscal = self.providers[topup.method], topup.topup_id, None
        if self.fiscal is not None and self.sends_receipts(topup.method):
            contact = await self._stored_contact(topup.user_id)
            fiscal = None if contact is None else self.fiscal.frozen_for(contact)
        try:
            async with asyncio.timeout(PROVIDER_TIMEOUT_S):
                invoice = await invoices.create_invoice(
                    self.pool, provider, topup, description=description, return_url=return_url, fiscal=fiscal
                )
        except FiscalRefused as refused:
            await note_refusal(self.pool, provider.name, refused, sends_receipts=fiscal is not None)
            return "closed"
        except (PhotomatError, TimeoutError) as error:
            trouble = str(error) or "no answer in time"
            log.warning("BILL_FAILED", provider=topup.method, topup_id=topup_id, error=trouble)
            return "no-answer"
        await end_refusal(self.pool, provider.name)
        log.info("BILL", provider=topup.method, topup_id=topup_id, invoice=invoice.external_id, user_id=topup.user_id)
        return invoice

    async def check_invoice(self, user_id: UserId, topup_id: int) -> InvoiceStatus:
        return await invoices.check_invoice(self.pool, topup_id=topup_id, user_id=user_id)

    async def _stored_contact(self, user_id: UserId) -> StoredContact | None:
        async with transaction(self.pool) as tx:
            stored = await find_contact(tx, user_id)
        return None if stored is None or (self.email_only and stored.contact.kind != "email") else stored

    async def _open(self, request: TopupRequest, method: PaymentMethod, *, asked: Money, credit: Money) -> Topup:
        return await open_topup(
            self.pool,
            origin=request.origin,
            bot_id=request.bot_id,
            user_id=request.user_id,
            method=method,
            asked=asked,
            credit=credit,
            draft_id=request.draft_id,
        )
