"""The due poller: once a second one query asks what is due, for all loops of the process, and wakes those with work.

A caller that may have given work to any loop, and does not know to which, wakes the poller instead of all loops (`DUE_POLLER`).
Wake-ups and NOTIFY are only faster: a lost one costs at most a second, a doubled one nothing. Whatever else the process must
know every second is read by the same query (`WatchedValue`), so that an idle process commits once a second, not once for each.

Each poll reads the current floors of the queues (`db/floors.py`), and from there what is due. Once a second it reads them from
the beginning of the queues, which is the truth. Where that takes long, because a transaction has been open for long, such polls
are further apart, ten seconds at most.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.db.floors import Queue
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.clock import monotonic, sleep_until_set
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger

EVERY_S: Final = 1.0
APART_S: Final = 0.05
"""How far polls are apart at least, however often they are asked for."""
THOROUGH_SHARE: Final = 1 / 20
"""The part of PostgreSQL's time that polls from the beginning may take, as long as they are at most so far apart:"""
THOROUGH_APART_S: Final = 10.0
TOOK_S: Final = "took seconds"
READ_CLOCK: Final = f'extract(epoch FROM clock_timestamp() - statement_timestamp())::float8 AS "{TOOK_S}"'
"""The last column: how long PostgreSQL worked on the others, without our own waits."""
DUE_POLLER: Final = "due poller"
"""Its name among the wake-ups: it asks at once, and wakes the loops that have work."""
log = get_logger()


class Wakes:
    """One event per loop; other instances are woken through `notify_others`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._events = {name: asyncio.Event() for name in (*names, DUE_POLLER)}
        self.notify_others: Callable[[str], None] = lambda _name: None

    def event(self, name: str) -> asyncio.Event:
        return self._events[name]

    def names(self) -> tuple[str, ...]:
        return tuple(self._events)

    def here(self, *names: str) -> None:
        for name in names:
            if name in self._events:
                self._events[name].set()

    def everywhere(self, name: str) -> None:
        """Wake the loop of this name in every process."""
        self.here(name)
        self.notify_others(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedValue:
    """A value that is read with every poll: a literal SELECT of one column and at most one row, and who is notified of it."""

    select: str
    tell: Callable[[Any], None]


class DuePoller:
    """Asks what is due; each slice gives its own literal SELECT, or those of a queue with a floor."""

    def __init__(
        self,
        pool: Pool,
        wakes: Wakes,
        due: Mapping[str, str | Queue],
        *,
        watched: Mapping[str, WatchedValue] | None = None,
    ) -> None:
        self._pool = pool
        self._wakes = wakes
        self._wake = wakes.event(DUE_POLLER)
        self._names = tuple(due)
        self._watched = watched or {}
        queues = {name: queue for name, queue in due.items() if isinstance(queue, Queue)}
        self._floor_columns = {name: f"floor of {name}" for name in queues}
        self._thorough_from = 0.0
        plain = [f'EXISTS ({select}) AS "{name}"' for name, select in due.items() if isinstance(select, str)]
        read = [f'({value.select}) AS "{name}"' for name, value in self._watched.items()]
        oldest, ordered = [], []
        for place, (name, queue) in enumerate(queues.items(), 1):
            known, floor = f"${place}", self._floor_columns[name]
            oldest.append(f'({queue.oldest}) AS "{floor}"'.format(floor=known))
            current = f'coalesce((SELECT "{floor}" FROM floors), {known})'  # noqa: S608  a constant of ours
            ordered.append(f'EXISTS ({queue.due}) AS "{name}"'.format(floor=current))
        asked = ", ".join([*plain, *ordered, *read, READ_CLOCK])
        self._query = f"WITH floors AS MATERIALIZED (SELECT {', '.join(oldest)}) SELECT floors.*, {asked} FROM floors"  # noqa: S608  constants of ours

    async def poll_once(self) -> None:
        floors, is_thorough = self._pool.floors, monotonic() >= self._thorough_from
        if is_thorough:  # one that fails is put off as well: the polls in between are quick
            self._thorough_from = monotonic() + THOROUGH_APART_S
        known = [None if is_thorough else floors.of(name) for name in self._floor_columns]
        row = await require_row(self._pool, self._query, *known)
        if is_thorough:
            apart_s = max(EVERY_S - APART_S, row[TOOK_S] / THOROUGH_SHARE)
            self._thorough_from = monotonic() + min(THOROUGH_APART_S, apart_s)
        floors.set({name: row[column] for name, column in self._floor_columns.items()})
        self._wakes.here(*(name for name in self._names if row[name]))
        for name, value in self._watched.items():
            value.tell(row[name])

    async def run(self, stop: asyncio.Event) -> None:
        """Poll until `stop`, once a second and when woken; an unreachable database is logged once."""
        down = False
        async with asyncio.TaskGroup() as group:
            group.create_task(self._wake_at(stop))
            while not await self._is_over(stop):
                try:
                    await self.poll_once()
                except Exception as error:  # noqa: BLE001  the top of a loop
                    if not down:
                        log.error("DATABASE_DOWN", error=describe(error))
                    down = True
                else:
                    if down:
                        log.info("DATABASE_BACK")
                    down = False
        self._wakes.here(*self._wakes.names())

    async def _is_over(self, stop: asyncio.Event) -> bool:
        """Wait until it is time for the next poll; True when there is none."""
        if not await sleep_until_set(stop, APART_S):
            await sleep_until_set(self._wake, EVERY_S - APART_S)
        self._wake.clear()
        return stop.is_set()

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()
