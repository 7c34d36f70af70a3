"""Knowing when the bot is done with what somebody did: one question a moment to the inbox, for everybody who waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from photomat.db.pool import Connection
from support.database import connection_of

LOOK_EVERY_S: Final = 0.015
PATIENCE_S: Final = 300.0


@dataclass(slots=True, kw_only=True)
class Handled:
    """Updates that somebody waits for, and what became of them."""

    connection: Connection
    _waiting: dict[int, asyncio.Future[str | None]] = field(default_factory=dict)

    async def update(self, update_id: int) -> None:
        """Wait until an update is handled; fail when it was given up."""
        done = self._waiting.setdefault(update_id, asyncio.get_running_loop().create_future())
        try:
            async with asyncio.timeout(PATIENCE_S):
                error = await done
        except TimeoutError:
            raise AssertionError(f"update {update_id} was not handled in {PATIENCE_S} s") from None
        finally:
            self._waiting.pop(update_id, None)
        assert error is None, f"update {update_id} was parked: {error}"

    async def watch(self) -> None:
        """Look for ever."""
        while True:
            for row in await self._ended() if self._waiting else ():
                found = self._waiting.get(row[0])
                if found is not None and not found.done():
                    found.set_result(row[1])
            await asyncio.sleep(LOOK_EVERY_S)

    async def _ended(self) -> list[tuple[int, str | None]]:
        rows = await self.connection.fetch(
            """
            SELECT update_id, CASE WHEN parked_at IS NOT NULL THEN coalesce(error, '?') END AS error
              FROM inbox WHERE update_id = ANY($1::bigint[]) AND (handled_at IS NOT NULL OR parked_at IS NOT NULL)
            """,
            list(self._waiting),
        )
        return [(row["update_id"], row["error"]) for row in rows]


@asynccontextmanager
async def watching(database: str) -> AsyncIterator[Handled]:
    """Watch the inbox of a database."""
    async with connection_of(database) as connection, asyncio.TaskGroup() as group:
        handled = Handled(connection=connection)
        task = group.create_task(handled.watch())
        try:
            yield handled
        finally:
            task.cancel()
