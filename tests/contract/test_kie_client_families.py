"""The client speaks every protocol of its table with the made-up Kie.ai: create, callback, record, good and bad ends."""

from typing import Any

import aiohttp
import pytest
from aiohttp import web

from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import TaskId
from photomat.kie.client import KieClient
from photomat.kie.port import Busy, TaskRefused
from photomat.kie.protocol import FAMILIES, JOBS
from photomat.kie.state_parser import KieState, extract_task_id, parse_kie_state
from photomat_chaos.lab.load_balancer import serving
from support.kie_sim import Receiver, RunningKie, callback_receiver, running_kie, until
from support.steps import kie_client

SONG = {"prompt": "песня о море", "customMode": False, "instrumental": False, "model": "V5"}
UPLOADED = {"uploadUrl": "https://files.example/a.mp3", "title": "T", "negativeTags": "-", "callBackUrl": "replaced"}
INPUTS: dict[str, dict[str, Any]] = {
    JOBS: {"prompt": "кот", "aspect_ratio": "1:1"},
    "veo": {"prompt": "море", "model": "veo3_fast", "aspect_ratio": "16:9"},
    "veo/extend": {"prompt": "дальше"},
    "veo/4k": {"prompt": "море"},
    "runway": {"prompt": "море", "duration": 5, "quality": "720p"},
    "runway/extend": {"prompt": "дальше", "quality": "720p"},
    "aleph": {"prompt": "море", "videoUrl": "https://files.example/a.mp4"},
    "gpt4o-image": {"prompt": "кот", "size": "1:1"},
    "flux-kontext": {"prompt": "кот", "aspectRatio": "16:9"},
    "suno": SONG,
    "suno/extend": SONG | {"defaultParamFlag": True},
    "suno/upload-cover": SONG | UPLOADED,
    "suno/upload-extend": SONG | UPLOADED | {"defaultParamFlag": True, "continueAt": 5},
    "suno/add-instrumental": UPLOADED | {"tags": "lo-fi", "prompt": "песня"},
    "suno/add-vocals": UPLOADED | {"prompt": "песня", "style": "lo-fi"},
    "suno/mashup": SONG | {"uploadUrlList": ["https://files.example/a.mp3"], "style": "lo-fi", "title": "T"},
    "suno/replace-section": SONG | {"tags": "a", "title": "T", "infillStartS": 1, "infillEndS": 2, "fullLyrics": "ля"},
    "suno/sounds": {"prompt": "дождь", "model": "V5"},
    "suno/lyrics": {"prompt": "строки о море"},
    "suno/wav": {"prompt": "песня"},
    "suno/vocals": {"prompt": "песня"},
    "suno/midi": {"prompt": "песня"},
    "suno/mp4": {"prompt": "песня"},
    "suno/cover": {"prompt": "песня"},
}
PARENTS = {
    "suno/extend": "suno",
    "veo/extend": "veo",
    "veo/4k": "veo",
    "runway/extend": "runway",
    **dict.fromkeys(("suno/wav", "suno/vocals", "suno/midi", "suno/mp4", "suno/cover"), "suno"),
}
WITHOUT_FILES = ("suno/midi", "suno/lyrics")
GONE = ("midjourney",)
"""Taken out of the vendor's documents, so the made-up vendor has it no more."""


async def create(sim: RunningKie, kie: KieClient, protocol: str, bot: Receiver | None, **changes: Any) -> TaskId:
    """Order a task, and before it the one it is made from, which must have ended well."""
    inputs = INPUTS[protocol] | changes
    if protocol in PARENTS:
        parent = await create(sim, kie, PARENTS[protocol], bot)
        await sim.post(f"/sandbox/tasks/{parent}", {"state": "success"})
        tracks = [name for name, task in sim.world.tracks.items() if task == parent]
        inputs |= {"taskId": parent} | ({"audioId": tracks[0]} if tracks else {})
    url = bot.url if bot else None
    return await kie.create_task(model="z-image", inputs=inputs, callback_url=url, protocol=protocol)


async def ended(sim: RunningKie, task_id: str) -> None:
    await until(lambda: sim.world.tasks[task_id].is_over)


def test_every_protocol_of_the_table_is_tried_here() -> None:
    assert INPUTS.keys() | set(GONE) == FAMILIES.keys()


@pytest.mark.parametrize("protocol", INPUTS)
async def test_a_task_is_created_called_back_about_and_found_done(protocol: str) -> None:
    async with running_kie() as sim, callback_receiver() as bot, kie_client(sim.url) as kie:
        task_id = await create(sim, kie, protocol, bot)
        await ended(sim, task_id)
        reading = await kie.record(task_id, protocol=protocol)
        assert reading is not None
        assert reading.state is KieState.SUCCESS
        assert reading.result_object if protocol in WITHOUT_FILES else reading.urls
        async with aiohttp.ClientSession() as session:
            for url in reading.urls:
                async with session.get(url, headers={"User-Agent": "Photomat"}) as response:
                    assert response.status == 200, "what we take for a result can be fetched"
        await until(lambda: any(told(call.body, task_id) is KieState.SUCCESS for call in bot.calls))


