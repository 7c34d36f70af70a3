"""Traces by OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT is set. Optional: `pip install 'photomat[otel]'`.

Spans are made by hand (`kernel/trace.py`), never by a library's instrumentation, and sent over OTLP/HTTP by a thread of the SDK
from a bounded queue, so nothing waits for the collector. The update that a correlation id begins with is the root of its
trace; what other loops and processes do for the same id names that root as its parent. The usual variables hold for sampling
(`OTEL_TRACES_SAMPLER`), service name and resource attributes.
"""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Final

from photomat import __version__
from photomat.app.settings import Settings
from photomat.kernel import trace
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.errors import Startup
from photomat.kernel.ids import InstanceId

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider

ROOTS: Final = frozenset({"update.handle", "payment.invoice", "payment.refund"})
"""The spans that traces begin with."""
FLUSH_S: Final = 1.0
MISSING: Final = (
    "OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that send traces are not installed: run make extra EXTRAS=otel"
    " (or pip install 'photomat[otel]'), or remove OTEL_EXPORTER_OTLP_ENDPOINT."
)


def require_otel(settings: Settings) -> None:
    """Refuse to start where traces are wanted and cannot be sent."""
    if settings.otel_exporter_otlp_endpoint is None:
        return
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter  # noqa: PLC0415  optional
        import opentelemetry.sdk.trace  # noqa: F401, PLC0415  optional
    except ImportError:
        raise Startup(MISSING) from None


def send_traces(stack: AsyncExitStack, settings: Settings, *, instance: InstanceId) -> None:
    """Start tracing, if an endpoint is set; the stack ends it."""
    endpoint = settings.otel_exporter_otlp_endpoint
    if endpoint is None:
        return
    require_otel(settings)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  optional
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource  # noqa: PLC0415  optional
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  optional
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  optional

    ids = RootIds()
    ours = Resource({"service.name": "photomat", "service.version": __version__, "service.instance.id": instance})
    resource = ours.merge(OTELResourceDetector().detect())
    provider = TracerProvider(id_generator=ids, resource=resource, shutdown_on_exit=False)  # type: ignore[arg-type]
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", headers=_headers(settings))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.switch_on(SpanOpener(provider, ids).open)
    stack.push_async_callback(_shut_down, provider)
    stack.callback(trace.switch_off)


class RootIds:
    """Gives the ids of spans: those of a trace's root are derived from its correlation id, the others are random."""

    def __init__(self) -> None:
        from opentelemetry.sdk.trace.id_generator import RandomIdGenerator  # noqa: PLC0415  optional

        self._random = RandomIdGenerator()
        self.root: str | None = None

    def generate_trace_id(self) -> int:
        return self._random.generate_trace_id() if self.root is None else trace.trace_id_of(self.root)

    def generate_span_id(self) -> int:
        corr, self.root = self.root, None
        return self._random.generate_span_id() if corr is None else trace.root_id_of(corr)

    def is_trace_id_random(self) -> bool:
        return True


class SpanOpener:
    def __init__(self, provider: "TracerProvider", ids: RootIds) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("photomat", __version__)
        self._ids = ids

    def open(self, name: str, corr: str | None, attributes: Mapping[str, str | int]) -> AbstractContextManager[object]:
        """A span inside the current one, else in the trace of the correlation id; none without either."""
        from opentelemetry.trace import get_current_span  # noqa: PLC0415  optional

        is_inside = get_current_span().get_span_context().is_valid
        if not is_inside and corr is None:
            return nullcontext()
        given = {f"photomat.{key}": value for key, value in attributes.items()}
        if corr is not None:
            given["photomat.correlation_id"] = corr
        return self._opened(name, given, corr=None if is_inside else corr)

    @contextmanager
    def _opened(self, name: str, attributes: Mapping[str, str | int], *, corr: str | None) -> Iterator[None]:
        """`corr` is given for a span that has no parent here. Nothing of an error is kept but its class."""
        from opentelemetry.trace import StatusCode  # noqa: PLC0415  optional

        parent = None
        if corr is not None and name in ROOTS:
            self._ids.root = corr
        elif corr is not None:
            parent = self._below_root(corr)
        with self._tracer.start_as_current_span(
            name, context=parent, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as opened:
            try:
                yield
            except BaseException as error:
                opened.set_status(StatusCode.ERROR, type(error).__name__)
                raise

    def _below_root(self, corr: str) -> "Context":
        """The context of a root that another loop or process has opened, sampled as that was."""
        from opentelemetry.sdk.trace.sampling import Decision  # noqa: PLC0415  optional
        from opentelemetry.trace import (  # noqa: PLC0415  optional
            NonRecordingSpan,
            SpanContext,
            TraceFlags,
            set_span_in_context,
        )

        trace_id = trace.trace_id_of(corr)
        decision = self._provider.sampler.should_sample(None, trace_id, "update.handle").decision
        flags = TraceFlags(TraceFlags.SAMPLED if decision is Decision.RECORD_AND_SAMPLE else TraceFlags.DEFAULT)
        root = SpanContext(trace_id, trace.root_id_of(corr), is_remote=True, trace_flags=flags)
        return set_span_in_context(NonRecordingSpan(root))


def _headers(settings: Settings) -> Mapping[str, str] | None:
    """What the collector asks for, such as a key; from .env too, where the SDK would not look."""
    from opentelemetry.util.re import parse_env_headers  # noqa: PLC0415  optional

    written = settings.otel_exporter_otlp_headers
    return None if written is None else parse_env_headers(written, liberal=True)


async def _shut_down(provider: "TracerProvider") -> None:
    """Send what is left, without waiting long for a collector that does not answer."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def shut_down() -> None:
        provider.shutdown()
        with suppress(RuntimeError):  # the loop is closed: nothing waits any more
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=shut_down, daemon=True).start()
    await sleep_until_set(done, FLUSH_S)
