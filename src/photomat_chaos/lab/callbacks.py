"""Callbacks the lab sends itself: fifty copies at once, forged ones, and late ones.

What Kie's simulator sends unasked is not in here. Every answer is recorded for the history checker: a forgery may be refused,
or stored as an orphan where only the task is made up; it may never change a job.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from photomat_chaos.lab.arena import Arena
from photomat_chaos.lab.history import ForgedCallback
from photomat_sandbox.kie.callbacks import body_digest, signature
from photomat_sandbox.kie.records import callback_body
from photomat_sandbox.kie.tasks import Task
from photomat_sandbox.kie.world import DueCallback

COPIES: Final = 50
RECENT_TASKS: Final = 20
ANSWER_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
TOO_OLD_S: Final = 600
TRIES: Final = 20
TOGETHER: Final = 10
TRY_AGAIN_S: Final = 0.5
TAKEN: Final = 200
FORGERIES: Final = (
    "address",
    "other-address",
    "signature",
    "stale",
    "unsigned",
    "other-task",
    "swapped",
    "unknown-task",
)
REFUSED: Final = frozenset({"address", "other-address", "signature", "stale", "unsigned"})
"""These get no 200, ever. The others are signed as Kie signs and speak of a task that is not the job's: orphans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackRequest:
    url: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class CallbackInjector:
    """Sends callbacks to the load balancer and records the answers."""

    arena: Arena
    session: aiohttp.ClientSession
    forged: list[ForgedCallback] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    async def burst(self, pick: float) -> None:
        """Send one callback fifty times at once."""
        tasks = self._told_tasks()[-RECENT_TASKS:]
        if not tasks:
            return
        task = tasks[int(pick * len(tasks))]
        request = self._true_request(task)
        answers = await asyncio.gather(*(self._send(request) for _ in range(COPIES)))
        self.done["bursts of fifty callbacks"] += 1
        self._note(task, request, max(answers))

    async def deliver_late(self) -> None:
        """Send the callback of every task, again or for the first time, until it is accepted."""
        places = asyncio.Semaphore(TOGETHER)
        async with asyncio.TaskGroup() as group:
            for task in self._told_tasks():
                group.create_task(self._deliver_one_late(task, places))

    async def _deliver_one_late(self, task: Task, places: asyncio.Semaphore) -> None:
        async with places:
            for _ in range(TRIES):
                request = self._true_request(task)
                answer = await self._send(request)
                if answer == TAKEN:
                    break
                await asyncio.sleep(TRY_AGAIN_S)
        self.done["callbacks hours late"] += 1
        self._note(task, request, answer)

    async def forge(self, pick: float, how: float) -> None:
        """Send one forgery about a job that knows its task."""
        answered = {task_id for task_id, _body in self.arena.notes.answered_200}
        known = [task for task in self._told_tasks() if task.task_id in answered]
        if len(known) < 2:  # noqa: PLR2004  one to speak of, another to take from
            return
        place = int(pick * len(known))
        kind = FORGERIES[int(how * len(FORGERIES))]
        task, other = known[place], known[place - 1]
        task_id = other.task_id if kind == "swapped" else f"forged-{next(self._numbers)}"
        status = await self._send(self._forgery(kind, task, other, task_id))
        self.forged.append(ForgedCallback(kind=kind, task_id=task_id, status=status, must_be_refused=kind in REFUSED))
        self.done["callbacks forged"] += 1

    def _forgery(self, kind: str, task: Task, other: Task, task_id: str) -> CallbackRequest:
        honest = self._true_request(task)
        lying = _about(honest.body, task.task_id, task_id)
        match kind:
            case "address":
                return CallbackRequest(url=honest.url[:-4] + "0000", body=honest.body, headers=honest.headers)
            case "other-address":
                name, secret = _token(honest.url)[0], _token(self._true_request(other).url)[1]
                return CallbackRequest(
                    url=_with_path(honest.url, f"{name}.{secret}"), body=honest.body, headers=honest.headers
                )
            case "signature":
                headers = self._signed(task.task_id, key="a wrong key")
                return CallbackRequest(url=honest.url, body=honest.body, headers=headers)
            case "stale":
                headers = self._signed(task.task_id, age_s=TOO_OLD_S)
                return CallbackRequest(url=honest.url, body=honest.body, headers=headers)
            case "unsigned":
                return CallbackRequest(url=_with_path(honest.url, None), body=honest.body, headers={})
            case "other-task" | "swapped":
                return CallbackRequest(url=honest.url, body=lying, headers=self._signed(task_id))
            case _:
                return CallbackRequest(url=_with_path(honest.url, None), body=lying, headers=self._signed(task_id))

    def _told_tasks(self) -> list[Task]:
        return [task for task in self.arena.kie.tasks.values() if task.is_over and task.order.callback_url]

    def _true_request(self, task: Task) -> CallbackRequest:
        body = callback_body(DueCallback(task=task, state=task.state), self.arena.kie.settings)
        return CallbackRequest(url=task.order.callback_url or "", body=body, headers=self._signed(task.task_id))

    def _signed(self, task_id: str, *, key: str | None = None, age_s: int = 0) -> dict[str, str]:
        timestamp = int(self.arena.kie.clock()) - age_s
        signed = signature(key=key or self.arena.kie.settings.webhook_key, task_id=task_id, timestamp=timestamp)
        return {"X-Webhook-Timestamp": str(timestamp), "X-Webhook-Signature": signed}

    async def _send(self, request: CallbackRequest) -> int:
        """The status of the answer, 0 without one."""
        try:
            async with self.session.post(request.url, json=request.body, headers=request.headers) as answer:
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return 0

    def _note(self, task: Task, request: CallbackRequest, answer: int) -> None:
        if answer == TAKEN:
            self.arena.notes.answered_200.add((task.task_id, body_digest(request.body)))


@asynccontextmanager
async def open_callback_injector(arena: Arena) -> AsyncIterator[CallbackInjector]:
    connector = aiohttp.TCPConnector(limit=COPIES)
    async with aiohttp.ClientSession(connector=connector, timeout=ANSWER_TIMEOUT) as session:
        yield CallbackInjector(arena=arena, session=session)


def _token(url: str) -> tuple[str, str]:
    """The job's id and its signature in a callback URL."""
    name, _, secret = urlsplit(url).path.rpartition("/")[2].partition(".")
    return name, secret


def _with_path(url: str, token: str | None) -> str:
    """The same URL with another token, or none."""
    parts = urlsplit(url)
    folder = parts.path.rpartition("/")[0]
    return urlunsplit(parts._replace(path=folder if token is None else f"{folder}/{token}"))


def _about(body: Any, true: str, false: str) -> Any:
    match body:
        case dict():
            return {key: _about(value, true, false) for key, value in body.items()}
        case list():
            return [_about(value, true, false) for value in body]
        case str():
            return body.replace(true, false)
        case _:
            return body
