"""The result file: fetched once from Kie, from addresses that are allowed (`kernel/fetch.py`), and kept as our own copy.

Kie deletes results after a day to two weeks, so each is copied as soon as it is shown.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.delivery.outputs import KeptFile, Output
from photomat.files.measure import measure_path
from photomat.kernel.errors import Transient
from photomat.kernel.fetch import Fetcher

LARGEST_BYTES: Final = 200 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFiles:
    """Fetches results into `folder`; `trusted_host` is the host of KIE_API_URL."""

    folder: Path
    trusted_host: str

    def path_of(self, kept_as: str) -> Path:
        """Where a kept copy lies."""
        return self.folder / kept_as

    def name_for(self, output: Output, mime_extension: str) -> str:
        """The name of an output's copy, below the folder."""
        return f"{output.job_id}/{output.position}.{mime_extension}"

    async def fetch(self, output: Output) -> KeptFile:
        """Copy an output to our own disk; raises Transient when it cannot be had, or the disk takes nothing, now."""
        part = self.folder / str(output.job_id) / f".{output.position}.{secrets.token_hex(4)}.part"
        try:
            await asyncio.to_thread(part.parent.mkdir, parents=True, exist_ok=True)
            size_bytes = await self._download(output.url, part)
            return await asyncio.to_thread(self._keep, output, part, size_bytes)
        except (OSError, ValueError) as error:
            raise Transient(f"the result could not be kept: {type(error).__name__}") from error
        finally:
            with suppress(OSError):
                await asyncio.to_thread(part.unlink)

    def _keep(self, output: Output, part: Path, size_bytes: int) -> KeptFile:
        found = measure_path(part)
        path = self.path_of(self.name_for(output, found.facts.format))
        part.replace(path)
        return KeptFile(
            path=path,
            mime=found.mime,
            size_bytes=size_bytes,
            width=found.facts.width,
            height=found.facts.height,
            seconds=found.facts.seconds,
        )

    async def _download(self, url: str, part: Path) -> int:
        size_bytes = 0
        with part.open("wb") as file:
            async with Fetcher(trusted_host=self.trusted_host).opened(url, most_bytes=LARGEST_BYTES) as chunks:
                async for chunk in chunks:
                    size_bytes += len(chunk)
                    file.write(chunk)
        return size_bytes
