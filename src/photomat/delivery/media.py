"""The result file: fetched once from Kie, from addresses that are allowed, and kept as our own copy.

Kie deletes results after a day to two weeks, so each is copied as soon as it is shown. Allowed are https on public
addresses, and the host of KIE_API_URL itself; the address is tested after the name was resolved, for every redirect again.
"""

import asyncio
import ipaddress
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from photomat.delivery.outputs import KeptFile, Output
from photomat.delivery.sniff import HEAD_BYTES, sniff
from photomat.kernel.errors import Transient
from photomat.kernel.http import USER_AGENT

LARGEST_BYTES: Final = 200 * 2**20
MOST_REDIRECTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024
FETCH_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=10, sock_read=30)


class NotAllowed(Transient):
    """The address of a result is not one we fetch from, or the file is not one we keep."""


class TooLarge(NotAllowed):
    """The file is larger than we keep."""


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
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise Transient(f"the result could not be fetched or kept: {type(error).__name__}") from error
        finally:
            with suppress(OSError):
                await asyncio.to_thread(part.unlink)

    def _keep(self, output: Output, part: Path, size_bytes: int) -> KeptFile:
        with part.open("rb") as file:
            kind = sniff(file.read(HEAD_BYTES))
        path = self.path_of(self.name_for(output, kind.extension))
        part.replace(path)
        return KeptFile(path=path, mime=kind.mime, size_bytes=size_bytes, width=kind.width, height=kind.height)

    async def _download(self, url: str, part: Path) -> int:
        connector = aiohttp.TCPConnector(resolver=_PublicOnly(self.trusted_host), force_close=True)
        async with aiohttp.ClientSession(connector=connector, headers={"User-Agent": USER_AGENT}) as session:
            for _ in range(MOST_REDIRECTS + 1):
                check_address(url, self.trusted_host)
                async with session.get(url, timeout=FETCH_TIMEOUT, allow_redirects=False) as response:
                    if response.status in {301, 302, 303, 307, 308}:
                        url = urljoin(url, response.headers.get("Location", ""))
                        continue
                    response.raise_for_status()
                    return await _save(response, part)
        raise NotAllowed("the result's address redirects too often")


def check_address(url: str, trusted_host: str) -> None:
    """Refuse what is neither https nor on the trusted host, and literal addresses that are not public."""
    parts = urlsplit(url)
    if parts.hostname == trusted_host and parts.scheme in {"http", "https"}:
        return
    if parts.scheme != "https" or not parts.hostname or not parts.hostname.isascii():
        raise NotAllowed("the result's address is not https")
    try:
        literal = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return
    if not literal.is_global:
        raise NotAllowed("the result's address is not public")


class _PublicOnly(AbstractResolver):
    """Resolves names to public addresses only, except the trusted host's: the check and the connection use one answer."""

    def __init__(self, trusted_host: str) -> None:
        self._trusted_host = trusted_host
        self._inner = aiohttp.ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if host == self._trusted_host:
            return found
        public = [one for one in found if ipaddress.ip_address(one["host"]).is_global]
        if not public:
            raise OSError(f"{host} has no public address")
        return public

    async def close(self) -> None:
        await self._inner.close()


async def _save(response: aiohttp.ClientResponse, part: Path) -> int:
    size_bytes = 0
    with part.open("wb") as file:
        async for chunk in response.content.iter_chunked(CHUNK_BYTES):
            size_bytes += len(chunk)
            if size_bytes > LARGEST_BYTES:
                raise TooLarge("the result is larger than we keep")
            file.write(chunk)
    if size_bytes == 0:
        raise NotAllowed("the result is empty")
    return size_bytes
