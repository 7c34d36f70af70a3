"""A call to a vendor, measured and traced in one place: its latency by outcome, and a span named like `kie.createTask`.

The name is a word of ours or a method of the Bot API, never a URL or a path.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from photomat.kernel.metrics import KIE_S, PROVIDER_S, TELEGRAM_S, timed
from photomat.kernel.trace import span


@contextmanager
def kie_call(call: str) -> Iterator[None]:
    with span(f"kie.{call}"), timed(KIE_S, call=call):
        yield


@contextmanager
def telegram_call(method: str, *, outcome: Callable[[BaseException | None], str]) -> Iterator[None]:
    with span(f"telegram.{method}"), timed(TELEGRAM_S, outcome=outcome, method=method):
        yield


@contextmanager
def provider_call(provider: str, call: str) -> Iterator[None]:
    """`call` is a word such as `read` or `write`: paths of providers hold ids."""
    with span(f"{provider}.{call}"), timed(PROVIDER_S, provider=provider, call=call):
        yield
