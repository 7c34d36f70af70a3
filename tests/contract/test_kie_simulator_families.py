"""The older families of the made-up Kie.ai: own endpoints, own words, and the task's id in the vendor's places."""

from typing import Any

import pytest

from support.kie_sim import HandClock, Receiver, RunningKie, callback_receiver, running_kie, until

ORDERS: dict[str, dict[str, Any]] = {
    "veo/generate": {"prompt": "море", "model": "veo3_fast", "aspect_ratio": "16:9"},
    "runway/generate": {"prompt": "море", "duration": 5, "quality": "720p"},
    "aleph/generate": {"prompt": "море", "videoUrl": "https://files.example/a.mp4"},
    "gpt4o-image/generate": {"prompt": "кот", "size": "1:1"},
    "flux/kontext/generate": {"prompt": "кот", "aspectRatio": "16:9"},
}
QUERIES = {
    "veo/generate": "veo/record-info",
    "runway/generate": "runway/record-detail",
    "aleph/generate": "aleph/record-info",
    "gpt4o-image/generate": "gpt4o-image/record-info",
    "flux/kontext/generate": "flux/kontext/record-info",
}
SONG = {"prompt": "песня о море", "customMode": False, "instrumental": False, "model": "V5"}


async def order(kie: RunningKie, path: str, body: dict[str, Any], bot: Receiver | None = None) -> str:
    sent = body | ({"callBackUrl": bot.url} if bot else {})
    reply = await kie.post(f"/api/v1/{path}", sent)
    assert reply["code"] == 200, reply
    assert list(reply["data"]) == ["taskId"]
    return str(reply["data"]["taskId"])


def found(value: Any, *path: str | int) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("veo/generate", ("response", "resultUrls", 0)),
        ("runway/generate", ("videoInfo", "videoUrl")),
        ("aleph/generate", ("response", "resultVideoUrl")),
        ("gpt4o-image/generate", ("response", "resultUrls", 0)),
        ("flux/kontext/generate", ("response", "resultImageUrl")),
    ],
)
async def test_a_query_shows_the_result_in_the_familys_place(path: str, result: tuple[str | int, ...]) -> None:
    async with running_kie() as kie:
        task_id = await order(kie, path, ORDERS[path])
        data = (await kie.get(f"/api/v1/{QUERIES[path]}", taskId=task_id))["data"]
        assert data["taskId"] == task_id
        assert data.get("successFlag", 1) == 1
        async with kie.client.get(found(data, *result)) as response:
            assert response.status == 200


@pytest.mark.parametrize(
    ("path", "task_id_at", "result"),
    [
        ("veo/generate", ("data", "taskId"), ("data", "info", "resultUrls", 0)),
        ("runway/generate", ("data", "task_id"), ("data", "video_url")),
        ("aleph/generate", ("taskId",), ("data", "result_video_url")),
        ("gpt4o-image/generate", ("data", "taskId"), ("data", "info", "result_urls", 0)),
        ("flux/kontext/generate", ("data", "taskId"), ("data", "info", "resultImageUrl")),
    ],
)
async def test_a_callback_has_id_and_result_in_the_familys_places(
    path: str, task_id_at: tuple[str | int, ...], result: tuple[str | int, ...]
) -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        task_id = await order(kie, path, ORDERS[path], bot)
        body = (await bot.got(1))[0].body
        assert body["code"] == 200
        assert found(body, *task_id_at) == task_id
        assert "/results/" in found(body, *result)


@pytest.mark.parametrize("path", ORDERS)
async def test_a_failure_is_told_by_query_and_callback(path: str) -> None:
    async with running_kie(credits=200.0) as kie, callback_receiver() as bot:
        task_id = await order(kie, path, ORDERS[path] | {"prompt": "[fail]"}, bot)
        body = (await bot.got(1))[0].body
        assert body["code"] in (400, 500, 501)
        data = (await kie.get(f"/api/v1/{QUERIES[path]}", taskId=task_id))["data"]
        assert data["state"] == "fail" if path.startswith("runway") else data["successFlag"] in (2, 3)
        assert kie.world.credits == 200.0


async def test_a_flag_may_lag_behind_the_status() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, lagging_flag=True) as kie:
        task_id = await order(kie, "gpt4o-image/generate", ORDERS["gpt4o-image/generate"])
        early = (await kie.get("/api/v1/gpt4o-image/record-info", taskId=task_id))["data"]
        assert (early["successFlag"], early["status"]) == (0, "SUCCESS")
        assert early["completeTime"]
        clock.now += 2
        assert (await kie.get("/api/v1/gpt4o-image/record-info", taskId=task_id))["data"]["successFlag"] == 1


async def test_unknown_tasks_are_answered_in_the_familys_words() -> None:
    async with running_kie() as kie:
        music = await kie.get("/api/v1/generate/record-info", taskId="none")
        assert (music["code"], music["data"]) == (200, None)
        image = await kie.get("/api/v1/gpt4o-image/record-info", taskId="none")
        assert (image["code"], image["msg"]) == (422, "The record does not exist")
        wav = {"taskId": "none", "audioId": "a", "callBackUrl": "http://127.0.0.1:9/"}
        refused = await kie.post("/api/v1/wav/generate", wav)
        assert (refused["code"], refused["msg"]) == (422, "Record does not exist")


