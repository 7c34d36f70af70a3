"""The chat page: its static files, and the stream of events that keeps it alive."""

import asyncio
from pathlib import Path
from typing import Final

from aiohttp import web

from photomat_sandbox.telegram.world import TelegramWorld

FOLDER: Final = Path(__file__).parent / "chat_page"
PING_S: Final = 15.0
NO_PAGE: Final = "<!doctype html><title>Photomat sandbox</title><p>The chat page is not installed."


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
