"""The jobs protocol: createTask, recordInfo, the balance and short-lived download links."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import web

from photomat_sandbox.kie.callbacks import masked_url
from photomat_sandbox.kie.inputs import check_files, check_parents
from photomat_sandbox.kie.models import KieModel, KieRefusal, check_input, known_model, output_count, price
from photomat_sandbox.kie.records import job_record
from photomat_sandbox.kie.results import stem_names
from photomat_sandbox.kie.routing import KieReply, KieRouter, base_url_of, body_of, reply
from photomat_sandbox.kie.task_runner import TaskRunner
from photomat_sandbox.kie.tasks import Task, TaskOrder
from photomat_sandbox.kie.world import KieWorld

NULL_RECORD: Final = "recordInfo is null"
DOWNLOAD_LINK_S: Final = 20 * 60
SHOWN_PROMPT: Final = 60
TRACKS: Final = 2
"""A song comes in two variants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRoutes:
    world: KieWorld
    runner: TaskRunner

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        add = app.router
        add.add_post("/api/v1/jobs/createTask", router.route("createTask", self.create, counts="create"))
        add.add_get("/api/v1/jobs/recordInfo", router.route("recordInfo", self.query, counts="query"))
        add.add_get("/api/v1/chat/credit", router.route("credit", self.credit))
        add.add_post("/api/v1/common/download-url", router.route("download-url", self.download_url))
        add.add_post("/api/v1/gpt4o-image/download-url", router.route("download-url", self.download_url))

    async def create(self, request: web.Request) -> KieReply:
        sent = await body_of(request)
        model = known_model(sent.get("model"))
        given = check_input(model, sent.get("input"), has_callback=bool(sent.get("callBackUrl")))
        self.runner.advance()
        check_parents(self.world, given)
        check_files(self.world, model.id, given)
        order = TaskOrder(
            family="jobs",
            model=model.id,
            output=model.output,
            shape=model.shape,
            sent=sent,
            given=given,
            credits=price(model, given),
            base_url=base_url_of(request, self.world),
            count=_count(model, given),
        )
        task = self.runner.accept(order)
        return reply(created_summary(task), {"taskId": task.task_id, "recordId": task.task_id}, **created_detail(task))

    async def query(self, request: web.Request) -> KieReply:
        """Show a task as it stands; unknown and very recent ones are "null"."""
        self.runner.advance()
        task = self.world.tasks.get(request.query.get("taskId", ""))
        if task is None or task.order.family != "jobs":
            raise KieRefusal(422, NULL_RECORD)
        if self.world.clock() < task.created_at + self.world.settings.null_grace_s:
            raise KieRefusal(422, NULL_RECORD)
        data = job_record(task, added_defaults=self.world.settings.added_defaults)
        return reply(f"recordInfo of {task.task_id[:8]}… → {task.state}", data, task_id=task.task_id, state=task.state)

    async def credit(self, _request: web.Request) -> KieReply:
        return reply(f"credit → {self.world.credits}", self.world.credits)

    async def download_url(self, request: web.Request) -> KieReply:
        """Return a link to one of our results that works for twenty minutes."""
        url = str((await body_of(request)).get("url") or "")
        name = urlsplit(url).path.rpartition("/")[2]
        if urlsplit(url).path != f"/results/{name}" or self.world.live_result(name) is None:
            raise KieRefusal(422, "url is wrong")
        until = int(self.world.clock()) + DOWNLOAD_LINK_S
        link = f"{base_url_of(request, self.world)}/results/{name}?until={until}&proof={link_proof(name, until)}"
        return reply(f"download-url of {name}", link, name=name)


def _count(model: KieModel, given: Mapping[str, Any]) -> int:
    if model.id == "ai-music-api/separate-vocals":
        return len(stem_names(given))
    return TRACKS if model.shape == "suno" else output_count(model, given)


def created_summary(task: Task) -> str:
    prompt = task.order.prompt
    words = prompt if len(prompt) <= SHOWN_PROMPT else prompt[: SHOWN_PROMPT - 1] + "…"
    return f"create {task.order.model} «{words}» → task {task.task_id[:8]}…, {task.order.credits:g} credits"


def created_detail(task: Task) -> dict[str, str | float | None]:
    """Return the facts of a new task for the transcript, without secrets."""
    url = task.order.callback_url
    return {
        "task_id": task.task_id,
        "model": task.order.model,
        "prompt": task.order.prompt,
        "credits": task.order.credits,
        "callback_url": masked_url(url) if url else None,
    }


def link_proof(name: str, until: int) -> str:
    """Tie a short-lived link to its file and expiry; guards against typing errors only."""
    return hmac.new(b"photomat sandbox", f"{name}.{until}".encode(), hashlib.sha256).hexdigest()[:16]
