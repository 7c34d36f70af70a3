"""The file of a receipt: what came with a message, and what its bytes really are. Its name and declared type say nothing.

The bytes are read once, by chunks, for their first ones and their fingerprint; what cannot be read to its end in time goes
without the fingerprint, and a file server that fails is asked again (`telegram/files.py`).
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from aiogram import Bot
from aiogram.types import Message

from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.messages.notices import FileKind
from photomat.telegram.files import MOST_BYTES, BotFiles, NotGiven, TooBig

__all__ = ["MOST_BYTES", "Attached", "Content", "attached_to", "read_content"]

READ_TIMEOUT_S: Final = 10
PATIENCE_S: Final = 15.0
"""For the connection itself: longer, so that what was read until then is looked at."""

TAKEN: Final = frozenset(
    {"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif", "application/pdf"}
)


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
        async with BotFiles(bot, within_s=PATIENCE_S).opened(file_id) as chunks:
            return await _read(chunks)
    except NotGiven:
        return None
    except TooBig:
        return Content(is_receipt=False, sha256=None)


async def _read(chunks: AsyncIterator[bytes]) -> Content:
    head, digest, whole = b"", hashlib.sha256(), True
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            async for chunk in chunks:
                head += chunk[: max(0, HEAD_BYTES - len(head))]
                digest.update(chunk)
    except TimeoutError:
        if not head:
            raise
        whole = False
    return Content(is_receipt=sniff(head).mime in TAKEN, sha256=digest.hexdigest() if whole else None)
