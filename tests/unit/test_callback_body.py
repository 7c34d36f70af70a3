"""The quick way to clean a callback gives the same as the search at every depth, and is not deceived."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from photomat.kernel.text import storable
from photomat.kie.results import ECHOES, without_echoes
from photomat.kie.state_parser import glance_at, parse_kie_state
from photomat.web.kie_callback import cleaned

URL = "https://bot.example/kie/callback/17.abc"
TEXTS = some.one_of(
    some.text(max_size=8),
    some.sampled_from([URL, URL.replace("/", "%2F"), "\x00", "\ud800", "plain", r"{\"\u0070aram\": 1}", "Parameter"]),
)
KEYS = some.one_of(some.sampled_from([*sorted(ECHOES), "data", "resultJson", "state"]), TEXTS)
VALUES = some.recursive(
    some.one_of(some.none(), some.booleans(), some.integers(), some.floats(allow_nan=False), TEXTS),
    lambda inner: some.one_of(
        some.lists(inner, max_size=3),
        some.dictionaries(KEYS, inner, max_size=3),
        some.dictionaries(KEYS, inner, max_size=2).map(json.dumps),
    ),
    max_leaves=8,
)


@given(some.dictionaries(KEYS, VALUES, max_size=4))
def test_the_quick_way_gives_what_the_thorough_one_does(payload: dict[str, Any]) -> None:
    thorough = storable(without_echoes(payload))
    clean, body = cleaned(payload)
    assert (clean, json.loads(body, parse_constant=pytest.fail)) == (thorough, thorough)


def test_a_number_too_large_for_a_float_is_stored_as_null() -> None:
    clean, body = cleaned(json.loads('{"code": 200, "data": {"taskId": "t", "cost": 1e999}}'))
    assert json.loads(body, parse_constant=pytest.fail) == clean == {"code": 200, "data": {"taskId": "t", "cost": None}}


def test_an_echo_spelled_with_escapes_inside_a_string_is_found() -> None:
    hidden = r'{"\u0070aram": "secret", "\u0063allBackUrl": "https:\/\/bot.example\/kie\/\u0063allback\/17.abc"}'
    clean, body = cleaned({"code": 200, "data": {"taskId": "t", "resultJson": hidden}})
    assert (b"secret" in body, "17.abc" in str(clean)) == (False, False)


def test_a_glance_says_what_the_whole_reading_says() -> None:
    for data in (
        {"state": "success", "resultJson": json.dumps({"resultUrls": ["https://a.example/1.png"]})},
        {"state": "success", "resultJson": json.dumps({"newField": "https://a.example/1.png"})},
        {"state": "fail", "failCode": "500", "failMsg": "no"},
        {"successFlag": 3, "errorCode": 422},
        {"state": "generating"},
        {"info": {"resultUrls": ["https://a.example/1.mp4"]}},
        {},
    ):
        payload = {"code": 501 if data.get("successFlag") else 200, "data": {"taskId": "t", **data}}
        reading = parse_kie_state(payload)
        assert glance_at(payload) == (reading.state, len(reading.urls), reading.fail_code)
