"""What everybody does in a storm of money, and when: decided by the seed alone. Nothing in here does anything.

Three kinds of people act: customers in their chats, an operator with verbs and receipts, and the world outside, which pays
subscriptions, gives money back by itself and tells of payments as often as it likes.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeVar

Deed: TypeAlias = Literal[
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
Mischief: TypeAlias = Literal[
    "repeat payment", "stars back", "yookassa back", "renew", "fail", "leave", "resume", "repeat notice", "forge notice"
]
Chosen = TypeVar("Chosen")

DEEDS: Final[tuple[tuple[Deed, int], ...]] = (
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
VERBS: Final[tuple[tuple[Verb, int], ...]] = (
    ("credit", 5),
    ("debit", 3),
    ("correct", 2),
    ("refund job", 4),
    ("refund payment", 5),
    ("promo", 4),
)
MISCHIEFS: Final[tuple[tuple[Mischief, int], ...]] = (
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
class Plan:
    """How long, how hard, and how many take part."""

    seed: int
    seconds: float
    instances: int = 2
    customers: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing somebody does `after_s` after the one before; `pick` chooses among many, `how` among several ways."""

    after_s: float
    kind: str
    pick: float
    how: float


def deeds(seed: int, number: int) -> Iterator[Act]:
    """What customer `number` does, without end; the first two begin with inviting the others."""
    if number < INVITING:
        yield Act(after_s=0.5, kind="invite", pick=0.0, how=0.0)
    yield from _acts(f"{seed}:customer:{number}", DEEDS, pauses_s=(0.1, 0.7))


def verbs(seed: int) -> Iterator[Act]:
    """What the operator does at the console, without end; codes of every kind come first."""
    for number in range(PROMO_KINDS):
        yield Act(after_s=0.1, kind="promo", pick=number / PROMO_KINDS, how=0.0)
    yield from _acts(f"{seed}:operator", VERBS, pauses_s=(0.3, 1.5))


def mischiefs(seed: int) -> Iterator[Act]:
    """What happens outside by itself, without end."""
    return _acts(f"{seed}:world", MISCHIEFS, pauses_s=(0.3, 1.2))


def rulings(seed: int) -> Iterator[Act]:
    """How the operator decides about one receipt after the other."""
    kinds = (("approve", 8), ("approve twice", 3), ("other sum", 3), ("decline", 4))
    return _acts(f"{seed}:receipts", kinds, pauses_s=(0.1, 0.5))


def one_of(choices: Sequence[Chosen], pick: float) -> Chosen:
    """The choice a number from 0 to 1 stands for."""
    return choices[int(pick * len(choices))]


def _acts(name: str, kinds: Sequence[tuple[str, int]], *, pauses_s: tuple[float, float]) -> Iterator[Act]:
    chance = random.Random(name)  # noqa: S311  repeatable on purpose
    names, weights = zip(*kinds, strict=True)
    while True:
        yield Act(
            after_s=chance.uniform(*pauses_s),
            kind=chance.choices(names, weights)[0],
            pick=chance.random(),
            how=chance.random(),
        )
