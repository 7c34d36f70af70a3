"""A TCP proxy between one instance and PostgreSQL, which does on order what networks do by themselves on a bad day.

- `forget_commit`: the next COMMIT reaches the server and takes effect; its answer is dropped and the client cut off;
- `lose_commit`: the next COMMIT never reaches the server; both sides are cut off;
- `forget_answer`: the answer to the next statement, whatever it is (a claim commits by itself), is dropped likewise;
- `latency_s`: every request takes so much longer;
- `cut`: every connection of the instance ends now;
- `black_hole`: for a while nothing passes and nobody is told; what was on its way arrives late, as with TCP.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import parse_qs, urlsplit, urlunsplit

from photomat_chaos.lab import wire
from photomat_chaos.lab.wire import CommitSpotter, Message

Order = Literal["forget_commit", "lose_commit", "forget_answer"]
CONNECT_LIMIT_S: Final = 5.0
DRAIN_LIMIT_S: Final = 30.0
KINDS_KEPT: Final = 100
ENDED: Final = (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Pass bytes on; an end that takes none for too long has ended."""
        self.writer.write(data)
        async with asyncio.timeout(DRAIN_LIMIT_S):
            await self.writer.drain()

    def abort(self) -> None:
        """End it now, whatever is on its way."""
        self.writer.transport.abort()


@dataclass(slots=True, kw_only=True, eq=False)
class Link:
    """One session of the instance: its two ends, and whether the next answer is to be forgotten."""

    client: Side
    server: Side
    spotter: CommitSpotter = field(default_factory=CommitSpotter)
    forgets: bool = False

    def abort(self) -> None:
        """End both ends."""
        self.client.abort()
        self.server.abort()


@dataclass(slots=True, kw_only=True)
class Proxy:
    """The proxy of one instance. What was ordered waits for its moment; `struck` counts what was done.

    `kinds` holds the types of the last messages that clients sent.
    """

    upstream: str
    dsn: str = ""
    latency_s: float = 0.0
    orders: deque[Order] = field(default_factory=deque)
    struck: Counter[str] = field(default_factory=Counter)
    kinds: deque[bytes] = field(default_factory=lambda: deque(maxlen=KINDS_KEPT))
    _links: set[Link] = field(default_factory=set)
    _open: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        """Let everything through."""
        self._open.set()

    def order(self, what: Order) -> None:
        """Let this happen at the next fitting message."""
        self.orders.append(what)

    def cut(self) -> int:
        """End every connection; say how many there were."""
        links = list(self._links)
        for link in links:
            link.abort()
        return len(links)

    async def black_hole(self, seconds: float) -> None:
        """Let nothing through for a while; nobody is told."""
        self._open.clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.open()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one session from its first byte to its end."""
        client = Side(reader=reader, writer=writer)
        try:
            with suppress(*ENDED):
                await self._serve(client)
        finally:
            client.abort()

    async def _serve(self, client: Side) -> None:
        code, startup = await wire.read_startup(client.reader)
        while code in {wire.SSL_REQUEST, wire.GSS_REQUEST}:
            await client.send(wire.NO_ENCRYPTION)
            code, startup = await wire.read_startup(client.reader)
        await self._open.wait()
        server = await _connect(self.upstream)
        link = Link(client=client, server=server)
        self._links.add(link)
        try:
            await server.send(startup)
            await self._carry(link)
        finally:
            self._links.discard(link)
            link.abort()

    async def _carry(self, link: Link) -> None:
        """Both ways until either ends."""
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._requests(link))
                ways.create_task(self._answers(link))
        except* ENDED:
            pass

    async def _requests(self, link: Link) -> None:
        while True:
            message = await self._read(link.client)
            self.kinds.append(message.kind)
            if not self._obey(link, message):
                raise ConnectionAbortedError
            if self.latency_s and message.kind in wire.ASKS_FOR_AN_ANSWER:
                await asyncio.sleep(self.latency_s)
            await link.server.send(message.as_bytes)

    def _obey(self, link: Link, message: Message) -> bool:
        """Carry out an order that waits for this message; False when the message goes nowhere."""
        commits = link.spotter.commits(message)
        wanted = self.orders[0] if self.orders else None
        fits = commits if wanted in {"forget_commit", "lose_commit"} else message.kind == wire.EXECUTE
        if wanted is None or not fits or link.forgets:
            return True
        self.orders.popleft()
        self.struck[wanted] += 1
        link.forgets = wanted != "lose_commit"
        return link.forgets

    async def _answers(self, link: Link) -> None:
        while True:
            message = await self._read(link.server)
            if not link.forgets:
                await link.client.send(message.as_bytes)
            elif message.kind == wire.READY_FOR_QUERY:
                raise ConnectionAbortedError

    async def _read(self, side: Side) -> Message:
        """The next message, or the end of that side; neither is heard of in a black hole."""
        try:
            return await wire.read_message(side.reader)
        finally:
            await self._open.wait()


@asynccontextmanager
async def open_proxy(upstream: str) -> AsyncIterator[Proxy]:
    """A proxy before the database of this address; its own address is `dsn`."""
    proxy = Proxy(upstream=upstream)
    proxy.open()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.dsn = _through(upstream, server.sockets[0].getsockname()[1])
    try:
        yield proxy
    finally:
        server.close()
        proxy.open()
        proxy.cut()
        with suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_LIMIT_S):
                await server.wait_closed()


async def _connect(upstream: str) -> Side:
    parts = urlsplit(upstream)
    query = parse_qs(parts.query)
    folder, port = query.get("host", [""])[0], query.get("port", ["5432"])[0]
    async with asyncio.timeout(CONNECT_LIMIT_S):
        if folder:
            reader, writer = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
        else:
            reader, writer = await asyncio.open_connection(parts.hostname or "127.0.0.1", parts.port or int(port))
    return Side(reader=reader, writer=writer)


def _through(upstream: str, port: int) -> str:
    """The same database at our port; between the two of us nothing is encrypted."""
    parts = urlsplit(upstream)
    user, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}{at}127.0.0.1:{port}", query="sslmode=disable"))
