"""The file of a receipt: what came with a message, and what its bytes really are. Its name and declared type say nothing.

The bytes are read once, by chunks, for their first ones and their fingerprint; what cannot be read to its end in time goes
without the fingerprint, and a file server that fails is asked again. The address of a file holds the bot's token: it is
neither kept nor logged, nor is an error that knows it.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiogram import Bot
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import Message

from photomat.delivery.sniff import HEAD_BYTES, sniff
from photomat.kernel.errors import Transient
from photomat.notices.notice import FileKind

MOST_BYTES: Final = 20 * 1024 * 1024
"""What the Bot API lets a bot fetch."""

CALL_TIMEOUT_S: Final = 8
READ_TIMEOUT_S: Final = 10
CHUNK_BYTES: Final = 65536
TAKEN: Final = frozenset({"image/jpeg", "image/png", "image/webp", "application/pdf"})
HEIF_BRANDS: Final = frozenset({b"heic", b"heix", b"mif1", b"avif"})
"""Photos as some phones keep them; they look like a film to whoever reads four bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A photo or a document of a message."""

    kind: FileKind
    file_id: str
    unique_id: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the bytes say."""

    is_receipt: bool
    sha256: str | None


def attached_to(message: Message) -> Attached | None:
    """The photo, in its largest size, or the document; None for anything else."""
    file = message.photo[-1] if message.photo else message.document
    if file is None:
        return None
    return Attached(
        kind="photo" if message.photo else "document",
        file_id=file.file_id,
        unique_id=file.file_unique_id,
        size_bytes=file.file_size or 0,
    )


async def read_content(bot: Bot, file_id: str) -> Content | None:
    """Fetch the file and look at its bytes; None when Telegram does not give it out."""
    try:
        path = (await bot.get_file(file_id, request_timeout=CALL_TIMEOUT_S)).file_path
    except TelegramBadRequest:
        return None
    if path is None:
        return None
    return await _read(bot, bot.session.api.file_url(bot.token, path))


async def _read(bot: Bot, url: str) -> Content:
    head, digest, size, whole = b"", hashlib.sha256(), 0, True
    stream = bot.session.stream_content(url, timeout=READ_TIMEOUT_S, chunk_size=CHUNK_BYTES, raise_for_status=True)
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            async for chunk in stream:
                head += chunk[: max(0, HEAD_BYTES - len(head))]
                digest.update(chunk)
                size += len(chunk)
                if size > MOST_BYTES:
                    return Content(is_receipt=False, sha256=None)
    except TimeoutError:
        if not head:
            raise
        whole = False
    except aiohttp.ClientError as error:
        raise Transient(f"Telegram's file server did not give a file out: {type(error).__name__}") from None
    return Content(is_receipt=_is_receipt(head), sha256=digest.hexdigest() if whole else None)


def _is_receipt(head: bytes) -> bool:
    is_heif = head[4:8] == b"ftyp" and head[8:12] in HEIF_BRANDS
    return is_heif or sniff(head).mime in TAKEN
