"""Money: a whole number of minor units of one currency, never a float."""

import re
from dataclasses import dataclass
from decimal import Decimal

MINOR_PER_MAJOR = 100
STARS = "XTR"
"""Telegram Stars have no minor units."""

COIN = Decimal("0.01")
FINEST = Decimal("0.0001")
SIGNS = {"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "BYN": "Br", "UAH": "₴", STARS: "⭐"}


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount: `Money(64, "RUB")` is 64 kopecks."""

    minor: int
    currency: str

    def __str__(self) -> str:
        """Format for operators: `0.64 ₽`, `1 000 ₽`."""
        return self.written("")

    def written(self, language: str) -> str:
        """Format for a language: `1 234,50 ₽` in Russian, `₽1,234.50` in English."""
        sign = "-" if self.minor < 0 else ""
        if self.currency == STARS:
            return sign + _written(f"{abs(self.minor):,}", STARS, language)
        major, minor = divmod(abs(self.minor), MINOR_PER_MAJOR)
        return sign + _written(f"{major:,}" + (f".{minor:02d}" if minor else ""), self.currency, language)


@dataclass(frozen=True, slots=True)
class ExactMoney:
    """An amount in major units that may be finer than a minor unit: the price of one second or one token."""

    major: Decimal
    currency: str

    def written(self, language: str) -> str:
        """Format like `Money`, with up to four decimal places: `9,6985 ₽`, `₽2.40`."""
        places = self.major.quantize(FINEST).normalize()
        fewest = places.quantize(COIN) if places.as_tuple().exponent == -1 else places
        return _written(f"{fewest:,f}", self.currency, language)


def _written(number: str, currency: str, language: str) -> str:
    symbol = SIGNS.get(currency)
    if language == "en" and symbol is not None:
        return f"{symbol}{number}"
    spaced = number.replace(",", "\N{NO-BREAK SPACE}")
    pointed = spaced.replace(".", ",") if language == "ru" else spaced
    return f"{pointed}\N{NO-BREAK SPACE}{symbol or currency}"


def read_minor(text: str) -> int:
    """Parse an amount such as `1 234,50` or `1234.5` into minor units; raise ValueError if it is ambiguous."""
    digits = re.sub(r"(?<=\d)[\s_](?=\d)", "", text.strip())
    found = re.fullmatch(r"(\d{1,12})(?:[.,](\d{1,2}))?", digits, re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not an amount such as 1234.50")
    major, minor = found.group(1), (found.group(2) or "0").ljust(2, "0")
    return int(major) * MINOR_PER_MAJOR + int(minor)
