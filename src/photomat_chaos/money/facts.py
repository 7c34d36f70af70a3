"""What is known about a storm of money when it is over: what happened outside, and what our books say of it. Plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from photomat.rewards.promo import PromoCode
from photomat_chaos.lab.facts import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An operator's verb and its last answer. `minor` is what it moves; None is all that is left of a job's charge."""

    verb: str
    reference: str
    user_id: int
    minor: int | None
    done: bool
    job_id: int | None = None
    payment_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Stars that Telegram took; `credit` is what the bill promised for them."""

    charge_id: str
    user_id: int
    stars: int
    credit: int
    refunded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidBill:
    """A bill that was paid at a provider: what was asked, what arrived, what went back, in minor units."""

    vendor: str
    bill_id: str
    user_id: int | None
    asked: int
    paid: int
    refunded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRow:
    """A payment in our books; `given_back` is done, `wanted` is on its way."""

    payment_id: int
    provider: str
    external_id: str
    user_id: int
    paid: int
    credit: int
    given_back: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRow:
    """A receipt in our books."""

    receipt_id: int
    user_id: int
    state: str
    credited: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GiftRow:
    """A gift in our books."""

    code: str
    giver_id: int
    taker_id: int | None
    amount: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """One use of a promo code in our books; `payment_id` is the one a percent was given for."""

    code: str
    user_id: int
    credited: int | None
    taken_back: int
    payment_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferralRow:
    """An invitation in our books."""

    friend_id: int
    inviter_id: int
    state: str
    inviter_reward: int | None
    friend_reward: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    """A difference that is open."""

    kind: str
    reference: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What happened outside our books: at Telegram, at the providers, on screens and at the operator's hands."""

    charges: tuple[Charge, ...] = ()
    bills: tuple[PaidBill, ...] = ()
    verbs: tuple[Done, ...] = ()
    promos: Mapping[str, PromoCode] = field(default_factory=dict)
    wishes: Mapping[int, frozenset[int | None]] = field(default_factory=dict)
    came_by: Mapping[int, int] = field(default_factory=dict)
    gifts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Giver and sum of every gift that was seen made, by its code."""
    balances: Mapping[int, int | None] = field(default_factory=dict)
    """What the bot named in each chat when everything was over."""
    history: Evidence = field(default_factory=Evidence)
    operators: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What our books say."""

    payments: tuple[PaymentRow, ...] = ()
    receipts: tuple[ReceiptRow, ...] = ()
    gifts: tuple[GiftRow, ...] = ()
    uses: tuple[UseRow, ...] = ()
    referrals: tuple[ReferralRow, ...] = ()
    wallets: Mapping[int, int] = field(default_factory=dict)
    """What the ledger says everybody has, less what they owe."""
    paid_before: Mapping[int, int] = field(default_factory=dict)
    """What the customer of a job had surely paid when it was charged, without all that ever was to go back."""
    notices: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """How many notices of a kind were made for a chat."""
    differences: tuple[DifferenceRow, ...] = ()
