"""What was logged, as events with fields."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs


@contextmanager
def logged() -> Iterator[list[MutableMapping[str, Any]]]:
    """Collect the events of a block, with the ids bound around them."""
    with capture_logs(processors=[merge_contextvars]) as lines:
        yield lines
