"""The public address: a balancer in front of the instances, as a hosting service puts one there.

A call goes to the newest instance that works, unless a test says which; when none takes it the answer is 502, and
Telegram or Kie repeats. So an instance can die and its successor gets the callbacks of its jobs.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import aiohttp
from aiohttp import web

from support.instance import Instance
from support.kie_sim import serving

NOT_PASSED_ON: Final = frozenset({"host", "content-length", "connection", "transfer-encoding"})
ANSWER_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)


@dataclass(slots=True, kw_only=True)
class Door:
    """The balancer while it runs."""

    session: aiohttp.ClientSession
    url: str = ""
    instances: list[Instance] = field(default_factory=list)
    only: Instance | None = None

    async def pass_on(self, request: web.Request) -> web.Response:
        """Give the request to an instance, and its answer back."""
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED_ON}
        for instance in [self.only] if self.only else reversed(self.instances):
            if not instance.is_running:
                continue
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
        app = web.Application(client_max_size=16 * 2**20)
        app.router.add_post("/{path:.*}", door.pass_on)
        async with serving(app) as url:
            door.url = url
            yield door
