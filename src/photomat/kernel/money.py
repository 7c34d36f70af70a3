"""Money is a whole number of minor units of one currency. No float comes near it."""

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
