"""Requests as bytes on a socket, so that they can be wrong in every way a well-behaved client cannot be.

Connections are kept and reused while the answers are well-framed. Every wait has a bound: a connection on which nothing comes
is the answer `HUNG`, and a caller that hangs up by design gets `CUT`.
"""

import asyncio
import random
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

ANSWER_LIMIT_S: Final = 30.0
HUNG: Final = 0
CUT: Final = 1
CLOSED: Final = 2
"""What stands in place of a status: nothing came, we hung up, they hung up without a word."""

BOMB_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRequest:
    """A request as it goes over the wire. `hangs_up` sends it and leaves; `falls_silent` sends it and says that it was all.

    The pause comes before the last byte.
    """

    raw: bytes
    falls_silent: bool = False
    hangs_up: bool = False
    pause_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Wire:
    url: str
    _free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)

    async def send(self, request: RawRequest) -> int:
        """Send the request; return the status of the answer, or HUNG, CUT or CLOSED."""
        kept = bool(self._free)
        pipe = self._free.pop() if self._free else await self._open()
        status, reusable = await self._bounded(pipe, request)
        if status == CLOSED and kept:
            # The server had closed the kept connection: that says nothing about this request.
            _close(pipe[1])
            pipe = await self._open()
            status, reusable = await self._bounded(pipe, request)
        if reusable:
            self._free.append(pipe)
        else:
            _close(pipe[1])
        return status

    async def _bounded(
        self, pipe: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: RawRequest
    ) -> tuple[int, bool]:
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                return await _exchange(*pipe, request)
        except TimeoutError:
            return HUNG, False

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self.url)
        return await asyncio.open_connection(parts.hostname, parts.port, limit=2**20)

    def close(self) -> None:
        while self._free:
            _close(self._free.pop()[1])


@asynccontextmanager
async def wire_to(url: str) -> AsyncIterator[Wire]:
    wire = Wire(url=url)
    try:
        yield wire
    finally:
        wire.close()


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: RawRequest
) -> tuple[int, bool]:
    try:
        writer.write(request.raw[:-1])
        if request.pause_s:
            await asyncio.sleep(request.pause_s)
        writer.write(request.raw[-1:])
        await writer.drain()
        if request.falls_silent:
            writer.write_eof()
    except OSError:
        pass  # Some servers refuse while we still talk; the answer may be there all the same.
    if request.hangs_up:
        return CUT, False
    try:
        return await _answer(reader, has_body=not request.raw.startswith(b"HEAD "))
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return CLOSED, False


async def _answer(reader: asyncio.StreamReader, *, has_body: bool) -> tuple[int, bool]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split(" ")[1])
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    await reader.readexactly(int(headers.get("content-length", "0")) if has_body else 0)
    return status, headers.get("connection", "").lower() != "close" and status < 400  # noqa: PLR2004  errors may close


def _close(writer: asyncio.StreamWriter) -> None:
    with suppress(Exception):
        writer.close()


