"""GET /metrics: figures for Prometheus; and the latency of every request to us.

With METRICS_TOKEN set it asks every client for that token as a bearer token. Without one it answers only requests that come
from this machine: the peer is a loopback address, and no header says that a proxy passed the request on.
"""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from prometheus_client import Histogram

from photomat.db.pool import BoundedPool
from photomat.kernel import metrics
from photomat.kernel.clock import monotonic
from photomat.kernel.crashes import report_crash

PROXY_HEADERS: Final = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")
CONSOLE: Final = "/console"
TEXT_FORMAT: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPage:
    """`refresh` reads the figures of the database, if they are not fresh."""

    refresh: Callable[[], Awaitable[None]]
    token: str | None = None
    pool: BoundedPool | None = None

    async def handle(self, request: web.Request) -> web.Response:
        if self.token is not None:
            given, expected = request.headers.get("Authorization", ""), f"Bearer {self.token}"
            if not hmac.compare_digest(given.encode(errors="surrogateescape"), expected.encode()):
                raise web.HTTPUnauthorized(headers={"WWW-Authenticate": "Bearer"})
        elif not is_local(request):
            raise web.HTTPForbidden(text="Set METRICS_TOKEN to read the metrics from another machine.\n")
        await self.refresh()
        if self.pool is not None:
            _read_pool(self.pool)
        return web.Response(body=metrics.exposition(), headers={"Content-Type": TEXT_FORMAT})


def is_local(request: web.Request) -> bool:
    """Whether a request was made on this machine; behind a proxy on it every peer is local, but the headers tell."""
    if any(header in request.headers for header in PROXY_HEADERS):
        return False
    try:
        address = ipaddress.ip_address((request.remote or "").partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _read_pool(pool: BoundedPool) -> None:
    idle, size = pool.get_idle_size(), pool.get_size()
    metrics.POOL_CONNECTIONS.labels(state="idle").set(idle)
    metrics.POOL_CONNECTIONS.labels(state="in_use").set(size - idle)
    metrics.POOL_MAX.set(pool.get_max_size())
    metrics.POOL_WAITING.set(pool.waiting)


@web.middleware
async def measure(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Time a request; an unexpected error is reported and answered with 500 by the server."""
    began, status = monotonic(), 500
    try:
        answer = await handler(request)
        status = answer.status
    except web.HTTPException as answer:
        status = answer.status
        raise
    except Exception as error:
        report_crash(error, "HTTP_500")
        raise
    finally:
        _timer(request.match_info.route.resource, status).observe(monotonic() - began)
    return answer


@cache
def _timer(resource: web.AbstractResource | None, status: int) -> Histogram:
    """By the pattern of the route, never the path: `/kie/callback/{token}`; the console is one, what does not exist `other`."""
    canonical = "other" if resource is None else resource.canonical
    return metrics.HTTP_S.labels(route=CONSOLE if canonical.startswith(CONSOLE) else canonical, status=str(status))
