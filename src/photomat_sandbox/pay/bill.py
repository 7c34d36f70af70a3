"""What the payment page, the remote control and the sender of notices know of a provider: bills, and letters about them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal, Protocol

from photomat_sandbox.transcript import World

BillState = Literal["open", "paid", "canceled"]
KEPT_BILLS: Final = 20_000
KEPT_LETTERS: Final = 4 * KEPT_BILLS
TO_THE_CENT: Final = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """A bill as a person sees it."""

    bill_id: str
    state: BillState
    amount: Decimal
    currency: str
    paid: Decimal
    refunded: Decimal
    description: str
    return_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One notice, ready to be sent."""

    bill_id: str
    event: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSettings:
    """Where notices go and how stubbornly; an empty address sends none."""

    notice_url: str = ""
    notice_retries: int = 20
    notice_retry_after_s: float = 3.0
    notice_timeout_s: float = 10.0

    def changed(self, wanted: Mapping[str, Any]) -> "NoticeSettings":
        """The same with other values; a ValueError says what is wrong."""
        kinds = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        for name, value in wanted.items():
            if name not in kinds:
                raise ValueError(f"{name} is not a setting; the settings are {', '.join(kinds)}")
            if isinstance(value, bool) or not isinstance(value, (int, float) if kinds[name] is float else kinds[name]):
                raise ValueError(f"{name} must be of type {kinds[name].__name__}")  # noqa: TRY004  a sentence for people
        return replace(self, **wanted)


class Till(Protocol):
    """One provider's state. Orders that make no sense raise a ValueError with a sentence."""

    vendor: World
    takes_part: bool
    notices: NoticeSettings
    switches: dict[str, bool]
    outbox: asyncio.Queue[Letter]

    def bill(self, bill_id: str) -> Bill | None:
        """Find a bill."""
        ...

    def bills(self) -> Sequence[Bill]:
        """Give the bills, oldest first."""
        ...

    def pay(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Pay a bill, or as much of it as is said."""
        ...

    def cancel(self, bill_id: str) -> None:
        """Walk away from a bill."""
        ...

    def refund(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Give money back as the shop's owner does in the provider's cabinet."""
        ...

    def letter(self, bill_id: str) -> Letter:
        """Write the notice that tells how the bill stands now."""
        ...

    def forged(self, letter: Letter) -> Letter:
        """The same as somebody else would send it."""
        ...


def iso(at: float) -> str:
    """Write an instant as both providers do."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_the_cent(amount: Decimal) -> str:
    """Write an amount with two digits behind the point."""
    return str(amount.quantize(TO_THE_CENT))
