"""Requests over HTTP to one server, and their answers as bytes. Whatever goes wrong on the way is one of our errors.

`send` uses a fresh connection each time: on a kept one the server may already have hung up, and then nobody could say
whether the request was read. A connection that could not be made means the request never left. What the errors say never
holds an address, a header or a body: keys travel there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp

from photomat.kernel.errors import OutcomeUnknown, Transient

USER_AGENT: Final = "Photomat/1 (+self-hosted)"
LARGEST_ANSWER_BYTES: Final = 8 * 2**20
"""Unpacked. Ten times a page of a thousand invoices, a thousand times what Kie says about a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An HTTP status, and what came with it."""

    status: int
    body: bytes


class Line:
    """Requests to one server, all with the same headers; `name` is what it is called in errors."""

    def __init__(self, *, name: str, headers: Mapping[str, str]) -> None:
        self._name = name
        self._headers = {"User-Agent": USER_AGENT, **headers}
        self._reading: aiohttp.ClientSession | None = None

    async def read(
        self, url: str, *, within: aiohttp.ClientTimeout, query: Mapping[str, str] | None = None
    ) -> Answered:
        """Ask for something; whatever goes wrong, it may be asked again."""
        if self._reading is None:
            self._reading = aiohttp.ClientSession(headers=self._headers)
        try:
            async with self._reading.get(url, params=query, timeout=within, allow_redirects=False) as response:
                return await _answered(response)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"{self._name} did not answer: {type(error).__name__}") from None

    async def send(
        self,
        url: str,
        body: Mapping[str, Any],
        *,
        within: aiohttp.ClientTimeout,
        headers: Mapping[str, str] | None = None,
        on_sent: Callable[[], None] | None = None,
    ) -> Answered:
        """Ask that something be done; without an answer nobody knows whether it was. `on_sent`: its body is on the wire."""
        connector = aiohttp.TCPConnector(force_close=True)
        tracing = [] if on_sent is None else [_tracing(on_sent)]
        try:
            async with (
                aiohttp.ClientSession(headers=self._headers, connector=connector, trace_configs=tracing) as session,
                session.post(url, json=body, headers=headers, timeout=within, allow_redirects=False) as response,
            ):
                return await _answered(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Transient(f"{self._name} could not be reached: {type(error).__name__}") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"a request to {self._name} left and got no answer: {type(error).__name__}") from None

    async def close(self) -> None:
        """Let go of the kept connections."""
        if self._reading is not None:
            await self._reading.close()


def _tracing(on_sent: Callable[[], None]) -> aiohttp.TraceConfig:
    async def chunk_sent(*_about: object) -> None:
        on_sent()

    config = aiohttp.TraceConfig()
    config.on_request_chunk_sent.append(chunk_sent)
    return config


async def _answered(response: aiohttp.ClientResponse) -> Answered:
    """Read an answer, but no more of it than an answer can be."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(2**16):
        body += chunk
        if len(body) > LARGEST_ANSWER_BYTES:
            raise aiohttp.ClientPayloadError("the answer is larger than any answer")
    return Answered(status=response.status, body=bytes(body))
