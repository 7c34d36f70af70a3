"""Which instance is ACTIVE: the one whose session holds an advisory lock.

The lock has a connection of its own in autocommit, never "idle in transaction". Its holder proves the connection every two
seconds and steps down when it cannot. The server detects a dead host by TCP keepalives and ends the session of a frozen
process; then another instance wins. A draining instance gives the lock back and does not compete for it.
"""

import asyncio
from contextlib import suppress
from typing import Final

from photomat.db.connection import UNUSABLE
from photomat.db.pool import Connection, connect
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import ACTIVE
from photomat.work.drain import DrainState

log = get_logger()
LOCK_KEY: Final = 0x50484F544F4D4154  # "PHOTOMAT"
PROOF_S: Final = 2.0
TRY_S: Final = 0.5
RECONNECT_S: Final = 1.0
ANSWER_TIMEOUT_S: Final = 2.0
FROZEN_AFTER_S: Final = 8
"""The server ends the session of a holder that does not prove its connection for so long."""
LOST: Final = (*UNUSABLE, Startup)


class ActiveState:
    """ACTIVE or PASSIVE; starts PASSIVE."""

    def __init__(self) -> None:
        self._active = asyncio.Event()
        self._passive = asyncio.Event()
        self._passive.set()

    @property
    def active(self) -> bool:
        return self._active.is_set()

    def set(self, *, active: bool, reason: str) -> None:
        if active == self.active:
            return
        log.info("STATE_SYNC", active_state=f"{self.active}->{active}", reason=reason)
        on, off = (self._active, self._passive) if active else (self._passive, self._active)
        off.clear()
        on.set()
        ACTIVE.set(int(active))

    async def wait_active(self) -> None:
        await self._active.wait()

    async def wait_passive(self) -> None:
        await self._passive.wait()


class Leader:
    """Competes for the lock until stopped, and keeps the ActiveState in step with it."""

    def __init__(self, dsn: str, state: ActiveState, *, drain: DrainState | None = None) -> None:
        self._dsn = dsn
        self._state = state
        self._drain = drain or DrainState()

    async def run(self, stop: asyncio.Event) -> None:
        waited = False
        while not stop.is_set():
            if self._drain.wanted:
                await sleep_until_set(stop, TRY_S)
                continue
            try:
                connection = await connect(self._dsn, name="photomat active lock")
            except LOST as error:
                log.warning("LOCK", state="PASSIVE", reason="no_database", error=type(error).__name__)
                await sleep_until_set(stop, RECONNECT_S)
                continue
            try:
                waited = await self._compete(connection, stop, waited=waited)
            except LOST as error:
                log.warning("LOCK", state="PASSIVE", reason="lock_lost", error=type(error).__name__)
            finally:
                released = stop.is_set() or self._drain.wanted
                self._state.set(active=False, reason="lock_released" if released else "lock_lost")
                await _close_session(connection)

    async def _compete(self, connection: Connection, stop: asyncio.Event, *, waited: bool) -> bool:
        await connection.execute(f"SET idle_session_timeout = '{FROZEN_AFTER_S}s'", timeout=ANSWER_TIMEOUT_S)
        while not stop.is_set() and not self._drain.wanted:
            won = await connection.fetchval("SELECT pg_try_advisory_lock($1)", LOCK_KEY, timeout=ANSWER_TIMEOUT_S)
            if won:
                log.info("LOCK", state="ACTIVE", reason="lock_acquired")
                self._state.set(active=True, reason="lock_acquired")
                await self._hold(connection, stop)
                return False
            if not waited:
                log.info("PASSIVE_WAIT", reason="another instance is ACTIVE")
                waited = True
            await sleep_until_set(stop, TRY_S)
        return waited

    async def _hold(self, connection: Connection, stop: asyncio.Event) -> None:
        while not await sleep_until_set(stop, PROOF_S) and not self._drain.wanted:
            await connection.fetchval("SELECT 1", timeout=ANSWER_TIMEOUT_S)


async def _close_session(connection: Connection) -> None:
    """Closing the session releases the lock."""
    with suppress(*LOST):
        await connection.close(timeout=ANSWER_TIMEOUT_S)
