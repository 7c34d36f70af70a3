"""What people in a storm of money tell each other and remember: links they send around, and who did what outside our books.

What is remembered here is evidence: it was seen on a screen or done at a provider, and the program knows nothing of it.
"""

import asyncio
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from photomat_chaos.money.shop import Shop


@dataclass(frozen=True, slots=True, kw_only=True)
class GiftLink:
    """A gift as its giver saw it."""

    code: str
    giver_id: int
    minor: int


@dataclass(slots=True, kw_only=True)
class Square:
    """Everybody meets here; `done` counts what was done."""

    shop: Shop
    over: asyncio.Event
    done: Counter[str]
    star_links: list[str] = field(default_factory=list)
    gifts: dict[str, GiftLink] = field(default_factory=dict)
    invitations: dict[str, int] = field(default_factory=dict)
    """Codes of invitation links, and whose they are."""
    promo_codes: list[str] = field(default_factory=list)
    receipts: list[bytes] = field(default_factory=list)
    came_by: dict[int, int] = field(default_factory=dict)
    """Who became a user by whose link."""
    bills: dict[tuple[str, str], int] = field(default_factory=dict)
    """Who paid a bill of a provider."""
    wishes: defaultdict[int, set[int | None]] = field(default_factory=lambda: defaultdict(set))
    """What the operator wanted to credit for a receipt; None is a no."""
    _kopecks: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def a_sum(self, least_minor: int) -> int:
        """A sum nobody has used before, a little above the least."""
        return least_minor + next(self._kopecks)


def in_words(minor: int) -> str:
    """A sum as people type it."""
    return f"{minor // 100},{minor % 100:02d}"
