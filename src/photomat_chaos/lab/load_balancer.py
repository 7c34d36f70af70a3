"""The public address: a balancer in front of the instances, as a hosting service puts one there.

It gives each call to the next instance in turn, or always to the newest that works; when none takes it the answer is 502,
and Telegram or Kie repeats. So an instance can die and its successor gets the callbacks of its jobs.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp import web

from photomat_chaos.lab.processes import Instance

NOT_PASSED_ON: Final = frozenset({"host", "content-length", "connection", "transfer-encoding"})
ANSWER_TIMEOUT: Final = aiohttp.ClientTimeout(total=3)
MAX_BODY_BYTES: Final = 16 * 2**20


@dataclass(slots=True, kw_only=True)
class LoadBalancer:
    """A load balancer over the instances of now, or over `only` one."""

    session: aiohttp.ClientSession
    in_turn: bool
    url: str = ""
    instances: Sequence[Instance] = ()
    only: Instance | None = None
    _turn: int = 0

    async def pass_on(self, request: web.Request) -> web.Response:
        """Forward the request to an instance; try the next one when it does not answer."""
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED_ON}
        for instance in self._asked():
            try:
                async with self.session.post(instance.url + request.path, data=body, headers=headers) as answer:
                    return web.Response(body=await answer.read(), status=answer.status)
            except (aiohttp.ClientError, TimeoutError):
                continue
        return web.Response(status=502)

    def _asked(self) -> list[Instance]:
        """The instances to try, in order."""
        known = self.instances if self.only is None else [self.only]
        ready = [instance for instance in known if instance.ready]
        if not self.in_turn:
            return ready[::-1]
        self._turn += 1
        first = self._turn % len(ready) if ready else 0
        return ready[first:] + ready[:first]


@asynccontextmanager
async def open_load_balancer(*, in_turn: bool = True) -> AsyncIterator[LoadBalancer]:
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(connector=connector, timeout=ANSWER_TIMEOUT) as session:
        balancer = LoadBalancer(session=session, in_turn=in_turn)
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/{path:.*}", balancer.pass_on)
        async with serving(app) as url:
            balancer.url = url
            yield balancer


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    """Serve an application on a free loopback port and yield its URL."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
