"""Callbacks: what is sent to `callBackUrl`, how it is signed, how often it is tried.

A callback counts as delivered when it is answered with HTTP 200 within the time-out; otherwise it is tried again, at
most `callback_retries` times. A fault armed for "callback" applies to one try.
"""

import asyncio
import base64
import hashlib
import hmac
import json
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import aiohttp

from photomat_sandbox.faults import Fault, Faults
from photomat_sandbox.kie.records import callback_body
from photomat_sandbox.kie.tasks import Task
from photomat_sandbox.kie.world import DueCallback, KieWorld
from photomat_sandbox.transcript import Transcript

Signing = Literal["good", "bad", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingCallback:
    task: Task
    url: str
    body: dict[str, Any]
    signing: Signing = "good"


def signature(*, key: str, task_id: str, timestamp: int) -> str:
    """Sign a task id and a timestamp, as the vendor documents it; the body is not covered."""
    message = f"{task_id}.{timestamp}".encode()
    return base64.b64encode(hmac.digest(key.encode(), message, hashlib.sha256)).decode()


def body_digest(body: Mapping[str, Any]) -> str:
    """Identify a body without showing it."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


def masked_url(url: str) -> str:
    """Show a callback URL without its secret: no query, and only the beginning of the last segment's tail."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(not an address)"
    folder, _, last = parts.path.rpartition("/")
    name, dot, secret = last.partition(".")
    shown = f"{name}{dot}{secret[:4]}…" if secret else name
    return f"{parts.scheme}://{parts.netloc}{folder}/{shown}"


@dataclass(slots=True, kw_only=True)
class CallbackSender:
    """Takes due callbacks from the world's outbox and tries each until it is accepted or given up."""

    world: KieWorld
    transcript: Transcript
    faults: Faults
    session: aiohttp.ClientSession
    group: asyncio.TaskGroup
    _held: deque[OutgoingCallback] = field(default_factory=deque)
    _under_way: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Send what is in the outbox, each callback in its own task, for ever."""
        while True:
            callback = self.compose(await self.world.outbox.get())
            if callback is not None:
                self.start(callback)

    def start(self, callback: OutgoingCallback) -> None:
        self._own(self.deliver(callback))

    def stop(self) -> None:
        for task in list(self._under_way):
            task.cancel()

    def compose(self, notice: DueCallback) -> OutgoingCallback | None:
        """Build the callback from the task's present state; None without a callback URL."""
        url = notice.task.order.callback_url
        return (
            OutgoingCallback(task=notice.task, url=url, body=callback_body(notice, self.world.settings))
            if url
            else None
        )

    async def deliver(self, callback: OutgoingCallback) -> None:
        """Try until it is accepted or the retries are used up."""
        task = callback.task
        task.callback_given_up = not await self._is_over(callback) or task.callback_given_up
        task.callback_over = task.is_over
        self.world.save(task)

    async def _is_over(self, callback: OutgoingCallback) -> bool:
        """Whether it was accepted, or a fault keeps it; False when the retries are used up."""
        for attempt in range(1 + self.world.settings.callback_retries):
            if attempt:
                await asyncio.sleep(self.world.settings.callback_retry_after_s)
            fault = self.faults.take("kie", "callback")
            if fault is not None and await self._apply_fault(callback, fault):
                return True
            if fault is not None and fault.action == "drop_before":
                continue
            taken = await self._send(_contradicting(callback, fault) if fault else callback)
            if taken and not (fault and fault.action == "drop_after"):
                return True
        return False

    def _own(self, work: Coroutine[Any, Any, object]) -> None:
        task = self.group.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _apply_fault(self, callback: OutgoingCallback, fault: Fault) -> bool:
        """Apply a fault before the bytes leave; True when this callback ends here."""
        self._record("fault", callback, f"{fault.action} strikes a callback of task {callback.task.task_id[:8]}…")
        match fault.action:
            case "never":
                return True
            case "reorder":
                self._held.append(callback)
                return True
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "too_many":
                await asyncio.sleep(fault.retry_after)
            case "duplicate":
                self._own(self._send(callback))
        return False

    async def _send(self, callback: OutgoingCallback) -> bool:
        """Send once; True when the receiver answered 200. Callbacks that were held back go out after it."""
        callback.task.callback_tries += 1
        answer = await self._post(callback)
        self._record(
            "callback",
            callback,
            f"callback of task {callback.task.task_id[:8]}… (code {callback.body.get('code')}) → {answer}",
        )
        while self._held:
            self.start(self._held.popleft())
        return answer == "HTTP 200"

    async def _post(self, callback: OutgoingCallback) -> str:
        try:
            async with asyncio.timeout(self.world.settings.callback_timeout_s):
                async with self.session.post(
                    callback.url, json=callback.body, headers=self._headers(callback), allow_redirects=False
                ) as response:
                    return f"HTTP {response.status}"
        except TimeoutError:
            return "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return f"no connection ({type(error).__name__})"

    def _headers(self, callback: OutgoingCallback) -> dict[str, str]:
        key = self.world.settings.webhook_key
        if not key or callback.signing == "none":
            return {}
        timestamp = int(self.world.clock())
        signed = signature(key=key, task_id=callback.task.task_id, timestamp=timestamp)
        if callback.signing == "bad":
            signed = signature(key=key + " is not it", task_id=callback.task.task_id, timestamp=timestamp)
        return {"X-Webhook-Timestamp": str(timestamp), "X-Webhook-Signature": signed}

    def _record(self, kind: Literal["callback", "fault"], callback: OutgoingCallback, summary: str) -> None:
        self.transcript.add(
            world="kie",
            kind=kind,
            name="callback",
            summary=summary,
            detail={
                "task_id": callback.task.task_id,
                "url": masked_url(callback.url),
                "try": callback.task.callback_tries,
                "body": body_digest(callback.body),
            },
        )


def _contradicting(callback: OutgoingCallback, fault: Fault) -> OutgoingCallback:
    """Build a callback that contradicts recordInfo, where an "error" fault asks for it."""
    if fault.action != "error":
        return callback
    data = callback.body.get("data")
    failed = {"state": "fail", "failCode": str(fault.code), "failMsg": fault.text, "resultJson": None}
    contradicted = {**data, **failed} if isinstance(data, dict) else data
    return OutgoingCallback(
        task=callback.task, url=callback.url, body={"code": fault.code, "msg": fault.text, "data": contradicted}
    )
