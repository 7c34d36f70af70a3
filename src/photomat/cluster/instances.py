"""Who is alive: every instance writes that it was seen, every two seconds."""

import asyncio
import os
import secrets
import socket
from datetime import timedelta
from typing import Final

from photomat.cluster.leader import ActiveState
from photomat.db.pool import Pool
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.ids import InstanceId
from photomat.kernel.logs import get_logger

SEEN_EVERY_S: Final = 2.0
DEAD_AFTER: Final = timedelta(seconds=8)
"""Who has not been seen for so long counts as dead: what it held is freed. A zombie's fences still guard every row."""

FORGOTTEN_AFTER: Final = timedelta(days=1)
log = get_logger()


def new_instance_id() -> InstanceId:
    """A name nobody else has, and a person can read."""
    return InstanceId(f"{socket.gethostname()[:20]}-{os.getpid()}-{secrets.token_hex(2)}")


class Heartbeat:
    """Keeps this instance's row fresh and takes it away at a clean end.

    Its pool serves nobody else: an instance whose pool is busy to the last connection works hard and is not dead.
    """

    def __init__(self, pool: Pool, instance: InstanceId, state: ActiveState, *, version: str) -> None:
        self._pool = pool
        self._instance = instance
        self._state = state
        self._version = version

    async def beat(self) -> None:
        """Say once that this instance is alive; without a database the next beat does."""
        try:
            await self._write()
        except Exception as error:  # noqa: BLE001  the pulse says that the database is gone
            log.debug("HEARTBEAT_MISSED", error=type(error).__name__)

    async def _write(self) -> None:
        await self._pool.execute(
            """
            INSERT INTO instances (instance_id, version, host, pid, active) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT ON CONSTRAINT instances_pkey DO UPDATE SET seen_at = photomat_now(), active = excluded.active
            """,
            self._instance,
            self._version,
            socket.gethostname(),
            os.getpid(),
            self._state.active,
        )

    async def run(self, stop: asyncio.Event) -> None:
        """Beat until told to stop; then the row goes, so that nobody waits for our leases."""
        while not await sleep_until_set(stop, SEEN_EVERY_S):
            await self.beat()

    async def leave(self) -> None:
        """Take the row away; without a database it is forgotten later."""
        try:
            await self._pool.execute("DELETE FROM instances WHERE instance_id = $1", self._instance)
        except Exception as error:  # noqa: BLE001  we are leaving anyway
            log.warning("LEAVE_UNNOTICED", error=type(error).__name__)


async def alive_instances(pool: Pool) -> frozenset[str]:
    """Who has been seen lately."""
    rows = await pool.fetch(
        "SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval", DEAD_AFTER
    )
    return frozenset(row["instance_id"] for row in rows)


async def forget_dead_instances(pool: Pool) -> None:
    """Drop rows of instances nobody has seen for a day."""
    await pool.execute("DELETE FROM instances WHERE seen_at < photomat_now() - $1::interval", FORGOTTEN_AFTER)
