"""What we ask of a payment provider. Adapters translate; provider fields are known to them alone.

A notice only says that something changed: what was paid is read from the provider. `create` and `refund` are idempotent by the
token or key if the provider supports it; if not, a second invoice of one top-up is harmless, because each invoice is credited
by its own id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from photomat.kernel.ids import UserId
from photomat.kernel.money import Money

InvoiceState: TypeAlias = Literal["open", "paid", "canceled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceTerms:
    """A sum to collect from a user. `token` is the same at every attempt and is returned in every report."""

    token: str
    user_id: UserId
    amount: Money
    description: str
    return_url: str | None


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

    async def refund(self, external_id: str, amount: Money, *, key: str) -> None:
        """Refund; `Rejected("refund-by-hand")` if the provider cannot."""
        ...

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:
        """The invoice a notice names. `ForgedNotice` if its signature or source is wrong, `ValueError` if unreadable."""
        ...
