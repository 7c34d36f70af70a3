"""A Kie that lies: for each task and each order it gives the answer it was told to give, byte for byte.

Beside it stands the trap, a server on an address nobody may fetch results from; it counts who comes all the same.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from photomat_chaos.fuzz.kie import KieAnswer
from photomat_chaos.lab.door import serving

TRAP_HOST: Final = "127.0.0.2"
NOTHING: Final = KieAnswer(status=500, headers={}, body=b"")


@dataclass(slots=True, kw_only=True)
class HostileKie:
    """`record` and `create` are told to give the answer for a task id and for a job id."""

    url: str = ""
    record: Callable[[str], KieAnswer] = lambda _task_id: NOTHING
    create: Callable[[int], KieAnswer] = lambda _job_id: NOTHING
    asked: int = 0

    async def record_info(self, request: web.Request) -> web.StreamResponse:
        """Answer recordInfo."""
        self.asked += 1
        return await _give(request, self.record(request.query.get("taskId", "")))

    async def create_task(self, request: web.Request) -> web.StreamResponse:
        """Answer createTask; the address to call back at says which job it is."""
        self.asked += 1
        order = await request.json()
        token = urlsplit(order.get("callBackUrl", "")).path.rpartition("/")[2]
        return await _give(request, self.create(int(token.partition(".")[0] or 0)))


async def _give(request: web.Request, answer: KieAnswer) -> web.StreamResponse:
    transport = request.transport
    if answer.how == "whole" or transport is None:
        return web.Response(status=answer.status, headers=answer.headers, body=answer.body)
    if answer.how == "garbage":
        transport.write(answer.body or b"\x00")
    if answer.how == "cut":
        transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + answer.body[:1000])
    transport.close()
    return web.Response()


@dataclass(slots=True, kw_only=True)
class Trap:
    """Counts connections."""

    port: int = 0
    sprung: list[bytes] = field(default_factory=list)

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Remember who came and what they said first; Telegram's own servers may fetch what they like."""
        try:
            async with asyncio.timeout(1):
                said = await reader.read(4096)
        except (TimeoutError, ConnectionError):
            said = b""
        if b"TelegramBot" not in said:
            self.sprung.append(said[:80])
        writer.close()


@asynccontextmanager
async def hostile_kie() -> AsyncIterator[HostileKie]:
    """Run a Kie that lies."""
    kie = HostileKie()
    app = web.Application()
    app.router.add_get("/api/v1/jobs/recordInfo", kie.record_info)
    app.router.add_post("/api/v1/jobs/createTask", kie.create_task)
    async with serving(app) as url:
        kie.url = url
        yield kie


@asynccontextmanager
async def set_trap() -> AsyncIterator[Trap]:
    """Run a trap."""
    trap = Trap()
    server = await asyncio.start_server(trap.meet, TRAP_HOST, 0)
    trap.port = server.sockets[0].getsockname()[1]
    try:
        yield trap
    finally:
        server.close()
