"""Every call to a simulated payment provider: key, faults, transcript, answer; and the routes both providers share."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

from photomat_sandbox import control
from photomat_sandbox.faults import Fault, Faults, apply_fault, gateway_page
from photomat_sandbox.pay.bills import SimulatedProvider, WebhookSender
from photomat_sandbox.pay.control import ProviderControl
from photomat_sandbox.pay.page import PaymentPage
from photomat_sandbox.transcript import Transcript, World

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ProviderRefusal(Exception):
    """The provider refuses: an HTTP status, its error code, a sentence, and the field that is wrong."""

    def __init__(self, status: int, code: str, sentence: str = "", parameter: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.parameter = parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReply:
    """The body of the response, and a line about it for the transcript."""

    body: object
    summary: str
    bill_id: str = ""


Act = Callable[[web.Request], Awaitable[ProviderReply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRouter:
    """Wraps a route's handler with the checks, the faults and the transcript, in the vendor's format."""

    vendor: World
    transcript: Transcript
    faults: Faults
    check_key: Callable[[web.Request], None]
    accepted: Callable[[object], web.Response]
    refused: Callable[[ProviderRefusal], web.Response]
    too_many_requests: ProviderRefusal
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def route(self, name: str, act: Act) -> Handler:
        """Build the handler of a route; `name` is what faults and the transcript call it."""

        async def checked(request: web.Request) -> web.Response:
            try:
                self.check_key(request)
                answer = await act(request)
            except ProviderRefusal as refused:
                summary = f"{name} refused: {refused.status} {refused.code} {refused.sentence}".rstrip()
                self.transcript.add(world=self.vendor, kind="request", name=name, summary=summary)
                return self.refused(refused)
            detail = {"bill_id": answer.bill_id} if answer.bill_id else None
            self.transcript.add(world=self.vendor, kind="request", name=name, summary=answer.summary, detail=detail)
            return self.accepted(answer.body)

        async def handle(request: web.Request) -> web.StreamResponse:
            fault = self.faults.take(self.vendor, name)
            if fault is None:
                return await checked(request)
            self.transcript.add(world=self.vendor, kind="fault", name=name, summary=f"{fault.action} strikes {name}")
            return await self._apply_fault(request, fault, checked)

        return handle

    async def _apply_fault(
        self, request: web.Request, fault: Fault, act: Callable[[web.Request], Awaitable[web.Response]]
    ) -> web.StreamResponse:
        match fault.action:
            case "error" if fault.html:
                return gateway_page(fault)
            case "error":
                return self.refused(ProviderRefusal(fault.status, "internal_server_error", fault.text))
            case "too_many":
                return self.refused(self.too_many_requests)
        return await apply_fault(request, fault, act, closing=self.closing)


def add_shared_routes(app: web.Application, provider: SimulatedProvider, router: ProviderRouter, *, title: str) -> None:
    """Add the payment page and the control routes; notices are sent while the application runs."""
    controls = ProviderControl(provider=provider)
    controls.add_routes(app)
    PaymentPage(provider=provider, transcript=router.transcript, title=title).add_routes(app)
    control.register(app, router.transcript, router.faults, provider.vendor)

    async def release_held_connections(_app: web.Application) -> None:
        router.closing.set()

    async def background(_app: web.Application) -> AsyncIterator[None]:
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
            sender = WebhookSender(
                provider=provider, transcript=router.transcript, faults=router.faults, session=session, group=group
            )
            controls.send = sender.start
            running = group.create_task(sender.run())
            yield
            running.cancel()
            sender.stop()

    app.on_shutdown.append(release_held_connections)
    app.cleanup_ctx.append(background)
