"""The remote control: the transcript can be followed, faults and settings ordered, nonsense is refused in a sentence."""

import asyncio
from typing import Any

import pytest

from photomat_sandbox.transcript import KEPT_EVENTS, Transcript
from support.kie_sim import running_kie, until


async def test_the_transcript_can_be_followed_from_where_one_left() -> None:
    async with running_kie() as kie:
        await kie.task("кот")
        await until(lambda: kie.transcript.last == 3)
        told = await kie.get("/sandbox/transcript")
        assert [event["n"] for event in told["events"]] == [1, 2, 3]
        assert {"n", "at", "world", "kind", "name", "summary", "detail"} == told["events"][0].keys()
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(kie.get("/sandbox/transcript", since=str(told["last"]), wait="5"))
            group.create_task(kie.get("/api/v1/chat/credit"))
        later = waiting.result()
        assert [event["name"] for event in later["events"]] == ["credit"]
        nothing = await kie.get("/sandbox/transcript", since=str(later["last"]), wait="0.01")
        assert nothing == {"events": [], "last": later["last"]}


async def test_faults_can_be_armed_listed_and_taken_away() -> None:
    async with running_kie() as kie:
        armed = await kie.post("/sandbox/faults", {"method": "createTask", "action": "too_many", "times": -1})
        assert (armed["world"], armed["fault_id"]) == ("kie", 1)
        await kie.post("/sandbox/faults", {"method": "*", "action": "delay", "world": "telegram", "delay_s": 2})
        assert len((await kie.get("/sandbox/faults"))["faults"]) == 2
        assert (await kie.create())["code"] == 429
        async with kie.client.delete(kie.url + "/sandbox/faults/1") as response:
            assert [fault["fault_id"] for fault in (await response.json())["faults"]] == [2]
        async with kie.client.delete(kie.url + "/sandbox/faults"):
            assert kie.faults.pending() == []
        assert (await kie.create())["code"] == 200


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("faults", {"action": "delay"}, "method"),
        ("faults", {"method": "*", "action": "explode"}, "action must be one of"),
        ("faults", {"method": "*", "action": "delay", "times": "often"}, "times must be of type int"),
        ("faults", {"method": "*", "action": "delay", "colour": "red"}, "colour is not a field"),
        ("faults", [1], "JSON object"),
        ("settings", {"colour": "red"}, "colour is not a setting"),
        ("settings", {"seconds_to_success": "4"}, "must be of type float"),
        ("settings", {"seconds_to_success": -1}, "must not be negative"),
        ("settings", {"credits": "all"}, "credits must be a number"),
        ("tasks/unknown", {"state": "success"}, "no such task"),
    ],
)
async def test_nonsense_is_refused_with_a_sentence(path: str, body: Any, text: str) -> None:
    async with running_kie() as kie, kie.client.post(f"{kie.url}/sandbox/{path}", json=body) as response:
        assert response.status == 400
        assert text in (await response.json())["error"]


async def test_settings_are_changed_while_it_runs() -> None:
    async with running_kie() as kie:
        shown = await kie.post("/sandbox/settings", {"seconds_to_success": 60, "credits": 0.5, "null_grace_s": 9})
        assert (shown["seconds_to_success"], shown["credits"]) == (60, 0.5)
        assert (await kie.create())["code"] == 402
        await kie.post("/sandbox/settings", {"credits": 100})
        task_id = await kie.task()
        assert not kie.world.tasks[task_id].is_over


async def test_tasks_are_listed_and_wrong_orders_for_them_refused() -> None:
    async with running_kie(seconds_to_success=60.0) as kie:
        task_id = await kie.task("кот")
        (shown,) = (await kie.get("/sandbox/tasks"))["tasks"]
        assert (shown["task_id"], shown["state"], shown["prompt"]) == (task_id, "waiting", "кот")
        for path, body in (("", {"state": "maybe"}), ("/callback", {"times": 0}), ("/callback", {})):
            async with kie.client.post(f"{kie.url}/sandbox/tasks/{task_id}{path}", json=body) as response:
                assert response.status == 400


def test_the_transcript_is_bounded_and_its_numbers_rise() -> None:
    transcript = Transcript()
    for _ in range(KEPT_EVENTS + 10):
        transcript.add(world="kie", kind="effect", name="x", summary="s" * 900, detail={"deep": [{"text": "t" * 900}]})
    assert transcript.since(0, limit=1)[0].n == 11
    event = transcript.since(KEPT_EVENTS + 9)[0]
    assert len(event.summary) == 500
    assert event.detail == {"deep": [{"text": "t" * 499 + "…"}]}
    assert transcript.add(world="kie", kind="effect", name="x", summary="s").n == KEPT_EVENTS + 11


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v1/jobs/nothing", "/api/v9/jobs/createTask", "/nothing"])
async def test_an_unknown_path_is_refused_in_json(method: str, path: str) -> None:
    async with running_kie() as kie, kie.client.request(method, kie.url + path) as response:
        assert (response.status, response.content_type) == (404, "application/json")
        assert await response.json() == {"code": 404, "msg": "Not Found", "data": None}


async def test_a_known_path_with_another_verb_is_refused_in_json() -> None:
    async with running_kie() as kie, kie.client.get(kie.url + "/api/v1/jobs/createTask") as response:
        assert (response.status, (await response.json())["code"]) == (405, 405)
