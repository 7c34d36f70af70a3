"""Live instances: each one updates its row every two seconds."""

import asyncio
import os
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.cluster.leader import ActiveState
from photomat.db.pool import Pool, Transaction
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.ids import InstanceId
from photomat.kernel.logs import get_logger
from photomat.work.drain import DrainState

SEEN_EVERY_S: Final = 2.0
DEAD_AFTER: Final = timedelta(seconds=8)
"""An instance not seen for so long counts as dead and its claims are freed. If it is alive after all, fences stop its
writes.
"""

ALIVE: Final = (
    "SELECT coalesce(array_agg(instance_id), '{}') FROM instances"  # noqa: S608  no input
    f" WHERE seen_at > photomat_now() - interval '{DEAD_AFTER.seconds} seconds'"
)
"""The same as `alive_instances`, as one value."""

FORGOTTEN_AFTER: Final = timedelta(days=1)
log = get_logger()


def new_instance_id() -> InstanceId:
    return InstanceId(f"{socket.gethostname()[:20]}-{os.getpid()}-{secrets.token_hex(2)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningInstance:
    """An instance that is alive; `drained_at` is set once a draining one holds nothing and is PASSIVE."""

    instance_id: InstanceId
    version: str
    host: str
    pid: int
    active: bool
    started_at: datetime
    seen_at: datetime
    drain_wanted_at: datetime | None
    drained_at: datetime | None


class Heartbeat:
    """Updates this instance's row, reads whether it is to drain, and deletes the row at a clean end.

    It has a pool of its own: an instance that uses all of its connections is busy, not dead.
    """

    def __init__(
        self, pool: Pool, instance: InstanceId, state: ActiveState, *, version: str, drain: DrainState | None = None
    ) -> None:
        self._pool = pool
        self._instance = instance
        self._state = state
        self._version = version
        self._drain = drain or DrainState()

    async def beat(self) -> None:
        """Update the row; without a database the next beat does."""
        try:
            await self._write()
        except Exception as error:  # noqa: BLE001  the due poller reports an unreachable database
            log.debug("HEARTBEAT_MISSED", error=type(error).__name__)

    async def _write(self) -> None:
        is_drained = self._drain.wanted and self._drain.is_idle and not self._state.active
        wanted = await self._pool.fetchval(
            """
            INSERT INTO instances AS known (instance_id, version, host, pid, active) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT ON CONSTRAINT instances_pkey DO UPDATE
               SET seen_at = photomat_now(), active = excluded.active,
                   drained_at = CASE WHEN $6 AND known.drain_wanted_at IS NOT NULL
                                     THEN coalesce(known.drained_at, photomat_now()) END
            RETURNING drain_wanted_at IS NOT NULL
            """,
            self._instance,
            self._version,
            socket.gethostname(),
            os.getpid(),
            self._state.active,
            is_drained,
        )
        if wanted and not self._drain.wanted:
            log.info("DRAINING", instance=self._instance)
        if self._drain.wanted and not wanted:
            log.info("DRAIN_OVER", instance=self._instance)
        self._drain.set(wanted=wanted)

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


async def running_instances(pool: Pool) -> list[RunningInstance]:
    rows = await pool.fetch(
        """
        SELECT instance_id, version, host, pid, active, started_at, seen_at, drain_wanted_at, drained_at
          FROM instances WHERE seen_at > photomat_now() - $1::interval ORDER BY started_at, instance_id
        """,
        DEAD_AFTER,
    )
    return [RunningInstance(**dict(row)) for row in rows]


async def lock_instances(tx: Transaction) -> dict[str, bool]:
    """The instances that are alive, each with whether it is to drain; their rows stay locked until the commit."""
    rows = await tx.fetch(
        """
        SELECT instance_id, drain_wanted_at IS NOT NULL AS draining FROM instances
         WHERE seen_at > photomat_now() - $1::interval ORDER BY instance_id FOR UPDATE
        """,
        DEAD_AFTER,
    )
    return {row["instance_id"]: row["draining"] for row in rows}


async def want_drain(tx: Transaction, instance: str, *, wanted: bool) -> None:
    await tx.execute(
        """
        UPDATE instances SET drain_wanted_at = CASE WHEN $2 THEN photomat_now() END, drained_at = NULL
         WHERE instance_id = $1
        """,
        instance,
        wanted,
    )


async def forget_dead_instances(pool: Pool) -> None:
    await pool.execute("DELETE FROM instances WHERE seen_at < photomat_now() - $1::interval", FORGOTTEN_AFTER)


async def forget_all_instances(tx: Transaction) -> None:
    """A restored database: the instances that wrote here are not those that will."""
    await tx.execute("DELETE FROM instances")
