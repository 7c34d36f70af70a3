"""Log lines: text for people, JSON for machines, counted by tag."""

import io
import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
import structlog

from photomat.kernel.logs import configure, correlated, ensure_correlation_id, get_logger, lines_together
from photomat.kernel.metrics import EVENTS, exposition


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def lines(log_format: str) -> io.StringIO:
    stream = io.StringIO()
    configure(log_format, stream)
    return stream


def test_a_text_line_carries_corr_tag_and_fields_ids_first() -> None:
    stream = lines("text")
    with correlated("0123abcd", job_id=7):
        get_logger().info("DELIVER_OK", level="url", task_id="t-1", user_id=5)
    stamp, rest = stream.getvalue()[:19], stream.getvalue()[20:]
    assert stamp[4] == stamp[7] == "-"
    assert rest == "INFO    [0123abcd] [DELIVER_OK] job_id=7 task_id=t-1 user_id=5 level=url\n"


def test_without_a_job_the_line_has_a_gap_in_the_same_place() -> None:
    stream = lines("text")
    get_logger().warning("PASSIVE_WAIT")
    assert stream.getvalue().endswith("WARNING [--------] [PASSIVE_WAIT]\n")


def test_none_is_left_out_and_blanks_are_quoted() -> None:
    stream = lines("text")
    get_logger().info("X", a=None, b="two words", c=0, d="")
    assert stream.getvalue().endswith('[X] b="two words" c=0 d=\n')


def test_a_value_of_several_lines_stays_on_one() -> None:
    """What a vendor says cannot forge a line of ours."""
    stream = lines("text")
    get_logger().error("X", error="first\n2026-01-01 00:00:00 INFO [0123abcd] [MARK_DELIVERED]\r\nlast")
    assert len(stream.getvalue().splitlines()) == 1


def test_lines_of_one_moment_reach_the_stream_together_also_where_one_fails() -> None:
    class Stream(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

    stream = Stream()
    configure("text", stream)
    with suppress(ZeroDivisionError), lines_together():
        get_logger().info("FIRST")
        get_logger().info("SECOND")
        1 / 0  # noqa: B018  what fails
    assert (len(stream.getvalue().splitlines()), stream.flushed) == (2, 1)
    get_logger().info("ALONE")
    assert stream.flushed == 2


def test_a_json_line_has_the_same_facts() -> None:
    stream = lines("json")
    with correlated("0123abcd", job_id=7):
        get_logger().error("X", error="ночь")
    (found,) = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert found.pop("timestamp")
    assert found == {"event": "X", "severity": "error", "corr": "0123abcd", "job_id": 7, "error": "ночь"}
    assert "ночь" in stream.getvalue()


def test_a_trace_follows_its_line() -> None:
    stream = lines("text")
    try:
        int("bad")
    except ValueError:
        get_logger().exception("STEP_ERROR", step="looks")
    first, *trace = stream.getvalue().splitlines()
    assert first.endswith("ERROR   [--------] [STEP_ERROR] step=looks")
    assert trace[-1].startswith("ValueError: invalid literal")


def test_every_event_is_counted_by_its_tag() -> None:
    lines("text")
    before = EVENTS.labels(tag="COUNTED")._value.get()  # noqa: SLF001  prometheus gives no other way to read it
    get_logger().info("COUNTED")
    get_logger().debug("COUNTED")
    assert EVENTS.labels(tag="COUNTED")._value.get() == before + 1  # noqa: SLF001  likewise
    assert b'photomat_events_total{tag="COUNTED"}' in exposition()


def test_a_known_correlation_id_is_kept_a_bound_one_found_and_a_new_one_made() -> None:
    assert ensure_correlation_id("0123abcd") == "0123abcd"
    with correlated("89abcdef"):
        assert ensure_correlation_id() == "89abcdef"
    made = ensure_correlation_id()
    assert len(made) == 8
    assert int(made, 16) >= 0
    assert made != ensure_correlation_id()
