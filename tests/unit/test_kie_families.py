"""What each family of Kie says about a task, in its record and in its callbacks, and what we make of it."""

import json
from typing import Any

import pytest

from photomat.kie.protocol import FAMILIES
from photomat.kie.state_parser import KieState, Reading, extract_task_id, parse_kie_state

RUNNING, SUCCESS, FAIL = KieState.RUNNING, KieState.SUCCESS, KieState.FAIL
A, B, C = "https://r.example/a.mp4", "https://r.example/b.mp3", "https://r.example/c.png"
Expected = tuple[KieState, tuple[str, ...]]


def record(**data: Any) -> Reading:
    """A record as the client hands it on: without its envelope."""
    return parse_kie_state({"data": {"taskId": "t-1", **data}})


def callback(data: Any, *, code: Any = 200, msg: str = "said", **top: Any) -> Reading:
    """A callback: the whole envelope, and the task's id wherever it stands."""
    payload = {"code": code, "msg": msg, "data": data, **top}
    assert extract_task_id(payload) == "t-1"
    return parse_kie_state(payload)


def seen(reading: Reading) -> Expected:
    return reading.state, reading.urls


def in_json(**result: Any) -> str:
    return json.dumps(result)


# jobs: a state, and the results as JSON in a string (or as an object)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"state": "waiting", "resultJson": ""}, (RUNNING, ())),
        ({"state": "queuing", "resultJson": None}, (RUNNING, ())),
        ({"state": "generating"}, (RUNNING, ())),
        ({"state": "success", "resultJson": in_json(resultUrls=[C, A])}, (SUCCESS, (C, A))),
        ({"state": "success", "resultJson": {"resultUrls": [C]}}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": json.dumps(in_json(resultUrls=[C]))}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(resultUrls=[])}, (SUCCESS, ())),
        ({"state": "success", "resultJson": "{not json"}, (SUCCESS, ())),
        ({"state": "success", "resultJson": in_json(resultUrls=[C, C, None, 7, "ftp://x/y"])}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(resultUrls=C)}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(resultUrls=json.dumps([C, A]))}, (SUCCESS, (C, A))),
        ({"state": "success", "resultJson": in_json(result_urls=[C])}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(urls=[C])}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(url=C)}, (SUCCESS, (C,))),
        ({"state": "success", "resultJson": in_json(video_url=A)}, (SUCCESS, (A,))),
        ({"state": "success", "resultJson": "", "response": {"resultUrls": [C]}}, (SUCCESS, (C,))),
        ({"state": "success", "successFlag": 0, "resultJson": in_json(resultUrls=[C])}, (SUCCESS, (C,))),
        (
            {"state": "success", "resultJson": in_json(resultUrls=[A]), "response": {"resultUrls": [C]}},
            (SUCCESS, (A, C)),
        ),
        ({"state": "fail", "resultJson": None, "failCode": "400", "failMsg": "flagged"}, (FAIL, ())),
        ({"state": "fail", "successFlag": 0}, (FAIL, ())),
    ],
)
def test_jobs_records(data: dict[str, Any], expected: Expected) -> None:
    assert seen(record(**data)) == expected


def test_jobs_callbacks_say_what_the_record_says() -> None:
    good = {"taskId": "t-1", "state": "success", "resultJson": in_json(resultUrls=[C])}
    assert seen(callback(good)) == (SUCCESS, (C,))
    bad = callback({"taskId": "t-1", "state": "fail", "failCode": "500", "failMsg": "no"}, code=501, msg="failed")
    assert (bad.state, bad.fail_code, bad.error) == (FAIL, "500", "no")


# jobs: what else resultJson may hold


def test_a_copy_with_a_water_mark_is_a_result_only_where_there_is_no_clean_one() -> None:
    both = in_json(resultUrls=[A], resultWaterMarkUrls=[C])
    assert record(state="success", resultJson=both).urls == (A,)
    assert record(state="success", resultJson=in_json(resultUrls=[], resultWaterMarkUrls=[C])).urls == (C,)


def test_the_frames_that_were_asked_for_come_behind_the_film() -> None:
    first = "https://r.example/first.png"
    found = in_json(resultUrls=[A], firstFrameUrl=first, lastFrameUrl=C)
    assert record(state="success", resultJson=found).urls == (A, first, C)
    assert record(state="success", resultJson=in_json(lastFrameUrl=C)).urls == (), "a frame alone is no film"


