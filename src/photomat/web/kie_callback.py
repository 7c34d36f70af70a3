"""POST /kie/callback/{job}.{sig} and POST /kie/callback: verify, store, answer. A callback is a wake-up, never the result.

The signed URL names the job. If KIE_WEBHOOK_KEY is set Kie's own signature is required too; the URL without a job accepts only
that. Kie echoes our signed URL in `param`: it is removed before anything is stored, also from JSON inside a string. A crash
before the row is committed means no 200, and Kie repeats the callback.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web
from pydantic_core import to_json

from photomat.jobs.callback import CallbackInbox, KieCallback
from photomat.kernel.clock import epoch
from photomat.kernel.ids import JobId
from photomat.kernel.metrics import BAD_REQUESTS
from photomat.kernel.text import storable
from photomat.kie.results import ECHOES, without_echoes
from photomat.kie.signature import job_of, signed_by_kie
from photomat.kie.state_parser import extract_task_id
from photomat.web.body import BadBody, read_json

ACCEPTED: Final = json.dumps({"code": 200, "msg": "success"}).encode()
PARAM: Final = b"param"
CALLBACK: Final = b"callback"
"""Every echo and every callback URL holds one of the two words."""
ESCAPE: Final = b"\\u"
"""A character that PostgreSQL may not store, or JSON in a string that may spell an echo with escapes."""
INFINITE: Final = b"Infinity"
"""How a number is written that PostgreSQL cannot store as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KieCallbacks:
    """The two routes for callbacks."""

    inbox: CallbackInbox
    secrets: Sequence[bytes]
    webhook_key: str | None

    async def handle_job(self, request: web.Request) -> web.Response:
        """A callback whose URL names its job."""
        job_id = job_of(request.match_info["token"], self.secrets)
        if job_id is None:
            return _refuse(401, "address")
        return await self._accept(request, job_id, needs_kie=self.webhook_key is not None)

    async def handle_any(self, request: web.Request) -> web.Response:
        """A callback whose URL names no job: only with Kie's signature."""
        return await self._accept(request, None, needs_kie=True)

    async def _accept(self, request: web.Request, job_id: JobId | None, *, needs_kie: bool) -> web.Response:
        if needs_kie and self.webhook_key is None:
            return _refuse(401, "signature")
        try:
            payload = await read_json(request)
        except BadBody as error:
            return _refuse(error.status, error.reason)
        task_id = extract_task_id(payload)
        if task_id is None:
            return _refuse(400, "no task id")
        if needs_kie and not signed_by_kie(task_id, request.headers, self.webhook_key or "", now_s=epoch()):
            return _refuse(401, "signature")
        clean, body = cleaned(payload)
        try:
            await self.inbox.store(KieCallback(job_id=job_id, task_id=task_id, payload=clean, body=body))
        except Exception:  # noqa: BLE001  logged by the inbox; not stored, so Kie must repeat
            return web.json_response({"code": 503, "msg": "try again"}, status=503)
        return web.Response(body=ACCEPTED, content_type="application/json", charset="utf-8")


def cleaned(payload: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The callback without echoes and without what PostgreSQL cannot store; as a value and as the bytes to keep.

    Echoes are almost always in the two usual places. A body that holds no sign of another one needs no search at every depth.
    """
    usual = _without_usual_echoes(payload)
    body = _clean_bytes(usual)
    if body is not None:
        return usual, body
    clean = storable(without_echoes(payload))
    return clean, to_json(clean)


def _without_usual_echoes(payload: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in payload.items() if key not in ECHOES}
    data = kept.get("data")
    if isinstance(data, dict):
        kept["data"] = {key: value for key, value in data.items() if key not in ECHOES}
    return kept


def _clean_bytes(value: dict[str, Any]) -> bytes | None:
    """The value as JSON; None if it may hold an echo, or what cannot be stored."""
    try:
        body = to_json(value)
    except ValueError:  # half of a surrogate pair, or too deep
        return None
    lowered = body.lower()
    return None if ESCAPE in body or INFINITE in body or PARAM in lowered or CALLBACK in lowered else body


def _refuse(status: int, reason: str) -> web.Response:
    BAD_REQUESTS.labels(door="kie", reason=reason).inc()
    return web.json_response({"code": status, "msg": reason}, status=status)
