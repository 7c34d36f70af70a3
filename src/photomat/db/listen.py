"""Wake-ups between processes by LISTEN and NOTIFY.

A wake-up only speeds up what the due poller finds within a second anyway: a lost one is harmless, a repeated one is free. So
a notification is never part of a transaction (NOTIFY makes commits queue behind each other); it leaves on a separate
connection, at most one per 20 ms and process, with all the words collected meanwhile.

Both sides need a session of their own: behind a transaction pooler use the direct URL (`require_session` checks it).
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Never

import structlog

from photomat.db.connection import UNUSABLE
from photomat.db.pool import Connection, connect, display_name
from photomat.kernel.errors import Startup

CHANNEL: Final = "photomat"
PAUSE_S: Final = 0.02
RECONNECT_S: Final = 1.0
HEARTBEAT_S: Final = 20.0
ANSWER_TIMEOUT_S: Final = 5.0
MAX_WORDS: Final = 64
"""Words are names of loops, about twenty; the limit keeps a payload far below PostgreSQL's 8000 bytes."""
LOST: Final = (*UNUSABLE, Startup)
log = structlog.get_logger()
ROUNDS: Final = 3
PATIENCE_S: Final = 10
"""For a database that is still starting."""


async def listen(dsn: str, wake: Callable[[str], None], *, channel: str = CHANNEL) -> Never:
    """Call `wake` for every word that arrives, reconnecting forever.

    After each connect it is called once with an empty word, because words may have been missed.
    """
    while True:
        try:
            await _listen_once(dsn, wake, channel)
        except LOST as error:
            log.warning("LISTEN_LOST", reason=type(error).__name__)
        await asyncio.sleep(RECONNECT_S)


class WakeSender:
    """Collects words and sends them while `run` is running."""

    def __init__(self, dsn: str, *, channel: str = CHANNEL) -> None:
        self._dsn = dsn
        self._channel = channel
        self._words: set[str] = set()
        self._waiting = asyncio.Event()

    def hint(self, word: str) -> None:
        """Send this word soon; never blocks and never fails."""
        if len(self._words) < MAX_WORDS:
            self._words.add(word)
            self._waiting.set()

    async def run(self) -> Never:
        """Send forever; words are dropped while the connection is lost."""
        while True:
            try:
                await self._send_on_one_connection()
            except LOST as error:
                log.warning("NOTIFY_LOST", reason=type(error).__name__)
            await asyncio.sleep(RECONNECT_S)

    async def _send_on_one_connection(self) -> Never:
        connection = await connect(self._dsn, name="photomat notify")
        try:
            while True:
                await self._waiting.wait()
                await connection.execute(
                    "SELECT pg_notify($1, $2)", self._channel, self._take(), timeout=ANSWER_TIMEOUT_S
                )
                await asyncio.sleep(PAUSE_S)
        finally:
            await _close(connection)

    def _take(self) -> str:
        words, self._words = self._words, set()
        self._waiting.clear()
        return " ".join(sorted(words))


async def _listen_once(dsn: str, wake: Callable[[str], None], channel: str) -> None:
    def pass_on(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        for word in str(payload).split():
            wake(word)

    connection = await connect(dsn, name="photomat listen")
    ended = asyncio.Event()
    try:
        connection.add_termination_listener(lambda _connection: ended.set())
        await connection.add_listener(channel, pass_on)
        wake("")
        await _until_it_ends(connection, ended)
    finally:
        await _close(connection)


async def _until_it_ends(connection: Connection, ended: asyncio.Event) -> None:
    """Probe the connection now and then: a dead peer sends nothing."""
    while not ended.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_S):
                await ended.wait()
        if not ended.is_set():
            await connection.execute("SELECT 1", timeout=ANSWER_TIMEOUT_S)


async def _close(connection: Connection) -> None:
    with suppress(*LOST):
        await connection.close(timeout=ANSWER_TIMEOUT_S)


async def require_session(dsn: str) -> None:
    """Refuse to start where two open connections share a session: that is a pooler in transaction mode."""
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
            f"{display_name(dsn)} is a pooler in transaction mode, where the ACTIVE lock cannot be held;"
            " set DIRECT_DATABASE_URL to the server behind it, or put the pooler into session mode."
        )


async def _share_a_session(first: Connection, second: Connection) -> bool:
    for _ in range(ROUNDS):
        if await first.fetchval("SELECT pg_backend_pid()") == await second.fetchval("SELECT pg_backend_pid()"):
            return True
    return False
