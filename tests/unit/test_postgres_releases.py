"""When the embedded PostgreSQL counts as outdated, by what was known and by PostgreSQL's calendar."""

from datetime import date

import pytest

from photomat.db.postgres.release import GRACE, NEWEST_KNOWN, NEWEST_ON, newer_is_due, planned_days

MINOR = NEWEST_KNOWN[1]


def test_minor_releases_are_planned_for_four_second_thursdays_a_year() -> None:
    assert planned_days(after=date(2025, 12, 31), until=date(2026, 12, 31)) == [
        date(2026, 2, 12),
        date(2026, 5, 14),
        date(2026, 8, 13),
        date(2026, 11, 12),
    ]


def test_a_month_that_begins_with_a_thursday() -> None:
    assert planned_days(after=date(2024, 1, 31), until=date(2024, 2, 29)) == [date(2024, 2, 8)]


def test_the_newest_known_is_fine_until_the_next_planned_day_and_its_grace() -> None:
    (planned, following) = planned_days(after=NEWEST_ON, until=date(NEWEST_ON.year + 1, NEWEST_ON.month, 1))[:2]
    assert newer_is_due(MINOR, today=NEWEST_ON) is None
    assert newer_is_due(MINOR, today=planned) is None
    due = newer_is_due(MINOR, today=planned + GRACE)
    assert due == f"PostgreSQL {NEWEST_KNOWN[0]}.{MINOR + 1} was planned for {planned}"
    assert newer_is_due(MINOR + 1, today=planned + GRACE) is None
    assert newer_is_due(MINOR + 1, today=following + GRACE) is not None
    assert newer_is_due(MINOR, today=following + GRACE) == due, "the first one missed is named"


@pytest.mark.parametrize("minor", [0, MINOR - 1])
def test_an_older_one_than_known_is_outdated_at_once(minor: int) -> None:
    assert newer_is_due(minor, today=NEWEST_ON) == f"PostgreSQL {NEWEST_KNOWN[0]}.{MINOR} is known"


def test_a_clock_before_the_release_changes_nothing() -> None:
    assert newer_is_due(MINOR, today=date(2020, 1, 1)) is None
