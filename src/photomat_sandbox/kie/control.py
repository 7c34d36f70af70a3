"""Control routes of the simulated Kie.ai: end a task, send a callback, change the settings.

A forced end may contradict an earlier one on purpose: a success after a failure is one of the vendor's surprises.
"""

import asyncio
import re
from dataclasses import asdict, dataclass
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.kie.callbacks import CallbackSender, OutgoingCallback, Signing, masked_url
from photomat_sandbox.kie.files import render
from photomat_sandbox.kie.models import Output
from photomat_sandbox.kie.results import SQUARE, ResultFile
from photomat_sandbox.kie.task_runner import TaskRunner
from photomat_sandbox.kie.tasks import Task
from photomat_sandbox.kie.world import DueCallback, KieWorld

SIGNINGS: Final[tuple[Signing, ...]] = ("good", "bad", "none")
MAX_CALLBACKS: Final = 100
LISTED_TASKS: Final = 500
DRAWN: Final[dict[Output, str]] = {"image": "jpeg", "video": "mp4", "audio": "mp3"}
DRAWING_SIDE_PX: Final = 640
RATIO: Final = re.compile(r"([1-9]\d?):([1-9]\d?)")


@dataclass(slots=True, kw_only=True)
class KieControl:
    """The handlers under /sandbox/; the sender is set when the application starts."""

    world: KieWorld
    runner: TaskRunner
    sender: CallbackSender | None = None

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/sandbox/tasks", self.list_tasks)
        app.router.add_post("/sandbox/tasks/{task_id}", self.end_task)
        app.router.add_post("/sandbox/tasks/{task_id}/callback", self.send_callback)
        app.router.add_get("/sandbox/drawing", self.draw)
        app.router.add_get("/sandbox/settings", self.show_settings)
        app.router.add_post("/sandbox/settings", self.change_settings)

    async def list_tasks(self, _request: web.Request) -> web.Response:
        """Show the latest tasks, oldest first."""
        self.runner.advance()
        latest = list(self.world.tasks.values())[-LISTED_TASKS:]
        return web.json_response({"tasks": [_shown(task) for task in latest]})

    async def end_task(self, request: web.Request) -> web.Response:
        task, order = self._task(request), await read_object(request)
        state, urls = order.get("state"), order.get("result_urls")
        if state not in ("success", "fail"):
            raise refusal("state must be success or fail")
        if urls is not None and not (isinstance(urls, list) and all(isinstance(url, str) for url in urls)):
            raise refusal("result_urls must be a list of addresses")
        fail_code = str(order.get("fail_code") or "500") if state == "fail" else None
        fail_msg = str(order.get("fail_msg") or "Internal server error")
        self.runner.end(task, fail_code=fail_code, fail_msg=fail_msg, result_urls=urls)
        return web.json_response(_shown(task))

    async def send_callback(self, request: web.Request) -> web.Response:
        """Send a callback of a task now, as often and as wrong as requested."""
        task, order = self._task(request), await read_object(request)
        times, signing, body = order.get("times", 1), order.get("signature", "good"), order.get("body")
        if type(times) is not int or not 1 <= times <= MAX_CALLBACKS:
            raise refusal(f"times must be a number from 1 to {MAX_CALLBACKS}")
        if signing not in SIGNINGS:
            raise refusal(f"signature must be one of {', '.join(SIGNINGS)}")
        usual = self.sender.compose(DueCallback(task=task, state=task.state)) if self.sender else None
        if usual is None or self.sender is None:
            raise refusal(f"task {task.task_id} was created without callBackUrl")
        wanted: dict[str, Any] = body if isinstance(body, dict) else usual.body
        for _ in range(times):
            self.sender.start(OutgoingCallback(task=task, url=usual.url, body=wanted, signing=signing))
        return web.json_response({"sending": times})

    async def draw(self, request: web.Request) -> web.Response:
        """A file as a task would make it, without a task: `prompt`, `ratio` like 16:9, `output` image, video or audio."""
        asked = request.query
        output = next((each for each in DRAWN if each == asked.get("output", "image")), None)
        if output is None:
            raise refusal(f"output must be one of {', '.join(DRAWN)}")
        ratio = RATIO.fullmatch(asked.get("ratio", ""))
        file = ResultFile(
            name=f"drawing.{DRAWN[output]}",
            output=output,
            prompt=asked.get("prompt", ""),
            model=asked.get("model", "sandbox"),
            ratio=(int(ratio[1]), int(ratio[2])) if ratio else SQUARE,
            index=0,
            count=1,
            made_at=0.0,
        )
        drawn = await asyncio.to_thread(render, file, DRAWING_SIDE_PX)
        return web.Response(body=drawn.content, content_type=drawn.mime)

    async def show_settings(self, _request: web.Request) -> web.Response:
        return web.json_response(asdict(self.world.settings) | {"credits": self.world.credits})

    async def change_settings(self, request: web.Request) -> web.Response:
        try:
            self.world.change(await read_object(request))
        except ValueError as error:
            raise refusal(str(error)) from error
        return await self.show_settings(request)

    def _task(self, request: web.Request) -> Task:
        task = self.world.tasks.get(request.match_info["task_id"])
        if task is None:
            raise refusal("there is no such task")
        return task


def _shown(task: Task) -> dict[str, Any]:
    url = task.order.callback_url
    return {
        "task_id": task.task_id,
        "family": task.order.family,
        "model": task.order.model,
        "prompt": task.order.prompt,
        "state": task.state,
        "credits": task.order.credits,
        "created_at": task.created_at,
        "completed_at": task.completed_at,
        "result_urls": task.results,
        "fail_code": task.fail_code,
        "fail_msg": task.fail_msg,
        "callback_url": masked_url(url) if url else None,
        "callback_tries": task.callback_tries,
    }
