"""Every fault that can be ordered from the made-up Kie.ai happens as ordered, and only as often."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from photomat_sandbox.faults import Faults
from support.kie_sim import callback_receiver, running_kie, until


async def test_dropped_before_nothing_was_done() -> None:
    async with running_kie(credits=10.0) as kie:
        kie.faults.arm(world="kie", method="createTask", action="drop_before")
        with pytest.raises(aiohttp.ClientError):
            await kie.create()
        assert (kie.world.tasks, kie.world.credits) == ({}, 10.0)
        assert (await kie.create())["code"] == 200


async def test_dropped_after_the_task_exists_and_calls_back() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="createTask", action="drop_after")
        with pytest.raises(aiohttp.ClientError):
            await kie.create(callback=bot.url)
        (call,) = await bot.got(1)
        assert [call.body["data"]["taskId"]] == list(kie.world.tasks)


async def test_a_duplicated_order_makes_two_tasks_and_costs_twice() -> None:
    async with running_kie(credits=10.0) as kie:
        kie.faults.arm(world="kie", method="createTask", action="duplicate")
        reply = await kie.create()
        assert reply["data"]["taskId"] in kie.world.tasks
        assert len(kie.world.tasks) == 2
        assert kie.world.credits == pytest.approx(8.4)


async def test_an_error_is_answered_with_its_status_code_and_text() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=550, text="queue full")
        assert await kie.create() == {"code": 550, "msg": "queue full", "data": None}
        assert kie.world.tasks == {}


async def test_a_200_without_a_task_id_can_be_ordered() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="error", status=200, code=200, text="success")
        assert await kie.create() == {"code": 200, "msg": "success", "data": None}


async def test_a_gateway_page_is_html_with_a_real_status() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="recordInfo", action="error", status=502, text="Bad Gateway", html=True)
        async with kie.client.get(kie.url + "/api/v1/jobs/recordInfo") as response:
            assert (response.status, response.content_type) == (502, "text/html")
            assert "Bad Gateway" in await response.text()


async def test_too_many_is_a_body_code_with_http_200() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="too_many", times=2)
        assert [(await kie.create())["code"] for _ in range(3)] == [429, 429, 200]


async def test_never_keeps_the_client_waiting_and_the_simulator_well() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="never")
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(kie.create())
            await until(lambda: not kie.faults.pending())
            await asyncio.wait([waiting], timeout=0.2)
            assert waiting.cancel(), "it was still waiting"
        assert kie.world.tasks == {}
        assert (await kie.create())["code"] == 200


async def test_a_delay_delays() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="createTask", action="delay", delay_s=0.1)
        begun = asyncio.get_running_loop().time()
        assert (await kie.create())["code"] == 200
        assert asyncio.get_running_loop().time() - begun >= 0.1


@pytest.mark.parametrize(
    ("fault", "state", "code"),
    [
        ({"action": "never"}, "generating", None),
        ({"action": "error", "code": 501, "text": "generation failed"}, "fail", "501"),
        ({"action": "delay", "delay_s": 3600}, "generating", None),
    ],
)
async def test_a_fault_on_a_task_decides_its_end(fault: dict[str, Any], state: str, code: str | None) -> None:
    async with running_kie(seconds_to_success=0.0) as kie:
        kie.faults.arm(world="kie", method="task", **fault)
        task_id = await kie.task()
        if fault["action"] == "delay":
            task = kie.world.tasks[task_id]
            assert task.plan[-1].at == task.created_at + 3600
            return
        record = await kie.record(task_id)
        assert (record["state"], record["failCode"]) == (state, code)
        assert (await kie.record(await kie.task()))["state"] == "success"


async def test_a_callback_can_be_lost_while_the_record_says_success() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="never")
        lost = await kie.task("кот", bot.url)
        assert (await kie.ended(lost))["state"] == "success"
        later = await kie.task("маяк", bot.url)
        assert [call.body["data"]["taskId"] for call in await bot.got(1)] == [later]


async def test_a_callback_can_come_twice() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="duplicate")
        await kie.task("кот", bot.url)
        first, second = await bot.got(2)
        assert first.body == second.body


async def test_a_callback_can_be_overtaken_by_the_next() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="reorder")
        first = await kie.task("кот", bot.url)
        await until(lambda: any(event.kind == "fault" for event in kie.transcript.since(0)))
        assert bot.calls == []
        second = await kie.task("маяк", bot.url)
        assert [call.body["data"]["taskId"] for call in await bot.got(2)] == [second, first]


async def test_a_callback_can_come_after_the_poll_has_seen_the_end() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="delay", delay_s=0.2)
        task_id = await kie.task("кот", bot.url)
        assert (await kie.ended(task_id))["state"] == "success"
        assert bot.calls == []
        await bot.got(1)


async def test_a_callback_whose_answer_is_lost_is_sent_again() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="drop_after")
        await kie.task("кот", bot.url)
        first, second = await bot.got(2)
        assert first.body == second.body


async def test_a_callback_that_never_left_is_tried_again() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="drop_before")
        task_id = await kie.task("кот", bot.url)
        await bot.got(1)
        assert kie.world.tasks[task_id].callback_tries == 1


async def test_a_callback_can_disagree_with_the_record() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        kie.faults.arm(world="kie", method="callback", action="error", code=501, text="it failed, says the body")
        task_id = await kie.task("кот", bot.url)
        (call,) = await bot.got(1)
        assert (call.body["code"], call.body["data"]["state"]) == (501, "fail")
        assert (await kie.record(task_id))["state"] == "success"


async def test_faults_strike_uploads_and_downloads_too() -> None:
    async with running_kie() as kie:
        record = await kie.ended(await kie.task())
        (result,) = json.loads(record["resultJson"])["resultUrls"]
        kie.faults.arm(world="kie", method="download", action="error", status=503)
        kie.faults.arm(world="kie", method="upload", action="drop_after")
        async with kie.client.get(result) as response:
            assert response.status == 503
        form = aiohttp.FormData({"uploadPath": "in"})
        form.add_field("file", b"abc", filename="a.txt")
        with pytest.raises(aiohttp.ClientError):
            await kie.client.post(kie.url + "/api/file-stream-upload", data=form)
        assert [upload.content for upload in kie.world.uploads.values()] == [b"abc"]


def test_a_fault_skips_strikes_and_is_used_up() -> None:
    faults = Faults()
    armed = faults.arm(world="kie", method="create*", action="delay", skip=1, times=2)
    struck = [faults.take("kie", "createTask") is not None for _ in range(4)]
    assert struck == [False, True, True, False]
    assert faults.pending() == []
    assert armed.fault_id == 1


def test_a_fault_strikes_its_own_world_and_method_only() -> None:
    faults = Faults()
    faults.arm(world="kie", method="createTask", action="never", times=-1)
    assert faults.take("telegram", "createTask") is None
    assert faults.take("kie", "recordInfo") is None
    assert [faults.take("kie", "createTask") is not None for _ in range(3)] == [True] * 3
    faults.disarm(1)
    assert faults.take("kie", "createTask") is None


@pytest.mark.parametrize(
    "nonsense",
    [
        {"times": 0},
        {"delay_s": -1.0},
        {"status": 99},
        {"skip": -1},
        {"method": ""},
        {"action": "explode"},
        {"world": "x"},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(nonsense: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"world": "kie", "method": "*", "action": "delay"}
    with pytest.raises(ValueError, match="must"):
        Faults().arm(**fields | nonsense)
