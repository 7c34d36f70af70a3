"""A file's bytes on our disk for a moment: below DATA_DIR, in a file without a name, so nothing is left whatever happens."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from photomat.files.desk import FileDesk
from photomat.files.file import Source
from photomat.files.temporary import OwnDisk, temporary_file
from photomat.kernel.ids import UserId
from photomat.kernel.private import make_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The bytes, from the first one on, and their fingerprint."""

    file: BinaryIO
    sha256: str


@asynccontextmanager
async def copied(
    desk: FileDesk, source: Source, *, user_id: UserId, most_bytes: int, within_s: float
) -> AsyncIterator[Copy]:
    """A copy of the file, gone after the block.

    Raises what opening it raises, OwnDisk when our disk takes nothing, TimeoutError when it takes too long.
    """
    with temporary_file(desk.tmp) as file:
        async with (
            asyncio.timeout(within_s),
            desk.opened(source, user_id=user_id, most_bytes=most_bytes) as chunks,
        ):
            sha256 = await _copy(chunks, file)
        file.seek(0)
        yield Copy(file=file, sha256=sha256)


def empty(folder: Path) -> None:
    """Make the folder for copies, without what an end in the middle may have left where files must have names."""
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
            raise OwnDisk(f"the disk takes no copy of a file: {type(error).__name__}") from None
    return digest.hexdigest()