async def test_music_needs_a_callback_url() -> None:
    async with running_kie() as kie:
        refused = await kie.post("/api/v1/generate", SONG)
        assert (refused["code"], refused["msg"]) == (422, "Please enter callBackUrl.")


async def test_music_goes_through_its_stages_with_a_callback_each() -> None:
    clock = HandClock()
    seen = []
    async with running_kie(clock=clock, seconds_to_success=10.0) as kie, callback_receiver() as bot:
        task_id = await order(kie, "generate", SONG, bot)
        for stage, seconds in enumerate((0, 5, 5, 5)):
            clock.now += seconds
            record = (await kie.get("/api/v1/generate/record-info", taskId=task_id))["data"]
            seen.append((record["status"], len((record["response"] or {"sunoData": []})["sunoData"])))
            await bot.got(stage)
    assert seen == [("PENDING", 0), ("TEXT_SUCCESS", 0), ("FIRST_SUCCESS", 1), ("SUCCESS", 2)]
    bodies = [call.body["data"] for call in bot.calls]
    assert [data["callbackType"] for data in bodies] == ["text", "first", "complete"]
    assert {data["task_id"] for data in bodies} == {task_id}
    assert [len([track for track in data["data"] if track["audio_url"]]) for data in bodies] == [0, 1, 2]


async def test_music_may_fail_after_its_first_track() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        task_id = await order(kie, "generate", SONG | {"prompt": "[fail]"}, bot)
        await bot.got(3)
        told = {call.body["data"]["callbackType"]: call.body for call in bot.calls}
        assert told.keys() == {"text", "first", "error"}
        assert (told["error"]["code"], told["error"]["data"]["data"]) == (501, None)
        record = (await kie.get("/api/v1/generate/record-info", taskId=task_id))["data"]
        assert record["status"] == "SENSITIVE_WORD_ERROR"


async def test_music_whose_callbacks_nobody_takes_says_callback_exception() -> None:
    async with running_kie(callback_retries=0) as kie:
        sent = SONG | {"callBackUrl": "http://127.0.0.1:9/cb"}
        task_id = await order(kie, "generate", sent)
        await until(lambda: kie.world.tasks[task_id].callback_given_up)
        record = (await kie.get("/api/v1/generate/record-info", taskId=task_id))["data"]
        assert record["status"] == "CALLBACK_EXCEPTION"
        assert len(record["response"]["sunoData"]) == 2


@pytest.mark.parametrize(
    ("path", "query", "id_name", "result"),
    [
        ("wav/generate", "wav/record-info", "task_id", "audio_wav_url"),
        ("vocal-removal/generate", "vocal-removal/record-info", "task_id", "vocal_removal_info"),
        ("midi/generate", "midi/record-info", "taskId", "instruments"),
        ("suno/cover/generate", "suno/cover/record-info", "taskId", "images"),
        ("lyrics", "lyrics/record-info", "task_id", "data"),
    ],
)
async def test_the_music_tools_call_back_once(path: str, query: str, id_name: str, result: str) -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        song = await order(kie, "generate", SONG, bot)
        await bot.got(3)
        tool = await order(
            kie, path, {"taskId": song, "audioId": next(iter(kie.world.tracks)), "prompt": "строки"}, bot
        )
        data = (await bot.got(4))[3].body["data"]
        assert data[id_name] == tool
        assert data[result]
        record = (await kie.get(f"/api/v1/{query}", taskId=tool))["data"]
        assert record.get("status", record.get("successFlag")) == "SUCCESS"
        assert record["response"]


async def test_veo_prices_follow_the_tier_and_a_larger_film_is_ready_after_the_end() -> None:
    async with running_kie(credits=1000.0, seconds_to_success=60.0) as kie:
        task_id = await order(kie, "veo/generate", {"prompt": "море", "model": "veo3"})
        assert kie.world.credits == 750.0
        assert (await kie.get("/api/v1/veo/get-1080p-video", taskId=task_id))["code"] == 400
        await kie.post(f"/sandbox/tasks/{task_id}", {"state": "success"})
        ready = await kie.get("/api/v1/veo/get-1080p-video", taskId=task_id)
        assert ready["data"]["resultUrl"].endswith(".mp4")


async def test_the_quick_music_tools_answer_at_once() -> None:
    async with running_kie(credits=100.0) as kie, callback_receiver() as bot:
        song = await order(kie, "generate", SONG, bot)
        await bot.got(3)
        track = {"taskId": song, "audioId": next(iter(kie.world.tracks))}
        named = track | {"name": "Анна", "description": "голос"}
        assert (await kie.post("/api/v1/generate/generate-persona", named))["data"]["personaId"]
        timed = await kie.post("/api/v1/generate/get-timestamped-lyrics", track)
        assert [word["word"] for word in timed["data"]["alignedWords"]] == ["песня", "о", "море"]
        style = (await kie.post("/api/v1/style/generate", {"content": "lo-fi"}))["data"]
        assert (style["successFlag"], style["creditsRemaining"]) == ("成功", pytest.approx(87.1))
        refused = await kie.post("/api/v1/generate/generate-persona", named | {"taskId": "none"})
        assert (refused["code"], refused["msg"]) == (422, "Record does not exist")
