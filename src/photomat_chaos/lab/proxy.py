"""A TCP proxy between one instance and PostgreSQL that injects network faults on demand.

- `forget_commit`: the next COMMIT reaches the server and takes effect; its answer is dropped and the client disconnected;
- `lose_commit`: the next COMMIT never reaches the server; both sides are disconnected;
- `forget_answer`: the answer to the next statement, whatever it is (a claim commits on its own), is dropped likewise;
- `lose_statement`: the next statement never reaches the server; both sides are disconnected;
- `latency_s`: every request takes so much longer;
- `cut`: every connection of the instance ends now;
- `black_hole`: for a while nothing passes and neither side is notified; what was in flight arrives late, as with TCP.

Of PostgreSQL's protocol it knows as much as it takes to recognise the message that ends a transaction.
"""

import asyncio
import struct
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import parse_qs, urlsplit, urlunsplit

LENGTH: Final = struct.Struct("!I")
STARTUP: Final = struct.Struct("!II")
SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
NO_ENCRYPTION: Final = b"N"
QUERY, EXECUTE, SYNC = b"Q", b"E", b"S"
READY_FOR_QUERY: Final = b"Z"
ASKS_FOR_AN_ANSWER: Final = frozenset({QUERY, SYNC})
MAX_STARTUP_BYTES: Final = 10_000


@dataclass(frozen=True, slots=True)
class WireMessage:
    kind: bytes
    body: bytes

    @property
    def as_bytes(self) -> bytes:
        return self.kind + LENGTH.pack(len(self.body) + LENGTH.size) + self.body


async def read_message(reader: asyncio.StreamReader) -> WireMessage:
    """The next message; IncompleteReadError when the other side has ended."""
    head = await reader.readexactly(1 + LENGTH.size)
    (size,) = LENGTH.unpack(head[1:])
    return WireMessage(head[:1], await reader.readexactly(size - LENGTH.size))


