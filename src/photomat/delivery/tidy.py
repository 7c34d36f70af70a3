"""What may be deleted of deliveries: records of results sent once more, and our copies of results that Telegram keeps.

A copy is deleted only when Telegram keeps the same bytes and our bot can have them: history and cards show it from there. What
Telegram changes (a photo is compressed, a GIF becomes a video), a result of the bot that owned the database before, and one
that reached its customer as a link or not at all exist only here (Kie deletes its own) and stay. The file goes first, its
name in the row after it: killed in between, the row names a file that is not there, which everybody takes as "no copy", and
the next pass ends it.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.media import PARTS
from photomat.kernel.clock import epoch
from photomat.work.retention import Batch, OldRows

PART_KEPT_S: Final = 86400
"""Far longer than a download may take."""

RESENDS: Final = OldRows(table="result_sends", age="asked_at", only="due_at IS NULL")
"""Kept far longer than the tap that asked can be repeated, which must find its row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCopies:
    """Our copies in `folder` that are no longer needed."""

    folder: Path

    async def count(self, pool: Pool, older_than: timedelta) -> int:
        """How many copies are older than that, of results Telegram keeps unchanged."""
        return await outputs.count_old_copies(pool, older_than=older_than)

    async def delete(self, pool: Pool, older_than: timedelta, limit: int) -> Batch:
        """Delete a batch of them, and what a killed process left of files that never became whole."""
        await asyncio.to_thread(self._unlink_parts)
        copies = await outputs.old_copies(pool, older_than=older_than, limit=limit)
        await asyncio.to_thread(self._unlink, [kept_as for _, _, kept_as in copies])
        await outputs.forget_copies(pool, copies, older_than=older_than)
        return Batch(len(copies), more=len(copies) == limit)

    def _unlink_parts(self) -> None:
        for part in (self.folder / PARTS).glob("*"):
            with suppress(FileNotFoundError):
                if epoch() - part.stat().st_mtime > PART_KEPT_S:
                    part.unlink()

    def _unlink(self, names: list[str]) -> None:
        for name in names:
            path = self.folder / name
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name.partition('.')[0]}.cover.jpg").unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()
