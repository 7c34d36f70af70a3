"""The made-up Kie.ai keeps the jobs protocol: orders, records, refusals, limits and credits."""

import json
import re
from typing import Any

import pytest

from support.kie_sim import HandClock, running_kie, until

CREATE = "/api/v1/jobs/createTask"
QUERY = "/api/v1/jobs/recordInfo"


async def test_an_order_gives_a_task_id_of_32_hex_digits_twice() -> None:
    async with running_kie() as kie:
        reply = await kie.create()
        assert (reply["code"], reply["msg"]) == (200, "success")
        assert re.fullmatch(r"[0-9a-f]{32}", reply["data"]["taskId"])
        assert reply["data"]["recordId"] == reply["data"]["taskId"]


async def test_a_task_waits_generates_and_succeeds_as_time_passes() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, seconds_to_success=10.0) as kie:
        task_id = await kie.task()
        waiting = await kie.record(task_id)
        clock.now += 5
        generating = await kie.record(task_id)
        clock.now += 9
        done = await kie.record(task_id)
    assert [waiting["state"], generating["state"], done["state"]] == ["waiting", "generating", "success"]
    assert waiting["resultJson"] == generating["resultJson"] == ""
    assert waiting["costTime"] is None
    assert waiting["completeTime"] is None
    assert waiting["creditsConsumed"] == 0.8
    assert done["costTime"] == 10
    assert done["completeTime"] - done["createTime"] == 10_000
    assert done["failCode"] is None
    assert len(json.loads(done["resultJson"])["resultUrls"]) == 1


async def test_states_are_skipped_where_the_setting_says_so() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, seconds_to_success=10.0, skip_states=True) as kie:
        task_id = await kie.task()
        clock.now += 9
        assert (await kie.record(task_id))["state"] == "waiting"
        clock.now += 1
        assert (await kie.record(task_id))["state"] == "success"


async def test_video_takes_longer_than_a_picture() -> None:
    clock = HandClock()
    film = {"prompt": "море", "aspect_ratio": "16:9", "duration": "5", "sound": False}
    async with running_kie(clock=clock, seconds_to_success=4.0) as kie:
        picture = await kie.task()
        video = await kie.task(model="kling-2.6/text-to-video", input=film)
        clock.now += 5
        assert (await kie.record(picture))["state"] == "success"
        assert (await kie.record(video))["state"] == "generating"


async def test_param_is_json_in_json_with_its_keys_in_another_order() -> None:
    async with running_kie() as kie:
        task_id = await kie.task("маяк", "http://127.0.0.1:9/cb")
        param = json.loads((await kie.record(task_id))["param"])
        assert param["model"] == "z-image"
        assert param["callBackUrl"] == "http://127.0.0.1:9/cb"
        assert list(json.loads(param["input"]).items()) == [("aspect_ratio", "1:1"), ("prompt", "маяк")]
        silent = json.loads((await kie.record(await kie.task()))["param"])
        assert "callBackUrl" not in silent


async def test_param_shows_defaults_nobody_sent_where_the_setting_says_so() -> None:
    async with running_kie(added_defaults=True) as kie:
        given = json.loads(json.loads((await kie.record(await kie.task()))["param"])["input"])
        assert given["nsfw_checker"] is False
        assert given["aspect_ratio"] == "1:1"


async def test_a_failed_task_says_why_and_gives_the_credits_back() -> None:
    async with running_kie(credits=10.0) as kie:
        record = await kie.ended(await kie.task("что-то [fail] плохое"))
        assert (record["state"], record["failCode"], record["resultJson"]) == ("fail", "400", "")
        assert "content policies" in record["failMsg"]
        assert record["creditsConsumed"] == 0
        assert (await kie.get("/api/v1/chat/credit"))["data"] == 10.0


async def test_credits_are_taken_at_creation_and_their_lack_is_402() -> None:
    async with running_kie(credits=1.0, seconds_to_success=60.0) as kie:
        await kie.task()
        assert (await kie.get("/api/v1/chat/credit"))["data"] == pytest.approx(0.2)
        refused = await kie.create()
        assert (refused["code"], refused["data"]) == (402, None)
        assert len(kie.world.tasks) == 1


async def test_words_in_brackets_make_a_task_slow_empty_endless_or_plentiful() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, seconds_to_success=1.0) as kie:
        slow, empty, never, many = [await kie.task(f"кот [{word}]") for word in ("slow", "empty", "never", "many")]
        clock.now += 59
        assert (await kie.record(slow))["state"] == "generating"
        clock.now += 2
        assert (await kie.record(slow))["state"] == "success"
        assert json.loads((await kie.record(empty))["resultJson"]) == {"resultUrls": []}
        assert len(json.loads((await kie.record(many))["resultJson"])["resultUrls"]) == 4
        clock.now += 1_000_000
        assert (await kie.record(never))["state"] == "generating"


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        ({"model": "no-such-model"}, 422, "The model name you specified is not supported"),
        ({"model": None}, 500, "model is required"),
        ({"input": None}, 500, "input is required"),
        ({"input": {"aspect_ratio": "1:1"}}, 500, "prompt is required"),
        ({"input": {"prompt": "кот"}}, 500, "aspect_ratio is required"),
        ({"input": {"prompt": "кот", "aspect_ratio": "2:7"}}, 422, "aspect_ratio"),
        ({"input": {"prompt": "к" * 1001, "aspect_ratio": "1:1"}}, 422, "maximum length of 1000"),
        ({"input": {"prompt": 7, "aspect_ratio": "1:1"}}, 422, "prompt must be of type string"),
        ({"model": "google/nano-banana-edit", "input": {"prompt": "x", "image_urls": ["C:\\a.png"]}}, 422, "valid url"),
        ({"model": "kling-3.0/motion-control", "input": {}}, 422, "Please enter callBackUrl."),
    ],
)
async def test_a_wrong_order_is_refused_in_the_body_and_costs_nothing(
    change: dict[str, Any], code: int, text: str
) -> None:
    async with running_kie(credits=100.0) as kie:
        refused = await kie.create(**change)
        assert refused["code"] == code
        assert text in refused["msg"]
        assert refused["data"] is None
        assert (kie.world.tasks, kie.world.credits) == ({}, 100.0)


