"""Logs are events with fields: `log.info("DELIVER_OK", level="url")` → `… [1a2b3c4d] [DELIVER_OK] level=url`.

The correlation id of a job is stored with it and bound at every edge, so one id follows it through every line, in every
process, over every restart. Prompts, tokens and file URLs are never fields of an event.
"""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import ClassVar, Final, TextIO

import structlog
from prometheus_client import Counter
from structlog.contextvars import bound_contextvars, get_contextvars
from structlog.typing import EventDict, FilteringBoundLogger, WrappedLogger

from photomat.kernel.metrics import EVENTS

MAX_LIBRARY_MESSAGE_LENGTH: Final = 200
NO_CORRELATION: Final = "-" * 8
IDS: Final = ("job_id", "task_id", "user_id")
"""These come first in a line."""


def get_logger() -> FilteringBoundLogger:
    logger: FilteringBoundLogger = structlog.get_logger()
    return logger


def ensure_correlation_id(known: str | None = None) -> str:
    """Return the known id, else the one bound in this context, else a new one of 8 hex digits."""
    if known:
        return known
    bound = get_contextvars().get("corr")
    return str(bound) if bound else secrets.token_hex(4)


@contextmanager
def correlated(corr: str | None, **fields: object) -> Iterator[str]:
    """Bind a correlation id and further fields to every line logged inside."""
    corr = ensure_correlation_id(corr)
    with bound_contextvars(corr=corr, **fields):
        yield corr


@contextmanager
def lines_together() -> Iterator[None]:
    """Write the lines logged inside with one system call, at the end; nothing may be awaited inside."""
    _Output.is_held = True
    try:
        yield
    finally:
        _Output.is_held = False
        while _Output.unflushed:
            _Output.unflushed.pop().flush()


class _Output:
    """Writes each line at once, or with the others of `lines_together`."""

    is_held: ClassVar[bool] = False
    unflushed: ClassVar[set[TextIO]] = set()

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        if _Output.is_held:
            _Output.unflushed.add(self._stream)
        else:
            self._stream.flush()

    debug = info = warning = error = exception = critical = write


def configure(log_format: str, stream: TextIO) -> None:
    """Send events to the stream as text for people or as JSON for machines."""
    in_json = (
        _add_severity,
        structlog.processors.format_exc_info,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.JSONRenderer(ensure_ascii=False),
    )
    out = _Output(stream)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            _count,
            *(in_json if log_format == "json" else (_as_text,)),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_names: out,
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_LibraryHandler()], force=True)


class _LibraryHandler(logging.Handler):
    """Turns log records of libraries into events of one line, without a traceback that might quote user input."""

    def emit(self, record: logging.LogRecord) -> None:
        log = get_logger()
        log.warning("LIBRARY", library=record.name, said=str(record.msg)[:MAX_LIBRARY_MESSAGE_LENGTH])


def _count(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    _counter_of(str(event["event"])).inc()
    return event


@cache
def _counter_of(tag: str) -> Counter:
    return EVENTS.labels(tag=tag)


def _add_severity(_logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Not called `level`: that field is the fallback a result was delivered by."""
    event["severity"] = _severity(method)
    return event


def _severity(method: str) -> str:
    return "error" if method == "exception" else method


def _as_text(logger: WrappedLogger, method: str, event: EventDict) -> str:
    """All that text needs in one processor: nothing else is called as often."""
    if "exc_info" in event:
        event = structlog.processors.format_exc_info(logger, method, event)
    trace = event.pop("exception", None)
    line = f"{_stamp(int(time.time()))} {_padded(method)} [{event.pop('corr', NO_CORRELATION)}] [{event.pop('event')}]"
    for key in IDS:
        if key in event:
            line += _field(key, event.pop(key))
    for key, value in event.items():
        line += _field(key, value)
    return f"{line}\n{trace}" if trace else line


@cache
def _padded(method: str) -> str:
    return f"{_severity(method).upper():<7}"


@lru_cache(maxsize=1)
def _stamp(second: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(second))


def _field(key: str, value: object) -> str:
    """Always one line, quoted if it has spaces: a vendor's message cannot forge an event."""
    if value is None:
        return ""
    text = str(value)
    if not text.isalnum():
        text = "\\n".join(text.splitlines())
        if " " in text:
            text = f'"{text}"'
    return f" {key}={text}"
