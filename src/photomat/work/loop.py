"""A loop claims what is due and runs it, so many at once, woken or once a second; it is drained when the program stops.

It never claims more than it can start now: a claim that waits in memory is a lease running out. Between claims it rests for
`RESTS` times as long as the last one took: where the database is busy, more is claimed at once. The lease of long work is
renewed three times within its length; work whose claim was taken over is interrupted and must write nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Generic, TypeVar

from photomat.kernel.clock import backoff_s, monotonic, sleep_until_set
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import LOOP_BATCH, LOOP_ERRORS, LOOP_ITEM_S, LOOP_TICK
from photomat.work.batch_writer import MAX_REST_S, RESTS
from photomat.work.budget import NoRoom

IDLE_S: Final = 60.0
IDLE_TICKS: Final = 10
"""The due poller wakes a loop that has work; in any case it claims after so many idle minutes."""
RENEWALS: Final = 3
log = get_logger()
Item = TypeVar("Item")
Claim = Callable[[int], Awaitable[list[Item]]]
Do = Callable[[Item], Awaitable[object]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStep(Generic[Item]):
    """One step of the life cycle: its name, how it claims, what it does, how many at once.

    `claims_all`: a claim that returns fewer than it was asked for has left nothing due, so it is not repeated at once.
    `ends_wake`: the end of an item may make another one due, so it is followed by a claim; without it only the end of one that
    took the last place is.
    """

    name: str
    claim: Claim[Item]
    do: Do[Item]
    width: int
    claims_all: bool = False
    ends_wake: bool = True


class Loop(Generic[Item]):
    """Runs one step until stopped."""

    def __init__(self, step: LoopStep[Item], *, wake: asyncio.Event) -> None:
        self._step = step
        self._wake = wake
        self._free = step.width
        self._wants_more = False
        self._next_s = IDLE_S
        self._rests_until = 0.0
        self._batch = LOOP_BATCH.labels(loop=step.name)
        self._item_s = LOOP_ITEM_S.labels(loop=step.name)

    async def run_once(self) -> int:
        """Claim as many as may start now and do them; return how many."""
        items = await self._claimed(self._step.width)
        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(self._do(item))
        return len(items)

    async def run(self, stop: asyncio.Event) -> None:
        """Go on until `stop`; then claim nothing more and finish what is held."""
        failures = 0
        name = self._step.name
        async with asyncio.TaskGroup() as group:
            group.create_task(self._wake_at(stop))
            while not stop.is_set():
                await self._rest(stop)
                if stop.is_set():
                    break
                self._wake.clear()
                LOOP_TICK.labels(loop=name).set_to_current_time()
                try:
                    await self._claim(group)
                    failures = 0
                except Exception as error:  # noqa: BLE001  the top of a loop
                    failures += 1
                    LOOP_ERRORS.labels(loop=name, where="claim").inc()
                    log.error("LOOP_ERROR", loop=name, error=describe(error))
                    report_crash(error, "LOOP_ERROR")
                    await sleep_until_set(stop, backoff_s(failures, first_s=0.5, most_s=5))
                    continue
                if not self._wants_more or self._free == 0:
                    await self._until_woken()
        with suppress(KeyError):  # no longer ours to do: an old tick would look like a loop that hangs
            LOOP_TICK.remove(name)

    async def _rest(self, stop: asyncio.Event) -> None:
        rest_s = self._rests_until - monotonic()
        if rest_s > 0:
            await sleep_until_set(stop, rest_s)

    async def _until_woken(self) -> None:
        """Wait for a wake-up, or for room in the budget; meanwhile the tick shows that the loop is alive."""
        for _ in range(IDLE_TICKS):
            if await sleep_until_set(self._wake, self._next_s) or self._next_s != IDLE_S:
                return
            LOOP_TICK.labels(loop=self._step.name).set_to_current_time()

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _claim(self, group: asyncio.TaskGroup) -> None:
        """Claim as many as are free; more is wanted while there may be more than was claimed."""
        if self._free == 0:
            return
        limit, began = self._free, monotonic()
        items = await self._claimed(limit)
        ended = monotonic()
        self._rests_until = ended + min(MAX_REST_S, RESTS * (ended - began))
        self._free -= len(items)
        self._wants_more = len(items) >= limit or (bool(items) and not self._step.claims_all)
        for item in items:
            group.create_task(self._do_and_free(item))

    async def _claimed(self, limit: int) -> list[Item]:
        """Claim; without room in the budget that is nothing, and the next try comes when there is."""
        self._next_s = IDLE_S
        items: list[Item] = []
        try:
            items = await self._step.claim(limit)
        except NoRoom as error:
            self._next_s = error.retry_after_s or IDLE_S
        self._batch.observe(len(items))
        return items

    async def _do_and_free(self, item: Item) -> None:
        try:
            await self._do(item)
        finally:
            self._free += 1
            if self._wants_more or self._step.ends_wake:
                self._wake.set()

    async def _do(self, item: Item) -> None:
        began, name = monotonic(), self._step.name
        try:
            await self._step.do(item)
        except Exception as error:  # noqa: BLE001  an item's error does not affect the others; its lease expires
            LOOP_ERRORS.labels(loop=name, where="item").inc()
            log.error("STEP_ERROR", step=name, error=describe(error))
            report_crash(error, "STEP_ERROR")
        finally:
            self._item_s.observe(monotonic() - began)


class ClaimLost(PhotomatError):
    """Another instance has taken the work over: stop, write nothing."""


async def while_renewing(
    work: Callable[[], Awaitable[T]], *, renew: Callable[[], Awaitable[bool]], lease: timedelta
) -> T:
    """Do the work while renewing its claim; interrupt it and raise ClaimLost when the claim was taken over."""
    try:
        async with asyncio.TaskGroup() as group:
            renewing = group.create_task(_renew(renew, every_s=lease.total_seconds() / RENEWALS))
            done = await work()
            renewing.cancel()
    except ExceptionGroup as troubles:
        raise troubles.exceptions[0] from troubles.exceptions[0].__cause__
    return done


async def _renew(renew: Callable[[], Awaitable[bool]], *, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            ours = await renew()
        except Exception as error:  # noqa: BLE001  the top of a loop: without a database the fence still guards
            log.warning("LEASE_NOT_RENEWED", error=describe(error))
        else:
            if not ours:
                raise ClaimLost("the claim was taken over during the work")
