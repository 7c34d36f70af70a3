"""Is a connection a session of its own? Locks and LISTEN live in one; a pooler in transaction mode hands out any."""

from typing import Final

from photomat.db.pool import Connection, connect, describe
from photomat.kernel.errors import Startup

ROUNDS: Final = 3
PATIENCE_S: Final = 10
"""For a database that starts beside us."""


async def require_session(dsn: str) -> None:
    """Refuse to start where two connections open at once turn out to share a session."""
    first = await connect(dsn, name="photomat session check", patience_s=PATIENCE_S)
    try:
        second = await connect(dsn, name="photomat session check")
        try:
            shared = await _share_a_session(first, second)
        finally:
            await second.close(timeout=5)
    finally:
        await first.close(timeout=5)
    if shared:
        raise Startup(
            f"{describe(dsn)} is a pooler in transaction mode, where the ACTIVE lock cannot be held;"
            " set DIRECT_DATABASE_URL to the server behind it, or put the pooler into session mode."
        )


async def _share_a_session(first: Connection, second: Connection) -> bool:
    for _ in range(ROUNDS):
        if await first.fetchval("SELECT pg_backend_pid()") == await second.fetchval("SELECT pg_backend_pid()"):
            return True
    return False
