"""Writes of several tasks in one transaction: what comes while a batch is written is the next batch.

A write that finds no other under way starts after one turn of the event loop, and takes along all that wait by then. After a
batch the writer rests for `RESTS` times as long as it wrote: where the database has little to do that is a few milliseconds,
where it is busy more comes together, and costs less. Each batch is written by its own first caller, so a caller waits for the
batch before, the rest and the own one at most. A batch that fails is written one by one, so a bad item fails alone; each item
is fenced by its own row, so one that was committed after all changes nothing the second time (of a budget it takes another
place). Without a database all of them fail at once. If the task that writes a batch is canceled, its others get
`OutcomeUnknown`. An item whose caller was canceled is written with the others, and not at all if there are none.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, cast

from photomat.db.pool import is_unavailable
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import OutcomeUnknown

MAX_TOGETHER: Final = 64
"""A larger batch would contain every waiting task, and the process would be idle until it is committed."""
RESTS: Final = 2
MAX_REST_S: Final = 0.025
"""How a writer rests, and a loop between its claims."""
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True)
class _Queued(Generic[Item, Result]):
    """An item and what became of it; its caller is woken when it is over, or to write the next batch (`leads`)."""

    item: Item
    woken: asyncio.Future[None]
    leads: bool = False
    is_over: bool = False
    result: Result | None = None
    error: Exception | None = None

    def end(self, *, result: Result | None = None, error: Exception | None = None) -> None:
        self.result, self.error, self.is_over = result, error, True
        if not self.woken.done():
            self.woken.set_result(None)

    def answer(self) -> Result:
        if self.error is not None:
            raise self.error
        return cast("Result", self.result)


class BatchWriter(Generic[Item, Result]):
    """Collects items for `write`, which commits them all and returns a result for each, in their order."""

    def __init__(
        self,
        write: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]],
        *,
        rests: int = RESTS,
    ) -> None:
        """Without `rests` each batch follows the last one: for what nearly everything waits for, or what comes in crowds."""
        self._write = write
        self._rests = rests
        self._waiting: list[_Queued[Item, Result]] = []
        self._is_writing = False
        self._rests_until = 0.0

    async def add(self, item: Item) -> Result:
        """Write the item; return its result once it is committed."""
        queued: _Queued[Item, Result] = _Queued(item, asyncio.get_running_loop().create_future())
        self._waiting.append(queued)
        if self._is_writing:
            try:
                await queued.woken
            except asyncio.CancelledError:
                if queued.leads:
                    self._hand_over()
                raise
        else:
            queued.woken.set_result(None)
        if not queued.is_over:
            await self._lead(queued)
        return queued.answer()

    async def _lead(self, queued: _Queued[Item, Result]) -> None:
        """Write what waits, until the own item is over."""
        self._is_writing = True
        batch: list[_Queued[Item, Result]] = []
        try:
            while not queued.is_over:
                await self._rest()
                batch, self._waiting = self._waiting[:MAX_TOGETHER], self._waiting[MAX_TOGETHER:]
                await self._write_batch(batch)
        finally:
            for unfinished in batch:
                if not unfinished.is_over:
                    unfinished.end(error=OutcomeUnknown("the write was stopped"))
            self._hand_over()

    async def _rest(self) -> None:
        """Rest until it is time; others that are ready to run may have items in any case."""
        await asyncio.sleep(max(0.0, self._rests_until - monotonic()))

    def _hand_over(self) -> None:
        """The first that still waits writes the next batch; if all are gone, it is not written at some later time."""
        for queued in self._waiting:
            if not queued.woken.done():
                queued.leads = True
                queued.woken.set_result(None)
                return
        self._waiting.clear()
        self._is_writing = False

    async def _write_batch(self, batch: Sequence[_Queued[Item, Result]]) -> None:
        began = monotonic()
        try:
            results = await self._write([queued.item for queued in batch])
        except Exception as error:  # noqa: BLE001  each caller gets its own error
            await self._write_each(batch, error)
        else:
            for queued, result in zip(batch, results, strict=True):
                queued.end(result=result)
        finally:
            ended = monotonic()
            self._rests_until = ended + min(MAX_REST_S, self._rests * (ended - began))

    async def _write_each(self, batch: Sequence[_Queued[Item, Result]], error: Exception) -> None:
        if len(batch) == 1 or is_unavailable(error):
            for queued in batch:
                queued.end(error=error)
            return
        for queued in batch:
            await self._write_batch([queued])
