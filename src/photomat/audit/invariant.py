"""One rule as a value: a sentence for people and a query for the rows that break it. None is the good answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """One rule; `sql` returns a row for each offender, with what an operator needs to find it.

    `new` is its scope (`new_rows.py`): how it is checked on what was written lately only; None: always on everything.
    """

    name: str
    sentence: str
    sql: str
    new: str | None = None
