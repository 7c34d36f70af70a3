"""What we ask of a payment provider. Adapters translate; provider fields are known to them alone.

A notice only says that something changed: what was paid is read from the provider. `create` and `refund` are idempotent by the
token or key if the provider supports it; if not, a second invoice of one top-up is harmless, because each invoice is credited
by its own id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from photomat.kernel.errors import Rejected
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money

InvoiceState: TypeAlias = Literal["open", "paid", "canceled"]
FiscalForm: TypeAlias = Literal["54fz", "self-employed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalTerms:
    """What the fiscal receipt of a payment or a refund says beside its sum; either `email` or `phone` is set."""

    form: FiscalForm
    item: str
    vat_code: int
    tax_system: int | None
    payment_subject: str
    payment_mode: str
    measure: str | None
    email: str | None = None
    phone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceTerms:
    """A sum to collect from a user. `token` is the same at every attempt and is returned in every report."""

    token: str
    user_id: UserId
    amount: Money
    description: str
    return_url: str | None
    fiscal: FiscalTerms | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """The provider's id of an invoice, and where the user pays it."""

    external_id: str
    pay_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReport:
    """What the provider says of an invoice: `paid` is what arrived, `refunded` what went back of it, in our currency.

    `token` is ours as the provider returns it; None if it has none of ours.
    """

    external_id: str
    token: str | None
    state: InvoiceState
    paid: Money
    refunded: Money
    at: datetime


class FiscalRefused(Rejected):
    """Nothing was done because of the fiscal receipt: it is missing, or `field` of it (empty: all of it) is not accepted."""

    def __init__(self, text_key: str, *, field: str, reason: str) -> None:
        super().__init__(text_key, field=field)
        self.field = field
        self.reason = reason


class ForgedNotice(Exception):
    """A notice that did not come from the provider."""


class PaymentProvider(Protocol):
    """One provider. Raises Transient (never left, or try later), OutcomeUnknown, Rejected (a clear no)."""

    @property
    def name(self) -> str:
        """Its name in rows, URLs and texts: `yookassa`, `cryptopay`."""
        ...

    @property
    def lists_refunds(self) -> bool:
        """Whether its reports contain refunds; a provider that cannot refund lists none."""
        ...

    async def create(self, asked: InvoiceTerms) -> Invoice: ...

    async def find(self, external_id: str) -> ProviderReport | None:
        """Read one invoice; None if the provider does not know it."""
        ...

    async def recent(self, since: datetime) -> Sequence[ProviderReport]:
        """Every invoice paid since then, to find what a lost notice or reply left out."""
        ...

    async def refund(
        self, external_id: str, amount: Money, *, key: str, fiscal: FiscalTerms | None = None
    ) -> str | None:
        """Refund; return the provider's id of the refund, if it has one. `Rejected("refund-by-hand")` if it cannot."""
        ...

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:
        """The invoice a notice names. `ForgedNotice` if its signature or source is wrong, `ValueError` if unreadable."""
        ...
