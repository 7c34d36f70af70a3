"""Money is a whole number of minor units of one currency. No float comes near it."""

import re
from dataclasses import dataclass

MINOR_PER_MAJOR = 100
SIGNS = {"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "BYN": "Br", "UAH": "₴"}


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount: `Money(64, "RUB")` is 64 kopecks."""

    minor: int
    currency: str

    def __str__(self) -> str:
        """Write it the way customers read it: `0.64 ₽`, `1 000 ₽`."""
        sign = "-" if self.minor < 0 else ""
        major, minor = divmod(abs(self.minor), MINOR_PER_MAJOR)
        whole = f"{major:,}".replace(",", "\N{NO-BREAK SPACE}")
        fraction = f".{minor:02d}" if minor else ""
        return f"{sign}{whole}{fraction}\N{NO-BREAK SPACE}{SIGNS.get(self.currency, self.currency)}"

    def written(self, language: str) -> str:
        """Write it the way a language does: `1 234,50 ₽` in Russian, `₽1,234.50` in English, as `str` does in others."""
        sign = "-" if self.minor < 0 else ""
        major, minor = divmod(abs(self.minor), MINOR_PER_MAJOR)
        symbol = SIGNS.get(self.currency)
        if language == "en" and symbol is not None:
            return f"{sign}{symbol}{major:,}" + (f".{minor:02d}" if minor else "")
        return str(self).replace(".", ",") if language == "ru" else str(self)


def read_minor(text: str) -> int:
    """Read an amount somebody wrote, `1 234,50` or `1234.5`, as minor units; `ValueError` when it is not plainly one."""
    digits = re.sub(r"(?<=\d)[\s_](?=\d)", "", text.strip())
    found = re.fullmatch(r"(\d{1,12})(?:[.,](\d{1,2}))?", digits, re.ASCII)
    if found is None:
        raise ValueError(f"{text!r} is not an amount such as 1234.50")
    major, minor = found.group(1), (found.group(2) or "0").ljust(2, "0")
    return int(major) * MINOR_PER_MAJOR + int(minor)
