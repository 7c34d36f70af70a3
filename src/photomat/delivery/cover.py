"""The picture of a track, as small as Telegram wants it beside the player: a JPEG within 320 pixels and 200 kB.

A cover is no result: whatever is the matter with it, however long it takes, the track comes all the same, without it. It is
fetched when the track is uploaded, and its small copy kept beside the track's, so that a repeated upload carries the same.
Memory is bounded: one picture is decoded at a time in the whole process, and none of more pixels than a cover has.
"""

import asyncio
import io
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
from PIL import Image

from photomat.delivery.media import ResultFiles
from photomat.delivery.outputs import Output
from photomat.kernel.fetch import Fetcher
from photomat.kernel.logs import get_logger
from photomat.kernel.private import make_private, open_private

LARGEST_BYTES: Final = 8 * 2**20
MOST_PIXELS: Final = 8 * 2**20
"""Eight times a usual cover. Decoders hold up to 16 bytes a pixel, and a JPEG in passes whole, however small it is wanted."""

SIDE: Final = 320
MOST_BYTES: Final = 200_000
QUALITIES: Final = (85, 60, 35)
FORMATS: Final = ("JPEG", "PNG", "WEBP")
WITHIN_S: Final = 12.0
FETCH_WITHIN: Final = aiohttp.ClientTimeout(total=10, connect=5, sock_read=5)
DECODER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cover")
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """Gives covers; `files` knows where copies lie and which host is trusted."""

    files: ResultFiles

    async def of(self, output: Output) -> bytes | None:
        """The small cover of an output, or nothing; raises nothing but the end of the task it runs in."""
        if output.cover_url is None:
            return None
        path = self.files.folder / str(output.job_id) / f"{output.position}.cover.jpg"
        try:
            async with asyncio.timeout(WITHIN_S):
                return await asyncio.to_thread(_kept, path) or await self._made(output.cover_url, path)
        except Exception as error:  # noqa: BLE001  decoders of damaged pictures raise whatever they like; the track comes without
            log.info("COVER_LEFT_OUT", position=output.position, error=type(error).__name__)
            return None

    async def _made(self, url: str, path: Path) -> bytes:
        data = await self._fetched(url)
        small = await asyncio.get_running_loop().run_in_executor(DECODER, fitted, data)
        with suppress(OSError):
            await asyncio.to_thread(_keep, path, small)
        return small

    async def _fetched(self, url: str) -> bytes:
        async with Fetcher(trusted_host=self.files.trusted_host).opened(
            url, most_bytes=LARGEST_BYTES, within=FETCH_WITHIN
        ) as chunks:
            return b"".join([chunk async for chunk in chunks])


def fitted(data: bytes) -> bytes:
    """The picture as a JPEG that is small enough; raises whatever its decoder raises for what is no such picture."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        if image.width * image.height > MOST_PIXELS:
            raise ValueError("the cover is too large")
        image.draft("RGB", (SIDE, SIDE))
        image.thumbnail((SIDE, SIDE))
        small = image.convert("RGB")
    for quality in QUALITIES:
        buffer = io.BytesIO()
        small.save(buffer, "JPEG", quality=quality)
        if buffer.tell() < MOST_BYTES:
            return buffer.getvalue()
    raise ValueError("the cover does not become small enough")


def _kept(path: Path) -> bytes:
    """The small copy; empty where there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _keep(path: Path, data: bytes) -> None:
    make_private(path.parent)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open_private(part) as file:
            file.write(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
