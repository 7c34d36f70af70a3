"""Which requests to others use a connection again, and for how long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp import web

from photomat.kernel import http
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.http import Fetcher, FileGone, HttpClient, TooLarge
from support.telegram_sim import served

WITHIN = aiohttp.ClientTimeout(total=20)


@dataclass
class Server:
    """Counts connections; `closes` ends each after its answer, as a server does with an idle one."""

    url: str = ""
    closes: bool = False
    cookies: list[str] = field(default_factory=list)
    connections: list[object] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.cookies.append(request.headers.get("Cookie", ""))
        if request.transport not in self.connections:
            self.connections.append(request.transport)
        if request.path == "/gone":
            return web.Response(status=404)
        response = web.Response(body=b"bytes", headers={"Set-Cookie": "a=b"})
        if self.closes:
            await response.prepare(request)
            await response.write_eof()
            assert request.transport is not None
            request.transport.close()
        return response


@asynccontextmanager
async def running(*, closes: bool = False) -> AsyncIterator[Server]:
    server = Server(closes=closes)
    app = web.Application()
    app.router.add_route("*", "/{path}", server.answer)
    async with served(app) as url:
        server.url = url
        yield server


async def fetched(fetcher: Fetcher, url: str, *, most_bytes: int = 100) -> bytes:
    async with fetcher.opened(url, most_bytes=most_bytes) as chunks:
        return b"".join([chunk async for chunk in chunks])


async def test_downloads_of_one_host_share_a_connection_and_keep_no_cookie() -> None:
    async with running() as server:
        fetcher = Fetcher(trusted_host="127.0.0.1")
        assert [await fetched(fetcher, f"{server.url}/{name}") for name in "abc"] == [b"bytes"] * 3
        assert len(server.connections) == 1
        assert server.cookies == [""] * 3


async def test_a_download_follows_one_that_was_refused_or_broken_off() -> None:
    async with running() as server:
        fetcher = Fetcher(trusted_host="127.0.0.1")
        with pytest.raises(FileGone):
            await fetched(fetcher, f"{server.url}/gone")
        with pytest.raises(TooLarge):
            await fetched(fetcher, f"{server.url}/a", most_bytes=1)
        assert await fetched(fetcher, f"{server.url}/a") == b"bytes"


async def test_a_download_survives_a_server_that_closed_the_idle_connection() -> None:
    async with running(closes=True) as server:
        fetcher = Fetcher(trusted_host="127.0.0.1")
        for name in "abc":
            assert await fetched(fetcher, f"{server.url}/{name}") == b"bytes"


async def test_each_post_has_a_connection_of_its_own_and_reads_share_one() -> None:
    async with running() as server:
        client = HttpClient(name="the server", headers={})
        for name in "abc":
            await client.post(f"{server.url}/{name}", {}, within=WITHIN)
        assert len(server.connections) == 3
        for name in "abc":
            await client.get(f"{server.url}/{name}", within=WITHIN)
        assert len(server.connections) == 4
        await client.close()


async def test_a_post_follows_one_whose_connection_is_being_closed() -> None:
    async with running(closes=True) as server:
        client = HttpClient(name="the server", headers={})
        for name in "abc":
            assert (await client.post(f"{server.url}/{name}", {}, within=WITHIN)).body == b"bytes"


async def test_a_client_of_many_posts_uses_a_connection_again_and_each_post_tells_when_it_was_sent() -> None:
    sent: list[str] = []
    async with running() as server:
        client = HttpClient(name="the server", headers={}, reuses_posts=True)
        await client.post(f"{server.url}/a", {}, within=WITHIN, on_sent=lambda: sent.append("a"))
        await client.post(f"{server.url}/b", {}, within=WITHIN)
        await client.post(f"{server.url}/c", {}, within=WITHIN, on_sent=lambda: sent.append("c"))
        assert sent == ["a", "c"]
        assert len(server.connections) == 1
        await client.get(f"{server.url}/d", within=WITHIN)
        assert len(server.connections) == 2, "reads have one of their own"
        await client.close()


async def test_after_a_second_a_post_has_a_new_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "POST_AGAIN_WITHIN_S", 0.05)
    async with running() as server:
        client = HttpClient(name="the server", headers={}, reuses_posts=True)
        await client.post(f"{server.url}/a", {}, within=WITHIN)
        await asyncio.sleep(0.06)
        await client.post(f"{server.url}/b", {}, within=WITHIN)
        assert len(server.connections) == 2
        await client.close()


async def test_a_post_on_a_connection_that_the_server_closes_meanwhile_has_an_unknown_outcome() -> None:
    """The server took the request and hung up: nothing may send it again."""
    received: list[str] = []

    async def hang_up(request: web.Request) -> web.Response:
        received.append(request.path)
        if request.path == "/b":
            assert request.transport is not None
            request.transport.abort()
        return web.Response(body=b"bytes")

    app = web.Application()
    app.router.add_route("*", "/{path}", hang_up)
    async with served(app) as url:
        client = HttpClient(name="the server", headers={}, reuses_posts=True)
        await client.post(f"{url}/a", {}, within=WITHIN)
        with pytest.raises(OutcomeUnknown):
            await client.post(f"{url}/b", {}, within=WITHIN)
        assert received == ["/a", "/b"]
        await client.close()