def test_speech_to_text_is_an_object_without_files() -> None:
    heard = {"language_code": "ru", "text": "привет", "words": [{"text": "привет", "start": 0, "end": 0.4}]}
    reading = record(state="success", resultJson=in_json(resultObject=heard))
    assert (reading.urls, reading.result_object) == ((), heard)


def test_a_map_of_segments_is_its_masks_and_its_object() -> None:
    parts = {"segments_count": 2, "segments": [{"maskUrl": C, "name": "cat", "index": 0}, {"maskUrl": A, "index": 1}]}
    reading = record(state="success", resultJson=in_json(resultObject=parts))
    assert (reading.urls, reading.result_object) == ((C, A), parts)


def test_speech_with_times_has_both() -> None:
    times = {"timestamps": [{"word": "a", "start": 0}]}
    reading = record(state="success", resultJson=in_json(resultUrls=[B], resultObject=times))
    assert (reading.urls, reading.result_object) == ((B,), times)


def test_music_on_jobs_is_its_tracks_without_streams_and_covers() -> None:
    tracks = [
        {"id": "1", "audio_url": A, "stream_audio_url": "https://s.example/1", "image_url": C, "title": "T"},
        {"id": "2", "audio_url": B, "stream_audio_url": "https://s.example/2", "image_url": C, "title": "T"},
    ]
    assert record(state="success", resultJson=in_json(code=200, data=tracks)).urls == (A, B)


# Veo: successFlag 0 to 3


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"successFlag": 0, "response": None}, (RUNNING, ())),
        (
            {"successFlag": 1, "response": {"resultUrls": [A], "originUrls": [C], "fullResultUrls": None}},
            (SUCCESS, (A,)),
        ),
        (
            {"successFlag": 1, "response": {"resultUrls": None, "fullResultUrls": [A], "originUrls": [C]}},
            (SUCCESS, (A,)),
        ),
        ({"successFlag": 1, "response": {"resultUrls": [], "originUrls": [C]}}, (SUCCESS, ())),
        ({"successFlag": 2, "errorCode": 400, "errorMessage": "refused"}, (FAIL, ())),
        ({"successFlag": 3, "errorCode": 500, "errorMessage": "broke"}, (FAIL, ())),
    ],
)
def test_veo_records(data: dict[str, Any], expected: Expected) -> None:
    assert seen(record(**data)) == expected


@pytest.mark.parametrize("id_key", ["taskId", "task_id"])
def test_veo_callbacks(id_key: str) -> None:
    info = {"resultUrls": [A], "originUrls": [C], "resolution": "720p"}
    assert seen(callback({id_key: "t-1", "info": info, "fallbackFlag": False})) == (SUCCESS, (A,))
    failed = callback({id_key: "t-1", "fallbackFlag": False}, code=501, msg="it broke")
    assert (failed.state, failed.fail_code, failed.error) == (FAIL, "501", "it broke")


@pytest.mark.parametrize("info", [{"resultUrls": [A], "imageUrls": [C]}, {"result_urls": [A], "image_urls": [C]}])
def test_veo_4k_callbacks_are_the_film_and_not_its_stills(info: dict[str, Any]) -> None:
    assert seen(callback({"taskId": "t-1", "info": info})) == (SUCCESS, (A,))


# Suno: a chain of statuses, three callbacks, and tools


TRACKS = [{"id": "1", "audioUrl": A, "streamAudioUrl": C, "imageUrl": C}, {"id": "2", "audioUrl": B, "imageUrl": C}]


@pytest.mark.parametrize(
    ("status", "tracks", "expected"),
    [
        ("PENDING", [], (RUNNING, ())),
        ("TEXT_SUCCESS", [], (RUNNING, ())),
        ("FIRST_SUCCESS", TRACKS[:1], (RUNNING, (A,))),
        ("SUCCESS", TRACKS, (SUCCESS, (A, B))),
        ("CALLBACK_EXCEPTION", TRACKS, (SUCCESS, (A, B))),
        ("CALLBACK_EXCEPTION", [], (RUNNING, ())),
        ("CREATE_TASK_FAILED", [], (FAIL, ())),
        ("GENERATE_AUDIO_FAILED", TRACKS[:1], (FAIL, (A,))),
        ("SENSITIVE_WORD_ERROR", [], (FAIL, ())),
    ],
)
def test_music_records(status: str, tracks: list[dict[str, Any]], expected: Expected) -> None:
    response = {"taskId": "t-1", "sunoData": tracks} if tracks else None
    assert seen(record(status=status, response=response, type="GENERATE")) == expected