def told(body: dict[str, Any], task_id: str) -> KieState | None:
    """What a callback says, if it speaks of this task."""
    return parse_kie_state(body).state if extract_task_id(body) == task_id else None


@pytest.mark.parametrize("protocol", INPUTS)
async def test_a_failed_task_is_told_as_failed_both_ways(protocol: str) -> None:
    async with running_kie() as sim, callback_receiver() as bot, kie_client(sim.url) as kie:
        task_id = await create(sim, kie, protocol, bot, prompt="[fail]")
        await ended(sim, task_id)
        reading = await kie.record(task_id, protocol=protocol)
        assert reading is not None
        assert (reading.state, bool(reading.fail_code)) == (KieState.FAIL, True)
        await until(lambda: any(told(call.body, task_id) is KieState.FAIL for call in bot.calls))
        assert not [call for call in bot.calls if told(call.body, task_id) is KieState.SUCCESS]


@pytest.mark.parametrize("protocol", INPUTS)
async def test_a_task_at_work_is_running_and_an_unknown_one_is_nothing(protocol: str) -> None:
    async with running_kie(seconds_to_success=60.0) as sim, callback_receiver() as bot, kie_client(sim.url) as kie:
        task_id = await create(sim, kie, protocol, bot)
        reading = await kie.record(task_id, protocol=protocol)
        assert reading is not None
        assert reading.state is KieState.RUNNING
        assert await kie.record(TaskId("0" * 32), protocol=protocol) is None


async def test_a_lagging_flag_and_an_undelivered_callback_do_not_hide_a_result() -> None:
    async with running_kie(lagging_flag=True, callback_retries=0) as sim, kie_client(sim.url) as kie:
        image = await create(sim, kie, "gpt4o-image", None)
        await ended(sim, image)
        reading = await kie.record(image, protocol="gpt4o-image")
        assert reading is not None
        assert (reading.state, len(reading.urls)) == (KieState.SUCCESS, 1)
        song = await kie.create_task(model="", inputs=SONG, callback_url="http://127.0.0.1:9/cb", protocol="suno")
        await until(lambda: sim.world.tasks[song].callback_given_up)
        reading = await kie.record(song, protocol="suno")
        assert reading is not None
        assert (reading.state, len(reading.urls)) == (KieState.SUCCESS, 2)


async def test_a_refusal_of_an_old_family_is_definite() -> None:
    async with running_kie() as sim, kie_client(sim.url) as kie:
        with pytest.raises(TaskRefused) as refused:
            await kie.create_task(model="", inputs=SONG, callback_url=None, protocol="suno")
        assert (refused.value.code, refused.value.reason) == ("422", "Please enter callBackUrl.")
        assert sim.world.tasks == {}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"code": 422, "msg": "recordInfo is null", "data": None}),
        (200, {"code": 404, "msg": "not found", "data": None}),
        (200, {"code": 400, "msg": "no", "data": None}),
        (200, {"code": 200, "msg": "success", "data": None}),
        (404, {"code": 404, "message": "no such path"}),
    ],
)
async def test_every_way_to_say_unknown_is_the_same_to_us(status: int, body: dict[str, Any]) -> None:
    async with answering(status, body) as url, kie_client(url) as kie:
        assert await kie.record(TaskId("t")) is None


@pytest.mark.parametrize(("code", "error"), [(429, Busy), (455, Busy), (500, Transient), (401, Transient)])
async def test_no_answer_is_told_from_an_answer_that_decides(code: int, error: type[Transient]) -> None:
    async with answering(200, {"code": code, "msg": "no", "data": None}) as url, kie_client(url) as kie:
        with pytest.raises(error) as raised:
            await kie.record(TaskId("t"))
        assert isinstance(raised.value, Busy) is (error is Busy)


async def test_the_key_is_never_carried_to_where_a_redirect_leads() -> None:
    asked: list[str] = []

    async def lead_away(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=302, headers={"Location": "/elsewhere"})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", lead_away)
    async with serving(app) as url, kie_client(url) as kie:
        for ask in (kie.credits(), kie.record(TaskId("t"))):
            with pytest.raises(Transient):
                await ask
        with pytest.raises(OutcomeUnknown):
            await kie.create_task(model="z-image", inputs={}, callback_url=None)
    assert "/elsewhere" not in asked
    assert len(asked) == 3


def answering(status: int, body: dict[str, Any]) -> Any:
    """Somebody who answers everything with the same."""

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    return serving(app)
