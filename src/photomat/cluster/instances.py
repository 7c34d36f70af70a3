"""Live instances: each one updates its row every two seconds."""

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
"""An instance not seen for so long counts as dead and its claims are freed. If it is alive after all, fences stop its
writes.
"""

FORGOTTEN_AFTER: Final = timedelta(days=1)
log = get_logger()


def new_instance_id() -> InstanceId:
    return InstanceId(f"{socket.gethostname()[:20]}-{os.getpid()}-{secrets.token_hex(2)}")


class Heartbeat:
    """Updates this instance's row and deletes it at a clean end.

    It has a pool of its own: an instance that uses all of its connections is busy, not dead.
    """

    def __init__(self, pool: Pool, instance: InstanceId, state: ActiveState, *, version: str) -> None:
        self._pool = pool
        self._instance = instance
        self._state = state
        self._version = version

    async def beat(self) -> None:
        """Update the row; without a database the next beat does."""
        try:
            await self._write()
        except Exception as error:  # noqa: BLE001  the due poller reports an unreachable database
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
        while not await sleep_until_set(stop, SEEN_EVERY_S):
            await self.beat()

    async def leave(self) -> None:
        """Delete the row, so that our leases are freed at once; without a database it is deleted later."""
        try:
            await self._pool.execute("DELETE FROM instances WHERE instance_id = $1", self._instance)
        except Exception as error:  # noqa: BLE001  we are leaving anyway
            log.warning("LEAVE_UNNOTICED", error=type(error).__name__)


async def alive_instances(pool: Pool) -> frozenset[str]:
    rows = await pool.fetch(
        "SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval", DEAD_AFTER
    )
    return frozenset(row["instance_id"] for row in rows)


async def forget_dead_instances(pool: Pool) -> None:
    await pool.execute("DELETE FROM instances WHERE seen_at < photomat_now() - $1::interval", FORGOTTEN_AFTER)
