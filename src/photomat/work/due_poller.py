"""Once a second one query asks what is due, for all loops of the process together, and wakes those with work.

This is the truth; NOTIFY only hurries it. A second is the most a lost wake-up can cost.

Wake-ups: a nudge that there may be something to do. A lost one costs a second, a doubled one nothing.
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
    """One event a loop; waking another instance's loop goes through `tell_others`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._events = {name: asyncio.Event() for name in names}
        self.tell_others: Callable[[str], None] = lambda _name: None

    def event(self, name: str) -> asyncio.Event:
        """What the loop of this name waits for."""
        return self._events[name]

    def names(self) -> tuple[str, ...]:
        """Every loop there is."""
        return tuple(self._events)

    def here(self, *names: str) -> None:
        """Wake loops of this process."""
        for name in names:
            if name in self._events:
                self._events[name].set()

    def everywhere(self, name: str) -> None:
        """Wake the loop of this name in every process."""
        self.here(name)
        self.tell_others(name)


class DuePoller:
    """Asks what is due; each slice says it for itself as a literal SELECT."""

    def __init__(self, pool: Pool, wakes: Wakes, due: Mapping[str, str]) -> None:
        self._pool = pool
        self._wakes = wakes
        self._query = "SELECT " + ", ".join(f'EXISTS ({select}) AS "{name}"' for name, select in due.items())

    async def beat(self) -> None:
        """Ask once and wake."""
        row = await require_row(self._pool, self._query)
        self._wakes.here(*(name for name, is_due in row.items() if is_due))

    async def run(self, stop: asyncio.Event) -> None:
        """Beat until told to stop; without a database every second again, said once."""
        down = False
        while not await sleep_until_set(stop, EVERY_S):
            try:
                await self.beat()
            except Exception as error:  # noqa: BLE001  the top of a loop
                if not down:
                    log.error("DATABASE_DOWN", error=describe(error))
                down = True
            else:
                if down:
                    log.info("DATABASE_BACK")
                down = False
        self._wakes.here(*self._wakes.names())