def post(chance: random.Random, path: bytes, body: bytes, headers: dict[str, str]) -> RawRequest:
    """A POST of this body: mostly correct, else with a malformed request."""
    head = {"Host": "127.0.0.1", "Content-Type": "application/json", **headers}
    oddity = chance.randrange(100)
    if oddity >= len(_ODDITIES) * 2:
        return _request(b"POST", path, head, body, str(len(body)))
    return _ODDITIES[oddity // 2](chance, path, head, body)


def _request(method: bytes, path: bytes, head: dict[str, str], body: bytes, length: str | None) -> RawRequest:
    if length is not None:
        head = head | {"Content-Length": length}
    lines = b"".join(f"{name}: {value}\r\n".encode("utf-8", "surrogateescape") for name, value in head.items())
    return RawRequest(raw=method + b" " + path + b" HTTP/1.1\r\n" + lines + b"\r\n" + body)


def _cut(raw: bytes) -> RawRequest:
    return RawRequest(raw=raw, hangs_up=True)


def _chunked(path: bytes, head: dict[str, str], chunks: bytes) -> RawRequest:
    return _request(b"POST", path, head | {"Transfer-Encoding": "chunked"}, chunks, None)


def _packed(path: bytes, head: dict[str, str], encoding: str, body: bytes) -> RawRequest:
    return _request(b"POST", path, head | {"Content-Encoding": encoding}, body, str(len(body)))


def _zipped(body: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return packer.compress(body) + packer.flush()


def _bomb() -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    parts = [packer.compress(b'{"a":"')]
    parts += [packer.compress(b"0" * 2**20) for _ in range(BOMB_BYTES // 2**20)]
    return b"".join([*parts, packer.flush()])


_BOMB: Final = _bomb()
_METHODS: Final = (b"GET", b"PUT", b"DELETE", b"OPTIONS", b"HEAD", b"PATCH", b"BREW", b"post", b"P\xc3\x96ST")

_Oddity = Callable[[random.Random, bytes, dict[str, str], bytes], RawRequest]
_ODDITIES: Final[tuple[_Oddity, ...]] = (
    lambda _c, path, head, body: _cut(_request(b"POST", path, head, body, str(len(body) + 100)).raw),
    lambda _c, path, head, body: _request(b"POST", path, head, body, str(max(0, len(body) - 1))),
    lambda c, path, head, body: _request(
        b"POST", path, head, body, c.choice(("-1", "x", "1e3", "9" * 30, "0x10", " "))
    ),
    lambda _c, path, head, body: _chunked(path, head, f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"),
    lambda _c, path, head, body: _cut(_chunked(path, head, f"{len(body) + 9:x}\r\n".encode() + body).raw),
    lambda c, path, head, body: _chunked(path, head, c.choice((b"zz\r\n", b"-1\r\n", b"f" * 30 + b"\r\n")) + body),
    lambda _c, path, head, body: _packed(path, head, "gzip", _zipped(body)),
    lambda c, path, head, body: _packed(path, head, c.choice(("gzip", "deflate", "br", "zstd", "x")), body),
    lambda _c, path, head, body: _packed(path, head, "gzip", _zipped(body)[:-5]),
    lambda c, path, head, body: _packed(path, head, "gzip", _BOMB if c.random() < 0.1 else _zipped(body)),  # noqa: PLR2004
    lambda c, path, head, body: _request(c.choice(_METHODS), path, head, body, str(len(body))),
    lambda c, path, head, body: _request(
        b"POST",
        path,
        head | {"Content-Type": c.choice(("", "text/plain; charset=\udcff", "x" * 500))},
        body,
        str(len(body)),
    ),
    lambda c, path, head, body: _request(
        b"POST", path, head | {"X": "y" * c.choice((900, 9000))}, body, str(len(body))
    ),
    lambda c, path, head, body: (
        _request(b"POST", path, head | {"X\x00Y": "\udc80"}, body, str(len(body)))
        if c.random() < 0.5  # noqa: PLR2004  one half
        else _request(b"POST", path, head | {f"H{n}": "v" for n in range(c.choice((90, 300)))}, body, str(len(body)))
    ),
    lambda _c, path, head, body: _request(b"POST", path, head | {"Expect": "something"}, body, str(len(body))),
    lambda c, _path, _head, _body: RawRequest(raw=c.randbytes(c.choice((1, 20, 500))) + b"\r\n\r\n", falls_silent=True),
    lambda c, path, head, body: RawRequest(
        raw=_request(b"POST", path, head, body, str(len(body))).raw,
        pause_s=0.3 if c.random() < 0.2 else 0.0,  # noqa: PLR2004
    ),
    lambda c, path, head, body: _request(
        b"POST", path + c.choice((b"?" + b"q" * 9000, b"#x", b"/", b"/..", b"%2e", b"\xff")), head, body, str(len(body))
    ),
)
