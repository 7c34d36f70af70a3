"""Every call to the simulated Kie.ai: key, rate limits, faults, transcript, answer.

Answers are HTTP 200 with the verdict in the body's `code`, as the vendor gives them; only faults answer otherwise.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from aiohttp import hdrs, web

from photomat_sandbox.faults import Fault, Faults, apply_fault, gateway_page
from photomat_sandbox.kie.models import KieRefusal
from photomat_sandbox.kie.world import TOO_FREQUENT, KieWorld
from photomat_sandbox.transcript import Json, Transcript

NO_ACCESS: Final = "You do not have access permissions"
Counting = Literal["create", "query", "nothing"]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KieReply:
    """The response, and a line about it for the transcript."""

    response: web.Response
    summary: str
    detail: dict[str, Json] = field(default_factory=dict)


Act = Callable[[web.Request], Awaitable[KieReply]]


def reply(summary: str, data: object, **detail: Json) -> KieReply:
    """Reply with the vendor's envelope, code 200."""
    return KieReply(response=envelope(200, "success", data), summary=summary, detail=dict(detail))


def envelope(code: int, msg: str, data: object = None, *, status: int = 200) -> web.Response:
    text = json.dumps({"code": code, "msg": msg, "data": data}, ensure_ascii=False)
    return web.Response(text=text, status=status, content_type="application/json")


async def body_of(request: web.Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.read())
    except ValueError as error:
        raise KieRefusal(400, "The request body is not valid JSON") from error
    if not isinstance(body, dict):
        raise KieRefusal(400, "The request body must be a JSON object")
    return body


def base_url_of(request: web.Request, world: KieWorld) -> str:
    """Return the base URL of this simulator's files."""
    return world.settings.public_url.rstrip("/") or f"{request.scheme}://{request.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KieRouter:
    """Wraps a route's handler with the checks, the faults and the transcript."""

    world: KieWorld
    transcript: Transcript
    faults: Faults
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def route(self, name: str, act: Act, *, counts: Counting = "nothing", needs_key: bool = True) -> Handler:
        """Build the handler of a route; `name` is what faults and the transcript call it."""

        async def checked(request: web.Request) -> web.Response:
            answer = await self._checked(request, act, counts=counts, needs_key=needs_key)
            self.transcript.add(world="kie", kind="request", name=name, summary=answer.summary, detail=answer.detail)
            return answer.response

        async def handle(request: web.Request) -> web.StreamResponse:
            fault = self.faults.take("kie", name)
            if fault is None:
                return await checked(request)
            self.transcript.add(world="kie", kind="fault", name=name, summary=f"{fault.action} strikes {name}")
            return await self._apply_fault(request, fault, checked)

        return handle

    async def _checked(self, request: web.Request, act: Act, *, counts: Counting, needs_key: bool) -> KieReply:
        try:
            if needs_key:
                self._check_key(request)
            if counts == "create":
                self.world.check_create_limit()
            elif counts == "query":
                self.world.check_query_limit()
            return await act(request)
        except KieRefusal as refused:
            summary = f"{request.method} {request.path} refused: {refused.code} {refused.msg}"
            return KieReply(
                response=envelope(refused.code, refused.msg), summary=summary, detail={"code": refused.code}
            )

    def _check_key(self, request: web.Request) -> None:
        scheme, _, key = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
        if scheme.lower() != "bearer" or not key.strip() or (self.world.key and key.strip() != self.world.key):
            raise KieRefusal(401, NO_ACCESS)

    async def _apply_fault(
        self, request: web.Request, fault: Fault, act: Callable[[web.Request], Awaitable[web.Response]]
    ) -> web.StreamResponse:
        """Apply a fault; two answer in the vendor's format instead of the route."""
        match fault.action:
            case "error":
                return _error_page(fault)
            case "too_many":
                return envelope(429, TOO_FREQUENT)
        return await apply_fault(request, fault, act, closing=self.closing)


def _error_page(fault: Fault) -> web.Response:
    return gateway_page(fault) if fault.html else envelope(fault.code, fault.text, status=fault.status)