@pytest.mark.parametrize(
    ("kind", "code", "state"),
    [
        ("text", 200, RUNNING),
        ("first", 200, RUNNING),
        ("complete", 200, SUCCESS),
        ("error", 501, FAIL),
        ("new", 200, RUNNING),
    ],
)
def test_only_the_last_callback_of_music_ends_it(kind: str, code: int, state: KieState) -> None:
    tracks = None if kind == "error" else [{"id": "1", "audio_url": B, "stream_audio_url": C, "source_audio_url": A}]
    reading = callback({"callbackType": kind, "task_id": "t-1", "data": tracks}, code=code, msg="said so")
    assert reading.state is state
    assert reading.urls == (() if kind == "error" else (B,))
    assert reading.fail_code == ("501" if kind == "error" else None)


def test_a_track_without_its_file_is_not_replaced_by_its_stream() -> None:
    tracks = [{"audio_url": "", "stream_audio_url": C, "source_audio_url": ""}]
    assert record(status="SUCCESS", response={"sunoData": tracks}).urls == ()


WAV = "https://r.example/x.wav"
STEMS = {"vocalUrl": A, "instrumentalUrl": B, "originUrl": C}
SNAKE_STEMS = {"vocal_url": A, "instrumental_url": B, "origin_url": C, "drums_url": ""}
NOTES = {"state": "complete", "instruments": [{"name": "Piano", "notes": [{"pitch": 60}]}]}
LINES = [{"text": "ля-ля", "title": "Песня", "status": "complete"}, {"text": "", "title": "пусто"}]


@pytest.mark.parametrize(
    ("response", "told", "urls", "words"),
    [
        ({"audioWavUrl": WAV}, {"task_id": "t-1", "audio_wav_url": WAV}, (WAV,), None),
        (STEMS, {"task_id": "t-1", "vocal_removal_info": SNAKE_STEMS}, (A, B), None),
        ({"videoUrl": A}, {"task_id": "t-1", "video_url": A}, (A,), None),
        ({"images": [C, A]}, {"taskId": "t-1", "images": [C, A]}, (C, A), None),
        (NOTES, {"taskId": "t-1", **NOTES}, (), {"instruments": NOTES["instruments"]}),
        (
            {"data": LINES},
            {"callbackType": "complete", "task_id": "t-1", "data": LINES},
            (),
            {"text": "Песня\n\nля-ля"},
        ),
    ],
    ids=["wav", "vocals", "mp4", "cover", "midi", "lyrics"],
)
def test_the_tools_of_suno(
    response: dict[str, Any], told: dict[str, Any], urls: tuple[str, ...], words: dict[str, Any] | None
) -> None:
    for flag in ({"successFlag": "SUCCESS"}, {"status": "SUCCESS"}):
        reading = record(**flag, response={"taskId": "t-1", **response})
        assert (reading.state, reading.urls, reading.result_object) == (SUCCESS, urls, words)
    assert record(successFlag="PENDING", response=None).state is RUNNING
    assert record(successFlag="GENERATE_WAV_FAILED", errorCode=500).state is FAIL
    heard = callback(told)
    assert (heard.state, heard.urls, heard.result_object) == (SUCCESS, urls, words)
    assert callback({"task_id": "t-1"}, code=501).state is FAIL


def test_notes_may_stand_in_a_field_of_their_own() -> None:
    for notes in (NOTES, json.dumps(NOTES)):
        assert record(successFlag="SUCCESS", midiData=notes).result_object == {"instruments": NOTES["instruments"]}


def test_twelve_stems_are_all_results_and_the_song_they_were_cut_from_is_none() -> None:
    names = ("vocal", "backing_vocals", "drums", "bass", "guitar", "keyboard", "percussion", "strings", "synth", "fx")
    stems = {f"{name}_url": f"https://r.example/{name}.mp3" for name in (*names, "brass", "woodwinds")}
    reading = callback({"task_id": "t-1", "vocal_removal_info": {**stems, "origin_url": C}})
    assert set(reading.urls) == set(stems.values())


# Runway, Aleph


@pytest.mark.parametrize("state", ["wait", "queueing", "generating"])
def test_runway_at_work(state: str) -> None:
    assert seen(record(state=state, videoInfo=None, failCode=0, failMsg="")) == (RUNNING, ())


