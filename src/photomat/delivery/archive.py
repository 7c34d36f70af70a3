"""Our own copies of results, because Kie deletes its files after a day to two weeks.

Delivery copies what it shows; the loop `keeps` copies the rest. Files are fetched from allowed URLs only
(`kernel/http.py`). Copying is idempotent: killed anywhere, the output is due again.

The cover of a track becomes a JPEG within 320 pixels and 200 kB, stored beside the track's copy so that a repeated upload
carries the same. A track is sent without its cover when anything is wrong with it, or it takes too long. Memory is bounded: one
cover is decoded at a time, up to `MAX_PIXELS`.

A copy is deleted only when Telegram has the same bytes and our bot can access them. What Telegram changes (a photo is
compressed, a GIF becomes a video), results of another bot, and results sent as a link exist only here and stay. The file is
deleted before its name in the row: killed in between, the row names a missing file, which counts as "no copy", and the next
pass completes it.
"""

import asyncio
import errno
import io
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import aiohttp
from PIL import Image

from photomat.catalog.answers import FileFacts
from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.fallbacks import UNLABELLED, Label, kind_of
from photomat.delivery.outputs import KeptFile, Output
from photomat.jobs.job import ANSWER_URL
from photomat.kernel.clock import epoch
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.http import FETCH_TIMEOUT, Fetcher
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.private_files import make_private, open_private
from photomat.media.images import decode_in_turn, has_transparency
from photomat.media.measure import Measured, measure_path
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.telegram.port import MediaKind
from photomat.work.disk import MIB, Disk
from photomat.work.retention import Batch, OldRows

MAX_BYTES: Final = 200 * MIB
"""The largest copy where Telegram takes less: what a chat does not take is a link to it."""
LEAST_BYTES_PER_S: Final = 2 * MIB
"""How fast a file larger than that must come."""
LOOK_AT_DISK_EVERY: Final = 64 * MIB
PARTS: Final = ".parts"
"""The folder of incomplete files, below the results; what a killed process left there is deleted after a day."""
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
MAX_COVER_BYTES: Final = 8 * 2**20
MAX_PIXELS: Final = 8 * 2**20
"""Eight times a usual cover. Decoders need up to 16 bytes a pixel, and decode a progressive JPEG in full size."""
COVER_SIDE: Final = 320
COVER_BYTES: Final = 200_000
COVER_QUALITIES: Final = (85, 60, 35)
COVER_FORMATS: Final = ("JPEG", "PNG", "WEBP")
COVER_WITHIN_S: Final = 12.0
COVER_FETCH_WITHIN: Final = aiohttp.ClientTimeout(total=10, connect=5, sock_read=5)
DECODER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cover")
DISK_FULL_PAUSE: Final = timedelta(minutes=5)
PART_KEPT_S: Final = 86400
"""Far longer than a download may take."""
RESENDS: Final = OldRows(table="result_sends", age="asked_at", only="due_at IS NULL")
"""Kept far longer than an update can be repeated, which must find its row."""
log = get_logger()


