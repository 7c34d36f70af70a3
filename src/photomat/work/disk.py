"""The disk of DATA_DIR, checked every two seconds by every instance.

Full means less than `FULL_BELOW`: it is logged and the instance is not ready until there is room again. Nothing is lost
meanwhile: what cannot be stored is not acknowledged, and its sender repeats it.
"""

import asyncio
import shutil
from pathlib import Path
from typing import Final

from photomat.kernel.clock import monotonic, sleep_until_set
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import DISK_FREE

MIB: Final = 1 << 20
FULL_BELOW: Final = 16 * MIB
"""PostgreSQL writes its log in files of this size, and cannot go on without room for the next."""

EVERY_S: Final = 2.0
LATELY_S: Final = 1.0
log = get_logger()


class Disk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_full = False
        self._free = 0
        self._asked_at = -LATELY_S

    def free_bytes(self) -> int:
        """How much may still be written; a folder that is not there yet lies on its nearest parent's disk."""
        folder = next((one for one in (self.folder, *self.folder.absolute().parents) if one.exists()), Path("/"))
        return shutil.disk_usage(folder).free

    async def lately_free_bytes(self) -> int:
        """As `free_bytes`, asked at most once a second."""
        if monotonic() - self._asked_at >= LATELY_S:
            self._free = await asyncio.to_thread(self.free_bytes)
            self._asked_at = monotonic()
        return self._free

    async def check(self) -> None:
        """Check once and log changes."""
        free = await asyncio.to_thread(self.free_bytes)
        DISK_FREE.set(free)
        was_full, self.is_full = self.is_full, free < FULL_BELOW
        if self.is_full and not was_full:
            log.error("DISK_FULL", folder=str(self.folder), free_mb=free // MIB)
        elif was_full and not self.is_full:
            log.info("DISK_FREE", folder=str(self.folder), free_mb=free // MIB)

    async def run(self, stop: asyncio.Event) -> None:
        while True:
            try:
                await self.check()
            except OSError as error:
                log.warning("DISK_UNKNOWN", folder=str(self.folder), error=str(error))
            if await sleep_until_set(stop, EVERY_S):
                return
