"""Whether this instance is ACTIVE, for everyone in it who wants to know or to wait."""

import asyncio

from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import ACTIVE

log = get_logger()


class ActiveState:
    """ACTIVE or PASSIVE; starts PASSIVE."""

    def __init__(self) -> None:
        self._active = asyncio.Event()
        self._passive = asyncio.Event()
        self._passive.set()

    @property
    def active(self) -> bool:
        """Whether this instance does the singleton duties now."""
        return self._active.is_set()

    def set(self, *, active: bool, reason: str) -> None:
        """Change the state and say so."""
        if active == self.active:
            return
        log.info("STATE_SYNC", active_state=f"{self.active}->{active}", reason=reason)
        on, off = (self._active, self._passive) if active else (self._passive, self._active)
        off.clear()
        on.set()
        ACTIVE.set(int(active))

    async def wait_active(self) -> None:
        """Wait until this instance is ACTIVE."""
        await self._active.wait()

    async def wait_passive(self) -> None:
        """Wait until it no longer is."""
        await self._passive.wait()
