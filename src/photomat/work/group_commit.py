"""Group commit: items that arrive while a batch is being committed share the next commit.

`add` returns what the commit of its item gave, after that commit. An item that finds no batch under way is committed at once:
a quiet program waits for nothing. A batch that fails is committed one by one: each caller gets its own result or error, and
one bad item does not affect the others. Without a database all of them fail at once.

Killed before the commit: no caller has got an answer, and none of the batch is stored. The caller whose turn it is commits for
the others as well; if it is canceled they get `OutcomeUnknown`, as they would if their own commit were interrupted.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

from photomat.db.pool import is_unavailable
from photomat.kernel.errors import OutcomeUnknown

MOST_TOGETHER: Final = 64
Item = TypeVar("Item")
Result = TypeVar("Result")
Waiting: TypeAlias = tuple[Item, asyncio.Future[Result]]


class GroupCommit(Generic[Item, Result]):
    """`commit` writes a batch in one transaction and gives one result for each item, in their order."""

    def __init__(
        self, commit: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], *, most: int = MOST_TOGETHER
    ) -> None:
        self._commit = commit
        self._most = most
        self._waiting: list[Waiting[Item, Result]] = []
        self._one_batch = asyncio.Lock()

    async def add(self, item: Item) -> Result:
        committed: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, committed))
        try:
            async with self._one_batch:
                while not committed.done():
                    batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                    await self._flush(batch)
        except asyncio.CancelledError:
            self._waiting = [each for each in self._waiting if each[1] is not committed]
            raise
        return committed.result()

    async def _flush(self, batch: Sequence[Waiting[Item, Result]]) -> None:
        try:
            results = await self._commit([item for item, _ in batch])
        except asyncio.CancelledError:
            _fail(batch, OutcomeUnknown("the commit was interrupted"))
            raise
        except Exception as error:  # noqa: BLE001  each caller gets its own answer
            await self._flush_each(batch, error)
        else:
            for (_, committed), result in zip(batch, results, strict=True):
                committed.set_result(result)

    async def _flush_each(self, batch: Sequence[Waiting[Item, Result]], error: Exception) -> None:
        if len(batch) == 1 or is_unavailable(error):
            _fail(batch, error)
            return
        for place, single in enumerate(batch):
            try:
                await self._flush([single])
            except asyncio.CancelledError:
                _fail(batch[place + 1 :], OutcomeUnknown("the commit was interrupted"))
                raise


def _fail(batch: Sequence[Waiting[Item, Result]], error: Exception) -> None:
    for _, committed in batch:
        committed.set_exception(error)
        committed.exception()  # its caller may be the one that was canceled, and never asks
