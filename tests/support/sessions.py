"""Meetings of two database sessions, arranged and not hoped for."""

import asyncio
from typing import Any

from photomat.db.pool import Connection

WAIT_S = 10


async def until_done_or_blocked(watcher: Connection, work: asyncio.Task[Any], session: Connection) -> None:
    """Wait until the work in that session is through or waits for a lock somebody else has."""
    async with asyncio.timeout(WAIT_S):
        while not work.done():
            if await watcher.fetchval("SELECT cardinality(pg_blocking_pids($1)) > 0", session.get_server_pid()):
                return
            await asyncio.sleep(0.001)
