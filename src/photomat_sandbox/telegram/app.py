"""The web application of the simulated Telegram: Bot API, user side, chat page, remote control."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from aiohttp import web

from photomat_sandbox.control import register
from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.bot_api import BotApi
from photomat_sandbox.telegram.errors import ApiError
from photomat_sandbox.telegram.housekeeping import keep_house
from photomat_sandbox.telegram.pages import register_pages
from photomat_sandbox.telegram.payment_side import PaymentSide
from photomat_sandbox.telegram.state_file import save_state
from photomat_sandbox.telegram.update_faults import let_updates_fail
from photomat_sandbox.telegram.user_side import UserSide
from photomat_sandbox.telegram.webhook import WebhookPoster
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import Transcript

MAX_BODY_BYTES: Final = 64 * 1024 * 1024


def build_app(
    world: TelegramWorld, transcript: Transcript, faults: Faults, *, state_file: Path | None = None
) -> web.Application:
    """Put the parts together; with a state file the world is saved there as it changes."""
    world.transcript = transcript
    let_updates_fail(world, faults)
    api = BotApi(world, faults)
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_route("*", "/bot{token}/{method}", api.serve_method)
    app.router.add_get("/file/bot{token}/{path:.+}", api.serve_file)
    UserSide(world).register(app)
    PaymentSide(world).register(app)
    register_pages(app, world)
    register(app, transcript, faults, "telegram")
    app.router.add_route("*", "/{anything:.*}", _nothing_here)

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            chores = [
                group.create_task(WebhookPoster(api, faults).run()),
                group.create_task(keep_house(world, state_file)),
            ]
            yield
            for chore in chores:
                chore.cancel()
        if state_file:
            save_state(world, state_file, clean=True)

    async def say_goodbye(_app: web.Application) -> None:
        world.stream.close()
        world.updates.end_polls(ApiError(500, "Internal Server Error: restart"))

    app.cleanup_ctx.append(background)
    app.on_shutdown.append(say_goodbye)
    return app


async def _nothing_here(_request: web.Request) -> web.Response:
    return web.json_response(ApiError(404, "Not Found").as_json(), status=404)
