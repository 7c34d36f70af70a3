"""The public address of a storm: a balancer that gives each call to some instance, and 502 when none takes it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import aiohttp
from aiohttp import web

from photomat_chaos.processes import Instance

NOT_PASSED_ON: Final = frozenset({"host", "content-length", "connection", "transfer-encoding"})
ANSWER_TIMEOUT: Final = aiohttp.ClientTimeout(total=3)
LARGEST_BODY_BYTES: Final = 16 * 2**20


@dataclass(slots=True, kw_only=True)
class Door:
    """The balancer while it runs; it knows the instances there are now."""

    session: aiohttp.ClientSession
    url: str = ""
    instances: list[Instance] = field(default_factory=list)
    _turn: int = 0

    async def pass_on(self, request: web.Request) -> web.Response:
        """Give the request to the next instance in turn, and its answer back; a frozen one is left after a while."""
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED_ON}
        self._turn += 1
        ready = [instance for instance in self.instances if instance.ready]
        for place in range(len(ready)):
            instance = ready[(self._turn + place) % len(ready)]
            try:
                async with self.session.post(instance.url + request.path, data=body, headers=headers) as answer:
                    return web.Response(body=await answer.read(), status=answer.status)
            except (aiohttp.ClientError, TimeoutError):
                continue
        return web.Response(status=502)


@asynccontextmanager
async def open_door() -> AsyncIterator[Door]:
    """Run a balancer without instances."""
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=connector, timeout=ANSWER_TIMEOUT) as session:
        door = Door(session=session)
        app = web.Application(client_max_size=LARGEST_BODY_BYTES)
        app.router.add_post("/{path:.*}", door.pass_on)
        async with serving(app) as url:
            door.url = url
            yield door


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    """Serve an application on a free port of loopback and give its address."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
