"""HTTP requests to vendors, and guarded downloads. Network failures become our errors.

`HttpClient.get` may be retried: every failure is `Transient`. `post` has an effect: a connection that could not be opened means
that the request never left (`Transient`), any later failure is `OutcomeUnknown`. So each `post` has a connection of its own:
the server may be closing the last one. A client that posts many times a second uses a connection again within a second
(`reuses_posts`): a server that closes one so early says so in its last answer, and only one that is being restarted may not.
Reads and downloads may be repeated, so theirs are kept. Error messages never contain a URL, a header or a body, because keys
travel there. Cookies are not kept.

`Fetcher` downloads from URLs of customers and vendors, protected against server-side request forgery: https to public IP
addresses and one host trusted by name. The IP address is checked after the name is resolved, again for every redirect, and the
connection uses the very address that was checked; it is used again only for the same host and port. A name server that never
answers blocks a thread for as long as the system waits, so each `DnsResolver` has a few threads of its own.
"""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from photomat.kernel.errors import OutcomeUnknown, Transient

USER_AGENT: Final = "Photomat/1 (+self-hosted)"
MAX_ANSWER_BYTES: Final = 8 * 2**20
"""After decompression. Ten times a page of a thousand invoices, a thousand times the state of a task at Kie."""
POST_AGAIN_WITHIN_S: Final = 1.0
"""Usual servers keep an idle connection open for longer: two seconds at least, most of them a minute."""
THREADS: Final = 3
LOOKUP_TIMEOUT_S: Final = 5.0
NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
"""NAT64: the last four bytes are the IPv4 address a packet really goes to."""
NEVER_PUBLIC: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "fec0::/10", "ff00::/8", "224.0.0.0/4")
)
"""Tunnels to other networks (6to4, Teredo, IPv4-compatible addresses), site-local addresses, multicast."""
HTTPS_PORT: Final = 443
MAX_REDIRECTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024
FETCH_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=10, sock_read=30)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
GONE: Final = frozenset({401, 403, 404, 410, 451})
NETWORK_ERRORS: Final = (aiohttp.ClientError, TimeoutError, OSError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    status: int
    body: bytes


class HttpClient:
    """Requests to one server with the same headers; `name` identifies the server in errors."""

    def __init__(self, *, name: str, headers: Mapping[str, str], reuses_posts: bool = False) -> None:
        self._name = name
        self._reuses_posts = reuses_posts
        self._headers = {"User-Agent": USER_AGENT, **headers}
        self._reading: aiohttp.ClientSession | None = None
        self._posting: aiohttp.ClientSession | None = None

    async def get(
        self,
        url: str,
        *,
        within: aiohttp.ClientTimeout,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpAnswer:
        if self._reading is None:
            self._reading = open_session(aiohttp.TCPConnector(), headers=self._headers)
        try:
            async with self._reading.get(
                url, params=query, headers=headers, timeout=within, allow_redirects=False
            ) as response:
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
        try:
            async with (
                self._session_to_post() as session,
                session.post(
                    url, json=body, headers=headers, timeout=within, allow_redirects=False, trace_request_ctx=on_sent
                ) as response,
            ):
                return await _read(response)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise Transient(f"{self._name} could not be reached: {type(error).__name__}") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"a request to {self._name} left and got no answer: {type(error).__name__}") from None

    @asynccontextmanager
    async def _session_to_post(self) -> AsyncIterator[aiohttp.ClientSession]:
        if not self._reuses_posts:
            connector = aiohttp.TCPConnector(force_close=True)
            async with open_session(connector, headers=self._headers, traces=[_telling_sent()]) as session:
                yield session
            return
        if self._posting is None:
            connector = aiohttp.TCPConnector(keepalive_timeout=POST_AGAIN_WITHIN_S)
            self._posting = open_session(connector, headers=self._headers, traces=[_telling_sent()])
        yield self._posting

    async def close(self) -> None:
        """Close the connections that are kept; without any there is nothing to close."""
        for session in (self._reading, self._posting):
            if session is not None:
                await session.close()


def open_session(
    connector: aiohttp.TCPConnector, *, headers: Mapping[str, str], traces: Sequence[aiohttp.TraceConfig] = ()
) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar(), trace_configs=list(traces)
    )


def _telling_sent() -> aiohttp.TraceConfig:
    """Calls what a request has as its `trace_request_ctx` once its body is on the wire."""

    async def chunk_sent(_session: aiohttp.ClientSession, about: SimpleNamespace, *_sent: object) -> None:
        if about.trace_request_ctx is not None:
            about.trace_request_ctx()

    config = aiohttp.TraceConfig()
    config.on_request_chunk_sent.append(chunk_sent)
    return config


