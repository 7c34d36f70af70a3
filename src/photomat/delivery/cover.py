"""The picture of a track, as small as Telegram wants it beside the player: a JPEG within 320 pixels and 200 kB.

A cover is no result: one that cannot be had, or is no picture, is left out, and the track comes all the same. It is fetched
when the track is uploaded, and its small copy kept beside the track's, so that a repeated upload carries the same.
"""

import asyncio
import io
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
from PIL import Image

from photomat.delivery.media import ResultFiles
from photomat.delivery.outputs import Output
from photomat.files.sniff import sniff
from photomat.kernel.errors import Transient
from photomat.kernel.fetch import Fetcher
from photomat.kernel.logs import get_logger

LARGEST_BYTES: Final = 8 * 2**20
LARGEST_SIDE: Final = 6000
SIDE: Final = 320
MOST_BYTES: Final = 200_000
QUALITIES: Final = (85, 60, 35)
FORMATS: Final = ("JPEG", "PNG", "WEBP")
WITHIN: Final = aiohttp.ClientTimeout(total=15, connect=5, sock_read=10)
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """Gives covers; `files` knows where copies lie and which host is trusted."""

    files: ResultFiles

    async def of(self, output: Output) -> bytes | None:
        """The small cover of an output, or nothing."""
        if output.cover_url is None:
            return None
        path = self.files.folder / str(output.job_id) / f"{output.position}.cover.jpg"
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError:
            pass
        try:
            small = await asyncio.to_thread(fitted, await self._fetched(output.cover_url))
            await asyncio.to_thread(_keep, path, small)
        except (Transient, OSError, ValueError, Image.DecompressionBombError) as error:
            log.info("COVER_LEFT_OUT", position=output.position, error=type(error).__name__)
            return None
        return small

    async def _fetched(self, url: str) -> bytes:
        async with Fetcher(trusted_host=self.files.trusted_host).opened(
            url, most_bytes=LARGEST_BYTES, within=WITHIN
        ) as chunks:
            return b"".join([chunk async for chunk in chunks])


def fitted(data: bytes) -> bytes:
    """The picture as a JPEG that is small enough; raises ValueError or OSError for what is no such picture."""
    kind = sniff(data)
    if max(kind.width or 0, kind.height or 0) > LARGEST_SIDE:
        raise ValueError("the cover is too large")
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        small = image.convert("RGB")
    small.thumbnail((SIDE, SIDE))
    for quality in QUALITIES:
        buffer = io.BytesIO()
        small.save(buffer, "JPEG", quality=quality)
        if buffer.tell() < MOST_BYTES:
            return buffer.getvalue()
    raise ValueError("the cover does not become small enough")


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    part.write_bytes(data)
    part.replace(path)
