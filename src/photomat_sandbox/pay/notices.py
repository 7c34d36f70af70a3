"""Notices: each is tried until it is answered with HTTP 200 or the tries are used up. A fault for "notice" strikes one try.

`never` loses the notice for good, `reorder` holds it back until the next has gone out, `drop_before` loses one try,
`drop_after` loses the answer to it, `duplicate` sends it twice.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp

from photomat_sandbox.faults import Fault, Faults
from photomat_sandbox.pay.bill import Letter, Till
from photomat_sandbox.transcript import Transcript

TAKEN = 200


@dataclass(slots=True, kw_only=True)
class NoticeSender:
    """Takes letters from a till's outbox and sees each through its tries."""

    till: Till
    transcript: Transcript
    faults: Faults
    session: aiohttp.ClientSession
    group: asyncio.TaskGroup
    _held: deque[Letter] = field(default_factory=deque)
    _under_way: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Send what lies in the outbox, each notice by itself, for ever."""
        while True:
            self.start(await self.till.outbox.get())

    def start(self, letter: Letter) -> None:
        """Begin to deliver one notice; without an address there is nothing to do."""
        if self.till.notices.notice_url:
            self._own(self._deliver(letter))

    def stop(self) -> None:
        """Give up every notice that is under way."""
        for task in list(self._under_way):
            task.cancel()

    async def _deliver(self, letter: Letter) -> None:
        held = list(self._held)
        for attempt in range(1 + self.till.notices.notice_retries):
            if attempt:
                await asyncio.sleep(self.till.notices.notice_retry_after_s)
            fault = self.faults.take(self.till.vendor, "notice")
            if fault is not None and await self._struck(letter, fault):
                return
            if fault is not None and fault.action == "drop_before":
                continue
            taken = await self._send(letter)
            if taken and not (fault and fault.action == "drop_after"):
                break
        for earlier in held:
            if earlier in self._held:
                self._held.remove(earlier)
                await self._send(earlier)

    async def _struck(self, letter: Letter, fault: Fault) -> bool:
        """Carry out what a fault does before the bytes leave; True when this notice ends here."""
        self._tell("fault", letter, f"{fault.action} strikes a notice of bill {letter.bill_id}")
        match fault.action:
            case "never":
                return True
            case "reorder":
                self._held.append(letter)
                return True
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "duplicate":
                self._own(self._send(letter))
        return False

    async def _send(self, letter: Letter) -> bool:
        headers = {"Content-Type": "application/json", **letter.headers}
        try:
            async with (
                asyncio.timeout(self.till.notices.notice_timeout_s),
                self.session.post(
                    self.till.notices.notice_url, data=letter.body, headers=headers, allow_redirects=False
                ) as response,
            ):
                status, said = response.status, f"HTTP {response.status}"
        except TimeoutError:
            status, said = 0, "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            status, said = 0, f"no connection ({type(error).__name__})"
        self._tell("webhook", letter, f"{letter.event} of bill {letter.bill_id}: {said}")
        return status == TAKEN

    def _own(self, work: Coroutine[Any, Any, object]) -> None:
        task = self.group.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _tell(self, kind: Literal["webhook", "fault"], letter: Letter, summary: str) -> None:
        self.transcript.add(
            world=self.till.vendor, kind=kind, name="notice", summary=summary, detail={"bill_id": letter.bill_id}
        )
