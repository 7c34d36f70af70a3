"""A promo code as a value: how it is written, what it gives, and why it is refused. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from photomat.kernel.money import Money

WRITTEN: Final = re.compile(r"[A-Z0-9А-ЯЁ_-]{3,32}")

Kind: TypeAlias = Literal["sum", "percent", "free"]
"""A sum at once; a percent of the next top-up; so many generations for nothing."""


class Why(StrEnum):
    """Why a code is refused; the sentence a customer reads is called `promo-refused-…`."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used_up"
    YOURS = "yours"
    ONLY_NEW = "only_new"
    SLOWLY = "slowly"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoCode:
    """What a code gives and to whom. `amount` is the sum, the most of a percent, or the largest price of a free generation."""

    code: str
    kind: Kind
    currency: str
    amount: int | None = None
    percent: int | None = None
    generations: int | None = None
    most_uses: int | None = None
    per_user: int = 1
    only_new: bool = False
    expires_at: datetime | None = None

    @property
    def money(self) -> Money | None:
        """The amount as money."""
        return None if self.amount is None else Money(self.amount, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a code stands towards one user at this moment."""

    used: int
    used_by_them: int
    is_over: bool
    is_new_user: bool


def normal(written: str) -> str:
    """A code the way it is kept: capitals, nothing around it; empty when nothing written so can be a code."""
    code = written.strip().upper()
    return code if WRITTEN.fullmatch(code) else ""


def judge(code: PromoCode, standing: Standing) -> Why | None:
    """The first reason that speaks against giving it."""
    if standing.used_by_them >= code.per_user:
        return Why.YOURS
    if standing.is_over:
        return Why.EXPIRED
    if code.most_uses is not None and standing.used >= code.most_uses:
        return Why.USED_UP
    if code.only_new and not standing.is_new_user:
        return Why.ONLY_NEW
    return None
