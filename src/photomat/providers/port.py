"""What we ask of a payment provider, in our words. Adapters translate; nobody else knows a provider's fields.

A notice that comes to our door only says "look": what was paid is read from the provider itself. `create` and `refund` bear
repeating with the same token or key where the provider keeps them; where it does not, a second invoice of one top-up is
harmless, for each invoice is credited by its own id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from photomat.kernel.ids import UserId
from photomat.kernel.money import Money

InvoiceState: TypeAlias = Literal["open", "paid", "canceled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRequest:
    """A sum we want to collect from a user. `token` is the same at every try, and comes back in every report."""

    token: str
    user_id: UserId
    amount: Money
    description: str
    return_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """The provider's bill: where the user pays it, and its name there."""

    external_id: str
    pay_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReport:
    """What the provider says of one bill: `paid` is what arrived, `refunded` what went back of it, in our currency.

    `token` is ours as the provider repeats it, None where it does not know one of ours.
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
        """How it is called in rows, addresses and texts: `yookassa`, `cryptopay`."""
        ...

    @property
    def lists_refunds(self) -> bool:
        """Whether its reports tell what went back; where it cannot give back, a person does and nobody lists it."""
        ...

    async def create(self, asked: PaymentRequest) -> Invoice:
        """Make a bill."""
        ...

    async def find(self, external_id: str) -> ProviderReport | None:
        """Read one bill; None when the provider does not know it."""
        ...

    async def recent(self, since: datetime) -> Sequence[ProviderReport]:
        """Every bill paid since then, so that a lost notice and a lost reply are found."""
        ...

    async def refund(self, external_id: str, amount: Money, *, key: str) -> None:
        """Give money back; `Rejected("refund-by-hand")` where the provider cannot."""
        ...

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:
        """The bill a notice speaks of. `ForgedNotice` unless its signature or source is right, `ValueError` unless readable."""
        ...
