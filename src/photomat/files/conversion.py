"""Convert a customer's file into a format Kie accepts, in a process of its own (`conversion_worker.py`).

The process gets neither settings nor tokens: only the file, its format and the target formats. It ends with the block that
started it. Conversion is idempotent and writes only a temporary file without a name, of which nothing remains.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.private_files import make_private
from photomat.media.sniff import HEAD_BYTES, sniff

INHERITED: Final = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "SYSTEMROOT")
WORKER: Final = "photomat.files.conversion_worker"


class DiskUnavailable(Transient):
    """Our own disk has a problem; it says nothing about the file."""


class ConversionTimeout(Transient):
    """The conversion took too long; it says nothing about the file, because the machine may be busy."""


class NotConverted(Rejected):
    """The file cannot be converted into any of the target formats within the size limit."""

    def __init__(self) -> None:
        super().__init__("file-not-converted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """The converted file at its first byte, and what it is."""

    file: BinaryIO
    mime: str
    format: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """Converts files, as many at once as there are `places`; results are in `folder` while they are used."""

    folder: Path
    places: asyncio.Semaphore

    @asynccontextmanager
    async def converted(
        self, file: BinaryIO, *, file_format: str, targets: Sequence[str], most_bytes: int, within_s: float
    ) -> AsyncIterator[Converted]:
        """The file in one of the target formats, deleted after the block.

        Raises NotConverted, ConversionTimeout or DiskUnavailable. `within_s` is the time for the conversion itself; waiting for
        a place is not part of it.
        """
        with temporary_file(self.folder) as target:
            async with self.places:
                try:
                    async with asyncio.timeout(within_s):
                        await _work(file, target, file_format=file_format, targets=targets, most_bytes=most_bytes)
                except TimeoutError:
                    raise ConversionTimeout(f"a conversion of {file_format} took longer than {within_s} s") from None
            size_bytes = target.seek(0, os.SEEK_END)
            target.seek(0)
            kind = sniff(target.read(HEAD_BYTES))
            target.seek(0)
            if kind.extension not in targets:
                raise NotConverted
            yield Converted(file=target, mime=kind.mime, format=kind.extension, size_bytes=size_bytes)


@contextmanager
def temporary_file(folder: Path) -> Iterator[BinaryIO]:
    """An empty file, open for reading and writing; deleted after the block. Raises DiskUnavailable."""
    try:
        make_private(folder)
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  closed below; only what opening raises is translated
    except OSError as error:
        raise DiskUnavailable(f"the disk takes no temporary file: {type(error).__name__}") from None
    with file:
        yield file


async def _work(file: BinaryIO, target: BinaryIO, *, file_format: str, targets: Sequence[str], most_bytes: int) -> None:
    file.seek(0)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        WORKER,
        file_format,
        ",".join(targets),
        str(most_bytes),
        stdin=file,
        stdout=target,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in INHERITED if name in os.environ},
    )
    try:
        code = await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if code:
        raise NotConverted
