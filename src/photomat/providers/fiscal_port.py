"""What we ask of those who issue fiscal receipts. Adapters translate; their fields are known to them alone.

A `TaxService` («Мой налог») is asked to register and to annul, and has no idempotency key: a request that got no answer is
looked up by our reference before anything is sent again. A `ReceiptReader` (YooKassa) issues on its own, because the receipt is
part of the payment or of the refund: it is only read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from photomat.kernel.errors import PhotomatError, Transient
from photomat.kernel.money import Money

RegistrationState: TypeAlias = Literal["pending", "succeeded", "canceled"]


class TaxServicePaused(Transient):
    """Nothing was sent and nothing will be until an operator acts: `code` is `password` or `limit`."""

    def __init__(self, code: Literal["password", "limit"], message: str, *, retry_after_s: float) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.code = code


class DocumentRefused(PhotomatError):
    """The tax service refused this document: nothing was registered or annulled. `reason` is in its own words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PaidWithoutReceipt(PhotomatError):
    """The payment was made without a receipt, so its provider will never register one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxedIncome:
    """An income to register. `reference` is ours and stands in the name of the service, to be found again."""

    reference: str
    amount: Money
    operation_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxDocument:
    """An income as the tax service lists it; `reference` is None if its name holds none of ours."""

    external_id: str
    reference: str | None
    amount: Money
    operation_at: datetime
    is_annulled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxDocuments:
    """A list read page by page. If it is not complete, what is missing from it proves nothing."""

    documents: Sequence[TaxDocument]
    is_complete: bool


class TaxService(Protocol):
    """Raises Transient (never left, or try later), TaxServicePaused, OutcomeUnknown, DocumentRefused (a clear no)."""

    async def prepare(self) -> None:
        """Be ready to send (signed in), so that nothing else can go wrong between an intent and its request."""
        ...

    async def register(self, income: TaxedIncome) -> str:
        """Register an income; return the document's id."""
        ...

    async def annul(self, external_id: str) -> None: ...

    async def documents(self, *, since: datetime, until: datetime) -> TaxDocuments:
        """Every income whose time of operation lies within, annulled ones included."""
        ...

    def url_of(self, external_id: str) -> str:
        """Where the customer sees the receipt."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredReceipt:
    """A receipt that a payment provider registers: of the payment itself (`income`), or of a refund of it (`annulment`)."""

    external_id: str
    kind: Literal["income", "annulment"]
    state: RegistrationState
    amount: Money
    registered_at: datetime | None
    url: str | None


class ReceiptReader(Protocol):
    """Raises Transient if it cannot be read now, PaidWithoutReceipt if there will be none."""

    async def receipts_of(self, external_payment_id: str) -> Sequence[RegisteredReceipt]:
        """Every receipt of a payment and of its refunds, oldest first; empty while there is none yet."""
        ...

    async def incomes_since(self, since: datetime) -> Mapping[str, Sequence[RegisteredReceipt]]:
        """Every income registered since then, by the provider's id of its payment; empty where it gives no such list."""
        ...
