"""The made-up Kie.ai as one aiohttp application: API, upload host and download host on the same address."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from photomat_sandbox import control
from photomat_sandbox.faults import Faults
from photomat_sandbox.kie.callbacks import CallbackSender
from photomat_sandbox.kie.control import Orders
from photomat_sandbox.kie.families import Families, SunoTools
from photomat_sandbox.kie.files import Files, Studio, Uploads
from photomat_sandbox.kie.jobs import Jobs
from photomat_sandbox.kie.routing import Desk, envelope
from photomat_sandbox.kie.task_runner import Workshop
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.transcript import Transcript

LARGEST_BODY_BYTES: Final = 110 * 2**20


def build_app(world: KieWorld, transcript: Transcript, faults: Faults) -> web.Application:
    """Put the parts together; tasks move and callbacks go out while the application runs."""
    app = web.Application(client_max_size=LARGEST_BODY_BYTES)
    desk = Desk(world=world, transcript=transcript, faults=faults)
    workshop = Workshop(world=world, transcript=transcript, faults=faults)
    orders = Orders(world=world, workshop=workshop)
    uploads = Uploads(world=world)
    Jobs(world=world, workshop=workshop).add_routes(app, desk)
    Families(world=world, workshop=workshop).add_routes(app, desk)
    SunoTools(world=world, workshop=workshop).add_routes(app, desk)
    Files(world=world, studio=Studio(world=world)).add_routes(app, desk)
    uploads.add_routes(app, desk)
    orders.add_routes(app)
    control.register(app, transcript, faults, "kie")
    app.middlewares.append(_unknown_paths_in_json)

    async def stop_silence(_app: web.Application) -> None:
        desk.closing.set()

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            sender = CallbackSender(world=world, transcript=transcript, faults=faults, session=session, group=group)
            orders.sender, uploads.session = sender, session
            running = [group.create_task(workshop.run()), group.create_task(sender.run())]
            yield
            for task in running:
                task.cancel()
            sender.stop()

    app.on_shutdown.append(stop_silence)
    app.cleanup_ctx.append(background)
    return app


@web.middleware
async def _unknown_paths_in_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer for a path or a verb that nothing listens to in the vendor's envelope; a missing file stays what it is."""
    try:
        return await handler(request)
    except (web.HTTPNotFound, web.HTTPMethodNotAllowed) as missing:
        if request.match_info.http_exception is None:
            raise
        return envelope(missing.status, "Not Found", status=missing.status)
