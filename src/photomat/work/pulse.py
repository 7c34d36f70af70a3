"""Once a second one query asks what is due, for all loops of the process together, and wakes those with work.

This is the truth; NOTIFY only hurries it. A second is the most a lost wake-up can cost.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.logs import get_logger
from photomat.kernel.trouble import describe
from photomat.work.wakes import Wakes

EVERY_S: Final = 1.0
log = get_logger()


class Pulse:
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