class NoDiskSpace(Transient):
    """The disk is full, or nearly; retried when there is room again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFiles:
    """Fetches results into `folder`; `trusted_host` is the host of KIE_API_URL.

    With less than `reserve_bytes` free nothing is copied: the reserve is for the database.
    """

    folder: Path
    trusted_host: str
    reserve_bytes: int = 0
    limits: BotApiLimits = CLOUD

    @property
    def most_bytes(self) -> int:
        return max(MAX_BYTES, self.limits.upload_bytes)

    @property
    def fetcher(self) -> Fetcher:
        return Fetcher(trusted_host=self.trusted_host)

    def path_of(self, kept_as: str) -> Path:
        return self.folder / kept_as

    def name_for(self, output: Output, mime_extension: str) -> str:
        return f"{output.job_id}/{output.position}.{mime_extension}"

    async def fetch(self, output: Output) -> KeptFile:
        """Copy an output to our disk; raises Transient when it cannot be fetched now, NoDiskSpace when there is no room."""
        part = self.folder / PARTS / f"{output.job_id}.{output.position}.{secrets.token_hex(4)}"
        try:
            await asyncio.to_thread(self._make_folder, part.parent)
            await asyncio.to_thread(self._require_room)
            size_bytes = await self._download(output.url, part)
            found = await asyncio.to_thread(_measured, part)
            is_transparent = await decode_in_turn(partial(_is_transparent, part, found.mime), otherwise=False)
            path = self.path_of(self.name_for(output, found.facts.format))
            await asyncio.to_thread(self._make_folder, path.parent)
            await asyncio.to_thread(part.replace, path)
            return _kept(path, found, size_bytes=size_bytes, is_transparent=is_transparent)
        except (OSError, ValueError) as error:
            raise _not_kept(error) from error
        finally:
            with suppress(OSError):
                await asyncio.to_thread(part.unlink)

    def _make_folder(self, folder: Path) -> None:
        make_private(self.folder)
        make_private(folder)

    async def write(self, output: Output, data: bytes, *, mime: str, extension: str) -> KeptFile:
        """Store bytes of our own as an output; raises Transient when the disk refuses them."""
        path = self.path_of(self.name_for(output, extension))
        try:
            await self.write_bytes(path, data)
        except OSError as error:
            raise _not_kept(error) from error
        return KeptFile(path=path, mime=mime, size_bytes=len(data), width=None, height=None)

    async def write_bytes(self, path: Path, data: bytes) -> None:
        """Write a file below the folder; its name appears when it is complete."""
        await asyncio.to_thread(self._write, path, data)

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
        size_bytes, look_at = 0, LOOK_AT_DISK_EVERY
        with open_private(part) as file:
            async with self.fetcher.opened(url, most_bytes=self.most_bytes, within=self._fetch_within) as chunks:
                async for chunk in chunks:
                    size_bytes += len(chunk)
                    file.write(chunk)
                    if size_bytes >= look_at:
                        look_at += LOOK_AT_DISK_EVERY
                        await asyncio.to_thread(self._require_room)
        return size_bytes

    @property
    def _fetch_within(self) -> aiohttp.ClientTimeout:
        more_s = max(0, self.most_bytes - MAX_BYTES) / LEAST_BYTES_PER_S
        return aiohttp.ClientTimeout(
            total=(FETCH_TIMEOUT.total or 0) + more_s, connect=FETCH_TIMEOUT.connect, sock_read=FETCH_TIMEOUT.sock_read
        )


def _not_kept(error: OSError | ValueError) -> Transient:
    if isinstance(error, OSError) and error.errno in FULL:
        return NoDiskSpace("the result could not be kept: the disk is full")
    return Transient(f"the result could not be kept: {type(error).__name__}")


def _kept(path: Path, found: Measured, *, size_bytes: int, is_transparent: bool) -> KeptFile:
    return KeptFile(
        path=path,
        mime=found.mime,
        size_bytes=size_bytes,
        width=found.facts.width,
        height=found.facts.height,
        seconds=found.facts.seconds,
        is_transparent=is_transparent,
    )


def _is_transparent(part: Path, mime: str) -> bool:
    with part.open("rb") as file:
        return has_transparency(file, mime)


def _measured(part: Path) -> Measured:
    """The facts of a file; one that cannot be measured is still a result, known by its first bytes."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    files: ResultFiles

    async def of(self, output: Output) -> bytes | None:
        """The small cover of an output, or None; never raises, except when canceled."""
        if output.cover_url is None:
            return None
        path = self.files.folder / str(output.job_id) / f"{output.position}.cover.jpg"
        try:
            async with asyncio.timeout(COVER_WITHIN_S):
                return await asyncio.to_thread(_stored_cover, path) or await self._make(output.cover_url, path)
        except Exception as error:  # noqa: BLE001  decoders of damaged pictures raise anything; the track is sent without it
            log.info("COVER_LEFT_OUT", position=output.position, error=type(error).__name__)
            return None

    async def _make(self, url: str, path: Path) -> bytes:
        data = await self._fetch(url)
        small = await asyncio.get_running_loop().run_in_executor(DECODER, cover_jpeg, data)
        with suppress(OSError):
            await self.files.write_bytes(path, small)
        return small

    async def _fetch(self, url: str) -> bytes:
        async with self.files.fetcher.opened(url, most_bytes=MAX_COVER_BYTES, within=COVER_FETCH_WITHIN) as chunks:
            return b"".join([chunk async for chunk in chunks])