def test_runway_ends() -> None:
    film = {"videoId": "v", "taskId": "t-1", "videoUrl": A, "imageUrl": C}
    good = record(state="success", videoInfo=film, failCode=0, failMsg="", generateParam={"imageUrl": C}, expireFlag=0)
    assert (*seen(good), good.fail_code) == (SUCCESS, (A,), None)
    bad = record(state="fail", videoInfo=None, failCode=400, failMsg="not this")
    assert (bad.state, bad.fail_code, bad.error) == (FAIL, "400", "not this")
    assert seen(callback({"task_id": "t-1", "video_id": "v", "video_url": A, "image_url": C})) == (SUCCESS, (A,))
    empty = {"task_id": "t-1", "video_id": "", "video_url": "", "image_url": ""}
    assert seen(callback(empty, code=400)) == (FAIL, ())
    assert seen(callback(empty)) == (RUNNING, ()), "a good code without a film decides nothing"


def test_aleph_gives_the_film_and_not_its_still_and_names_its_task_outside() -> None:
    response = {"taskId": "t-1", "resultVideoUrl": A, "resultImageUrl": C}
    assert seen(record(successFlag=1, response=response)) == (SUCCESS, (A,))
    assert record(successFlag=3, errorCode=500, response=None).state is FAIL
    result = {"result_video_url": A, "result_image_url": C}
    assert seen(callback(result, taskId="t-1")) == (SUCCESS, (A,))
    assert seen(callback({"task_id": "t-1", **result})) == (SUCCESS, (A,))
    failed = callback(None, code=500, msg="it broke", taskId="t-1")
    assert (failed.state, failed.fail_code, failed.error) == (FAIL, "500", "it broke")


# GPT-4o image, Flux Kontext, Midjourney


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"successFlag": 0, "status": "GENERATING"}, (RUNNING, ())),
        ({"successFlag": 0, "status": "SUCCESS", "completeTime": 1, "response": {"resultUrls": [C]}}, (SUCCESS, (C,))),
        ({"successFlag": 1, "status": "SUCCESS", "response": {"resultUrls": [C, A]}}, (SUCCESS, (C, A))),
        ({"successFlag": 0, "status": "GENERATE_FAILED"}, (FAIL, ())),
        ({"successFlag": 2, "status": "CREATE_TASK_FAILED"}, (FAIL, ())),
    ],
)
def test_gpt4o_records_where_a_flag_may_lag(data: dict[str, Any], expected: Expected) -> None:
    assert seen(record(**data)) == expected


def test_gpt4o_callbacks() -> None:
    assert seen(callback({"taskId": "t-1", "info": {"result_urls": [C]}})) == (SUCCESS, (C,))
    assert seen(callback({"taskId": "t-1", "info": None}, code=400)) == (FAIL, ())


def test_kontext_gives_the_result_and_never_what_it_was_made_of() -> None:
    links = {"originImageUrl": A, "resultImageUrl": C}
    assert seen(record(successFlag=1, response=links)) == (SUCCESS, (C,))
    assert seen(record(successFlag=1, response={"originImageUrl": A})) == (SUCCESS, ())
    assert seen(callback({"taskId": "t-1", "info": links})) == (SUCCESS, (C,))
    assert record(successFlag=2).state is FAIL
    assert seen(callback({"taskId": "t-1", "info": None}, code=501)) == (FAIL, ())


@pytest.mark.parametrize("as_text", [False, True])
def test_midjourney_wraps_each_of_its_results(as_text: bool) -> None:  # noqa: FBT001  a case of the table
    info = {"resultUrls": [{"resultUrl": C}, {"resultUrl": A}, {"resultUrl": None}]}
    assert seen(record(successFlag=1, resultInfoJson=json.dumps(info) if as_text else info)) == (SUCCESS, (C, A))
    assert record(successFlag=0, resultInfoJson=None).state is RUNNING
    assert record(successFlag=3, errorMessage="no").state is FAIL


# what is no callback


@pytest.mark.parametrize("code", [422, 404, 400, 200, 500])
def test_an_answer_that_names_no_task_decides_nothing(code: int) -> None:
    assert parse_kie_state({"code": code, "msg": "recordInfo is null", "data": None}).state is RUNNING


def test_every_family_has_one_place_to_create_and_one_to_ask() -> None:
    creates = [family.create for family in FAMILIES.values()]
    assert len(creates) == len(set(creates))
    assert all(family.query != family.create for family in FAMILIES.values())
    assert [name for name, family in FAMILIES.items() if family.wraps] == ["jobs"]
