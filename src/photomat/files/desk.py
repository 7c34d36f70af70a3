"""Where customers' files are opened: at Telegram, at their address, from our own copy of a result."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from photomat.db.pool import Pool
from photomat.files import store
from photomat.files.file import FromLink, FromOutput, FromTelegram, Source
from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.fetch import Fetcher, Gone
from photomat.kernel.ids import UserId
from photomat.telegram.files import NotGiven, TelegramFiles

CHUNK_BYTES: Final = 256 * 1024


class FileLost(Rejected):
    """The file is not there any more, or it is not this customer's."""

    def __init__(self) -> None:
        super().__init__("file-lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDesk:
    """Opens files. `links` fetches what customers name, `results` what Kie made; our copies of results lie in `folder`."""

    pool: Pool
    telegram: TelegramFiles
    links: Fetcher
    results: Fetcher
    folder: Path

    @asynccontextmanager
    async def opened(self, source: Source, *, user_id: UserId, most_bytes: int) -> AsyncIterator[AsyncIterator[bytes]]:
        """The file's bytes, by chunks.

        Raises FileLost, `TooBig` (bots get no such file), `TooLarge` and `NotAllowed` of the fetcher, or Transient.
        """
        async with AsyncExitStack() as stack:
            try:
                opening = await self._opening(source, user_id=user_id, most_bytes=most_bytes)
                chunks = await stack.enter_async_context(opening)
            except (Gone, NotGiven):
                raise FileLost from None
            yield chunks

    async def _opening(
        self, source: Source, *, user_id: UserId, most_bytes: int
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        match source:
            case FromTelegram(telegram_id):
                return self.telegram.opened(telegram_id)
            case FromLink(url):
                return self.links.opened(url, most_bytes=most_bytes)
            case FromOutput():
                made = await store.own_output(self.pool, source, user_id=user_id)
        if made is None:
            raise FileLost
        path = None if made.kept_as is None else self.folder / made.kept_as
        if path is not None and path.is_file():
            return _kept(path)
        return self.results.opened(made.url, most_bytes=most_bytes)


@asynccontextmanager
async def _kept(path: Path) -> AsyncIterator[AsyncIterator[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise Transient(f"our copy of a result could not be read: {type(error).__name__}") from None
    with file:
        async with aclosing(_read(file)) as chunks:
            yield chunks


async def _read(file: BinaryIO) -> AsyncGenerator[bytes, None]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk
