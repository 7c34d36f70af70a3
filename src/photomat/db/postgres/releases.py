"""Whether the embedded PostgreSQL has become old, told without the network.

PostgreSQL plans its minor releases, which bring the security fixes, for the second Thursday of February, May, August and
November. So the newest one known when this file was last edited, and the calendar, tell which one is due today. Releases
outside the plan are not seen: the answer can be too lenient, never too strict by more than the plan itself.
"""

from datetime import date, timedelta
from typing import Final

NEWEST_KNOWN: Final = (18, 6)
NEWEST_ON: Final = date(2026, 9, 7)
"""A day on which it was the newest. A test compares both with the locked wheel: edit them with `make lock`."""

MONTHS: Final = (2, 5, 8, 11)
THURSDAY: Final = 3
GRACE: Final = timedelta(days=14)
"""After a planned day, for the wheel to be built and for us to lock it."""


def newer_is_due(minor: int, *, today: date) -> str | None:
    """Say which newer release this minor version lacks; None when it lacks none that we can know of."""
    newest_known = NEWEST_KNOWN[1]
    if minor < newest_known:
        return f"{_name(newest_known)} is known"
    planned = planned_days(after=NEWEST_ON, until=today - GRACE)
    missed = planned[minor - newest_known :]
    if not missed:
        return None
    return f"{_name(minor + 1)} was planned for {missed[0].isoformat()}"


def planned_days(*, after: date, until: date) -> list[date]:
    """The days of planned minor releases, later than one day and up to another."""
    days = [_second_thursday(year, month) for year in range(after.year, until.year + 1) for month in MONTHS]
    return [day for day in days if after < day <= until]


def _second_thursday(year: int, month: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(THURSDAY - first.weekday()) % 7 + 7)


def _name(minor: int) -> str:
    return f"PostgreSQL {NEWEST_KNOWN[0]}.{minor}"
