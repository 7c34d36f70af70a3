"""Spans of OpenTelemetry, where an exporter is switched on (`app/tracing.py`); otherwise next to nothing.

    with correlated(job.corr, job_id=job.job_id), span("job.submit"): …

A trace is one correlation id: its trace id is derived from it, so the spans of all processes and restarts meet in one trace
from the tap to the ring. A span holds its name, the correlation id and the job id that are bound to the log, the class of an
error, and what is given here. Never a URL (the bot's token is in Telegram's paths), a prompt, a message or a stack: a
library's own instrumentation, which would add them, is not used.
"""

import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from structlog.contextvars import get_contextvars

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Open = Callable[[str, str | None, dict[str, str | int]], AbstractContextManager[object]]
"""Opens a span: its name, the correlation id bound here if any, its attributes."""

_NOTHING: Final[AbstractContextManager[object]] = nullcontext()
_open: Open | None = None


def span(name: str, **attributes: str | int) -> AbstractContextManager[object]:
    """A span around the block; it belongs to the trace of the correlation id that is bound here."""
    if _open is None:
        return _NOTHING
    bound = get_contextvars()
    corr = bound.get("corr")
    job_id = bound.get("job_id")
    if job_id is not None:
        attributes.setdefault("job_id", int(job_id))
    return _open(name, None if corr is None else str(corr), attributes)


def traced(name: str) -> Callable[[Callable[Given, Awaitable[Answer]]], Callable[Given, Coroutine[Any, Any, Answer]]]:
    """A span around every call of a coroutine function."""

    def decorate(function: Callable[Given, Awaitable[Answer]]) -> Callable[Given, Coroutine[Any, Any, Answer]]:
        @wraps(function)
        async def inside_span(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            with span(name):
                return await function(*args, **kwargs)

        return inside_span

    return decorate


def switch_on(open_span: Open) -> None:
    global _open  # noqa: PLW0603  one exporter a process
    _open = open_span


def switch_off() -> None:
    global _open  # noqa: PLW0603  see above
    _open = None


def trace_id_of(corr: str) -> int:
    """The trace id of a correlation id: 128 bits, never 0."""
    return int.from_bytes(hashlib.sha256(f"trace {corr}".encode()).digest()[:16]) or 1


def root_id_of(corr: str) -> int:
    """The id of the span that a trace begins with, so that other processes can name it as their parent."""
    return int.from_bytes(hashlib.sha256(f"root {corr}".encode()).digest()[:8]) or 1