def cover_jpeg(data: bytes) -> bytes:
    """The picture as a small JPEG; raises whatever the decoder raises."""
    with Image.open(io.BytesIO(data), formats=COVER_FORMATS) as image:
        if image.width * image.height > MAX_PIXELS:
            raise ValueError("the cover is too large")
        image.draft("RGB", (COVER_SIDE, COVER_SIDE))
        image.thumbnail((COVER_SIDE, COVER_SIDE))
        small = image.convert("RGB")
    for quality in COVER_QUALITIES:
        buffer = io.BytesIO()
        small.save(buffer, "JPEG", quality=quality)
        if buffer.tell() < COVER_BYTES:
            return buffer.getvalue()
    raise ValueError("the cover does not become small enough")


def _stored_cover(path: Path) -> bytes:
    """The stored cover; empty when there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultArchive:
    pool: Pool
    files: ResultFiles

    def path_of(self, output: Output) -> Path | None:
        """The path of our copy of an output, if it is on this disk."""
        path = None if output.kept_as is None else self.files.path_of(output.kept_as)
        return path if path is not None and path.is_file() else None

    async def ensure_copy(self, output: Output) -> Output:
        """The output with our own copy, made now if there is none; raises Transient when it cannot be fetched."""
        if self.path_of(output) is not None:
            return output
        failpoint("deliver.before_fetch")
        kept = await (self._answer(output) if output.url == ANSWER_URL else self.files.fetch(output))
        failpoint("deliver.before_keep")
        kept_as = str(kept.path.relative_to(self.files.folder))
        await outputs.record_copy(self.pool, output, kept, kept_as=kept_as)
        return replace(
            output,
            mime=kept.mime,
            size_bytes=kept.size_bytes,
            width=kept.width,
            height=kept.height,
            kept_as=kept_as,
            seconds=kept.seconds or output.seconds,
            is_transparent=kept.is_transparent,
        )

    async def try_copy(self, output: Output) -> Output:
        """The output with our own copy if one can be made now, else as it is."""
        try:
            return await self.ensure_copy(output)
        except Transient as error:
            log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            return output

    async def _answer(self, output: Output) -> KeptFile:
        found = await outputs.result_object_of(self.pool, output.job_id)
        data = json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        return await self.files.write(output, data, mime="application/json", extension="json")

    async def label_of(self, output: Output, *, title: str | None, performer: str) -> Label:
        """What a player shows of an audio output. A cover is only sent with bytes Telegram does not have yet."""
        if kind_of(output) is not MediaKind.AUDIO:
            return UNLABELLED
        cover = None if output.file_id is not None else await Covers(files=self.files).of(output)
        return Label(title=title, performer=performer or None, cover=cover)

    async def keep(self, output: Output) -> None:
        with correlated(output.corr, job_id=output.job_id):
            try:
                await self.ensure_copy(output)
            except Transient as error:
                if isinstance(error, NoDiskSpace):
                    await outputs.put_off_keeping(self.pool, output, after=DISK_FULL_PAUSE)
                log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            else:
                log.info("RESULT_KEPT", position=output.position)


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCopies:
    folder: Path

    async def count(self, pool: Pool, older_than: timedelta) -> int:
        return await outputs.count_old_copies(pool, older_than=older_than)

    async def delete(self, pool: Pool, older_than: timedelta, limit: int) -> Batch:
        """Delete a batch, and incomplete files a killed process left."""
        await asyncio.to_thread(self._unlink_parts)
        copies = await outputs.old_copies(pool, older_than=older_than, limit=limit)
        await asyncio.to_thread(self._unlink, [kept_as for _, _, kept_as in copies])
        await outputs.forget_copies(pool, copies, older_than=older_than)
        return Batch(len(copies), more=len(copies) == limit)

    def _unlink_parts(self) -> None:
        for part in (self.folder / PARTS).glob("*"):
            with suppress(FileNotFoundError):
                if epoch() - part.stat().st_mtime > PART_KEPT_S:
                    part.unlink()

    def _unlink(self, names: list[str]) -> None:
        for name in names:
            path = self.folder / name
            path.unlink(missing_ok=True)
            path.with_name(f"{path.name.partition('.')[0]}.cover.jpg").unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()
