"""Callbacks: what is sent to `callBackUrl`, how it is signed, how often it is tried.

A callback counts as delivered when it is answered with HTTP 200 within the time-out; otherwise it is tried again, at
most `callback_retries` times. A fault armed for "callback" strikes one try.
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
from photomat_sandbox.kie.world import KieWorld, Notice
from photomat_sandbox.transcript import Transcript

Signing = Literal["good", "bad", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One callback, ready to be sent."""

    task: Task
    url: str
    body: dict[str, Any]
    signing: Signing = "good"


def signature(*, key: str, task_id: str, timestamp: int) -> str:
    """Sign a task id and an instant, as the vendor documents it; the body is not covered."""
    message = f"{task_id}.{timestamp}".encode()
    return base64.b64encode(hmac.digest(key.encode(), message, hashlib.sha256)).decode()


def body_digest(body: Mapping[str, Any]) -> str:
    """Tell one body from another, without showing it."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


def masked_url(url: str) -> str:
    """Show a callback URL without the secret part: no query, and of the last segment's tail only the beginning."""
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
    """Takes notices from the world's outbox and sees each through its tries."""

    world: KieWorld
    transcript: Transcript
    faults: Faults
    session: aiohttp.ClientSession
    group: asyncio.TaskGroup
    _held: deque[Letter] = field(default_factory=deque)
    _under_way: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Send what lies in the outbox, each callback by itself, for ever."""
        while True:
            letter = self.letter(await self.world.outbox.get())
            if letter is not None:
                self.start(letter)

    def start(self, letter: Letter) -> None:
        """Begin to deliver one callback."""
        self._own(self.deliver(letter))

    def stop(self) -> None:
        """Give up every callback that is under way."""
        for task in list(self._under_way):
            task.cancel()

    def letter(self, notice: Notice) -> Letter | None:
        """Write the callback as the task stands now; none without an address."""
        url = notice.task.order.callback_url
        return Letter(task=notice.task, url=url, body=callback_body(notice, self.world.settings)) if url else None

    async def deliver(self, letter: Letter) -> None:
        """Try until it is taken or the tries are used up."""
        for attempt in range(1 + self.world.settings.callback_retries):
            if attempt:
                await asyncio.sleep(self.world.settings.callback_retry_after_s)
            fault = self.faults.take("kie", "callback")
            if fault is not None and await self._struck(letter, fault):
                return
            if fault is not None and fault.action == "drop_before":
                continue
            taken = await self._send(_lying(letter, fault) if fault else letter)
            if taken and not (fault and fault.action == "drop_after"):
                return
        letter.task.callback_given_up = True

    def _own(self, work: Coroutine[Any, Any, object]) -> None:
        task = self.group.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _struck(self, letter: Letter, fault: Fault) -> bool:
        """Carry out what a fault does before the bytes leave; True when this callback ends here."""
        self._tell("fault", letter, f"{fault.action} strikes a callback of task {letter.task.task_id[:8]}…")
        match fault.action:
            case "never":
                return True
            case "reorder":
                self._held.append(letter)
                return True
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "too_many":
                await asyncio.sleep(fault.retry_after)
            case "duplicate":
                self._own(self._send(letter))
        return False

    async def _send(self, letter: Letter) -> bool:
        """Send once; True when the receiver answered 200. Whatever was held back goes out behind it."""
        letter.task.callback_tries += 1
        answer = await self._post(letter)
        self._tell(
            "callback",
            letter,
            f"callback of task {letter.task.task_id[:8]}… (code {letter.body.get('code')}) → {answer}",
        )
        while self._held:
            self.start(self._held.popleft())
        return answer == "HTTP 200"

    async def _post(self, letter: Letter) -> str:
        try:
            async with asyncio.timeout(self.world.settings.callback_timeout_s):
                async with self.session.post(
                    letter.url, json=letter.body, headers=self._headers(letter), allow_redirects=False
                ) as response:
                    return f"HTTP {response.status}"
        except TimeoutError:
            return "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return f"no connection ({type(error).__name__})"

    def _headers(self, letter: Letter) -> dict[str, str]:
        key = self.world.settings.webhook_key
        if not key or letter.signing == "none":
            return {}
        timestamp = int(self.world.clock())
        signed = signature(key=key, task_id=letter.task.task_id, timestamp=timestamp)
        if letter.signing == "bad":
            signed = signature(key=key + " is not it", task_id=letter.task.task_id, timestamp=timestamp)
        return {"X-Webhook-Timestamp": str(timestamp), "X-Webhook-Signature": signed}

    def _tell(self, kind: Literal["callback", "fault"], letter: Letter, summary: str) -> None:
        self.transcript.add(
            world="kie",
            kind=kind,
            name="callback",
            summary=summary,
            detail={
                "task_id": letter.task.task_id,
                "url": masked_url(letter.url),
                "try": letter.task.callback_tries,
                "body": body_digest(letter.body),
            },
        )


def _lying(letter: Letter, fault: Fault) -> Letter:
    """Make a callback that disagrees with recordInfo, where an "error" fault asks for it."""
    if fault.action != "error":
        return letter
    data = letter.body.get("data")
    failed = {"state": "fail", "failCode": str(fault.code), "failMsg": fault.text, "resultJson": None}
    told = {**data, **failed} if isinstance(data, dict) else data
    return Letter(task=letter.task, url=letter.url, body={"code": fault.code, "msg": fault.text, "data": told})
