"""Bytes from addresses somebody else chose, fetched only from where files may lie.

Allowed are https on public addresses (`names.py`), and hosts that are trusted by name; the address is tested after the name was
resolved, for every redirect again, and the connection uses the very answer that was tested. What is larger than allowed is not
read on.

Names of hosts and their addresses: looked up in threads of their own, within a written time, and which are public.

A name server that never answers holds a thread for as long as the system waits for it. So each `Names` has a few threads for
itself, and whoever shares the process's other threads, or another `Names`, is not held up.
"""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from photomat.kernel.errors import Transient
from photomat.kernel.http import USER_AGENT

THREADS: Final = 3
LOOKUP_TIMEOUT_S: Final = 5.0
NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
IPV4_WITHIN: Final = ipaddress.ip_network("64:ff9b::/96")
"""How a network without IPv4 writes its addresses: the last four bytes say where a packet really goes."""
NEVER: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "fec0::/10", "ff00::/8", "224.0.0.0/4")
)
"""Ways round to other networks (6to4, Teredo, addresses of old with IPv4 within), one's own site, and crowds."""
HTTPS_PORT: Final = 443
MOST_REDIRECTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024
FETCH_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=10, sock_read=30)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
GONE: Final = frozenset({401, 403, 404, 410, 451})
TROUBLES: Final = (aiohttp.ClientError, TimeoutError, OSError, ValueError)


class Names:
    """Looks names up."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="names")

    async def look_up(self, host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
        """The addresses of a host; raises OSError, or TimeoutError when nobody answers in time."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LOOKUP_TIMEOUT_S):
            found = await loop.run_in_executor(self._threads, _addresses, host, port, family)
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=NUMERIC)
            for kind, address in found
        ]


def is_public(address: str) -> bool:
    """Whether anybody may be reached there, and nobody of our own network in disguise."""
    ip = ipaddress.ip_address(address)
    within = _ipv4_within(ip) if isinstance(ip, ipaddress.IPv6Address) else None
    if within is not None:
        ip = within
    return ip.is_global and not any(ip in network for network in NEVER)


def _ipv4_within(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in IPV4_WITHIN else ip.ipv4_mapped


def _addresses(host: str, port: int, family: socket.AddressFamily) -> list[tuple[int, str]]:
    found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [(kind, str(address[0])) for kind, _, _, _, address in found]


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
