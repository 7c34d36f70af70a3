"""HTTP/1.1 with as little processor time as Python allows: the load must cost less than what is loaded.

Both sides know what they need on loopback and no more: keep-alive, a length or chunks, no redirects, no encodings.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, cast

END: Final = b"\r\n\r\n"
OK: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    path: str
    query: str
    body: bytes


class _Connection(asyncio.Protocol):
    """Splits what arrives into heads and bodies; `whole` is called for each."""

    def __init__(self) -> None:
        self.buffer = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop has a class of its own

    def data_received(self, data: bytes) -> None:
        self.buffer = self.buffer + data if self.buffer else data
        while (end := self.buffer.find(END)) >= 0:
            head = self.buffer[:end].lower()
            found = _chunks(self.buffer, end + 4) if b"chunked" in head else _length(self.buffer, head, end + 4)
            if found is None:
                return
            body, used = found
            first_line = self.buffer[: self.buffer.find(b"\r\n")]
            self.buffer = self.buffer[used:]
            self.whole(first_line, body)

    def whole(self, first_line: bytes, body: bytes) -> None:
        raise NotImplementedError


def _length(buffer: bytes, head: bytes, start: int) -> tuple[bytes, int] | None:
    place = head.find(b"content-length:")
    length = int(head[place + 15 : _line_end(head, place)]) if place >= 0 else 0
    return (buffer[start : start + length], start + length) if len(buffer) >= start + length else None


def _line_end(head: bytes, place: int) -> int:
    end = head.find(b"\r\n", place)
    return end if end >= 0 else len(head)


def _chunks(buffer: bytes, start: int) -> tuple[bytes, int] | None:
    parts = []
    while (line := buffer.find(b"\r\n", start)) >= 0:
        size = int(buffer[start:line].partition(b";")[0], 16)
        if len(buffer) < line + 2 + size + 2:
            return None
        parts.append(buffer[line + 2 : line + 2 + size])
        start = line + 2 + size + 2
        if size == 0:
            return b"".join(parts), start
    return None


class _ServerConnection(_Connection):
    def __init__(self, answer: Callable[[WireRequest], bytes], after_s: float) -> None:
        super().__init__()
        self._answer = answer
        self._after_s = after_s

    def whole(self, first_line: bytes, body: bytes) -> None:
        path, _, query = first_line.split(b" ")[1].decode("ascii").partition("?")
        request = WireRequest(path=path, query=query, body=body)
        if self._after_s:
            asyncio.get_running_loop().call_later(self._after_s, self._respond, request)
        else:
            self._respond(request)

    def _respond(self, request: WireRequest) -> None:
        answered = self._answer(request)
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(answered)


class _ClientConnection(_Connection):
    """One request at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.waiter: asyncio.Future[tuple[int, bytes]] | None = None
        self.is_closed = False

    def whole(self, first_line: bytes, body: bytes) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result((int(first_line[9:12]), body))

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed = True
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_exception(exc or ConnectionResetError("the server closed the connection"))

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        self.waiter = asyncio.get_running_loop().create_future()
        if self.transport is None:
            raise ConnectionError("not connected")
        self.transport.write(request)
        return await self.waiter


class WireClient:
    """Keeps connections open; a request waits for no other."""

    def __init__(self) -> None:
        self._free: dict[tuple[str, int], list[_ClientConnection]] = defaultdict(list)

    async def post(self, host: str, port: int, request: bytes) -> tuple[int, bytes]:
        """Send a prepared request; return status and body. A connection that was closed meanwhile is replaced once."""
        free = self._free[host, port]
        while free:
            connection = free.pop()
            if not connection.is_closed:
                try:
                    answered = await connection.ask(request)
                except ConnectionError:
                    break
                free.append(connection)
                return answered
        _, connection = await asyncio.get_running_loop().create_connection(_ClientConnection, host, port)
        answered = await connection.ask(request)
        free.append(connection)
        return answered

    def close(self) -> None:
        for connections in self._free.values():
            for connection in connections:
                if connection.transport is not None:
                    connection.transport.close()


def post_request(path: str, body: bytes, *, host: str, headers: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(body)}"
    return head.encode() + END + body


def response(body: bytes, *, status: int = OK, content_type: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} -\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}"
    return head.encode() + END + body


@asynccontextmanager
async def serving(answer: Callable[[WireRequest], bytes], *, after_s: float = 0.0) -> AsyncIterator[str]:
    """Serve on a free loopback port; a request is answered at once, or after so many seconds."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _ServerConnection(answer, after_s), "127.0.0.1", 0, backlog=1024)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
