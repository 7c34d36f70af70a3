"""What Kie took for a task, as its record says: a number of credits, or nothing that can be believed. Junk never raises."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

KEY: Final = "creditsConsumed"
MOST: Final = Decimal(1_000_000)
"""No task costs so much: a number beyond it is a mistake, and does not become a cost in somebody's books."""

MOST_CHARS: Final = 24
PLACES: Final = Decimal("0.000001")


def credits_of(data: Mapping[str, object]) -> Decimal | None:
    """The credits of `creditsConsumed`; None where the family does not say."""
    raw = data.get(KEY)
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    try:
        text = str(raw).strip()
        number = Decimal(text) if len(text) <= MOST_CHARS else None
    except (InvalidOperation, ValueError):
        return None
    if number is None or not number.is_finite() or not 0 <= number <= MOST:
        return None
    return number.quantize(PLACES).normalize() + 0
