"""POST /telegram/webhook: check the secret header, store the update, and only then answer 200.

Without a database the answer is 503 and Telegram repeats; so it does after a crash before the commit. Every instance accepts
updates, ACTIVE or not.
"""

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import BAD_REQUESTS
from photomat.web.body import BadBody, read_json

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the header's name
MAX_ID: Final = 2**63 - 1
STORED: Final = json.dumps({"ok": True}).encode()
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramWebhook:
    """Stores an update through `receive`, which commits before it returns."""

    secret: str
    receive: Callable[[Mapping[str, Any]], Awaitable[object]]
    wake: Callable[[str], None]

    async def handle(self, request: web.Request) -> web.Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(errors="surrogateescape"), self.secret.encode()):
            return _refuse(401, "secret")
        try:
            update = await read_json(request)
        except BadBody as error:
            return _refuse(error.status, error.reason)
        if not isinstance(update, dict) or not _is_update_id(update.get("update_id")):
            return _refuse(400, "not an update")
        try:
            await self.receive(update)
        except Exception as error:  # noqa: BLE001  any failure: not stored, so Telegram must repeat
            log.error("WEBHOOK_NOT_STORED", error=describe(error))
            return web.json_response({"ok": False}, status=503)
        self.wake("updates")
        return web.Response(body=STORED, content_type="application/json", charset="utf-8")


def _is_update_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_ID


def _refuse(status: int, reason: str) -> web.Response:
    BAD_REQUESTS.labels(door="telegram", reason=reason).inc()
    return web.json_response({"ok": False, "error": reason}, status=status)
