"""Bytes from addresses somebody else chose, fetched only from where files may lie.

Allowed are https on public addresses (`names.py`), and hosts that are trusted by name; the address is tested after the name was
resolved, for every redirect again, and the connection uses the very answer that was tested. What is larger than allowed is not
read on.
"""

import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from photomat.kernel.errors import Transient
from photomat.kernel.http import USER_AGENT
from photomat.kernel.names import Names, is_public

HTTPS_PORT: Final = 443
MOST_REDIRECTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024
FETCH_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=10, sock_read=30)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
GONE: Final = frozenset({401, 403, 404, 410, 451})
TROUBLES: Final = (aiohttp.ClientError, TimeoutError, OSError, ValueError)


class NotAllowed(Transient):
    """The address is not one we fetch from, or the file is not one we take."""


class TooLarge(NotAllowed):
    """The file is larger than we take."""


class Gone(Transient):
    """The server says that the file is not there, or not for us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetcher:
    """Fetches files; `trusted_host` may be at any address and may speak plain http, others at their usual port or at any."""

    trusted_host: str = ""
    any_port: bool = True
    names: Names = field(default_factory=Names)

    @asynccontextmanager
    async def opened(
        self, url: str, *, most_bytes: int, within: aiohttp.ClientTimeout = FETCH_TIMEOUT
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """The file's bytes, by chunks; raises NotAllowed, Gone, or Transient when it cannot be had now."""
        connector = aiohttp.TCPConnector(resolver=_PublicOnly(self.trusted_host, self.names), force_close=True)
        async with aiohttp.ClientSession(connector=connector, headers={"User-Agent": USER_AGENT}) as session:
            response = await self._ask(session, url, within)
            async with response, aclosing(_chunks(response, most_bytes)) as chunks:
                if (response.content_length or 0) > most_bytes:
                    raise TooLarge("the file is larger than we take")
                yield chunks

    async def _ask(
        self, session: aiohttp.ClientSession, url: str, within: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        try:
            for _ in range(MOST_REDIRECTS + 1):
                check_address(url, self.trusted_host, any_port=self.any_port)
                response = await session.get(url, timeout=within, allow_redirects=False)
                if response.status not in REDIRECTS:
                    return _given(response)
                response.release()
                url = urljoin(url, response.headers.get("Location", ""))
        except TROUBLES as error:
            raise _not_fetched(error) from None
        raise NotAllowed("the address redirects too often")


def check_address(url: str, trusted_host: str, *, any_port: bool) -> None:
    """Refuse what is neither https nor on the trusted host, ports that are not meant, literal addresses that are not public."""
    parts = urlsplit(url)
    if trusted_host and parts.hostname == trusted_host and parts.scheme in {"http", "https"}:
        return
    if parts.scheme != "https" or not parts.hostname or not parts.hostname.isascii():
        raise NotAllowed("the address is not https")
    if not any_port and (parts.port or HTTPS_PORT) != HTTPS_PORT:
        raise NotAllowed("the address names a port")
    try:
        allowed = is_public(parts.hostname)
    except ValueError:
        return
    if not allowed:
        raise NotAllowed("the address is not public")


class _PublicOnly(AbstractResolver):
    """Resolves names to public addresses only, except the trusted host's: the check and the connection use one answer."""

    def __init__(self, trusted_host: str, names: Names) -> None:
        self._trusted_host = trusted_host
        self._names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._names.look_up(host, port, family)
        if self._trusted_host and host == self._trusted_host:
            return found
        public = [one for one in found if is_public(one["host"])]
        if not public:
            raise OSError(f"{host} has no public address")
        return public

    async def close(self) -> None:
        """Nothing to close: the threads are the fetcher's."""


def _given(response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
    if response.status in GONE:
        response.close()
        raise Gone(f"the file's server answered {response.status}")
    response.raise_for_status()
    return response


async def _chunks(response: aiohttp.ClientResponse, most_bytes: int) -> AsyncGenerator[bytes, None]:
    size_bytes = 0
    try:
        async for chunk in response.content.iter_chunked(CHUNK_BYTES):
            size_bytes += len(chunk)
            if size_bytes > most_bytes:
                raise TooLarge("the file is larger than we take")
            yield chunk
    except TROUBLES as error:
        raise _not_fetched(error) from None
    if size_bytes == 0:
        raise NotAllowed("the file is empty")


def _not_fetched(error: Exception) -> Transient:
    return Transient(f"the file could not be fetched: {type(error).__name__}")
