"""Files that users send to the bot, as streams: over HTTP, or from the folder of a local Bot API server.

The URL of a file, and its path at a local server, contain the bot's token: they are neither stored nor logged, nor is an error
that quotes them. A local server answers getFile when it has the whole file: a large one takes longer than a call may, and a
retry finds it.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import BinaryIO, Final, Protocol

import aiohttp
from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest

from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.logs import get_logger
from photomat.telegram.errors import translate
from photomat.telegram.limits import CLOUD, LOCAL
from photomat.telegram.local_folder import LocalFolder, OutsideFolder

CALL_TIMEOUT_S: Final = 8
READ_TIMEOUT_S: Final = 60.0
CHUNK_BYTES: Final = 65536
DISK_CHUNK_BYTES: Final = 2**20
TOO_BIG: Final = "file is too big"
log = get_logger()


class NotGiven(Rejected):
    """Telegram does not know this file, at least not now."""

    def __init__(self) -> None:
        super().__init__("file-not-given")


class TooBig(Rejected):
    """The file exceeds the limit of the Bot API."""

    def __init__(self) -> None:
        super().__init__("file-too-big-for-bots")


class TelegramFiles(Protocol):
    """Files at Telegram."""

    def opened(self, telegram_id: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Yield the file's chunks; raise NotGiven, TooBig, or Transient when it cannot be fetched now."""
        ...


class BotFiles:
    """The port on aiogram; a download takes at most `within_s`."""

    def __init__(self, bot: Bot, *, within_s: float = READ_TIMEOUT_S) -> None:
        self._bot = bot
        self._within_s = within_s

    @asynccontextmanager
    async def opened(self, telegram_id: str) -> AsyncIterator[AsyncIterator[bytes]]:
        path = await self._path(telegram_id)
        folder = local_folder_of(self._bot)
        if folder is not None and path.startswith("/"):
            with await asyncio.to_thread(_opened, folder, path) as file:
                async with aclosing(_read(file)) as chunks:
                    yield chunks
            return
        async with aclosing(self._fetched(path)) as chunks:
            yield chunks

    async def _path(self, telegram_id: str) -> str:
        try:
            file = await self._bot.get_file(telegram_id, request_timeout=CALL_TIMEOUT_S)
        except TelegramBadRequest as error:
            raise TooBig if TOO_BIG in error.message.lower() else NotGiven from None
        except (TelegramAPIError, ClientDecodeError) as error:
            cause = translate(error)
            wait_s = cause.retry_after_s if isinstance(cause, Transient) else None
            raise Transient(f"Telegram did not name a file: {type(cause).__name__}", retry_after_s=wait_s) from None
        if file.file_path is None:
            raise NotGiven
        return file.file_path

    async def _fetched(self, path: str) -> AsyncGenerator[bytes, None]:
        if path.startswith("/"):
            log.error(
                "TELEGRAM_FILE_UNREADABLE",
                reason="the Bot API server is a local one, and TELEGRAM_LOCAL_DIR is not set",
            )
            raise Transient("a file of a local Bot API server cannot be read: TELEGRAM_LOCAL_DIR is not set")
        session, size_bytes = self._bot.session, 0
        stream = session.stream_content(
            session.api.file_url(self._bot.token, path),
            timeout=self._within_s,  # type: ignore[arg-type]  # aiohttp takes seconds with a fraction
            chunk_size=CHUNK_BYTES,
            raise_for_status=True,
        )
        try:
            async for chunk in stream:
                size_bytes += len(chunk)
                if size_bytes > CLOUD.download_bytes:
                    raise TooBig
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"Telegram's file server did not give a file out: {type(error).__name__}") from None


def local_folder_of(bot: Bot) -> LocalFolder | None:
    """The folder of the bot's server, if that is a local one."""
    server = bot.session.api
    return server.wrap_local_file if isinstance(server.wrap_local_file, LocalFolder) and server.is_local else None


def _opened(folder: LocalFolder, path: str) -> BinaryIO:
    try:
        file = folder.opened(path)
    except OutsideFolder as error:
        log.error("TELEGRAM_FILE_REFUSED", reason=str(error))
        raise NotGiven from None
    except OSError as error:
        log.error("TELEGRAM_FILE_UNREADABLE", reason=f"{type(error).__name__} below TELEGRAM_LOCAL_DIR")
        raise Transient(f"a file of the local Bot API server could not be read: {type(error).__name__}") from None
    if os.fstat(file.fileno()).st_size > LOCAL.download_bytes:
        file.close()
        raise TooBig
    return file


async def _read(file: BinaryIO) -> AsyncGenerator[bytes, None]:
    """The bytes, a chunk at a time; one that grows while it is read ends at the limit."""
    left = LOCAL.download_bytes
    try:
        while chunk := await asyncio.to_thread(file.read, min(DISK_CHUNK_BYTES, left)):
            left -= len(chunk)
            yield chunk
    except OSError as error:
        raise Transient(f"a file of the local Bot API server could not be read: {type(error).__name__}") from None
