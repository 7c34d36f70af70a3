"""HTTP requests to one server; network failures become our errors.

`get` may be retried: every failure is `Transient`. `post` has an effect: a connection that could not be opened means that the
request never left (`Transient`), any later failure is `OutcomeUnknown`. `post` opens a new connection each time, because the
server may have closed a kept one, which would leave the outcome unknown. Error messages never contain a URL, a header or a
body, because keys travel there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from photomat.kernel.errors import OutcomeUnknown, Transient

USER_AGENT: Final = "Photomat/1 (+self-hosted)"
LARGEST_ANSWER_BYTES: Final = 8 * 2**20
"""After decompression. Ten times a page of a thousand invoices, a thousand times the state of a task at Kie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    status: int
    body: bytes


class HttpClient:
    """Requests to one server with the same headers; `name` identifies the server in errors."""

    def __init__(self, *, name: str, headers: Mapping[str, str]) -> None:
        self._name = name
        self._headers = {"User-Agent": USER_AGENT, **headers}
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, url: str, *, within: aiohttp.ClientTimeout, query: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        if self._session is None:
            self._session = aiohttp.ClientSession(headers=self._headers)
        try:
            async with self._session.get(url, params=query, timeout=within, allow_redirects=False) as response:
                return await _read(response)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"{self._name} did not answer: {type(error).__name__}") from None

    async def post(
        self,
        url: str,
        body: Mapping[str, Any],
        *,
        within: aiohttp.ClientTimeout,
        headers: Mapping[str, str] | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> HttpAnswer:
        """Send a JSON body; `on_sent` is called once it is on the wire."""
        connector = aiohttp.TCPConnector(force_close=True)
        tracing = [] if on_sent is None else [_tracing(on_sent)]
        try:
            async with (
                aiohttp.ClientSession(headers=self._headers, connector=connector, trace_configs=tracing) as session,
                session.post(url, json=body, headers=headers, timeout=within, allow_redirects=False) as response,
            ):
                return await _read(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Transient(f"{self._name} could not be reached: {type(error).__name__}") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"a request to {self._name} left and got no answer: {type(error).__name__}") from None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


def _tracing(on_sent: Callable[[], None]) -> aiohttp.TraceConfig:
    async def chunk_sent(*_about: object) -> None:
        on_sent()

    config = aiohttp.TraceConfig()
    config.on_request_chunk_sent.append(chunk_sent)
    return config


async def _read(response: aiohttp.ClientResponse) -> HttpAnswer:
    body = bytearray()
    async for chunk in response.content.iter_chunked(2**16):
        body += chunk
        if len(body) > LARGEST_ANSWER_BYTES:
            raise aiohttp.ClientPayloadError("the answer is too large")
    return HttpAnswer(status=response.status, body=bytes(body))
