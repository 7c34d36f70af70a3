"""Money is a whole number of minor units of one currency. No float comes near it."""

import re
from dataclasses import dataclass
from decimal import Decimal

MINOR_PER_MAJOR = 100
STARS = "XTR"
"""Telegram Stars: there is nothing smaller than one."""

COIN = Decimal("0.01")
FINEST = Decimal("0.0001")
SIGNS = {"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "BYN": "Br", "UAH": "₴", STARS: "⭐"}


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount: `Money(64, "RUB")` is 64 kopecks."""

    minor: int
    currency: str

    def __str__(self) -> str:
        """Write it the way operators read it: `0.64 ₽`, `1 000 ₽`."""
        return self.written("")

    def written(self, language: str) -> str:
        """Write it the way a language does: `1 234,50 ₽` in Russian, `₽1,234.50` in English."""
        sign = "-" if self.minor < 0 else ""
        if self.currency == STARS:
            return sign + _written(f"{abs(self.minor):,}", STARS, language)
        major, minor = divmod(abs(self.minor), MINOR_PER_MAJOR)
        return sign + _written(f"{major:,}" + (f".{minor:02d}" if minor else ""), self.currency, language)


@dataclass(frozen=True, slots=True)
class ExactMoney:
    """An amount in major units that may be finer than any coin: what one second, or one token, costs."""

    major: Decimal
    currency: str

    def written(self, language: str) -> str:
        """Write it like money, with as many places as it needs, four at most: `9,6985 ₽`, `₽2.40`."""
        places = self.major.quantize(FINEST).normalize()
        fewest = places.quantize(COIN) if places.as_tuple().exponent == -1 else places
        return _written(f"{fewest:,f}", self.currency, language)


def _written(number: str, currency: str, language: str) -> str:
    """The number, `1,234.50`, with its sign in its language."""
    symbol = SIGNS.get(currency)
    if language == "en" and symbol is not None:
        return f"{symbol}{number}"
    spaced = number.replace(",", "\N{NO-BREAK SPACE}")
    pointed = spaced.replace(".", ",") if language == "ru" else spaced
    return f"{pointed}\N{NO-BREAK SPACE}{symbol or currency}"


def read_minor(text: str) -> int:
    """Read an amount somebody wrote, `1 234,50` or `1234.5`, as minor units; `ValueError` when it is not plainly one."""
    digits = re.sub(r"(?<=\d)[\s_](?=\d)", "", text.strip())
    found = re.fullmatch(r"(\d{1,12})(?:[.,](\d{1,2}))?", digits, re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not an amount such as 1234.50")
    major, minor = found.group(1), (found.group(2) or "0").ljust(2, "0")
    return int(major) * MINOR_PER_MAJOR + int(minor)
