"""Wake-ups between processes by LISTEN and NOTIFY.

A wake-up only hurries what a look at the due rows would find within a second anyway: a lost one is harmless, a doubled
one costs nothing. So a notification never travels in anybody's transaction (there it would make commits queue behind
each other); it leaves on a connection of its own, at most one for each 20 ms and process, carrying all the words that
came together meanwhile.

Both sides need a real session: give them the direct address where a transaction pooler stands in between.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Never

import asyncpg
import structlog

from photomat.db.pool import Connection, connect
from photomat.kernel.errors import Startup

CHANNEL: Final = "photomat"
PAUSE_S: Final = 0.02
RECONNECT_S: Final = 1.0
HEARTBEAT_S: Final = 10.0
ANSWER_TIMEOUT_S: Final = 5.0
MAX_WORDS: Final = 64
"""Hints are names of loops, a handful; the bound keeps a payload far below PostgreSQL's 8000 bytes."""

LOST: Final = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, Startup)

log = structlog.get_logger()


async def listen(dsn: str, wake: Callable[[str], None], *, channel: str = CHANNEL) -> Never:
    """Call `wake` for every word that arrives, for ever, across lost connections.

    After each connection it is called once with an empty word: anything may have been missed before.
    """
    while True:
        try:
            await _listen_once(dsn, wake, channel)
        except LOST as trouble:
            log.warning("LISTEN_LOST", reason=type(trouble).__name__)
        await asyncio.sleep(RECONNECT_S)


class Notifier:
    """Collects hints and sends them; `run` must be running for anything to leave."""

    def __init__(self, dsn: str, *, channel: str = CHANNEL) -> None:
        self._dsn = dsn
        self._channel = channel
        self._words: set[str] = set()
        self._waiting = asyncio.Event()

    def hint(self, word: str) -> None:
        """Wake whoever waits for this word, soon; never blocks and never fails."""
        if len(self._words) < MAX_WORDS:
            self._words.add(word)
            self._waiting.set()

    async def run(self) -> Never:
        """Send for ever; hints that meet a lost connection are dropped."""
        while True:
            try:
                await self._send_on_one_connection()
            except LOST as trouble:
                log.warning("NOTIFY_LOST", reason=type(trouble).__name__)
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
    """A dead peer says nothing, so the connection is asked now and then whether it still lives."""
    while not ended.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_S):
                await ended.wait()
        if not ended.is_set():
            await connection.execute("SELECT 1", timeout=ANSWER_TIMEOUT_S)


async def _close(connection: Connection) -> None:
    with suppress(*LOST):
        await connection.close(timeout=ANSWER_TIMEOUT_S)