async def read_startup(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The first message of a session: what it asks for, and all its bytes."""
    head = await reader.readexactly(STARTUP.size)
    size, code = STARTUP.unpack(head)
    if not STARTUP.size <= size <= MAX_STARTUP_BYTES:
        raise ValueError(f"a session does not start with {size} bytes")
    return code, head + await reader.readexactly(size - STARTUP.size)


@dataclass(slots=True)
class CommitSpotter:
    """Recognises a COMMIT in what a client sends, plain or prepared."""

    _prepared: set[bytes] = field(default_factory=set)
    _bound: bool = False

    def commits(self, message: WireMessage) -> bool:
        match message.kind:
            case b"Q":
                return _is_commit(message.body)
            case b"P":
                name, _, query = message.body.partition(b"\0")
                (self._prepared.add if _is_commit(query) else self._prepared.discard)(name)
            case b"B":
                self._bound = message.body.split(b"\0", 2)[1] in self._prepared
            case b"E":
                return self._bound
        return False


def _is_commit(query: bytes) -> bool:
    return query[:20].strip(b"\0; \n").upper() in {b"COMMIT", b"END"}


ProxyOrder = Literal["forget_commit", "lose_commit", "forget_answer", "lose_statement"]
AT_COMMIT: Final = frozenset({"forget_commit", "lose_commit"})
LOSING: Final = frozenset({"lose_commit", "lose_statement"})
CONNECT_LIMIT_S: Final = 5.0
DRAIN_LIMIT_S: Final = 30.0
KINDS_KEPT: Final = 100
ENDED: Final = (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionEnd:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Pass bytes on; an end that accepts none for too long counts as closed."""
        self.writer.write(data)
        async with asyncio.timeout(DRAIN_LIMIT_S):
            await self.writer.drain()

    def abort(self) -> None:
        self.writer.transport.abort()


@dataclass(slots=True, kw_only=True, eq=False)
class ProxiedSession:
    """One session of the instance; `forgets` when its next answer is to be dropped."""

    client: ConnectionEnd
    server: ConnectionEnd
    spotter: CommitSpotter = field(default_factory=CommitSpotter)
    forgets: bool = False

    def abort(self) -> None:
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
    orders: deque[ProxyOrder] = field(default_factory=deque)
    struck: Counter[str] = field(default_factory=Counter)
    kinds: deque[bytes] = field(default_factory=lambda: deque(maxlen=KINDS_KEPT))
    _links: set[ProxiedSession] = field(default_factory=set)
    _open: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self) -> None:
        self._open.set()

    def order(self, what: ProxyOrder) -> None:
        """Inject this fault at the next fitting message."""
        self.orders.append(what)

    def cut(self) -> int:
        """End every connection; return how many there were."""
        links = list(self._links)
        for link in links:
            link.abort()
        return len(links)

    async def black_hole(self, seconds: float) -> None:
        """Let nothing through for a while, without closing anything."""
        self._open.clear()
        try:
            await asyncio.sleep(seconds)
        finally:
            self.open()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = ConnectionEnd(reader=reader, writer=writer)
        try:
            with suppress(*ENDED):
                await self._serve(client)
        finally:
            client.abort()

    async def _serve(self, client: ConnectionEnd) -> None:
        code, startup = await read_startup(client.reader)
        while code in {SSL_REQUEST, GSS_REQUEST}:
            await client.send(NO_ENCRYPTION)
            code, startup = await read_startup(client.reader)
        await self._open.wait()
        server = await _connect(self.upstream)
        link = ProxiedSession(client=client, server=server)
        self._links.add(link)
        try:
            await server.send(startup)
            await self._carry(link)
        finally:
            self._links.discard(link)
            link.abort()

    async def _carry(self, link: ProxiedSession) -> None:
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._requests(link))
                ways.create_task(self._answers(link))
        except* ENDED:
            pass

    async def _requests(self, link: ProxiedSession) -> None:
        while True:
            message = await self._read(link.client)
            self.kinds.append(message.kind)
            if not self._obey(link, message):
                raise ConnectionAbortedError
            if self.latency_s and message.kind in ASKS_FOR_AN_ANSWER:
                await asyncio.sleep(self.latency_s)
            await link.server.send(message.as_bytes)

    def _obey(self, link: ProxiedSession, message: WireMessage) -> bool:
        """Inject a fault that waits for this message; False when the message must not be passed on."""
        commits = link.spotter.commits(message)
        wanted = self.orders[0] if self.orders else None
        fits = commits if wanted in AT_COMMIT else message.kind == EXECUTE
        if wanted is None or not fits or link.forgets:
            return True
        self.orders.popleft()
        self.struck[wanted] += 1
        link.forgets = wanted not in LOSING
        return link.forgets

    async def _answers(self, link: ProxiedSession) -> None:
        while True:
            message = await self._read(link.server)
            if not link.forgets:
                await link.client.send(message.as_bytes)
            elif message.kind == READY_FOR_QUERY:
                raise ConnectionAbortedError

    async def _read(self, side: ConnectionEnd) -> WireMessage:
        """The next message, or the end of that side; both are held back in a black hole."""
        try:
            return await read_message(side.reader)
        finally:
            await self._open.wait()


@asynccontextmanager
async def open_proxy(upstream: str) -> AsyncIterator[Proxy]:
    """Run a proxy in front of this database; its own URL is `dsn`."""
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


async def _connect(upstream: str) -> ConnectionEnd:
    parts = urlsplit(upstream)
    query = parse_qs(parts.query)
    folder, port = query.get("host", [""])[0], query.get("port", ["5432"])[0]
    async with asyncio.timeout(CONNECT_LIMIT_S):
        if folder:
            reader, writer = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.{port}")
        else:
            reader, writer = await asyncio.open_connection(parts.hostname or "127.0.0.1", parts.port or int(port))
    return ConnectionEnd(reader=reader, writer=writer)


def _through(upstream: str, port: int) -> str:
    """The same database at our port, unencrypted on loopback."""
    parts = urlsplit(upstream)
    user, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}{at}127.0.0.1:{port}", query="sslmode=disable"))
