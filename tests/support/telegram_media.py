"""Small real files, and a web server that gives them out, for tests of a simulated Telegram."""

import asyncio
import io
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from PIL import Image

from support.telegram_sim import served


def picture(color: str = "red", *, width: int = 640, height: int = 480, form: str = "PNG") -> bytes:
    """Draw a plain picture."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), color).save(buffer, form)
    return buffer.getvalue()


def video(*, width: int = 320, height: int = 240, seconds: int = 3, padding: int = 0) -> bytes:
    """Write the frame of an MP4: enough for its size and length to be read."""
    mvhd = bytes(12) + struct.pack(">II", 1000, seconds * 1000) + bytes(80)
    tkhd = bytes(76) + struct.pack(">II", width << 16, height << 16)
    moov = _box(b"mvhd", mvhd) + _box(b"trak", _box(b"tkhd", tkhd))
    return _box(b"ftyp", b"isom" + bytes(4)) + _box(b"moov", moov) + _box(b"mdat", bytes(padding))


def _box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body) + 8, kind) + body


@dataclass(slots=True, kw_only=True)
class FileServer:
    """Files by path with their content type; `asked` lists the requests, which wait while `pause` is cleared."""

    url: str
    files: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    pause: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, path: str, data: bytes, content_type: str) -> str:
        """Offer a file; give its URL."""
        self.files[path] = (data, content_type)
        return f"{self.url}/{path}"


@asynccontextmanager
async def running_files() -> AsyncIterator[FileServer]:
    """Run a web server with files on loopback."""
    server = FileServer(url="")
    server.pause.set()

    async def give(request: web.Request) -> web.Response:
        path = request.match_info["path"]
        server.asked.append(path)
        await server.pause.wait()
        if path not in server.files:
            raise web.HTTPNotFound
        data, content_type = server.files[path]
        return web.Response(body=data, content_type=content_type)

    app = web.Application()
    app.router.add_get("/{path:.*}", give)
    async with served(app) as url:
        server.url = url
        yield server