async def _read(response: aiohttp.ClientResponse) -> HttpAnswer:
    body = bytearray()
    async for chunk in response.content.iter_chunked(2**16):
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise aiohttp.ClientPayloadError("the answer is too large")
    return HttpAnswer(status=response.status, body=bytes(body))


class DnsResolver:
    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="dns")

    async def look_up(self, host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
        """Resolve a host; raise OSError, or TimeoutError without an answer in time."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LOOKUP_TIMEOUT_S):
            found = await loop.run_in_executor(self._threads, _addresses, host, port, family)
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=NUMERIC)
            for kind, address in found
        ]


def is_public(address: str) -> bool:
    """Whether an IP address is public, also when it is an IPv4 address embedded in an IPv6 one."""
    ip = ipaddress.ip_address(address)
    embedded = _embedded_ipv4(ip) if isinstance(ip, ipaddress.IPv6Address) else None
    if embedded is not None:
        ip = embedded
    return ip.is_global and not any(ip in network for network in NEVER_PUBLIC)


def _embedded_ipv4(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else ip.ipv4_mapped


def _addresses(host: str, port: int, family: socket.AddressFamily) -> list[tuple[int, str]]:
    found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [(kind, str(address[0])) for kind, _, _, _, address in found]


class NotAllowed(Transient):
    """The URL is not one we fetch from, or the file is not one we accept."""


class TooLarge(NotAllowed):
    """The file is larger than the limit."""


class FileGone(Transient):
    """The server says that the file does not exist, or is not for us."""


class Fetcher:
    """`trusted_host` may have any IP address and use plain http; other hosts need https, on port 443 unless `any_port`."""

    def __init__(self, *, trusted_host: str = "", any_port: bool = True) -> None:
        self.trusted_host = trusted_host
        self.any_port = any_port
        self._resolver = _PublicResolver(trusted_host, DnsResolver())
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def opened(
        self, url: str, *, most_bytes: int, within: aiohttp.ClientTimeout = FETCH_TIMEOUT
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the file's chunks; raise NotAllowed, FileGone, or Transient when it cannot be fetched now."""
        if self._session is None:
            connector = aiohttp.TCPConnector(resolver=self._resolver)
            self._session = open_session(connector, headers={"User-Agent": USER_AGENT})
        response = await self._ask(self._session, url, within)
        async with response, aclosing(_chunks(response, most_bytes)) as chunks:
            if (response.content_length or 0) > most_bytes:
                raise TooLarge("the file is larger than we take")
            yield chunks

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _ask(
        self, session: aiohttp.ClientSession, url: str, within: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        try:
            for _ in range(MAX_REDIRECTS + 1):
                check_url(url, self.trusted_host, any_port=self.any_port)
                response = await session.get(url, timeout=within, allow_redirects=False)
                if response.status not in REDIRECTS:
                    return _opened(response)
                response.release()
                url = urljoin(url, response.headers.get("Location", ""))
        except NETWORK_ERRORS as error:
            raise _not_fetched(error) from None
        raise NotAllowed("the URL redirects too often")


def check_url(url: str, trusted_host: str, *, any_port: bool) -> None:
    """Refuse what is neither https nor the trusted host, other ports unless `any_port`, and literal IP addresses not public."""
    parts = urlsplit(url)
    if trusted_host and parts.hostname == trusted_host and parts.scheme in {"http", "https"}:
        return
    if parts.scheme != "https" or not parts.hostname or not parts.hostname.isascii():
        raise NotAllowed("the URL is not https")
    if not any_port and (parts.port or HTTPS_PORT) != HTTPS_PORT:
        raise NotAllowed("the URL names a port")
    try:
        allowed = is_public(parts.hostname)
    except ValueError:
        return
    if not allowed:
        raise NotAllowed("the IP address is not public")


class _PublicResolver(AbstractResolver):
    """Resolves to public IP addresses only, except the trusted host's: the check and the connection use one answer."""

    def __init__(self, trusted_host: str, resolver: DnsResolver) -> None:
        self._trusted_host = trusted_host
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.look_up(host, port, family)
        if self._trusted_host and host == self._trusted_host:
            return found
        public = [one for one in found if is_public(one["host"])]
        if not public:
            raise OSError(f"{host} has no public address")
        return public

    async def close(self) -> None:
        """Nothing to close: the threads are the fetcher's."""


def _opened(response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
    if response.status in GONE:
        response.close()
        raise FileGone(f"the file's server answered {response.status}")
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
    except NETWORK_ERRORS as error:
        raise _not_fetched(error) from None
    if size_bytes == 0:
        raise NotAllowed("the file is empty")


def _not_fetched(error: Exception) -> Transient:
    return Transient(f"the file could not be fetched: {type(error).__name__}")
