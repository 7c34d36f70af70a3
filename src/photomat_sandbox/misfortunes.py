"""How a fault is carried out on a request: silence, a closed connection, a delay, an effect that happens twice.

Refusals in a vendor's own words (`error`, `too_many`) are left to that vendor's desk.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from photomat_sandbox.faults import Fault

GATEWAY_PAGE: Final = "<html><head><title>{status}</title></head><body><h1>{status} {text}</h1></body></html>"
HANG_UP_CHECK_S: Final = 0.05


async def carried_out(
    request: web.Request,
    fault: Fault,
    act: Callable[[web.Request], Awaitable[web.Response]],
    *,
    closing: asyncio.Event,
) -> web.StreamResponse:
    """Carry out a fault: two answer instead of the route, the others go around it."""
    match fault.action:
        case "never":
            return await _stay_silent(request, closing)
        case "drop_before":
            return _hang_up(request)
    if fault.action == "delay":
        await asyncio.sleep(fault.delay_s)
    response = await act(request)
    if fault.action == "duplicate":
        await act(request)
    return _hang_up(request) if fault.action == "drop_after" else response


def gateway_page(fault: Fault) -> web.Response:
    """Make the page of a gateway in front of the vendor."""
    page = GATEWAY_PAGE.format(status=fault.status, text=fault.text)
    return web.Response(text=page, status=fault.status, content_type="text/html")


async def _stay_silent(request: web.Request, closing: asyncio.Event) -> web.Response:
    """Hold the connection without a word until the client goes away or the simulator stops."""
    while request.transport is not None and not request.transport.is_closing() and not closing.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HANG_UP_CHECK_S):
                await closing.wait()
    return _hang_up(request)


def _hang_up(request: web.Request) -> web.Response:
    """Close the connection; the response returned here never reaches anybody."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
