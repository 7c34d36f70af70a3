"""Open customers' files: from Telegram, from a URL, from our own copy of a result.

A file is copied for a moment to a file without a name below DATA_DIR, of which nothing remains, whatever happens.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from photomat.catalog.answers import MEGABYTE
from photomat.db.pool import Pool
from photomat.files import store
from photomat.files.conversion import Converter, DiskUnavailable, temporary_file
from photomat.files.file import FromLink, FromOutput, FromTelegram, Source
from photomat.kernel.errors import Rejected
from photomat.kernel.http import Fetcher, FileGone
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.private_files import make_private
from photomat.storage.errors import CopyLost, StoreUnavailable
from photomat.storage.places import CopyRecord, ResultPlaces
from photomat.telegram.files import NotGiven, TelegramFiles
from photomat.telegram.limits import CLOUD, BotApiLimits

CHUNK_BYTES: Final = 256 * 1024
MAX_BYTES: Final = 200 * MEGABYTE
"""The limit whatever an input states: the file is on our disk while it is examined."""
LINKS_AT_ONCE: Final = 3
CONVERSIONS_AT_ONCE: Final = 1
"""A photo of 50 megapixels takes half a gigabyte while it is converted."""
log = get_logger()


class FileLost(Rejected):
    """The file no longer exists, or is not this customer's."""

    def __init__(self) -> None:
        super().__init__("file-lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The file at its first byte, and its hash."""

    file: BinaryIO
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSources:
    """Opens files. `links` fetches customers' URLs, `results` Kie's. Our copies are in `places`, temporary ones in `tmp`.

    A conversation waits `accept_within_s` for a file, and only a few wait for links at once (`link_places`), so that slow
    servers do not delay other customers.
    """

    pool: Pool
    telegram: TelegramFiles
    links: Fetcher
    results: Fetcher
    places: ResultPlaces
    tmp: Path
    accept_within_s: float
    limits: BotApiLimits = CLOUD
    link_places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LINKS_AT_ONCE))
    conversion_places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONVERSIONS_AT_ONCE))

    @property
    def most_bytes(self) -> int:
        """The largest file that is accepted, from wherever it comes."""
        return max(MAX_BYTES, self.limits.download_bytes)

    @property
    def converter(self) -> Converter:
        return Converter(folder=self.tmp, places=self.conversion_places)

    @asynccontextmanager
    async def copied(self, source: Source, *, user_id: UserId, most_bytes: int, within_s: float) -> AsyncIterator[Copy]:
        """A copy of the file, deleted after the block.

        Raises what opening it raises, DiskUnavailable when our disk refuses it, TimeoutError when it takes too long.
        """
        with temporary_file(self.tmp) as file:
            async with asyncio.timeout(within_s), self.opened(source, user_id=user_id, most_bytes=most_bytes) as chunks:
                sha256 = await _copy(chunks, file)
            file.seek(0)
            yield Copy(file=file, sha256=sha256)

    @asynccontextmanager
    async def opened(self, source: Source, *, user_id: UserId, most_bytes: int) -> AsyncIterator[AsyncIterator[bytes]]:
        """The file's bytes, by chunks.

        Raises FileLost, `TooBig` (bots get no such file), `TooLarge` and `NotAllowed` of the fetcher, DiskUnavailable, or
        Transient.
        """
        async with AsyncExitStack() as stack:
            try:
                chunks = await self._open(stack, source, user_id=user_id, most_bytes=most_bytes)
            except (FileGone, NotGiven):
                raise FileLost from None
            yield chunks

    async def _open(
        self, stack: AsyncExitStack, source: Source, *, user_id: UserId, most_bytes: int
    ) -> AsyncIterator[bytes]:
        match source:
            case FromTelegram(telegram_id):
                return await stack.enter_async_context(self.telegram.opened(telegram_id))
            case FromLink(url):
                return await stack.enter_async_context(self.links.opened(url, most_bytes=most_bytes))
            case FromOutput():
                return await self._open_output(stack, source, user_id=user_id, most_bytes=most_bytes)

    async def _open_output(
        self, stack: AsyncExitStack, source: FromOutput, *, user_id: UserId, most_bytes: int
    ) -> AsyncIterator[bytes]:
        """A result: our copy, else Kie's file, else Telegram's version of it."""
        output = await store.own_output(self.pool, source, user_id=user_id)
        if output is None:
            raise FileLost
        path = await self._our_copy(stack, output.copy)
        if path is not None:
            return await stack.enter_async_context(_opened(path))
        try:
            return await stack.enter_async_context(self.results.opened(output.url, most_bytes=most_bytes))
        except FileGone:
            if output.telegram_id is None:
                raise
        return await stack.enter_async_context(self.telegram.opened(output.telegram_id))

    async def _our_copy(self, stack: AsyncExitStack, copy: CopyRecord) -> Path | None:
        """The path of our copy; None when there is none, it is damaged, or its store does not answer."""
        try:
            found = await self.places.find(copy)
            return None if found is None else await stack.enter_async_context(found.local())
        except (CopyLost, StoreUnavailable) as error:
            log.warning("RESULT_STORE_FAILED", error=str(error))
            return None


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[AsyncIterator[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise DiskUnavailable(f"our copy of a result could not be read: {type(error).__name__}") from None
    with file:
        async with aclosing(_read(file)) as chunks:
            yield chunks


async def _read(file: BinaryIO) -> AsyncGenerator[bytes, None]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


async def newest_at_telegram(pool: Pool) -> str | None:
    """Telegram's id of the file that was accepted last."""
    return await store.newest_from_telegram(pool)


def empty_folder(folder: Path) -> None:
    """Create the folder for copies, and delete what a killed process left where files must have names."""
    make_private(folder)
    for left in folder.iterdir():
        left.unlink(missing_ok=True)


async def _copy(chunks: AsyncIterator[bytes], file: BinaryIO) -> str:
    digest = hashlib.sha256()
    async for chunk in chunks:
        digest.update(chunk)
        try:
            file.write(chunk)
        except OSError as error:
            raise DiskUnavailable(f"the disk takes no copy of a file: {type(error).__name__}") from None
    return digest.hexdigest()
