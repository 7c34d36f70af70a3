"""The simulated Kie.ai as one aiohttp application: API, upload host and download host under the same URL."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from photomat_sandbox import control
from photomat_sandbox.faults import Faults
from photomat_sandbox.kie.callbacks import CallbackSender
from photomat_sandbox.kie.chat_models import ChatModelRoutes
from photomat_sandbox.kie.control import KieControl
from photomat_sandbox.kie.families import FamilyRoutes, SunoToolRoutes
from photomat_sandbox.kie.files import DownloadRoutes, ResultRenderer, UploadRoutes
from photomat_sandbox.kie.jobs import JobRoutes
from photomat_sandbox.kie.routing import KieRouter, envelope
from photomat_sandbox.kie.task_runner import TaskRunner
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.transcript import Transcript

MAX_BODY_BYTES: Final = 110 * 2**20


def build_app(world: KieWorld, transcript: Transcript, faults: Faults) -> web.Application:
    """Assemble the application; tasks advance and callbacks are sent while it runs."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    router = KieRouter(world=world, transcript=transcript, faults=faults)
    runner = TaskRunner(world=world, transcript=transcript, faults=faults)
    controls = KieControl(world=world, runner=runner)
    uploads = UploadRoutes(world=world)
    JobRoutes(world=world, runner=runner).add_routes(app, router)
    FamilyRoutes(world=world, runner=runner).add_routes(app, router)
    SunoToolRoutes(world=world, runner=runner).add_routes(app, router)
    ChatModelRoutes(world=world).add_routes(app, router)
    DownloadRoutes(world=world, renderer=ResultRenderer(world=world)).add_routes(app, router)
    uploads.add_routes(app, router)
    controls.add_routes(app)
    control.register(app, transcript, faults, "kie")
    app.middlewares.append(_unknown_paths_in_json)

    async def release_held_connections(_app: web.Application) -> None:
        router.closing.set()

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            sender = CallbackSender(world=world, transcript=transcript, faults=faults, session=session, group=group)
            controls.sender, uploads.session = sender, session
            running = [group.create_task(runner.run()), group.create_task(sender.run())]
            yield
            for task in running:
                task.cancel()
            sender.stop()

    app.on_shutdown.append(release_held_connections)
    app.cleanup_ctx.append(background)
    return app


@web.middleware
async def _unknown_paths_in_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer unknown paths and methods in the vendor's envelope; a missing file stays a plain 404."""
    try:
        return await handler(request)
    except (web.HTTPNotFound, web.HTTPMethodNotAllowed) as missing:
        if request.match_info.http_exception is None:
            raise
        return envelope(missing.status, "Not Found", status=missing.status)
