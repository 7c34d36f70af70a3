"""Writes of several tasks in one transaction: what comes while a batch is written is the next batch.

Nothing waits for company: a write that finds no other under way starts at once, and takes along all that wait. A batch that
fails is written one by one, so a bad item fails alone; each item is fenced by its own row, so one that was committed after all
changes nothing the second time. Without a database all of them fail at once. If the task that writes a batch is canceled, its
others get `OutcomeUnknown`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from photomat.db.pool import is_unavailable
from photomat.kernel.errors import OutcomeUnknown

MAX_TOGETHER: Final = 64
Item = TypeVar("Item")
Result = TypeVar("Result")
QueuedItem = tuple[Item, asyncio.Future[Result]]


class BatchWriter(Generic[Item, Result]):
    """Collects items for `write`, which commits them all and returns a result for each, in their order."""

    def __init__(self, write: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._write = write
        self._waiting: list[QueuedItem[Item, Result]] = []
        self._writing = asyncio.Lock()

    async def add(self, item: Item) -> Result:
        """Write the item; return its result once it is committed."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        async with self._writing:
            while not done.done():
                batch, self._waiting = self._waiting[:MAX_TOGETHER], self._waiting[MAX_TOGETHER:]
                await self._write_batch(batch)
        return await done

    async def _write_batch(self, batch: Sequence[QueuedItem[Item, Result]]) -> None:
        try:
            results = await self._write([item for item, _ in batch])
        except asyncio.CancelledError:
            for _, done in batch:
                _fail(done, OutcomeUnknown("the write was stopped"))
            raise
        except Exception as error:  # noqa: BLE001  each caller gets its own error
            await self._write_each(batch, error)
        else:
            for (_, done), result in zip(batch, results, strict=True):
                if not done.done():
                    done.set_result(result)

    async def _write_each(self, batch: Sequence[QueuedItem[Item, Result]], error: Exception) -> None:
        if len(batch) == 1 or is_unavailable(error):
            for _, done in batch:
                _fail(done, error)
            return
        for single in batch:
            await self._write_batch([single])


def _fail(done: asyncio.Future[Result], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
        done.exception()  # read here: a caller that was canceled does not ask for it
