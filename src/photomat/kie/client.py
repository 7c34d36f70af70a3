"""Kie's API. Every foreign error becomes one of ours here, and nowhere else.

How a request travels, and when nobody knows whether it arrived, is `kernel/http.py`.
"""

from collections.abc import Callable, Mapping
from typing import Final

import aiohttp

from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import Line
from photomat.kernel.ids import TaskId
from photomat.kie import wire
from photomat.kie.families import FAMILIES, JOBS
from photomat.kie.port import Answer, Busy, Paused, QueueFull, TaskRefused
from photomat.kie.state_parser import extract_task_id, parse_kie_state

ROOT: Final = "/api/v1/"
CREATE_TIMEOUT: Final = aiohttp.ClientTimeout(total=6, connect=4, sock_connect=4)
"""Shorter than the drain time of a stop (`instance.py`): an answer that comes in time is stored before the process ends."""

READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=10, connect=4, sock_connect=4)
UNKNOWN_TASK_CODES: Final = frozenset({400, 404, 422})
"""What the families answer when they do not know a task (yet); music answers 200 without data."""

ASKED_TOO_OFTEN_S: Final = 2.0


class KieClient:
    """The provider port and the account port on Kie's HTTP API."""

    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._line = Line(name="Kie", headers={"Authorization": f"Bearer {api_key}"})

    async def create_task(
        self,
        *,
        model: str,
        inputs: Mapping[str, object],
        callback_url: str | None,
        protocol: str = JOBS,
        on_sent: Callable[[], None] | None = None,
    ) -> TaskId:
        """Create a task; see the port for what it raises."""
        family = FAMILIES[protocol]
        envelope = await self._post_create(family.create, family.body(model, inputs, callback_url), on_sent)
        if envelope.code == wire.QUEUE_FULL:
            raise QueueFull(f"Kie's queue is full: code {envelope.code}")
        if envelope.code in wire.BUSY_CODES:
            raise Busy(f"Kie is busy: code {envelope.code}")
        if envelope.code in wire.PAUSED_CODES:
            raise Paused(f"Kie refuses every task: {envelope.code} {envelope.message[:200]}", code=envelope.code)
        task_id = extract_task_id({"data": envelope.data})
        if task_id is None and envelope.code in wire.REFUSED_CODES:
            raise TaskRefused(str(envelope.code), envelope.message[:500])
        if envelope.code != wire.OK or task_id is None:
            raise OutcomeUnknown(f"createTask answered code {envelope.code} without a task id")
        return TaskId(task_id)

    async def record(self, task_id: TaskId, *, protocol: str = JOBS) -> Answer:
        """Read a task's record; see the port for what it raises."""
        envelope = await self._read(FAMILIES[protocol].query, {"taskId": task_id})
        if envelope is None:
            raise Transient("recordInfo answered something that is not an envelope")
        if envelope.code == wire.OK and isinstance(envelope.data, Mapping):
            return Answer(parse_kie_state({"data": envelope.data}))
        if envelope.code == wire.OK or envelope.code in UNKNOWN_TASK_CODES:
            return Answer(None)
        if envelope.code in wire.BUSY_CODES or envelope.code == wire.QUEUE_FULL:
            raise Busy(f"Kie is asked too often: code {envelope.code}", retry_after_s=ASKED_TOO_OFTEN_S)
        raise Transient(f"recordInfo answered code {envelope.code}")

    async def credits(self) -> float:
        """How many credits the account has left; see the port for what it raises."""
        envelope = await self._read("chat/credit")
        if envelope is not None and envelope.code in wire.PAUSED_CODES:
            raise Paused(f"Kie refuses the key: {envelope.code} {envelope.message[:200]}", code=envelope.code)
        if envelope is None or envelope.code != wire.OK or not isinstance(envelope.data, int | float):
            raise Transient("Kie gave no number of credits")
        return float(envelope.data)

    async def close(self) -> None:
        """Let go of the kept connections."""
        await self._line.close()

    async def _read(self, path: str, query: Mapping[str, str] | None = None) -> wire.Envelope | None:
        answered = await self._line.read(f"{self._base_url}{ROOT}{path}", query=query, within=READ_TIMEOUT)
        return wire.decode(answered.body, answered.status)

    async def _post_create(
        self, path: str, body: Mapping[str, object], on_sent: Callable[[], None] | None
    ) -> wire.Envelope:
        url = f"{self._base_url}{ROOT}{path}"
        answered = await self._line.send(url, body, within=CREATE_TIMEOUT, on_sent=on_sent)
        envelope = wire.decode(answered.body, answered.status)
        if envelope is None:
            raise OutcomeUnknown("createTask answered something that is not an envelope")
        return envelope
