"""A file's bytes on our disk for a moment: in a temporary file without a name, so nothing is left whatever happens."""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO

from photomat.files.desk import FileDesk
from photomat.files.file import Source
from photomat.kernel.errors import Transient
from photomat.kernel.ids import UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The bytes, from the first one on, and their fingerprint."""

    file: BinaryIO
    sha256: str


@asynccontextmanager
async def copied(
    desk: FileDesk, source: Source, *, user_id: UserId, most_bytes: int, within_s: float
) -> AsyncIterator[Copy]:
    """A copy of the file, gone after the block. Raises what opening it raises; TimeoutError when it takes too long."""
    with tempfile.TemporaryFile() as file:
        async with (
            asyncio.timeout(within_s),
            desk.opened(source, user_id=user_id, most_bytes=most_bytes) as chunks,
        ):
            sha256 = await _copy(chunks, file)
        file.seek(0)
        yield Copy(file=file, sha256=sha256)


async def _copy(chunks: AsyncIterator[bytes], file: BinaryIO) -> str:
    digest = hashlib.sha256()
    async for chunk in chunks:
        digest.update(chunk)
        try:
            file.write(chunk)
        except OSError as error:
            raise Transient(f"the disk takes no copy of a file: {type(error).__name__}") from None
    return digest.hexdigest()
