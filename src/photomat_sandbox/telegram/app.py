"""The web application of the simulated Telegram: Bot API, user side, chat page with its event stream, control routes.

In the background it posts to the webhook, expires unanswered queries and saves the state.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from aiohttp import web

from photomat_sandbox.bot_process import BotProcess
from photomat_sandbox.control import register
from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.bot_api import BotApi
from photomat_sandbox.telegram.errors import ApiError
from photomat_sandbox.telegram.payments import show_outcome
from photomat_sandbox.telegram.state_file import save_state
from photomat_sandbox.telegram.updates import apply_update_faults
from photomat_sandbox.telegram.user_routes import UserPaymentRoutes, UserRoutes
from photomat_sandbox.telegram.webhook import WebhookPoster
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import Transcript

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
FORM_BYTES: Final = 14 * 1024 * 1024
"""What a form may hold beside its files."""
TICK_S: Final = 0.25
FOLDER: Final = Path(__file__).parent / "chat_page"
PING_S: Final = 15.0
NO_PAGE: Final = "<!doctype html><title>Photomat sandbox</title><p>The chat page is not installed."


def build_app(
    world: TelegramWorld,
    transcript: Transcript,
    faults: Faults,
    *,
    state_file: Path | None = None,
    bot: BotProcess | None = None,
) -> web.Application:
    """Assemble the application; with a state file the world is saved there as it changes."""
    world.transcript = transcript
    apply_update_faults(world.updates, transcript, faults)
    api = BotApi(world, faults)
    app = web.Application(client_max_size=max(MAX_BODY_BYTES, world.limits.upload_bytes + FORM_BYTES))
    app.router.add_route("*", "/bot{token}/{method}", api.serve_method)
    app.router.add_get("/file/bot{token}/{path:.+}", api.serve_file)
    UserRoutes(world).register(app)
    UserPaymentRoutes(world).register(app)
    register_pages(app, world)
    (bot or BotProcess(transcript=transcript)).register(app)
    register(app, transcript, faults, "telegram")
    app.router.add_route("*", "/{anything:.*}", _nothing_here)

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            chores = [
                group.create_task(WebhookPoster(api, faults).run()),
                group.create_task(run_housekeeping(world, state_file)),
            ]
            yield
            for chore in chores:
                chore.cancel()
        if state_file:
            save_state(world, state_file, clean=True)

    async def close_connections(_app: web.Application) -> None:
        world.stream.close()
        world.updates.end_polls(ApiError(500, "Internal Server Error: restart"))

    app.cleanup_ctx.append(background)
    app.on_shutdown.append(close_connections)
    return app


async def _nothing_here(_request: web.Request) -> web.Response:
    return web.json_response(ApiError(404, "Not Found").as_json(), status=404)


async def run_housekeeping(world: TelegramWorld, state_file: Path | None) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        world.updates.forget_expired()
        expire_queries(world)
        if state_file and world.changed:
            world.changed = False
            save_state(world, state_file, clean=False)


def expire_queries(world: TelegramWorld) -> None:
    """Show the person that the bot did not answer their payment in time; an unanswered tap just stops spinning."""
    for query in world.queries.take_expired():
        if query.kind == "checkout":
            world.note("checkout", f"payment of {query.amount} ⭐ ran out: the bot did not answer in time")
            show_outcome(world, query, "timeout", code="BOT_PRECHECKOUT_TIMEOUT")


def register_pages(app: web.Application, world: TelegramWorld) -> None:
    """Add `/`, `/page/<file>` and the event stream."""

    async def stream(request: web.Request) -> web.StreamResponse:
        number = request.query.get("user_id", "")
        if not number.isdigit():
            raise web.HTTPBadRequest(text='{"error": "user_id is missing"}', content_type="application/json")
        return await _stream(request, world, int(number))

    app.router.add_get("/", _index)
    app.router.add_get("/page/{name}", _page_file)
    app.router.add_get("/sandbox/stream", stream)


async def _index(_request: web.Request) -> web.StreamResponse:
    page = FOLDER / "index.html"
    if not page.is_file():
        return web.Response(text=NO_PAGE, content_type="text/html")
    return web.FileResponse(page, headers={"Cache-Control": "no-cache"})


async def _page_file(request: web.Request) -> web.StreamResponse:
    file = FOLDER / Path(request.match_info["name"]).name
    if not file.is_file():
        raise web.HTTPNotFound
    return web.FileResponse(file, headers={"Cache-Control": "no-cache"})


async def _stream(request: web.Request, world: TelegramWorld, user_id: int) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    with world.stream.listen(user_id) as frames:
        await answer.prepare(request)
        await answer.write(b": welcome\n\n")
        while request.transport is not None and not request.transport.is_closing():
            try:
                async with asyncio.timeout(PING_S):
                    frame = await frames.get()
            except TimeoutError:
                frame = b": still here\n\n"
            if frame is None:
                break
            try:
                await answer.write(frame)
            except ConnectionError:
                break
    return answer
