"""The doors of the web server over loopback, and somebody to knock."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web

from photomat.cluster.leader import ActiveState
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.inbox.receive import queue_depth, receive
from photomat.jobs.callback import CallbackInbox
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId
from photomat.kernel.metrics import BAD_REQUESTS
from photomat.kie.signature import sign_job
from photomat.payments.invoices import make_invoice_due
from photomat.reports.figures import DatabaseFigures
from photomat.web.app import HealthProbe, build_app
from photomat.web.kie_callback import KieCallbacks
from photomat.web.metrics import MetricsPage
from photomat.web.payments import PaymentNotices
from photomat.web.result_file import ResultDownload
from photomat.web.telegram_webhook import SECRET_HEADER, TelegramWebhook
from support.database import pool_of
from support.jobs import BOT, Woken
from support.telegram_sim import served

SECRET = "webhook-secret"
NO_COPIES = ResultFiles(folder=Path("no-copies"), fetcher=Fetcher(), reserve_bytes=0)
KEY = "kie-webhook-key"
SECRETS = (b"first", b"second")


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The running doors, and somebody to knock."""

    url: str
    pool: Pool
    state: ActiveState
    woken: Woken
    client: ClientSession

    async def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        data = io.BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        async with self.client.post(self.url + path, data=data, headers=headers) as answer:
            text = await answer.text()
            return answer.status, json.loads(text) if text.startswith("{") else text

    async def update(self, body: Any, *, secret: str = SECRET) -> int:
        return (await self.post("/telegram/webhook", body, {SECRET_HEADER: secret}))[0]

    async def get(self, path: str) -> tuple[int, Any]:
        async with self.client.get(self.url + path) as answer:
            return answer.status, await answer.json()

    async def stored(self, table: str) -> int:
        return int(await self.pool.fetchval(f"SELECT count(*) FROM {table}"))  # noqa: S608  a table's name from a test


@asynccontextmanager
async def house(
    database: str, *, webhook_key: str | None = None, metrics_token: str | None = None
) -> AsyncIterator[House]:
    woken, state = Woken(), ActiveState()
    async with pool_of(database) as pool, ClientSession() as client:

        async def take(update: Any) -> object:
            return await receive(pool, bot_id=BOT, updates=[update])

        app = build_app(
            health=HealthProbe(
                state=state,
                version="1",
                queue_depth=lambda: queue_depth(pool),
                is_disk_full=lambda: False,
            ),
            metrics=MetricsPage(refresh=DatabaseFigures(pool, currency="RUB").refresh, token=metrics_token, pool=pool),
            callbacks=KieCallbacks(inbox=CallbackInbox(pool, woken), secrets=SECRETS, webhook_key=webhook_key),
            webhook=TelegramWebhook(secret=SECRET, receive=take, wake=woken),
            notices=PaymentNotices(providers={}, look_at=partial(make_invoice_due, pool)),
            results=ResultDownload(pool=pool, archive=ResultArchive(pool=pool, files=NO_COPIES), secrets=SECRETS),
            console=web.Application(),
        )
        async with served(app) as url:
            yield House(url=url, pool=pool, state=state, woken=woken, client=client)


def refused(door: str, reason: str) -> float:
    return float(BAD_REQUESTS.labels(door=door, reason=reason)._value.get())  # noqa: SLF001  prometheus gives no other way


def address(job_id: int, secret: bytes = SECRETS[0]) -> str:
    return f"/kie/callback/{sign_job(JobId(job_id), [secret])}"


def told(task_id: str = "task-1", **facts: Any) -> dict[str, Any]:
    return {"code": 200, "msg": "ok", "data": {"taskId": task_id, "state": "success"} | facts}
