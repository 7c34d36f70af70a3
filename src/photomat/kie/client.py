"""Kie's API and its upload host. Foreign errors are translated here and nowhere else.

Whether a request may have arrived is decided in `kernel/http.py`. An upload gets a random name: another one could overwrite an
older file, or be served from a cache. Errors contain no URL of an upload, because the URL alone gives access to the file.
"""

import secrets
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final
from urllib.parse import urlsplit

import aiohttp

from photomat.kernel.calls import kie_call
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import USER_AGENT, HttpClient
from photomat.kernel.ids import TaskId
from photomat.kie.port import Busy, Paused, QueueFull, TaskRefused, UploadRefused
from photomat.kie.protocol import (
    BUSY_CODES,
    FAMILIES,
    JOBS,
    OK,
    PAUSED_CODES,
    QUEUE_FULL,
    REFUSED_CODES,
    Envelope,
    decode,
)
from photomat.kie.state_parser import Reading, extract_task_id, parse_kie_state

ROOT: Final = "/api/v1/"
CREATE_TIMEOUT: Final = aiohttp.ClientTimeout(total=6, connect=4, sock_connect=4)
"""Shorter than the drain time of a stop (`app/instance.py`), so that an answer is stored before the process ends."""
READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=10, connect=4, sock_connect=4)
UNKNOWN_TASK_CODES: Final = frozenset({400, 404, 422})
"""The answers of the families for an unknown task; music answers 200 without data."""
ASKED_TOO_OFTEN_S: Final = 2.0
PATH: Final = "/api/file-stream-upload"
FOLDER: Final = "photomat"
UPLOAD_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=5, sock_connect=5, sock_read=60)
MAX_ANSWER_BYTES: Final = 2**16
MAX_URL_LENGTH: Final = 2000


class KieClient:
    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._http = HttpClient(name="Kie", headers={"Authorization": f"Bearer {api_key}"}, reuses_posts=True)

    async def create_task(
        self,
        *,
        model: str,
        inputs: Mapping[str, object],
        callback_url: str | None,
        protocol: str = JOBS,
        on_sent: Callable[[], None] | None = None,
    ) -> TaskId:
        family = FAMILIES[protocol]
        with kie_call("createTask"):
            return await self._create(family.create, family.body(model, inputs, callback_url), on_sent)

    async def _create(self, path: str, body: Mapping[str, object], on_sent: Callable[[], None] | None) -> TaskId:
        envelope = await self._post_create(path, body, on_sent)
        if envelope.code == QUEUE_FULL:
            raise QueueFull(f"Kie's queue is full: code {envelope.code}")
        _require_open(envelope, host="Kie", what="task")
        task_id = extract_task_id({"data": envelope.data})
        if task_id is None and envelope.code in REFUSED_CODES:
            raise TaskRefused(str(envelope.code), envelope.message[:500])
        if envelope.code != OK or task_id is None:
            raise OutcomeUnknown(f"createTask answered code {envelope.code} without a task id")
        return TaskId(task_id)

    async def record(self, task_id: TaskId, *, protocol: str = JOBS) -> Reading | None:
        with kie_call("recordInfo"):
            return await self._record(FAMILIES[protocol].query, task_id)

    async def _record(self, path: str, task_id: TaskId) -> Reading | None:
        envelope = await self._read(path, {"taskId": task_id})
        if envelope is None:
            raise Transient("recordInfo answered something that is not an envelope")
        if envelope.code == OK and isinstance(envelope.data, Mapping):
            return parse_kie_state({"data": envelope.data})
        if envelope.code == OK or envelope.code in UNKNOWN_TASK_CODES:
            return None
        if envelope.code in BUSY_CODES or envelope.code == QUEUE_FULL:
            raise Busy(f"Kie is asked too often: code {envelope.code}", retry_after_s=ASKED_TOO_OFTEN_S)
        raise Transient(f"recordInfo answered code {envelope.code}")

    async def credits(self) -> float:
        with kie_call("credit"):
            return await self._credits()

    async def _credits(self) -> float:
        envelope = await self._read("chat/credit")
        if envelope is not None and envelope.code in PAUSED_CODES:
            raise Paused(f"Kie refuses the key: {envelope.code} {envelope.message[:200]}", code=envelope.code)
        if envelope is None or envelope.code != OK or not isinstance(envelope.data, int | float):
            raise Transient("Kie gave no number of credits")
        return float(envelope.data)

    async def close(self) -> None:
        await self._http.close()

    async def _read(self, path: str, query: Mapping[str, str] | None = None) -> Envelope | None:
        answered = await self._http.get(f"{self._base_url}{ROOT}{path}", query=query, within=READ_TIMEOUT)
        return decode(answered.body, answered.status)

    async def _post_create(self, path: str, body: Mapping[str, object], on_sent: Callable[[], None] | None) -> Envelope:
        url = f"{self._base_url}{ROOT}{path}"
        answered = await self._http.post(url, body, within=CREATE_TIMEOUT, on_sent=on_sent)
        envelope = decode(answered.body, answered.status)
        if envelope is None:
            raise OutcomeUnknown("createTask answered something that is not an envelope")
        return envelope


def _require_open(envelope: Envelope, *, host: str, what: str) -> None:
    """Raise for codes that mean every request alike."""
    if envelope.code in BUSY_CODES:
        raise Busy(f"{host} is busy: code {envelope.code}")
    if envelope.code in PAUSED_CODES:
        raise Paused(f"Kie refuses every {what}: {envelope.code} {envelope.message[:200]}", code=envelope.code)


class KieUploads:
    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._own_host = urlsplit(base_url).hostname
        self._headers = {"User-Agent": USER_AGENT, "Authorization": f"Bearer {api_key}"}

    async def upload(self, file: BinaryIO, *, mime: str, extension: str) -> str:
        with kie_call("upload"):
            return await self._upload(file, mime=mime, extension=extension)

    async def _upload(self, file: BinaryIO, *, mime: str, extension: str) -> str:
        name = f"{secrets.token_hex(16)}.{extension}"
        form = aiohttp.FormData({"uploadPath": FOLDER, "fileName": name})
        form.add_field("file", file, filename=name, content_type=mime)
        envelope = await self._post(form)
        if envelope is None:
            raise Transient("Kie's upload host answered something that is not an envelope")
        _require_open(envelope, host="Kie's upload host", what="upload")
        if envelope.code in REFUSED_CODES:
            raise UploadRefused(envelope.code)
        url = self._usable_url(envelope.data) if envelope.code == OK else None
        if url is None:
            raise Transient(f"Kie's upload host answered code {envelope.code} without a URL")
        return url

    async def _post(self, form: aiohttp.FormData) -> Envelope | None:
        connector = aiohttp.TCPConnector(force_close=True)
        try:
            async with (
                aiohttp.ClientSession(headers=self._headers, connector=connector, timeout=UPLOAD_TIMEOUT) as session,
                session.post(f"{self._base_url}{PATH}", data=form, allow_redirects=False) as response,
            ):
                return decode(await response.content.read(MAX_ANSWER_BYTES), response.status)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"a file could not be uploaded to Kie: {type(error).__name__}") from None

    def _usable_url(self, data: object) -> str | None:
        """The URL in an answer, if tasks can use it: https, or on the upload host itself."""
        found = data.get("downloadUrl") if isinstance(data, Mapping) and data.get("success", True) is True else None
        if not isinstance(found, str) or len(found) > MAX_URL_LENGTH:
            return None
        parts = urlsplit(found)
        is_ours = parts.scheme == "http" and parts.hostname == self._own_host
        return found if parts.hostname and (parts.scheme == "https" or is_ours) else None
