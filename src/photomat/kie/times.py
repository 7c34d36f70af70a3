"""Instants and progress as Kie writes them: milliseconds, seconds, ISO with and without a zone; junk is None, never an error.

An instant without a zone is UTC. What comes out is always aware, so that two of them can be compared.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

MILLISECONDS_FROM: Final = 100_000_000_000
"""A number of seconds as large lies in the year 5138; as milliseconds it lies in 1973."""

LONGEST: Final = timedelta(days=30)
LONGEST_TEXT: Final = 40
WHOLE: Final = 100


def instant(raw: object) -> datetime | None:
    """An aware instant, or None."""
    number = _number(raw)
    try:
        if number is not None:
            seconds = number / 1000 if abs(number) >= MILLISECONDS_FROM else number
            return datetime.fromtimestamp(seconds, tz=UTC) if seconds > 0 else None
        if not isinstance(raw, str) or len(raw) > LONGEST_TEXT:
            return None
        found = datetime.fromisoformat(raw.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def took(data: Mapping[str, object]) -> timedelta | None:
    """How long Kie took by its own clock. `costTime` is no help: seconds on the wire, milliseconds in the documents."""
    begin, end = instant(data.get("createTime")), instant(data.get("completeTime"))
    if begin is None or end is None or not timedelta(0) <= end - begin <= LONGEST:
        return None
    return end - begin


def progress(raw: object) -> int | None:
    """Percent from 0 to 100: a number of percent ("45", 45, "45%"), or a part of one ("0.45")."""
    text = raw.strip().removesuffix("%") if isinstance(raw, str) and len(raw) <= LONGEST_TEXT else raw
    number = _number(text)
    if number is None or number < 0:
        return None
    is_part = number <= 1 and (isinstance(text, float) or (isinstance(text, str) and "." in text))
    return min(WHOLE, int(number * WHOLE if is_part else number))


def _number(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    if isinstance(raw, str) and len(raw) > LONGEST_TEXT:
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
