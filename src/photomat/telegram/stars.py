"""What we ask of Telegram about Stars beside the chat: its list of what was paid and given back, and a refund."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from photomat.kernel.ids import UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPerson:
    """Who paid, or was paid back, as Telegram names them."""

    user_id: UserId
    first_name: str
    username: str | None
    language_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StarMove:
    """One line of the list: a payment of an invoice (`in`) or its refund (`out`), which bears the same id."""

    charge_id: str
    side: Literal["in", "out"]
    person: StarPerson
    stars: int
    payload: str
    is_subscription: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPage:
    """Some lines, oldest first: `lines` counts all of them, `moves` are those that concern invoices."""

    lines: int
    moves: Sequence[StarMove]


class StarsLedger(Protocol):
    """Telegram's list of Stars. Raises Transient, OutcomeUnknown, Rejected."""

    async def page(self, *, offset: int, limit: int) -> StarPage:
        """The lines after the first `offset`, oldest first."""
        ...

    async def give_back(self, user_id: UserId, charge_id: str) -> None:
        """Give a payment back whole; given back before is success, `Rejected` a clear no."""
        ...
