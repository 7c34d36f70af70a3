"""Answers of a shape that is not documented: every value is an output or in the file, and nothing of the order is in either."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from photomat.kie.results import without_echoes
from photomat.kie.state_parser import KieState, Reading, parse_kie_state

HOST = "https://r.example"
A, B, MINE = f"{HOST}/a.mp4", f"{HOST}/b.png", f"{HOST}/mine.png"
SECRET = "5.TOKEN"
CALLBACK = f"https://me.example/kie/callback/{SECRET}"
ORDER = {"callBackUrl": CALLBACK, "input": json.dumps({"image_urls": [MINE], "prompt": "my words"})}


def read(**data: Any) -> Reading:
    record = {"taskId": "t-1", "state": "success", **data}
    return parse_kie_state({"code": 200, "msg": "success", "data": record})


def deep(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = {"x": inner}
    return inner


# nothing of the order is kept


ECHOED: dict[str, Any] = {
    "an object of a field": {"resultJson": {"weird": {"param": json.dumps(ORDER), "v": "kept"}}},
    "JSON in JSON": {"resultJson": {"weird": json.dumps({"task": json.dumps({"param": ORDER}), "v": "kept"})}},
    "a list": {"resultJson": [{"param": ORDER, "v": "kept"}]},
    "a list of many files": {
        "response": {
            "task": {"param": json.dumps(ORDER)},
            "v": "kept",
            "resultUrls": [f"{HOST}/{n}" for n in range(150)],
        }
    },
    "the object to be read": {
        "resultJson": {"resultObject": {"text": "kept", "task": {"paramJson": json.dumps(ORDER)}}}
    },
    "the object beside a file": {"resultJson": {"resultUrls": [A], "resultObject": {"v": "kept", "hook": CALLBACK}}},
    "another name": {"resultJson": {"v": "kept", "hook": CALLBACK, "hooks": [CALLBACK], "said": f"see {CALLBACK} now"}},
    "escaped slashes": {"resultJson": {"v": "kept", "raw": "{broken " + CALLBACK.replace("/", "\\/")}},
    "percent signs": {"resultJson": {"v": "kept", "raw": "next=" + quote(CALLBACK, safe="")}},
    "a key": {"resultJson": {"v": "kept", "x": {CALLBACK: "1"}}},
    "great depth": {"resultJson": {"v": "kept", **deep(300, {"hook": CALLBACK})}},
    "the record": {"hook": CALLBACK, "resultJson": {"v": "kept"}, "more": {"callback": CALLBACK}},
}


@pytest.mark.parametrize("data", ECHOED.values(), ids=ECHOED)
def test_the_token_of_the_callback_reaches_neither_the_file_nor_the_outputs(data: dict[str, Any]) -> None:
    reading = read(**data)
    stored = json.dumps([reading.result_object, reading.urls, reading.unread, str(reading.details)])
    assert "kept" in stored
    assert SECRET not in stored
    assert "my words" not in stored


def test_the_token_is_not_in_the_reason_of_a_failure() -> None:
    reading = read(state="fail", failMsg=f"Callback to {CALLBACK} failed")
    assert reading.error == "Callback to … failed"


def test_what_holds_no_echo_stays_as_it_is() -> None:
    value = {"a": [1, None, 1.5, {"b": ' {"c": [1]} '}], "t": "[not json", "u": [A, {}], "n": "12"}
    assert without_echoes(value) == value
    assert without_echoes(deep(2000, "x")) is not None


# nothing that was made is dropped


BESIDE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "texts and objects": (
        {"resultUrls": [A], "transcript": "hello world", "subtitles": {"srt": "1"}},
        ("resultJson.transcript", "resultJson.subtitles"),
    ),
    "a text in a list of files": ({"resultUrls": [A, "see below"]}, ("resultJson.resultUrls",)),
    "a text of a file": ({"resultUrls": [{"url": A, "caption": "see"}]}, ("resultJson.resultUrls",)),
    "bytes": ({"resultUrls": [A, "data:image/png;base64,AAAA"]}, ("resultJson.resultUrls[]",)),
    "no scheme": ({"resultUrls": [A, "//r.example/1.png"]}, ("resultJson.resultUrls[]",)),
    "great depth": ({"resultUrls": [A], **deep(14, {"u": B})}, ("resultJson.x",)),
    "a text beside lyrics": (
        {"resultUrls": [A], "resultObject": {"lyricsData": [{"text": "la"}], "chords": "Am"}},
        ("resultJson.resultObject",),
    ),
    "a message within an unknown field": ({"resultUrls": [A], "said": {"message": "hi"}}, ("resultJson.said",)),
}


@pytest.mark.parametrize(("result", "fields"), BESIDE.values(), ids=BESIDE)
def test_what_is_no_url_beside_a_url_is_kept_in_the_file(result: dict[str, Any], fields: tuple[str, ...]) -> None:
    reading = read(resultJson=json.dumps(result))
    assert reading.urls == (A,)
    assert (reading.result_object, reading.object_as_file) == (result, True)
    assert reading.unread == fields


def test_an_answer_that_is_one_text_is_kept_in_the_file() -> None:
    reading = read(resultJson=json.dumps("hello"))
    assert (reading.result_object, reading.object_as_file) == ({"answer": "hello"}, True)
    assert reading.unread == ("resultJson",)


def test_an_object_with_texts_in_its_lists_of_files_is_a_file_beside_them() -> None:
    for key in ("data", "images", "segments"):
        inner = {key: [{"maskUrl": B, "url": B, "transcript": "said"}]}
        reading = read(resultJson={"resultUrls": [A], "resultObject": inner})
        assert (reading.result_object, reading.object_as_file) == (inner, True)


ELSEWHERE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "another container": ({"response": {"pianoUrl": B}}, ("response.pianoUrl",)),
    "the same field of another container": ({"response": {"resultUrls": [A, B]}}, ("response.resultUrls[]",)),
    "the record": ({"bonusUrl": B}, ("data.bonusUrl",)),
    "an object of the record": ({"extra": {"files": [B]}}, ("data.extra.files[]",)),
}


@pytest.mark.parametrize(("more", "fields"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_url_in_another_container_is_an_output(more: dict[str, Any], fields: tuple[str, ...]) -> None:
    reading = read(resultJson={"resultUrls": [A]}, **more)
    assert reading.urls == (A, B)
    assert reading.unread == fields
    assert not reading.object_as_file


def test_a_text_in_another_container_is_in_the_file_with_both() -> None:
    result, response = {"resultUrls": [A], "resultObject": {"times": ["0:01"]}}, {"transcript": "hello"}
    reading = read(resultJson=json.dumps(result), response=response)
    assert reading.result_object == {"resultJson": result, "response": response}
    assert (reading.urls, reading.unread) == ((A,), ("response.transcript",))


@pytest.mark.parametrize(
    ("result", "urls"),
    [
        ({"image_url": B}, (B,)),
        ({"imageUrls": [B]}, (B,)),
        ({"resultUrls": [], "image_urls": [B]}, (B,)),
        ({"resultUrls": [{"imageUrl": A}, {"imageUrl": B}]}, (A, B)),
        ({"resultUrls": [{"url": A}, {"imageUrl": B}]}, (A, B)),
        ({"resultUrls": [A], "scene": {"imageUrl": B}}, (A, B)),
        ({"resultUrls": [f" {A}\n"]}, (A,)),
    ],
)
def test_a_picture_that_goes_with_no_other_output_is_one(result: dict[str, Any], urls: tuple[str, ...]) -> None:
    reading = read(resultJson=result)
    assert (reading.state, reading.urls) == (KieState.SUCCESS, urls)
    assert len(reading.unread) == 1


def test_the_scheme_of_a_url_may_be_in_capitals() -> None:
    reading = read(resultJson={"resultUrls": ["HTTPS://r.example/A.png", "Http://r.example/B.png"]})
    assert reading.urls == ("https://r.example/A.png", "http://r.example/B.png")
    assert (reading.unread, reading.object_as_file) == ((), False)


# what is no output stays none


@pytest.mark.parametrize(
    "data",
    [
        {"param": json.dumps(ORDER), "sentImage": MINE, "resultJson": {"resultUrls": [A]}},
        {"paramJson": json.dumps(ORDER), "resultJson": {"resultUrls": [A], "inputImage": MINE}},
        {"input": {"image_urls": [MINE]}, "resultJson": {"resultUrls": [A], "prompt": "my words", "width": 640}},
        {"resultJson": {"resultUrls": [A]}, "response": {"resultUrls": ["https://mirror.example/x/a.mp4?sig=1"]}},
        {"imageUrl": B, "resultJson": {"resultUrls": [A]}},
        {"note": "a text of the record", "resultJson": {"resultUrls": [A]}},
    ],
    ids=["sent", "sent, echoed in the answer", "facts", "a mirror", "a cover in the record", "a text of the record"],
)
def test_inputs_facts_and_repetitions_raise_no_alert(data: dict[str, Any]) -> None:
    reading = read(**data)
    assert (reading.urls, reading.unread, reading.object_as_file) == ((A,), (), False)


@pytest.mark.parametrize(
    "result",
    [
        {"data": [{"id": "1", "title": "T", "audio_url": "", "stream_audio_url": A, "image_url": B}]},
        {"videoUrl": "", "imageUrl": B},
    ],
    ids=["a song without its sound", "a video without its file"],
)
def test_a_cover_is_not_sold_for_the_file_that_is_missing(result: dict[str, Any]) -> None:
    reading = read(resultJson=result)
    assert (reading.urls, reading.result_object, reading.unread) == ((), None, ())
