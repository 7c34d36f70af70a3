"""Logs are events with fields: `log.info("DELIVER_OK", level="url")` → `… [1a2b3c4d] [DELIVER_OK] level=url`.

The correlation id of a job is stored with it and bound at every edge, so one id follows it through every line, in every
process, over every restart. Prompts, tokens and file URLs are never fields of an event.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final, TextIO

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
    bound = get_contextvars().get("corr")
    return known or (str(bound) if bound else secrets.token_hex(4))


@contextmanager
def correlated(corr: str | None, **fields: object) -> Iterator[str]:
    """Bind a correlation id and further fields to every line logged inside."""
    corr = ensure_correlation_id(corr)
    with bound_contextvars(corr=corr, **fields):
        yield corr


def configure(log_format: str, stream: TextIO) -> None:
    """Send events to the stream as text for people or as JSON for machines."""
    last = structlog.processors.JSONRenderer(ensure_ascii=False) if log_format == "json" else _as_text
    out = structlog.PrintLogger(stream)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            _add_severity,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _count,
            structlog.processors.format_exc_info,
            last,
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
    event["severity"] = "error" if method == "exception" else method
    return event


def _as_text(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    stamp = str(event.pop("timestamp"))[:19].replace("T", " ")
    severity = str(event.pop("severity")).upper()
    corr = event.pop("corr", NO_CORRELATION)
    tag = event.pop("event")
    trace = event.pop("exception", None)
    ids = {key: event.pop(key) for key in IDS if key in event}
    fields = " ".join([f"{key}={_value(value)}" for key, value in {**ids, **event}.items() if value is not None])
    line = f"{stamp} {severity:<7} [{corr}] [{tag}] {fields}".rstrip()
    return f"{line}\n{trace}" if trace else line


def _value(value: object) -> str:
    """Always one line, quoted if it has spaces: a vendor's message cannot forge an event."""
    text = str(value)
    if text.isalnum():
        return text
    text = "\\n".join(text.splitlines())
    return f'"{text}"' if " " in text else text
