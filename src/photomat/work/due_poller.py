"""The due poller: once a second one query asks what is due, for all loops of the process, and wakes those with work.

Wake-ups and NOTIFY are only faster: a lost one costs at most a second, a doubled one nothing.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger

EVERY_S: Final = 1.0
log = get_logger()


class Wakes:
    """One event per loop; other instances are woken through `notify_others`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._events = {name: asyncio.Event() for name in names}
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


class DuePoller:
    """Asks what is due; each slice gives its own literal SELECT."""

    def __init__(self, pool: Pool, wakes: Wakes, due: Mapping[str, str]) -> None:
        self._pool = pool
        self._wakes = wakes
        self._query = "SELECT " + ", ".join(f'EXISTS ({select}) AS "{name}"' for name, select in due.items())

    async def poll_once(self) -> None:
        row = await require_row(self._pool, self._query)
        self._wakes.here(*(name for name, is_due in row.items() if is_due))

    async def run(self, stop: asyncio.Event) -> None:
        """Poll until `stop`; an unreachable database is logged once."""
        down = False
        while not await sleep_until_set(stop, EVERY_S):
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
