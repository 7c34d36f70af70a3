"""A value read again after a while, for what changes rarely and need not be read for each of many items."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

from photomat.kernel.clock import monotonic

LASTS_S: Final = 2.0
Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Gives a value at most `LASTS_S` old; tasks that need a newer one share one read."""

    def __init__(self, read: Callable[[], Awaitable[Value]]) -> None:
        self._read = read
        self._reading = asyncio.Lock()
        self._found: tuple[float, Value] | None = None

    async def read(self) -> Value:
        async with self._reading:
            began = monotonic()
            if self._found is None or began - self._found[0] > LASTS_S:
                self._found = (began, await self._read())
            return self._found[1]
