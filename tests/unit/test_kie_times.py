"""Instants and progress in every spelling Kie has, and nothing raises."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.kie.state_parser import instant, parse_kie_state, progress, took

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    [
        1767268800000,
        1767268800000.0,
        "1767268800000",
        1767268800,
        "1767268800",
        "2026-01-01 12:00:00",
        "2026-01-01T12:00:00",
        "2026-01-01T12:00:00Z",
        "2026-01-01T12:00:00.000+00:00",
        "2026-01-01T15:00:00+03:00",
        " 2026-01-01T12:00:00Z ",
    ],
)
def test_an_instant_is_aware_and_the_same_in_every_spelling(raw: object) -> None:
    assert instant(raw) == NOON


@pytest.mark.parametrize(
    "raw", [None, "", "soon", 0, -5, True, [], {}, "9" * 5000, 10**400, float("nan"), float("inf"), 1e300]
)
def test_junk_is_no_instant(raw: object) -> None:
    assert instant(raw) is None


def test_an_instant_without_a_zone_is_utc_wherever_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert instant("2026-01-01 12:00:00") == NOON
    finally:
        monkeypatch.undo()
        time.tzset()


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary())
def test_nothing_raises_whatever_stands_there(raw: object) -> None:
    found = instant(raw)
    assert found is None or found.tzinfo is UTC
    shown = progress(raw)
    assert shown is None or 0 <= shown <= 100
    took({"createTime": raw, "completeTime": raw})


@pytest.mark.parametrize(
    ("created", "completed", "seconds"),
    [
        (1767268800000, 1767268814000, 14),
        ("2026-01-01 12:00:00", 1767268814000, 14),
        ("2026-01-01T12:00:00", "2026-01-01T12:00:14Z", 14),
        (1767268814000, 1767268800000, None),
        (1767268800000, None, None),
        ("junk", 1767268814000, None),
    ],
)
def test_how_long_kie_took_compares_naive_and_aware_instants(
    created: object, completed: object, seconds: int | None
) -> None:
    reading = parse_kie_state({"data": {"state": "success", "createTime": created, "completeTime": completed}})
    assert reading.took == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("raw", "percent"),
    [
        ("0.00", 0),
        ("0.40", 40),
        ("1.00", 100),
        (0.5, 50),
        (45, 45),
        ("45", 45),
        ("45%", 45),
        (1, 1),
        (100, 100),
        (250, 100),
    ],
)
def test_progress_is_percent(raw: object, percent: int) -> None:
    assert parse_kie_state({"data": {"state": "generating", "progress": raw}}).progress == percent


@pytest.mark.parametrize("raw", [None, "", "half", -1, True, [], float("nan")])
def test_junk_is_no_progress(raw: object) -> None:
    assert progress(raw) is None
