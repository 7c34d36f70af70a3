"""Receivers of what an installation sends about itself: traces over OTLP/HTTP, and envelopes of Sentry."""

import gzip
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from support.telegram_sim import served


@dataclass(slots=True, kw_only=True)
class Receiver:
    """What arrived, uncompressed, by path; and every header with it."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def everything(self) -> bytes:
        return b"\n".join(self.bodies)

    def spans(self) -> list[Span]:
        """Every span of the traces that arrived."""
        return [
            span
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()  # the server has undone Content-Encoding
        self.bodies.append(_plain(body))
        self.paths.append(request.path)
        self.headers.append(dict(request.headers))
        return web.Response(body=b"")


def _plain(body: bytes) -> bytes:
    try:
        return gzip.decompress(body)
    except (gzip.BadGzipFile, zlib.error, EOFError):
        return body


@asynccontextmanager
async def running_receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    app = web.Application(client_max_size=2**24)
    app.router.add_route("*", "/{path:.*}", receiver.take)
    async with served(app) as url:
        receiver.url = url
        yield receiver
