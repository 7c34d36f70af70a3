"""Files that users send to the bot, as streams.

The URL of a file contains the bot's token: it is neither stored nor logged, nor is an error that quotes it.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Final, Protocol

import aiohttp
from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest

from photomat.kernel.errors import Rejected, Transient
from photomat.telegram.errors import translate

MAX_BYTES: Final = 20 * 2**20
"""The limit of the Bot API."""

CALL_TIMEOUT_S: Final = 8
READ_TIMEOUT_S: Final = 60.0
CHUNK_BYTES: Final = 65536
TOO_BIG: Final = "file is too big"


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
        async with aclosing(self._chunks(path)) as chunks:
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

    async def _chunks(self, path: str) -> AsyncGenerator[bytes, None]:
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
                if size_bytes > MAX_BYTES:
                    raise TooBig
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"Telegram's file server did not give a file out: {type(error).__name__}") from None
