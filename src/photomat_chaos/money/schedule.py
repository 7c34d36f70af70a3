"""What happens in a storm of money, and when, decided by the seed alone: customers, operators, vendors, and faults."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

from photomat_chaos.storm.faults import Disruption, Kind, VendorFault, disruptions

CustomerAct: TypeAlias = Literal[
    "stars",
    "same link",
    "yookassa",
    "crypto",
    "transfer",
    "subscribe",
    "unsubscribe",
    "buy",
    "gift",
    "open gift",
    "gift back",
    "promo",
    "invite",
]
Verb: TypeAlias = Literal["credit", "debit", "correct", "refund job", "refund payment", "promo"]
VendorAct: TypeAlias = Literal[
    "repeat payment", "stars back", "yookassa back", "renew", "fail", "leave", "resume", "repeat notice", "forge notice"
]
Chosen = TypeVar("Chosen")

CUSTOMER_ACTS: Final[tuple[tuple[CustomerAct, int], ...]] = (
    ("stars", 20),
    ("same link", 8),
    ("yookassa", 12),
    ("crypto", 10),
    ("transfer", 8),
    ("subscribe", 5),
    ("unsubscribe", 2),
    ("buy", 26),
    ("gift", 9),
    ("open gift", 10),
    ("gift back", 4),
    ("promo", 10),
    ("invite", 4),
)
OPERATOR_ACTS: Final[tuple[tuple[Verb, int], ...]] = (
    ("credit", 5),
    ("debit", 3),
    ("correct", 2),
    ("refund job", 4),
    ("refund payment", 5),
    ("promo", 4),
)
VENDOR_ACTS: Final[tuple[tuple[VendorAct, int], ...]] = (
    ("repeat payment", 8),
    ("stars back", 2),
    ("yookassa back", 3),
    ("renew", 4),
    ("fail", 1),
    ("leave", 1),
    ("resume", 1),
    ("repeat notice", 4),
    ("forge notice", 5),
)
INVITING: Final = 2
PROMO_KINDS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAct:
    """One act, `after_s` after the one before; `pick` chooses among many, `how` among several ways."""

    after_s: float
    kind: str
    pick: float
    how: float


def customer_acts(seed: int, number: int) -> Iterator[PlannedAct]:
    """What customer `number` does, without end; the first two begin with inviting the others."""
    if number < INVITING:
        yield PlannedAct(after_s=0.5, kind="invite", pick=0.0, how=0.0)
    yield from _acts(f"{seed}:customer:{number}", CUSTOMER_ACTS, pauses_s=(0.1, 0.7))


def operator_acts(seed: int) -> Iterator[PlannedAct]:
    """What the operator does at the console, without end; codes of every kind come first."""
    for number in range(PROMO_KINDS):
        yield PlannedAct(after_s=0.1, kind="promo", pick=number / PROMO_KINDS, how=0.0)
    yield from _acts(f"{seed}:operator", OPERATOR_ACTS, pauses_s=(0.3, 1.5))


def vendor_acts(seed: int) -> Iterator[PlannedAct]:
    return _acts(f"{seed}:world", VENDOR_ACTS, pauses_s=(0.3, 1.2))


def receipt_decisions(seed: int) -> Iterator[PlannedAct]:
    kinds = (("approve", 8), ("approve twice", 3), ("other sum", 3), ("decline", 4))
    return _acts(f"{seed}:receipts", kinds, pauses_s=(0.1, 0.5))


def one_of(choices: Sequence[Chosen], pick: float) -> Chosen:
    """The choice a number from 0 to 1 stands for."""
    return choices[int(pick * len(choices))]


def _acts(name: str, kinds: Sequence[tuple[str, int]], *, pauses_s: tuple[float, float]) -> Iterator[PlannedAct]:
    chance = random.Random(name)  # noqa: S311  repeatable on purpose
    names, weights = zip(*kinds, strict=True)
    while True:
        yield PlannedAct(
            after_s=chance.uniform(*pauses_s),
            kind=chance.choices(names, weights)[0],
            pick=chance.random(),
            how=chance.random(),
        )


KINDS: Final[tuple[tuple[Kind, int], ...]] = (
    ("kill", 3),
    ("freeze", 2),
    ("deploy", 3),
    ("terminate", 2),
    ("restart", 1),
    ("forget_commit", 8),
    ("lose_commit", 3),
    ("forget_answer", 4),
    ("latency", 1),
    ("sever", 2),
    ("black_hole", 1),
    ("burst", 1),
    ("forge", 1),
    ("fault", 34),
)
"""A COMMIT that took effect and was never answered is what tempts a program to book twice: it comes often."""

VENDOR_FAULTS: Final = (
    VendorFault(world="telegram", method="update.successful_payment", action="never"),
    VendorFault(world="telegram", method="update.successful_payment", action="never", times=2),
    VendorFault(world="telegram", method="update.successful_payment", action="duplicate", times=2),
    VendorFault(world="telegram", method="update.successful_payment", action="reorder"),
    VendorFault(world="telegram", method="update.refunded_payment", action="never"),
    VendorFault(world="telegram", method="update.refunded_payment", action="duplicate"),
    VendorFault(world="telegram", method="update.refunded_payment", action="reorder"),
    VendorFault(world="telegram", method="update.subscription", action="never"),
    VendorFault(world="telegram", method="webhook", action="duplicate", times=3),
    VendorFault(world="telegram", method="webhook", action="reorder"),
    VendorFault(world="telegram", method="webhook", action="drop_after", times=2),
    VendorFault(world="telegram", method="createInvoiceLink", action="drop_after"),
    VendorFault(world="telegram", method="createInvoiceLink", action="error", status=502),
    VendorFault(world="telegram", method="answerPreCheckoutQuery", action="drop_after"),
    VendorFault(world="telegram", method="answerPreCheckoutQuery", action="drop_before"),
    VendorFault(world="telegram", method="answerPreCheckoutQuery", action="delay", delay_s=1.0),
    VendorFault(world="telegram", method="refundStarPayment", action="drop_after"),
    VendorFault(world="telegram", method="refundStarPayment", action="drop_after", times=2),
    VendorFault(world="telegram", method="refundStarPayment", action="drop_before"),
    VendorFault(world="telegram", method="refundStarPayment", action="error", status=502),
    VendorFault(world="telegram", method="refundStarPayment", action="too_many"),
    VendorFault(world="telegram", method="getStarTransactions", action="error", status=502),
    VendorFault(world="telegram", method="getStarTransactions", action="drop_after"),
    VendorFault(world="telegram", method="editUserStarSubscription", action="drop_after"),
    VendorFault(world="telegram", method="sendMessage", action="drop_after", times=2),
    VendorFault(world="telegram", method="sendMessage", action="drop_before"),
    VendorFault(world="telegram", method="sendMessage", action="error", status=502),
    VendorFault(world="telegram", method="sendMessage", action="too_many"),
    VendorFault(world="telegram", method="sendPhoto", action="drop_after"),
    VendorFault(world="telegram", method="editMessageText", action="drop_after"),
    VendorFault(world="telegram", method="editMessageMedia", action="drop_after"),
    VendorFault(world="yookassa", method="createPayment", action="drop_after"),
    VendorFault(world="yookassa", method="createPayment", action="error", status=502),
    VendorFault(world="yookassa", method="createPayment", action="delay", delay_s=1.0),
    VendorFault(world="yookassa", method="getPayment", action="error", status=502),
    VendorFault(world="yookassa", method="getPayment", action="drop_after"),
    VendorFault(world="yookassa", method="getPayment", action="too_many", times=2),
    VendorFault(world="yookassa", method="createRefund", action="drop_after"),
    VendorFault(world="yookassa", method="createRefund", action="drop_after", times=2),
    VendorFault(world="yookassa", method="createRefund", action="error", status=500),
    VendorFault(world="yookassa", method="notice", action="never", times=2),
    VendorFault(world="yookassa", method="notice", action="duplicate", times=3),
    VendorFault(world="yookassa", method="notice", action="reorder"),
    VendorFault(world="yookassa", method="notice", action="delay", delay_s=4.0),
    VendorFault(world="cryptopay", method="createInvoice", action="drop_after"),
    VendorFault(world="cryptopay", method="createInvoice", action="error", status=502),
    VendorFault(world="cryptopay", method="getInvoices", action="error", status=502),
    VendorFault(world="cryptopay", method="getInvoices", action="drop_after"),
    VendorFault(world="cryptopay", method="notice", action="never", times=2),
    VendorFault(world="cryptopay", method="notice", action="duplicate", times=3),
    VendorFault(world="cryptopay", method="notice", action="delay", delay_s=4.0),
    VendorFault(world="kie", method="createTask", action="drop_after"),
    VendorFault(world="kie", method="createTask", action="error", status=502),
    VendorFault(world="kie", method="callback", action="never", times=2),
    VendorFault(world="kie", method="callback", action="duplicate", times=3),
)
"""A request that takes effect twice is not among them: no program could prevent it."""


def money_disruptions(seed: int) -> Iterator[Disruption]:
    return disruptions(seed, kinds=KINDS, vendor_faults=VENDOR_FAULTS)
