"""Live pages by Server-Sent Events: a page asked for as an event stream is rendered again every few seconds.

The browser swaps the regions that changed. The session is read again every time, so a session that ended gets no more data. The
number of streams of a process is bounded; a page without one still works, only without updates.
"""

import hashlib
import json
import re
from typing import Final

from aiohttp import web

from photomat.console.access import Handler
from photomat.console.page import config_of
from photomat.kernel.clock import sleep_until_set

EVERY_S: Final = 3.0
MAX_STREAMS: Final = 40
MAX_TICKS: Final = 1200
"""An hour; the browser then connects again."""
FORM_ID: Final = re.compile(r'name="form_id" value="[^"]*"')
"""Differs with every rendering; a page that differs in nothing else has not changed."""
STREAMS: Final = web.AppKey("console_streams", list[int])


def with_stream(handler: Handler) -> Handler:
    """Answer a request for an event stream by repeating the page, any other by the page itself."""

    async def handle(request: web.Request) -> web.StreamResponse:
        is_page = request.query.get("format") != "csv"
        wants_stream = is_page and "text/event-stream" in request.headers.get("Accept", "")
        return await _stream(request, handler) if wants_stream else await handler(request)

    return handle


async def _stream(request: web.Request, handler: Handler) -> web.StreamResponse:
    open_streams = request.app[STREAMS]
    if len(open_streams) >= MAX_STREAMS:
        raise web.HTTPServiceUnavailable
    first = await handler(request)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
    open_streams.append(id(request))
    try:
        await response.prepare(request)
        await _repeat(request, handler, response, first)
    except (ConnectionResetError, web.HTTPException):
        pass
    finally:
        open_streams.remove(id(request))
    return response


async def _repeat(
    request: web.Request, handler: Handler, response: web.StreamResponse, page: web.StreamResponse
) -> None:
    sent = b""
    for _ in range(MAX_TICKS):
        html = page.text or "" if isinstance(page, web.Response) else ""
        digest = hashlib.sha256(FORM_ID.sub("", html).encode()).digest()
        await response.write(f"data: {json.dumps(html)}\n\n".encode() if digest != sent else b": same\n\n")
        sent = digest
        if await sleep_until_set(config_of(request).stop, EVERY_S):
            return
        page = await handler(request)
