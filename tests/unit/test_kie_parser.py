"""What Kie says, in every spelling its families have."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.jobs.job import JobStatus, normalize_job_status
from photomat.kie.protocol import decode
from photomat.kie.state_parser import (
    FAIL_STATES,
    SUCCESS_STATES,
    KieState,
    extract_task_id,
    normalize_state,
    parse_kie_state,
)


@pytest.mark.parametrize(
    "word", ["success", "done", "completed", "complete", "SUCCESS", " Done ", 1, "1", 1.0, "1.0", True, "finished"]
)
def test_words_for_success_are_success(word: object) -> None:
    assert normalize_state(word) is KieState.SUCCESS


@pytest.mark.parametrize(
    "word", ["fail", "Failed", " error\n", "failure", "GENERATE_FAILED", 2, "2", 3.0, "CREATE_TASK_FAILED"]
)
def test_words_for_failure_are_fail(word: object) -> None:
    assert normalize_state(word) is KieState.FAIL


@pytest.mark.parametrize(
    "word",
    [
        "waiting",
        "queuing",
        "generating",
        "unknown",
        "",
        None,
        0,
        "0",
        False,
        4,
        1.5,
        "TEXT_SUCCESS",
        "new",
        [],
        {},
        ["success"],
    ],
)
def test_everything_else_is_still_running(word: object) -> None:
    assert normalize_state(word) is KieState.RUNNING


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("success", JobStatus.DONE),
        ("done", JobStatus.DONE),
        ("Completed", JobStatus.DONE),
        ("fail", JobStatus.FAILED),
        ("error", JobStatus.FAILED),
        ("canceled", JobStatus.CANCELED),
        (" cancelled ", JobStatus.CANCELED),
        ("queued", JobStatus.PENDING),
        ("generating", JobStatus.RUNNING),
        ("?", JobStatus.RUNNING),
        (None, JobStatus.RUNNING),
    ],
)
def test_job_statuses_have_one_spelling(word: object, status: JobStatus) -> None:
    assert normalize_job_status(word) is status


@pytest.mark.parametrize(
    "payload",
    [
        {"data": {"taskId": "t1"}},
        {"data": {"task_id": "t1"}},
        {"taskId": "t1"},
        {"task_id": " t1 ", "data": None},
        {"data": {"taskId": "t1"}, "taskId": "other"},
    ],
)
def test_the_task_id_is_found_wherever_a_family_puts_it(payload: object) -> None:
    assert extract_task_id(payload) == "t1"


@pytest.mark.parametrize("payload", [None, [], "x", {}, {"data": []}, {"data": {"taskId": 7}}, {"taskId": ""}])
def test_no_task_id_is_none(payload: object) -> None:
    assert extract_task_id(payload) is None


@pytest.mark.parametrize(
    "data",
    [
        {"resultJson": json.dumps({"resultUrls": ["https://a/1.png", "https://a/2.png"]})},
        {"resultJson": {"resultUrls": ["https://a/1.png", "https://a/2.png"]}},
        {"resultJson": json.dumps({"urls": ["https://a/1.png", "https://a/2.png", "javascript:no"]})},
        {"response": {"resultUrls": ["https://a/1.png", "https://a/2.png"]}},
        {"info": {"result_urls": ["https://a/1.png", "https://a/2.png"]}},
        {"resultJson": json.dumps({"data": [{"audio_url": "https://a/1.png"}, {"audio_url": "https://a/2.png"}]})},
        {"response": {"sunoData": [{"audioUrl": "https://a/1.png"}, {"audioUrl": "https://a/2.png"}]}},
    ],
)
def test_results_are_found_in_every_shape(data: dict[str, object]) -> None:
    assert parse_kie_state({"data": {"state": "success", **data}}).urls == ("https://a/1.png", "https://a/2.png")


def test_a_failure_keeps_its_code_and_reason() -> None:
    reading = parse_kie_state({"data": {"state": "fail", "failCode": "400", "failMsg": "flagged", "resultJson": ""}})
    assert (reading.state, reading.fail_code, reading.error, reading.urls) == (KieState.FAIL, "400", "flagged", ())


def test_a_result_object_is_a_result() -> None:
    reading = parse_kie_state({"data": {"state": "success", "resultJson": '{"resultObject":{"text":"привет"}}'}})
    assert reading.result_object == {"text": "привет"}


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
keys = st.sampled_from(
    [
        *("state", "status", "successFlag", "callbackType", "taskId", "resultJson", "response", "info", "data"),
        *("resultUrls", "resultObject", "videoInfo", "failCode", "failMsg", "progress", "createTime", "completeTime"),
    ]
)
places = st.dictionaries(keys, json_values) | st.dictionaries(keys, st.dictionaries(keys, json_values)) | json_values


@given(places, st.dictionaries(st.sampled_from(["code", "msg", "taskId"]), json_values))
def test_junk_never_raises(data: object, envelope: dict[str, object]) -> None:
    reading = parse_kie_state(envelope | {"data": data})
    assert len(reading.urls) <= 12
    assert reading.progress is None or 0 <= reading.progress <= 100
    extract_task_id(data)
    parse_kie_state(data)


@given(places.filter(lambda data: isinstance(data, dict)), st.sampled_from(sorted(SUCCESS_STATES | FAIL_STATES)))
def test_a_word_for_an_end_is_an_end_whatever_stands_beside_it(beside: dict[str, object], word: str) -> None:
    others = {key: value for key, value in beside.items() if key != "callbackType"}
    assert parse_kie_state({"data": others | {"state": word}}).state is normalize_state(word)


@given(json_values)
def test_what_was_translated_once_stays_what_it_is(raw: object) -> None:
    state = normalize_state(raw)
    assert normalize_state(state) is state


def test_thirteen_files_are_thirteen() -> None:
    urls = [f"https://a/{n}.png" for n in range(13)]
    assert parse_kie_state({"data": {"state": "success", "resultJson": {"resultUrls": urls}}}).urls == tuple(urls)


def nested(depth: int) -> object:
    return json.loads("[" * depth + "]" * depth)


@pytest.mark.parametrize(
    "data",
    [
        {"state": "success", "resultJson": "[" * 200_000},
        {"state": "success", "resultJson": json.dumps({"resultUrls": ["https://a/1\x00.png", "https://a/\ud800.png"]})},
        {"state": "success", "resultJson": {"resultObject": {"text": "a\x00b\ud800"}}},
        {"state": "fail", "failMsg": "a\x00b\ud800", "failCode": "4\x0000"},
        {"state": "fail", "failMsg": nested(900), "failCode": {"a": nested(900)}},
        {"state": nested(900), "resultJson": {"resultObject": {"deep": nested(900)}}},
        {"state": "success", "response": json.dumps({"data": json.loads("[" * 400 + "]" * 400)})},
    ],
)
def test_what_is_read_can_always_be_stored(data: dict[str, object]) -> None:
    reading = parse_kie_state({"data": data})
    said = json.dumps([reading.urls, reading.error, reading.fail_code, reading.result_object], ensure_ascii=False)
    assert "\x00" not in said
    assert "\\u0000" not in said
    said.encode()


@pytest.mark.parametrize("task_id", ["a\x00b", "\ud800", "т-1", "x" * 201])
def test_an_id_nobody_can_store_is_no_id(task_id: str) -> None:
    assert extract_task_id({"data": {"taskId": task_id}}) is None


@pytest.mark.parametrize("body", [b"[" * 200_000, '{"code": "²"}'.encode(), b"junk", b"[]", b""])
def test_an_answer_that_is_no_envelope_is_none(body: bytes) -> None:
    assert decode(body, 200) is None


def test_a_gateways_refusal_and_its_failure_are_told_apart() -> None:
    assert [envelope and envelope.code for envelope in (decode(b"<html>", 403), decode(b"<html>", 502))] == [403, 502]


@pytest.mark.parametrize(
    ("said", "credits_"),
    [
        (0.8, "0.8"),
        (12, "12"),
        ("3.5", "3.5"),
        (0, "0"),
        (1e-9, "0"),
        (None, None),
        ("", None),
        ("free", None),
        (-1, None),
        (True, None),
        ([1], None),
        (float("nan"), None),
        (float("inf"), None),
        ("1e999", None),
        (10**30, None),
        ("9" * 5000, None),
    ],
)
def test_what_kie_took_is_read_where_it_says_so(said: object, credits_: str | None) -> None:
    reading = parse_kie_state({"code": 200, "data": {"taskId": "t", "state": "success", "creditsConsumed": said}})
    assert reading.credits == (None if credits_ is None else Decimal(credits_))
    assert reading.state is KieState.SUCCESS


def test_a_record_that_does_not_say_what_it_took_takes_nothing_for_granted() -> None:
    assert parse_kie_state({"code": 200, "data": {"taskId": "t", "state": "success"}}).credits is None
    assert parse_kie_state("junk").credits is None
