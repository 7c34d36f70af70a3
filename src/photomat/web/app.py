"""The routes of the web server. There is no access log, because callback URLs are secrets."""

from typing import Final

from aiohttp import web

from photomat.web.health import Health
from photomat.web.kie_callback import KieCallbacks
from photomat.web.payments import PaymentNotices
from photomat.web.result_file import ResultDownload
from photomat.web.telegram_webhook import TelegramWebhook

LARGEST_BODY_BYTES: Final = 4 * 2**20


def build_app(
    *,
    health: Health,
    callbacks: KieCallbacks,
    webhook: TelegramWebhook,
    notices: PaymentNotices,
    results: ResultDownload,
) -> web.Application:
    app = web.Application(client_max_size=LARGEST_BODY_BYTES)
    app.router.add_get("/health", health.health)
    app.router.add_get("/ready", health.ready)
    app.router.add_get("/metrics", health.metrics)
    app.router.add_post("/telegram/webhook", webhook.handle)
    app.router.add_post("/kie/callback", callbacks.handle_any)
    app.router.add_post("/kie/callback/{token}", callbacks.handle_job)
    app.router.add_post("/pay/{provider}", notices.handle)
    app.router.add_get("/result/{token}", results.handle)
    return app
