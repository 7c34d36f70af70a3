"""Meetings of two database sessions, arranged and not hoped for."""

import asyncio
from typing import Any

from photomat.db.pool import Connection, OneSession, Pool
from photomat.kernel.ids import BotId
from support.updates import BOT_ID

WAIT_S = 120


def as_pool(connection: Connection) -> Pool:
    """A connection where a pool of the tests' bot is expected: everything is done in this one session."""
    return OneSession(connection, BotId(BOT_ID))


async def until_done_or_blocked(watcher: Pool | Connection, work: asyncio.Task[Any], session: Connection) -> None:
    """Wait until the work in that session is through or waits for a lock somebody else has."""
    async with asyncio.timeout(WAIT_S):
        while not work.done():
            if await watcher.fetchval("SELECT cardinality(pg_blocking_pids($1)) > 0", session.get_server_pid()):
                return
            await asyncio.sleep(0.001)


async def waiting_for(session: Connection, *, processes: int = 1) -> bool | None:
    """True when so many processes wait for a lock of this session."""
    waiting = (
        "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    )
    return await session.fetchval(waiting) >= processes or None
