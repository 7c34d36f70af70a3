"""Sums, numbers and ages in few letters, for figures, axes and narrow cells: `12,5 т ₽`, `₽12.5k`, `25 мин`."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from photomat.kernel.money import MINOR_PER_MAJOR, SIGNS, STARS, Money
from photomat.texts.load import Say

STEPS: Final = ((1_000_000, {"ru": "М"}, "M"), (1_000, {"ru": "т"}, "k"))


def compact(value: float, language: str) -> str:
    """`950`, `12,5 т`, `1,2 М` in Russian; `12.5k`, `1.2M` in English."""
    for size, words, word in STEPS:
        if abs(value) >= size:
            scaled = value / size
            written = f"{scaled:.1f}".removesuffix(".0") if abs(scaled) < 100 else f"{scaled:.0f}"  # noqa: PLR2004  three digits do
            if language in words:
                return f"{written.replace('.', ',')}\N{NO-BREAK SPACE}{words[language]}"
            return f"{written}{word}"
    whole = f"{value:.1f}".removesuffix(".0")
    return whole.replace(".", ",") if language == "ru" else whole


def whole(amount: Money, language: str) -> str:
    """A sum of a hundred or more without its minor units."""
    if amount.currency == STARS or abs(amount.minor) < 100 * MINOR_PER_MAJOR:
        return amount.written(language)
    return Money(round(amount.minor / MINOR_PER_MAJOR) * MINOR_PER_MAJOR, amount.currency).written(language)


def age(lasted: timedelta, say: Say) -> str:
    """How old something is in one unit; it changes once a minute at most, so a live page stays as it is between."""
    minutes = int(lasted.total_seconds() // 60)
    if minutes < 1:
        return say("console-age-now")
    if minutes < 60:  # noqa: PLR2004  an hour
        return say("console-age-minutes", count=minutes)
    hours = minutes // 60
    return say("console-age-hours", count=hours) if hours < 48 else say("console-age-days", count=hours // 24)  # noqa: PLR2004  two days


def minor_per_unit(currency: str) -> int:
    return 1 if currency == STARS else MINOR_PER_MAJOR


def short_money(language: str, currency: str) -> Callable[[float], str]:
    """Write minor units as a short sum."""
    sign = SIGNS.get(currency, currency)
    per_major = minor_per_unit(currency)

    def written(minor: float) -> str:
        number = compact(minor / per_major, language)
        return f"{sign}{number}" if language == "en" else f"{number}\N{NO-BREAK SPACE}{sign}"

    return written


def axis_of_money(language: str, currency: str) -> Callable[[float], str]:
    """Write minor units for an axis: the sign of the currency stands elsewhere."""
    per_major = minor_per_unit(currency)
    return lambda minor: compact(minor / per_major, language)
