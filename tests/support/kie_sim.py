"""The made-up Kie.ai over real HTTP on a port of the system's choosing, and a receiver for its callbacks."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.faults import Faults
from photomat_sandbox.kie.app import build_app
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.transcript import Transcript

KEY = "kie-test-key"
PATIENCE_S = 120.0


@dataclass(slots=True, kw_only=True)
class RunningKie:
    """A running simulator with a client that holds its key."""

    url: str
    world: KieWorld
    transcript: Transcript
    faults: Faults
    client: aiohttp.ClientSession

    async def post(self, path: str, body: object) -> dict[str, Any]:
        """Send JSON, demand HTTP 200, give the body."""
        async with self.client.post(self.url + path, json=body) as response:
            assert response.status == 200, await response.text()
            return dict(await response.json())

    async def get(self, path: str, **query: str) -> dict[str, Any]:
        """Query, demand HTTP 200, give the body."""
        async with self.client.get(self.url + path, params=query) as response:
            assert response.status == 200, await response.text()
            return dict(await response.json())

    async def create(self, prompt: str = "кот-космонавт", callback: str | None = None, **body: Any) -> dict[str, Any]:
        """Order a Z-Image; further arguments replace fields of the body."""
        order: dict[str, Any] = {"model": "z-image", "input": {"prompt": prompt, "aspect_ratio": "1:1"}}
        if callback:
            order["callBackUrl"] = callback
        return await self.post("/api/v1/jobs/createTask", order | body)

    async def task(self, prompt: str = "кот-космонавт", callback: str | None = None, **body: Any) -> str:
        """Order and give the id of the task."""
        return str((await self.create(prompt, callback, **body))["data"]["taskId"])

    async def record(self, task_id: str) -> dict[str, Any]:
        """Give `data` of recordInfo."""
        reply = await self.get("/api/v1/jobs/recordInfo", taskId=task_id)
        assert reply["code"] == 200, reply
        return dict(reply["data"])

    async def ended(self, task_id: str) -> dict[str, Any]:
        """Wait for the end of a task without spending the query limit, then give its record."""
        await until(lambda: self.world.tasks[task_id].is_over)
        return await self.record(task_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A callback as it was received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Receiver:
    """Somebody who is called back; `answers` are the statuses of the next calls, 200 when used up."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    on_call: Callable[[], Awaitable[None]] | None = None

    async def handle(self, request: web.Request) -> web.Response:
        """Write the call down and answer as told."""
        self.calls.append(Call(path=request.path, headers=dict(request.headers), body=await request.json()))
        if self.on_call:
            await self.on_call()
        return web.json_response({"code": 200}, status=self.answers.pop(0) if self.answers else 200)

    async def got(self, count: int) -> list[Call]:
        """Wait until so many calls are there."""
        await until(lambda: len(self.calls) >= count)
        return self.calls


class HandClock:
    """A clock that moves only when told."""

    def __init__(self, now: float = 1_760_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


@asynccontextmanager
async def running_kie(**world_options: Any) -> AsyncIterator[RunningKie]:
    """Run the simulator; the options are those of KieWorld, with no waiting unless asked for."""
    options: dict[str, Any] = {"key": KEY, "seconds_to_success": 0.0, "callback_retry_after_s": 0.02}
    world = KieWorld(**options | world_options)
    transcript, faults = Transcript(), Faults()
    async with (
        serving(build_app(world, transcript, faults)) as url,
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {world.key}"}) as client,
    ):
        yield RunningKie(url=url, world=world, transcript=transcript, faults=faults, client=client)


@asynccontextmanager
async def callback_receiver() -> AsyncIterator[Receiver]:
    """Run a receiver of callbacks."""
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/{path:.*}", receiver.handle)
    async with serving(app) as url:
        receiver.url = url
        yield receiver


async def until(condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait for a condition, but not for ever."""
    async with asyncio.timeout(patience_s):
        while not condition():  # noqa: ASYNC110 - the condition lies in plain data of the simulator
            await asyncio.sleep(0.005)
