"""What both providers' applications share: the payment page, the remote control, and notices that go out while it runs."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
from aiohttp import web

from photomat_sandbox import control
from photomat_sandbox.pay.bill import Till
from photomat_sandbox.pay.desk import Desk
from photomat_sandbox.pay.notices import NoticeSender
from photomat_sandbox.pay.orders import Orders
from photomat_sandbox.pay.page import PaymentPage


def furnish(app: web.Application, till: Till, desk: Desk, *, title: str) -> None:
    """Add them to an application that has the vendor's own routes."""
    orders = Orders(till=till)
    orders.add_routes(app)
    PaymentPage(till=till, transcript=desk.transcript, title=title).add_routes(app)
    control.register(app, desk.transcript, desk.faults, till.vendor)

    async def stop_silence(_app: web.Application) -> None:
        desk.closing.set()

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            sender = NoticeSender(
                till=till, transcript=desk.transcript, faults=desk.faults, session=session, group=group
            )
            orders.send = sender.start
            running = group.create_task(sender.run())
            yield
            running.cancel()
            sender.stop()

    app.on_shutdown.append(stop_silence)
    app.cleanup_ctx.append(background)
