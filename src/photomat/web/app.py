"""The routes of the web server, and GET /health and /ready, which name no host or customer.

There is no access log, because callback URLs are secrets.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from photomat.cluster.leader import ActiveState
from photomat.web.kie_callback import KieCallbacks
from photomat.web.metrics import MetricsPage, measure
from photomat.web.payments import PaymentNotices
from photomat.web.result_file import ResultDownload
from photomat.web.telegram_webhook import TelegramWebhook

ANSWER_TIMEOUT_S: Final = 2.0
MAX_BODY_BYTES: Final = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthProbe:
    """`queue_depth` counts the waiting inbox rows; `is_disk_full` is the last reading of the disk."""

    state: ActiveState
    version: str
    queue_depth: Callable[[], Awaitable[int]]
    is_disk_full: Callable[[], bool]

    async def health(self, _request: web.Request) -> web.Response:
        """Liveness: 200 also when PASSIVE, "degraded" without a database."""
        depth = await self._depth()
        body = {
            "status": "ok" if depth is not None else "degraded",
            "active": self.state.active,
            "queue_depth": depth or 0,
            "version": self.version,
        }
        return web.json_response(body)

    async def ready(self, _request: web.Request) -> web.Response:
        """Readiness for updates and callbacks: 503 without a database, or with a full disk."""
        ready = await self._depth() is not None and not self.is_disk_full()
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _depth(self) -> int | None:
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await self.queue_depth()
        except Exception:  # noqa: BLE001  any failure means the same here: no database
            return None


def build_app(
    *,
    health: HealthProbe,
    metrics: MetricsPage,
    callbacks: KieCallbacks,
    webhook: TelegramWebhook,
    notices: PaymentNotices,
    results: ResultDownload,
    console: web.Application,
) -> web.Application:
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[measure])
    app.router.add_get("/health", health.health)
    app.router.add_get("/ready", health.ready)
    app.router.add_get("/metrics", metrics.handle)
    app.router.add_post("/telegram/webhook", webhook.handle)
    app.router.add_post("/kie/callback/{token}", callbacks.handle_job)
    app.router.add_post("/kie/callback", callbacks.handle_any)
    app.router.add_post("/pay/{provider}", notices.handle)
    app.router.add_get("/result/{token}", results.handle)
    app.router.add_get("/console", _to_console)
    app.add_subapp("/console/", console)
    return app


async def _to_console(_request: web.Request) -> web.StreamResponse:
    raise web.HTTPSeeOther("/console/")
