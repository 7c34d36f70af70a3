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
from photomat_sandbox.kie.models import Model, RefusedError, check_input, known_model, output_count, price
from photomat_sandbox.kie.records import job_record
from photomat_sandbox.kie.results import stem_names
from photomat_sandbox.kie.routing import Answer, Desk, base_url_of, body_of, said
from photomat_sandbox.kie.task_runner import Workshop
from photomat_sandbox.kie.tasks import Order, Task
from photomat_sandbox.kie.world import KieWorld

NULL_RECORD: Final = "recordInfo is null"
DOWNLOAD_LINK_S: Final = 20 * 60
SHOWN_PROMPT: Final = 60
TRACKS: Final = 2
"""A song comes in two variants."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """The handlers of the jobs protocol."""

    world: KieWorld
    workshop: Workshop

    def add_routes(self, app: web.Application, desk: Desk) -> None:
        """Put the protocol's paths into an application."""
        add = app.router
        add.add_post("/api/v1/jobs/createTask", desk.route("createTask", self.create, counts="create"))
        add.add_get("/api/v1/jobs/recordInfo", desk.route("recordInfo", self.query, counts="query"))
        add.add_get("/api/v1/chat/credit", desk.route("credit", self.credit))
        add.add_post("/api/v1/common/download-url", desk.route("download-url", self.download_url))
        add.add_post("/api/v1/gpt4o-image/download-url", desk.route("download-url", self.download_url))

    async def create(self, request: web.Request) -> Answer:
        """Check an order and start its task."""
        sent = await body_of(request)
        model = known_model(sent.get("model"))
        given = check_input(model, sent.get("input"), has_callback=bool(sent.get("callBackUrl")))
        self.workshop.advance()
        check_parents(self.world, given)
        check_files(self.world, model.id, given)
        order = Order(
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
        task = self.workshop.accept(order)
        return said(created_sentence(task), {"taskId": task.task_id, "recordId": task.task_id}, **created_detail(task))

    async def query(self, request: web.Request) -> Answer:
        """Show a task as it stands; unknown and all too fresh ones are "null"."""
        self.workshop.advance()
        task = self.world.tasks.get(request.query.get("taskId", ""))
        if task is None or task.order.family != "jobs":
            raise RefusedError(422, NULL_RECORD)
        if self.world.clock() < task.created_at + self.world.settings.null_grace_s:
            raise RefusedError(422, NULL_RECORD)
        data = job_record(task, added_defaults=self.world.settings.added_defaults)
        return said(f"recordInfo of {task.task_id[:8]}… → {task.state}", data, task_id=task.task_id, state=task.state)

    async def credit(self, _request: web.Request) -> Answer:
        """Tell the balance."""
        return said(f"credit → {self.world.credits}", self.world.credits)

    async def download_url(self, request: web.Request) -> Answer:
        """Give a link to one of our results that works for twenty minutes."""
        url = str((await body_of(request)).get("url") or "")
        name = urlsplit(url).path.rpartition("/")[2]
        if urlsplit(url).path != f"/results/{name}" or self.world.live_result(name) is None:
            raise RefusedError(422, "url is wrong")
        until = int(self.world.clock()) + DOWNLOAD_LINK_S
        link = f"{base_url_of(request, self.world)}/results/{name}?until={until}&proof={link_proof(name, until)}"
        return said(f"download-url of {name}", link, name=name)


def _count(model: Model, given: Mapping[str, Any]) -> int:
    if model.id == "ai-music-api/separate-vocals":
        return len(stem_names(given))
    return TRACKS if model.shape == "suno" else output_count(model, given)


def created_sentence(task: Task) -> str:
    """Say in one line what was ordered."""
    prompt = task.order.prompt
    words = prompt if len(prompt) <= SHOWN_PROMPT else prompt[: SHOWN_PROMPT - 1] + "…"
    return f"create {task.order.model} «{words}» → task {task.task_id[:8]}…, {task.order.credits:g} credits"


def created_detail(task: Task) -> dict[str, str | float | None]:
    """Give the facts of a new task for the transcript, without secrets."""
    url = task.order.callback_url
    return {
        "task_id": task.task_id,
        "model": task.order.model,
        "prompt": task.order.prompt,
        "credits": task.order.credits,
        "callback_url": masked_url(url) if url else None,
    }


def link_proof(name: str, until: int) -> str:
    """Tie a short-lived link to its file and its end; a simulator's proof, against typing errors only."""
    return hmac.new(b"photomat sandbox", f"{name}.{until}".encode(), hashlib.sha256).hexdigest()[:16]
