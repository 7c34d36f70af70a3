"""The result file: fetched once from Kie, from addresses that are allowed (`kernel/fetch.py`), and kept as our own copy.

Kie deletes results after a day to two weeks, so each is copied as soon as it is shown.
"""

import asyncio
import errno
import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from photomat.catalog.file_rules import FileFacts
from photomat.delivery.outputs import KeptFile, Output
from photomat.files.decoding import in_turn, shows_through
from photomat.files.measure import Measured, measure_path
from photomat.files.sniff import HEAD_BYTES, sniff
from photomat.kernel.errors import Transient
from photomat.kernel.fetch import Fetcher
from photomat.kernel.logs import get_logger
from photomat.kernel.private import make_private, open_private
from photomat.kernel.trouble import describe
from photomat.work.disk import MIB, Disk

LARGEST_BYTES: Final = 200 * 2**20
PARTS: Final = ".parts"
"""Where a file lies until it is whole, below the folder of results; what a killed process left there is deleted in time."""

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
log = get_logger()


class NoDiskSpace(Transient):
    """The disk is full, or nearly: the copy can be had as soon as there is room again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFiles:
    """Fetches results into `folder`; `trusted_host` is the host of KIE_API_URL.

    With less than `reserve_bytes` free nothing is copied: the rest of the disk is for the database.
    """

    folder: Path
    trusted_host: str
    reserve_bytes: int = 0

    def path_of(self, kept_as: str) -> Path:
        """Where a kept copy lies."""
        return self.folder / kept_as

    def name_for(self, output: Output, mime_extension: str) -> str:
        """The name of an output's copy, below the folder."""
        return f"{output.job_id}/{output.position}.{mime_extension}"

    async def fetch(self, output: Output) -> KeptFile:
        """Copy an output to our own disk; raises Transient when it cannot be had now, NoDiskSpace when there is no room."""
        part = self.folder / PARTS / f"{output.job_id}.{output.position}.{secrets.token_hex(4)}"
        try:
            await asyncio.to_thread(self._make_folder, part.parent)
            await asyncio.to_thread(self._require_room)
            size_bytes = await self._download(output.url, part)
            found = await asyncio.to_thread(_measured, part)
            see_through = await in_turn(partial(_is_see_through, part, found.mime), otherwise=False)
            path = self.path_of(self.name_for(output, found.facts.format))
            await asyncio.to_thread(self._make_folder, path.parent)
            await asyncio.to_thread(part.replace, path)
            return _kept(path, found, size_bytes=size_bytes, see_through=see_through)
        except (OSError, ValueError) as error:
            raise _not_kept(error) from error
        finally:
            with suppress(OSError):
                await asyncio.to_thread(part.unlink)

    def _make_folder(self, folder: Path) -> None:
        make_private(self.folder)
        make_private(folder)

    async def write(self, output: Output, data: bytes, *, mime: str, extension: str) -> KeptFile:
        """Keep bytes of our own as an output; raises Transient when the disk takes nothing now."""
        path = self.path_of(self.name_for(output, extension))
        try:
            await asyncio.to_thread(self._write, path, data)
        except OSError as error:
            raise _not_kept(error) from error
        return KeptFile(path=path, mime=mime, size_bytes=len(data), width=None, height=None)

    def _write(self, path: Path, data: bytes) -> None:
        self._make_folder(path.parent)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            with open_private(part) as file:
                file.write(data)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def _require_room(self) -> None:
        free = Disk(self.folder).free_bytes()
        if free < self.reserve_bytes:
            raise NoDiskSpace(
                f"the result was not copied: {free // MIB} MB of the disk are left, DISK_RESERVE_MB is more"
            )

    async def _download(self, url: str, part: Path) -> int:
        size_bytes = 0
        with open_private(part) as file:
            async with Fetcher(trusted_host=self.trusted_host).opened(url, most_bytes=LARGEST_BYTES) as chunks:
                async for chunk in chunks:
                    size_bytes += len(chunk)
                    file.write(chunk)
        return size_bytes


def _not_kept(error: OSError | ValueError) -> Transient:
    if isinstance(error, OSError) and error.errno in FULL:
        return NoDiskSpace("the result could not be kept: the disk is full")
    return Transient(f"the result could not be kept: {type(error).__name__}")


def _kept(path: Path, found: Measured, *, size_bytes: int, see_through: bool) -> KeptFile:
    return KeptFile(
        path=path,
        mime=found.mime,
        size_bytes=size_bytes,
        width=found.facts.width,
        height=found.facts.height,
        seconds=found.facts.seconds,
        see_through=see_through,
    )


def _is_see_through(part: Path, mime: str) -> bool:
    with part.open("rb") as file:
        return shows_through(file, mime)


def _measured(part: Path) -> Measured:
    """What the file is; one that nobody can measure is a result all the same, told by its first bytes."""
    try:
        return measure_path(part)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  a file's sides and length are no result
        log.warning("RESULT_NOT_MEASURED", error=describe(error))
    with part.open("rb") as file:
        kind = sniff(file.read(HEAD_BYTES))
    facts = FileFacts(kind="document", format=kind.extension, size_bytes=part.stat().st_size)
    return Measured(facts=facts, mime=kind.mime)
