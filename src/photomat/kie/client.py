"""Kie over HTTP. Every foreign error becomes one of ours here, and nowhere else.

`create_task` uses a fresh connection each time: on a kept one the server may already have hung up, and then nobody
could say whether the request was read. A connection that could not be made means the request never left.
"""

from collections.abc import Mapping
from typing import Final

import aiohttp

from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import TaskId
from photomat.kie import wire
from photomat.kie.families import FAMILIES, JOBS
from photomat.kie.port import Answer, Busy, Paused, TaskRefused
from photomat.kie.state_parser import extract_task_id, parse_kie_state

ROOT: Final = "/api/v1/"
USER_AGENT: Final = "Photomat/1 (+self-hosted)"
CREATE_TIMEOUT: Final = aiohttp.ClientTimeout(total=8, connect=4, sock_connect=4)
READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=10, connect=4, sock_connect=4)
UNKNOWN_TASK_CODES: Final = frozenset({400, 404, 422})
"""What the families answer when they do not know a task (yet); music answers 200 without data."""

ASKED_TOO_OFTEN_S: Final = 2.0
LARGEST_ANSWER_BYTES: Final = 8 * 2**20
"""Unpacked. A thousand times more than Kie says about a task."""


class KieClient:
    """The provider port and the account port on Kie's HTTP API."""

    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._headers = {"Authorization": f"Bearer {api_key}", "User-Agent": USER_AGENT}
        self._reading: aiohttp.ClientSession | None = None

    async def create_task(
        self, *, model: str, inputs: Mapping[str, object], callback_url: str | None, protocol: str = JOBS
    ) -> TaskId:
        """Create a task; see the port for what it raises."""
        family = FAMILIES[protocol]
        envelope = await self._post_create(family.create, family.body(model, inputs, callback_url))
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
        url = f"{self._base_url}{ROOT}{FAMILIES[protocol].query}"
        try:
            async with self._session().get(
                url, params={"taskId": task_id}, timeout=READ_TIMEOUT, allow_redirects=False
            ) as response:
                envelope = wire.decode(await _body(response), response.status)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"recordInfo did not answer: {type(error).__name__}") from error
        if envelope is None:
            raise Transient("recordInfo answered something that is not an envelope")
        if envelope.code == wire.OK and isinstance(envelope.data, Mapping):
            return Answer(parse_kie_state({"data": envelope.data}))
        if envelope.code == wire.OK or envelope.code in UNKNOWN_TASK_CODES:
            return Answer(None)
        if envelope.code in wire.BUSY_CODES:
            raise Busy(f"Kie is asked too often: code {envelope.code}", retry_after_s=ASKED_TOO_OFTEN_S)
        raise Transient(f"recordInfo answered code {envelope.code}")

    async def credits(self) -> float:
        """How many credits the account has left; see the port for what it raises."""
        try:
            async with self._session().get(
                f"{self._base_url}{ROOT}chat/credit", timeout=READ_TIMEOUT, allow_redirects=False
            ) as response:
                envelope = wire.decode(await _body(response), response.status)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"Kie did not answer: {type(error).__name__}") from error
        if envelope is not None and envelope.code in wire.PAUSED_CODES:
            raise Paused(f"Kie refuses the key: {envelope.code} {envelope.message[:200]}", code=envelope.code)
        if envelope is None or envelope.code != wire.OK or not isinstance(envelope.data, int | float):
            raise Transient("Kie gave no number of credits")
        return float(envelope.data)

    async def close(self) -> None:
        """Let go of the kept connections."""
        if self._reading is not None:
            await self._reading.close()

    def _session(self) -> aiohttp.ClientSession:
        if self._reading is None:
            self._reading = aiohttp.ClientSession(headers=self._headers)
        return self._reading

    async def _post_create(self, path: str, body: Mapping[str, object]) -> wire.Envelope:
        try:
            async with (
                aiohttp.ClientSession(
                    headers=self._headers, connector=aiohttp.TCPConnector(force_close=True)
                ) as session,
                session.post(
                    f"{self._base_url}{ROOT}{path}", json=body, timeout=CREATE_TIMEOUT, allow_redirects=False
                ) as response,
            ):
                envelope = wire.decode(await _body(response), response.status)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Transient(f"Kie could not be reached: {type(error).__name__}") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"createTask left and got no answer: {type(error).__name__}") from error
        if envelope is None:
            raise OutcomeUnknown("createTask answered something that is not an envelope")
        return envelope


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Read an answer, but no more of it than an answer can be."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(2**16):
        body += chunk
        if len(body) > LARGEST_ANSWER_BYTES:
            raise aiohttp.ClientPayloadError("the answer is larger than any answer")
    return bytes(body)
