"""What can come of an attempt to buy a draft. Each outcome is a type, so that every caller says what it does with it."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from photomat.catalog.answers import Refused
from photomat.catalog.model import Model
from photomat.catalog.options import OptionRow
from photomat.catalog.pricing import Quote, Voucher
from photomat.kernel.ids import JobId
from photomat.kernel.money import Money
from photomat.moderation.refusal import ContentRefusal, StrikePolicy
from photomat.moderation.rules import Rule
from photomat.orders.draft import Draft
from photomat.users.standing import Ban
from photomat.work.controls import Pause


class DraftOrder(NamedTuple):
    """A draft, which may be closed or bought, and its model as it is sold now."""

    draft: Draft
    model: Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternatives:
    """A draft's card: what the order costs, what it could have in place of its own, and the voucher that covers it."""

    quote: Quote
    rows: tuple[OptionRow, ...]
    voucher: Voucher | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    job_id: JobId
    corr: str
    model: str
    kind: str
    price: Money
    needs_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyStarted:
    """Bought before: by this very card, or by another card of the same draft."""

    job_id: JobId
    corr: str
    this_card: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardOutdated:
    """The card shows another revision or price than the draft has now: show it again with this draft."""

    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftGone:
    """The draft expired, was canceled, or belongs to another user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBought:
    """The draft became a job: it can no longer be changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotOnSale:
    """The user has no such draft, or its model is not sold now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRefused:
    """The inputs no longer fit the catalogue, or a file or result they refer to is gone."""

    model: Model
    why: Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class NotEnoughMoney:
    """The wallet does not cover the price; nothing was held."""

    order: DraftOrder
    price: Money
    available: Money


class LimitKind(StrEnum):
    """The text a customer reads is called `tap-limit-…`."""

    RUNNING = "running"
    MINUTE = "minute"
    PAUSE = "pause"
    FREE = "free"
    BANNED = "banned"
    FORGETTING = "forgetting"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """It ends after `wait`; None: when one of the running jobs ends, or, for a ban, never."""

    why: LimitKind
    limit: int
    wait: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPaused:
    """An operator has paused the model: it is not sold until the pause is over."""

    model: str
    pause: Pause


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentMissing:
    """The user has not agreed to the document that this shop requires; nothing was held, and the draft waits."""

    order: DraftOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentRefused:
    """What the order asks for is not made; nothing was held. `rule` is None where an external checker refused it.

    `strikes` count against the user by now; `ban` is what the last of them led to.
    """

    draft: Draft
    model: Model
    refusal: ContentRefusal
    rule: Rule | None
    strikes: int
    policy: StrikePolicy
    ban: Ban | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckUnavailable:
    """The operator's checker did not answer in time, and orders wait for it; nothing was held."""


CreateOutcome: TypeAlias = (
    Created | AlreadyStarted | CardOutdated | DraftGone | LimitReached | ModelPaused | ContentRefused
)
"""Outcomes of the purchase transaction itself; a wallet that does not cover the price gives `NotEnough`."""

PurchaseOutcome: TypeAlias = (
    CreateOutcome | NotOnSale | OrderRefused | NotEnoughMoney | ConsentMissing | CheckUnavailable
)

ChangeOutcome: TypeAlias = DraftOrder | CardOutdated | DraftBought | DraftGone | OrderRefused
"""Outcomes of one option chosen on a card; a draft that was changed comes with its model."""