async def test_a_body_that_is_no_json_is_refused_in_the_body() -> None:
    async with running_kie() as kie, kie.client.post(kie.url + CREATE, data=b"{") as response:
        assert (response.status, (await response.json())["code"]) == (200, 400)


@pytest.mark.parametrize("header", ["", "Bearer wrong", "Basic kie-test-key"])
async def test_a_wrong_key_is_401_in_the_body(header: str) -> None:
    async with running_kie() as kie:
        async with kie.client.get(kie.url + QUERY, headers={"Authorization": header}) as response:
            body = await response.json()
        assert (response.status, body["code"], body["msg"]) == (200, 401, "You do not have access permissions")


async def test_the_21st_order_within_ten_seconds_is_429_and_makes_nothing() -> None:
    clock = HandClock()
    async with running_kie(clock=clock) as kie:
        codes = [(await kie.create())["code"] for _ in range(21)]
        assert codes == [200] * 20 + [429]
        assert len(kie.world.tasks) == 20
        clock.now += 10
        assert (await kie.create())["code"] == 200


async def test_the_11th_query_within_a_second_is_429() -> None:
    clock = HandClock()
    async with running_kie(clock=clock) as kie:
        task_id = await kie.task()
        codes = [(await kie.get(QUERY, taskId=task_id))["code"] for _ in range(11)]
        assert codes == [200] * 10 + [429]


async def test_too_many_running_tasks_and_maintenance_refuse_new_ones() -> None:
    async with running_kie(running_limit=1, seconds_to_success=60.0) as kie:
        await kie.task()
        assert (await kie.create())["code"] == 429
        kie.world.change({"maintenance": True})
        assert (await kie.create())["code"] == 455


async def test_an_unknown_task_and_a_fresh_one_in_its_grace_are_null() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, null_grace_s=3.0) as kie:
        unknown = await kie.get(QUERY, taskId="f" * 32)
        assert (unknown["code"], unknown["msg"], unknown["data"]) == (422, "recordInfo is null", None)
        task_id = await kie.task()
        assert (await kie.get(QUERY, taskId=task_id))["msg"] == "recordInfo is null"
        clock.now += 3
        assert (await kie.record(task_id))["taskId"] == task_id


async def test_the_number_of_pictures_follows_the_order_and_its_price_too() -> None:
    async with running_kie(credits=1000.0) as kie:
        task_id = await kie.task(model="wan/2-7-image", input={"prompt": "кот", "n": 3})
        record = await kie.ended(task_id)
        assert len(json.loads(record["resultJson"])["resultUrls"]) == 3
        single = kie.world.tasks[await kie.task(model="wan/2-7-image", input={"prompt": "кот", "n": 1})]
        assert record["creditsConsumed"] == pytest.approx(3 * single.order.credits)


async def test_speech_becomes_text_in_a_result_object() -> None:
    order = {"audio_url": "https://files.example/a.ogg"}
    async with running_kie() as kie:
        record = await kie.ended(await kie.task(model="elevenlabs/speech-to-text", input=order))
        told = json.loads(record["resultJson"])["resultObject"]
        assert {"language_code", "language_probability", "text", "words"} <= told.keys()


async def test_music_on_the_jobs_protocol_is_two_tracks_in_a_nested_envelope() -> None:
    order = {"prompt": "тихая песня", "custom_mode": False, "instrumental": True, "model": "V5"}
    async with running_kie() as kie:
        record = await kie.ended(await kie.task(model="ai-music-api/generate", input=order))
        told = json.loads(record["resultJson"])
        assert told["code"] == 200
        assert [track["audio_url"].endswith(".mp3") for track in told["data"]] == [True, True]


async def test_the_transcript_tells_the_story_without_secrets() -> None:
    async with running_kie() as kie:
        await kie.ended(await kie.task("кот", "http://127.0.0.1:9/kie/callback/17.topsecretsignature?x=hidden"))
        await until(lambda: any(event.kind == "callback" for event in kie.transcript.since(0)))
        events = kie.transcript.since(0)
        told = json.dumps([event.as_json() for event in events], ensure_ascii=False)
    assert [event.kind for event in events][:3] == ["request", "effect", "effect"]
    assert "«кот»" in told
    for secret in ("kie-test-key", "topsecretsignature", "hidden"):
        assert secret not in told
