"""Money and instants as providers write them. Decimal all the way: a float never comes near."""

from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Final

from photomat.kernel.money import MINOR_PER_MAJOR, Money

LARGEST: Final = Decimal(10) ** 12
LONGEST_NUMBER: Final = 40


def decimal_of(written: object) -> Decimal:
    """Read a number that is not negative; ValueError when it is none."""
    if isinstance(written, bool) or not isinstance(written, str | int) or len(str(written)) > LONGEST_NUMBER:
        raise ValueError("not a number")
    try:
        number = Decimal(written)
    except InvalidOperation as error:
        raise ValueError("not a number") from error
    if not number.is_finite() or not 0 <= number < LARGEST:
        raise ValueError("not an amount")
    return number


def money_of(written: object, currency: object) -> Money:
    """Read an amount in whole minor units; ValueError when it is none, or finer than a minor unit."""
    minor = decimal_of(written) * MINOR_PER_MAJOR
    if minor != minor.to_integral_value() or not _is_currency(currency):
        raise ValueError("not an amount in whole minor units")
    return Money(int(minor), str(currency))


def nearest_minor(amount: Decimal) -> int:
    """Round what a rate gave to whole minor units."""
    return int((amount * MINOR_PER_MAJOR).to_integral_value(rounding=ROUND_HALF_EVEN))


def written(money: Money) -> str:
    """Write an amount the way providers read it: `100.00`."""
    major, minor = divmod(money.minor, MINOR_PER_MAJOR)
    return f"{major}.{minor:02d}"


def instant_of(text: object) -> datetime:
    """Read an ISO instant, aware; ValueError when it is none."""
    if not isinstance(text, str):
        raise ValueError("not an instant")  # noqa: TRY004  a field that cannot be read, whatever it holds
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def token_of(text: object) -> str | None:
    """The token of our offer as a provider repeats it, whatever it holds; None where it repeats none."""
    return text if isinstance(text, str) and text else None


def _is_currency(text: object) -> bool:
    return isinstance(text, str) and len(text) == 3 and text.isascii() and text.isupper()  # noqa: PLR2004  ISO 4217
