"""What Kie says, in every spelling its families have."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from photomat.jobs.job import JobStatus, normalize_job_status
from photomat.kie.state_parser import KieState, extract_task_id, normalize_state, parse_kie_state


@pytest.mark.parametrize("word", ["success", "done", "completed", "SUCCESS", " Done ", 1, "succeeded"])
def test_words_for_success_are_success(word: object) -> None:
    assert normalize_state(word) is KieState.SUCCESS


@pytest.mark.parametrize("word", ["fail", "failed", "error", "GENERATE_FAILED", 2, 3, "SENSITIVE_WORD_ERROR"])
def test_words_for_failure_are_fail(word: object) -> None:
    assert normalize_state(word) is KieState.FAIL


@pytest.mark.parametrize("word", ["waiting", "queuing", "generating", "", None, 0, "TEXT_SUCCESS", "something new"])
def test_everything_else_is_still_running(word: object) -> None:
    assert normalize_state(word) is KieState.RUNNING


@pytest.mark.parametrize(
    ("word", "status"),
    [("success", JobStatus.DONE), ("fail", JobStatus.FAILED), ("done", JobStatus.DONE), ("?", JobStatus.RUNNING)],
)
def test_job_statuses_have_one_spelling(word: str, status: JobStatus) -> None:
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
    ["state", "status", "successFlag", "resultJson", "response", "info", "data", "failCode", "failMsg"]
)


@given(st.dictionaries(keys, json_values) | json_values)
def test_junk_never_raises(data: object) -> None:
    reading = parse_kie_state({"data": data})
    assert len(reading.urls) <= 12
    extract_task_id(data)
