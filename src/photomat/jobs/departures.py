"""Requests leave in the order their jobs were claimed, although they are prepared side by side.

A request starts when the one before it is on the wire. A request that has started and is held up, by a connection that is not
made, is waited for no longer than requests are apart on average: the order never costs throughput.
"""

import asyncio
from typing import Final

from photomat.kernel.clock import sleep_until_set

LONGEST_S: Final = 10.0
"""The most a request waits for its turn, whatever happens to those before it; less than a lease."""


class Departure:
    """The place of one request in the order."""

    def __init__(self, before: "Departure | None", *, apart_s: float) -> None:
        self._before = before
        self._apart_s = apart_s
        self._started = asyncio.Event()
        self._left = asyncio.Event()

    async def turn(self) -> None:
        """Wait until this request may start."""
        before, self._before = self._before, None
        if before is not None:
            await sleep_until_set(before._started, LONGEST_S)  # noqa: SLF001  the same class
            await sleep_until_set(before._left, self._apart_s)  # noqa: SLF001  likewise
        self._started.set()

    def left(self) -> None:
        """The request is on the wire, or will never be: the next one may start."""
        self._started.set()
        self._left.set()


class Departures:
    """The requests of one process, in their order; on average they are `apart_s` apart."""

    def __init__(self, *, apart_s: float) -> None:
        self._apart_s = apart_s
        self._last: Departure | None = None

    def join(self) -> Departure:
        """Take the next place in the order."""
        self._last = Departure(self._last, apart_s=self._apart_s)
        return self._last
