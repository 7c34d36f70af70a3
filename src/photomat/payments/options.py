"""What can be paid: packages of Stars, sums of the other methods, and what each is credited as. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Final, Literal, TypeAlias

from photomat.kernel.money import MINOR_PER_MAJOR, Money

PaymentMethod: TypeAlias = Literal["stars", "subscription", "yookassa", "cryptopay", "transfer"]
STARS_CURRENCY: Final = "XTR"
MAX_STARS: Final = 100_000
_PACKAGE: Final = re.compile(r"([1-9][0-9]{0,5})(?:\+([1-9][0-9]{0,2})%)?", re.ASCII)
_SUM: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A number of Stars and its credit; `percent` is what is added to their worth."""

    stars: int
    percent: int
    credit: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionPlan:
    """The monthly subscription: its price in Stars and what it credits each month, `percent` more than they are worth."""

    stars: int
    credit: Money
    percent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentOptions:
    currency: str
    star_worth: Decimal
    packages: Sequence[Package]
    plan: SubscriptionPlan | None
    sums: Sequence[Money]
    least: Money
    most: Money
    a_day: int
    transfer_details: str

    @property
    def takes_transfers(self) -> bool:
        return bool(self.transfer_details.strip())

    @property
    def allowed_sums(self) -> list[Money]:
        return [amount for amount in self.sums if self.allows(amount)]

    def allows(self, amount: Money) -> bool:
        return self.least <= amount <= self.most

    def package(self, stars: int) -> Package | None:
        return next((one for one in self.packages if one.stars == stars), None)

    def worth_of_stars(self, stars: int) -> Money:
        """The credit for Stars, rounded down to whole minor units, at least one."""
        return stars_worth(stars, self.star_worth, self.currency)


def stars_worth(stars: int, star_worth: Decimal, currency: str, *, percent: int = 0) -> Money:
    """Stars at `star_worth` minor units each, plus the percent a package adds."""
    exact = stars * star_worth * (100 + percent) / 100
    return Money(max(1, int(exact.to_integral_value(rounding=ROUND_DOWN))), currency)


def plan_of(
    stars: int, *, star_worth: Decimal, currency: str, percent: int, credit: Money | None = None
) -> SubscriptionPlan:
    """A subscription for so many Stars: `credit` as it is, or their worth and `percent` more."""
    worth = stars_worth(stars, star_worth, currency)
    credited = credit or stars_worth(stars, star_worth, currency, percent=percent)
    more = max(0, credited.minor - worth.minor) * 100 // worth.minor
    return SubscriptionPlan(stars=stars, credit=credited, percent=percent if credit is None else more)


def read_packages(text: str, *, star_worth: Decimal, currency: str) -> tuple[Package, ...]:
    """Parse `50,100,500+5%`; `ValueError` names the invalid part."""
    packages = []
    for part in (each.strip() for each in text.split(",")):
        if not part:
            continue
        found = _PACKAGE.fullmatch(part)
        if found is None or int(found[1]) > MAX_STARS:
            raise ValueError(f"{part!r} is not a package such as 500 or 500+5%")
        stars, percent = int(found[1]), int(found[2] or 0)
        credit = stars_worth(stars, star_worth, currency, percent=percent)
        packages.append(Package(stars=stars, percent=percent, credit=credit))
    return tuple(packages)


def read_sums(text: str, *, currency: str) -> tuple[Money, ...]:
    """Parse `100,300,500`, whole units of the currency; `ValueError` names the invalid part."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if _SUM.fullmatch(part) is None:
            raise ValueError(f"{part!r} is not a sum such as 500")
    return tuple(Money(int(part) * MINOR_PER_MAJOR, currency) for part in parts)
