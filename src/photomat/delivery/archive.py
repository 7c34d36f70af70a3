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
import hashlib
import io
import json
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import aiohttp
from PIL import Image

from photomat.catalog.answers import FileFacts
from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.fallbacks import UNLABELLED, Label, kind_of
from photomat.delivery.outputs import KeptFile, NewCopy, OldCopy, Output
from photomat.jobs.job import ANSWER_URL
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.http import FETCH_TIMEOUT, Fetcher
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.private_files import make_private, open_private
from photomat.media.images import decode_in_turn, has_transparency, may_be_transparent
from photomat.media.measure import Measured, head_is_enough, measure
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.storage.errors import CopyDamaged, CopyLost, StoreTrouble, StoreUnavailable
from photomat.storage.places import ResultPlaces, StoredFile, cover_name, one_folder
from photomat.storage.store import PARTS, FileStore
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.telegram.port import MediaKind
from photomat.work.batch_writer import BatchWriter
from photomat.work.disk import MIB, Disk
from photomat.work.retention import Batch, OldRows

MAX_BYTES: Final = 200 * MIB
"""The largest copy where Telegram takes less: what a chat does not take is a link to it."""
LEAST_BYTES_PER_S: Final = 2 * MIB
"""How fast a file larger than that must come."""
SMALL_BYTES: Final = 4 * MIB
"""What is held in memory until it is complete: nearly every picture. A larger file goes to the disk as it comes."""
LOOK_AT_DISK_EVERY: Final = 64 * MIB
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
LATER: Final = timedelta(minutes=5)
"""When a full disk, or a store that does not answer, is tried again."""
DEFAULT_MIME: Final = "application/octet-stream"
RESENDS: Final = OldRows(table="result_sends", age="asked_at", only="due_at IS NULL")
"""Kept far longer than an update can be repeated, which must find its row."""
log = get_logger()


class NoDiskSpace(Transient):
    """The disk is full, or nearly; retried when there is room again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFiles:
    """Fetches results into `folder`, and from there into the store of `stores`; `fetcher` trusts the host of KIE_API_URL.

    With less than `reserve_bytes` free nothing is copied: the reserve is for the database.
    """

    folder: Path
    fetcher: Fetcher
    reserve_bytes: int = 0
    limits: BotApiLimits = CLOUD
    stores: ResultPlaces | None = None
    _disk: Disk = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_disk", Disk(self.folder))

    @property
    def places(self) -> ResultPlaces:
        return self.stores or one_folder(self.folder)

    @property
    def most_bytes(self) -> int:
        return max(MAX_BYTES, self.limits.upload_bytes)

    async def fetch(self, output: Output, *, into: FileStore | None = None) -> KeptFile:
        """Copy an output; raises Transient when it cannot be fetched now, NoDiskSpace when there is no room."""
        into = into or self.places.current
        try:
            async with self.fetcher.opened(output.url, most_bytes=self.most_bytes, within=self._fetch_within) as chunks:
                begin = await _begin(chunks)
                if len(begin) > SMALL_BYTES:
                    return await self._keep_large(output, begin, chunks, into=into)
            return await self._keep_small(output, begin, into=into)
        except (OSError, ValueError) as error:
            raise _not_kept(error) from error

    async def _keep_small(self, output: Output, data: bytes, *, into: FileStore) -> KeptFile:
        """Keep a file that is in memory: it is measured there, and written once."""
        await self._require_room()
        found = _measured_bytes(data) if head_is_enough(data) else await asyncio.to_thread(_measured_bytes, data)
        is_transparent = may_be_transparent(data[:HEAD_BYTES], found.mime) and await decode_in_turn(
            partial(has_transparency, io.BytesIO(data), found.mime), otherwise=False
        )
        sha256 = hashlib.sha256(data).digest()
        kept = _kept_file(output, found, sha256=sha256, is_transparent=is_transparent)
        return await self._placed(kept, data, into=into)

    async def _keep_large(
        self, output: Output, begin: bytes, chunks: AsyncIterator[bytes], *, into: FileStore
    ) -> KeptFile:
        """Write a file to the disk as it comes."""
        folder = into.folder or self.folder
        part = folder / PARTS / f"{output.job_id}.{output.position}.{secrets.token_hex(4)}"
        try:
            await self._require_room()
            await asyncio.to_thread(_make_folders, folder, part.parent)
            sha256 = await self._write_all(part, begin, chunks)
            found = await asyncio.to_thread(_measured_part, part)
            is_transparent = may_be_transparent(begin[:HEAD_BYTES], found.mime) and await decode_in_turn(
                partial(_is_transparent, part, found.mime), otherwise=False
            )
            kept = _kept_file(output, found, sha256=sha256, is_transparent=is_transparent)
            return await self._placed(kept, part, into=into)
        finally:
            with suppress(OSError):
                await asyncio.to_thread(part.unlink)

    async def write(
        self, output: Output, data: bytes, *, into: FileStore | None = None, mime: str, extension: str
    ) -> KeptFile:
        """Store bytes of our own as an output; raises Transient when they are refused."""
        facts = FileFacts(kind="document", format=extension, size_bytes=len(data))
        found = Measured(facts=facts, mime=mime)
        kept = _kept_file(output, found, sha256=hashlib.sha256(data).digest(), is_transparent=False)
        return await self._placed(kept, data, into=into or self.places.current)

    async def _placed(self, kept: KeptFile, content: Path | bytes, *, into: FileStore) -> KeptFile:
        """Put a complete file into the store; what a bucket refuses stays in the folder for a while."""
        places = self.places
        try:
            await _put(into, kept, content)
        except StoreUnavailable as error:
            if into.folder is not None:
                raise _refused(error) from None
            places.note_failure(into)
            log.error("RESULT_STORE_FAILED", store=str(into.address), error=str(error))
            into = places.folder
            try:
                await _put(into, kept, content)
            except StoreUnavailable as worse:
                raise _refused(worse) from None
        return replace(kept, kept_in=places.called(into), is_final=into is places.current)

    async def _require_room(self) -> None:
        free = await self._disk.lately_free_bytes()
        if free < self.reserve_bytes:
            raise NoDiskSpace(
                f"the result was not copied: {free // MIB} MB of the disk are left, DISK_RESERVE_MB is more"
            )

    async def _write_all(self, part: Path, begin: bytes, chunks: AsyncIterator[bytes]) -> bytes:
        """Write what came and what still comes; return its hash."""
        size_bytes, look_at, digest = len(begin), LOOK_AT_DISK_EVERY, hashlib.sha256(begin)
        with open_private(part) as file:
            file.write(begin)
            async for chunk in chunks:
                size_bytes += len(chunk)
                digest.update(chunk)
                file.write(chunk)
                if size_bytes >= look_at:
                    look_at += LOOK_AT_DISK_EVERY
                    await self._require_room()
        return digest.digest()

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


def _refused(error: StoreUnavailable) -> Transient:
    return NoDiskSpace(str(error)) if error.trouble is StoreTrouble.NO_ROOM else error


async def _begin(chunks: AsyncIterator[bytes]) -> bytes:
    """The whole of a small file, or the beginning of a larger one."""
    begin = bytearray()
    async for chunk in chunks:
        begin += chunk
        if len(begin) > SMALL_BYTES:
            break
    return bytes(begin)


async def _put(store: FileStore, kept: KeptFile, content: Path | bytes) -> None:
    if isinstance(content, Path):
        await store.put_file(kept.name, content, mime=kept.mime)
    else:
        await store.put_bytes(kept.name, content, mime=kept.mime)


def _kept_file(output: Output, found: Measured, *, sha256: bytes, is_transparent: bool) -> KeptFile:
    """A copy that has no place yet."""
    return KeptFile(
        name=f"{output.job_id}/{output.position}.{found.facts.format}",
        kept_in=None,
        is_final=False,
        sha256=sha256,
        mime=found.mime,
        size_bytes=found.facts.size_bytes,
        width=found.facts.width,
        height=found.facts.height,
        seconds=found.facts.seconds,
        is_transparent=is_transparent,
    )


def _is_transparent(part: Path, mime: str) -> bool:
    with part.open("rb") as file:
        return has_transparency(file, mime)


def _measured_bytes(data: bytes) -> Measured:
    return _measured(io.BytesIO(data))


def _measured_part(part: Path) -> Measured:
    with part.open("rb") as file:
        return _measured(file)


def _measured(file: BinaryIO) -> Measured:
    """The facts of a file; one that cannot be measured is still a result, known by its first bytes."""
    try:
        return measure(file)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001  a file's sides and length are no result
        log.warning("RESULT_NOT_MEASURED", error=describe(error))
    size_bytes = file.seek(0, os.SEEK_END)
    file.seek(0)
    kind = sniff(file.read(HEAD_BYTES))
    return Measured(facts=FileFacts(kind="document", format=kind.extension, size_bytes=size_bytes), mime=kind.mime)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """`store`: where they are stored; None while it cannot be used."""

    files: ResultFiles
    store: FileStore | None

    async def of(self, output: Output) -> bytes | None:
        """The small cover of an output, or None; never raises, except when canceled."""
        if output.cover_url is None:
            return None
        name = f"{output.job_id}/{output.position}.cover.jpg"
        try:
            async with asyncio.timeout(COVER_WITHIN_S):
                return await self._stored(name) or await self._make(output.cover_url, name)
        except Exception as error:  # noqa: BLE001  decoders of damaged pictures raise anything; the track is sent without it
            log.info("COVER_LEFT_OUT", position=output.position, error=type(error).__name__)
            return None

    async def _stored(self, name: str) -> bytes | None:
        """The stored cover; None when there is none, or its store does not answer."""
        if self.store is None:
            return None
        try:
            return await self.store.read_small(name, most_bytes=COVER_BYTES)
        except Transient:
            return None

    async def _make(self, url: str, name: str) -> bytes:
        data = await self._fetch(url)
        small = await asyncio.get_running_loop().run_in_executor(DECODER, cover_jpeg, data)
        if self.store is not None:
            with suppress(Transient):
                await self.store.put_bytes(name, small, mime="image/jpeg")
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


class CopiedOutput(NamedTuple):
    """An output, and our own copy of it."""

    output: Output
    copy: StoredFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultArchive:
    """Copies that are complete at the same time are recorded in one commit."""

    pool: Pool
    files: ResultFiles
    _copies: BatchWriter[NewCopy, None] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_copies", BatchWriter(self._record_copies))

    async def _record_copies(self, copies: Sequence[NewCopy]) -> list[None]:
        await outputs.record_copies(self.pool, copies)
        return [None] * len(copies)

    async def find(self, output: Output) -> StoredFile | None:
        """Our copy of an output; raises Transient when its store does not answer."""
        return await self.files.places.find(output.copy)

    async def try_find(self, output: Output) -> StoredFile | None:
        """Our copy of an output; None also when its store does not answer."""
        try:
            return await self.find(output)
        except Transient as error:
            log.warning("RESULT_STORE_FAILED", position=output.position, error=str(error))
            return None

    async def ensure_copy(self, output: Output) -> CopiedOutput:
        """The output with our own copy, made now if there is none; raises Transient when it cannot be fetched."""
        found = None if output.kept_as is None else await self.try_find(output)
        if found is not None:
            return CopiedOutput(output, found)
        failpoint("deliver.before_fetch")
        into = await self._store_for_new()
        kept = await (self._answer(output, into) if output.url == ANSWER_URL else self.files.fetch(output, into=into))
        failpoint("deliver.before_keep")
        await self._copies.add(NewCopy(output, kept))
        copied = replace(
            output,
            mime=kept.mime,
            size_bytes=kept.size_bytes,
            width=kept.width,
            height=kept.height,
            kept_as=kept.name,
            kept_in=kept.kept_in,
            sha256=kept.sha256,
            seconds=kept.seconds or output.seconds,
            is_transparent=kept.is_transparent,
        )
        return CopiedOutput(copied, self.files.places.written(copied.copy))

    async def _store_for_new(self) -> FileStore:
        """Where a new copy goes: the folder while a bucket does not answer, or a store is another installation's."""
        places = self.files.places
        if places.current is places.folder:
            return places.current
        if places.is_resting(places.current):
            return places.folder
        try:
            if not places.is_known(places.current):
                await places.require_ours(places.current, owner=await outputs.store_owner(self.pool))
        except Transient as error:
            places.note_failure(places.current)
            log.error("RESULT_STORE_FAILED", store=str(places.current.address), error=str(error))
            return places.folder
        return places.current

    @asynccontextmanager
    async def noticing_damage(self, *used: Output) -> AsyncIterator[None]:
        """Record which of these outputs' copies turned out to be damaged in the block; the error passes."""
        try:
            yield
        except CopyDamaged as error:
            for output in used:
                if output.kept_as == error.name and await self._is_damaged(output):
                    log.error("RESULT_DAMAGED", position=output.position, error=str(error))
                    await outputs.record_damage(self.pool, output)
            raise

    async def _is_damaged(self, output: Output) -> bool:
        """Whether a second complete read has a wrong hash too; a copy that cannot be read now is not judged."""
        try:
            copy = await self.find(output)
            if copy is not None:
                await copy.read_once()
        except Transient as error:
            return isinstance(error, CopyDamaged)
        return False

    async def try_copy(self, output: Output) -> Output:
        """The output with our own copy if one can be made now, else as it is."""
        try:
            return (await self.ensure_copy(output)).output
        except Transient as error:
            log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            return output

    async def _answer(self, output: Output, into: FileStore) -> KeptFile:
        found = await outputs.result_object_of(self.pool, output.job_id)
        data = json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        return await self.files.write(output, data, into=into, mime="application/json", extension="json")

    async def label_of(self, output: Output, *, title: str | None, performer: str) -> Label:
        """What a player shows of an audio output. A cover is only sent with bytes Telegram does not have yet."""
        if kind_of(output) is not MediaKind.AUDIO:
            return UNLABELLED
        if output.file_id is not None:
            return Label(title=title, performer=performer or None, cover=None)
        store = await self._store_for_new()
        is_final = store is self.files.places.current
        cover = await Covers(files=self.files, store=store if is_final else None).of(output)
        return Label(title=title, performer=performer or None, cover=cover)

    async def keep(self, output: Output) -> None:
        with correlated(output.corr, job_id=output.job_id):
            try:
                await self._bring(output)
            except Transient as error:
                if _is_put_off(output, error):
                    await outputs.put_off_keeping(self.pool, output, after=LATER)
                log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            else:
                log.info("RESULT_KEPT", position=output.position)

    async def _bring(self, output: Output) -> None:
        """Make a copy where it belongs: from where it is, else from Kie."""
        places = self.files.places
        copy = await self.find(output)
        if copy is None:
            await self._require_final((await self.ensure_copy(output)).output)
        else:
            async with self.noticing_damage(output):
                await move_copy(self.pool, places, output, copy, to=places.current)

    async def _require_final(self, output: Output) -> None:
        if output.kept_in != self.files.places.called(self.files.places.current):
            raise StoreUnavailable(StoreTrouble.UNREACHABLE)


def _is_put_off(output: Output, error: Transient) -> bool:
    """Whether the attempt does not count: no room, no store, or the copy lies on the disk of another instance."""
    is_elsewhere = output.kept_as is not None and not isinstance(error, CopyDamaged)
    return is_elsewhere or isinstance(error, NoDiskSpace | StoreUnavailable)


async def move_copy(pool: Pool, places: ResultPlaces, output: Output, copy: StoredFile, *, to: FileStore) -> bool:
    """Copy → record → delete the old one; killed in between, it is repeated or the sweep deletes what is left.

    Return False if nothing was moved: the copy is there already, or the row changed meanwhile; then the sweep deletes
    whichever copy it does not name.
    """
    await places.require_ours(to, owner=await outputs.store_owner(pool))
    name = copy.found.name
    if await copy.store.has_same_file(name, to):
        await outputs.record_place(pool, output, kept_in=places.called(to), sha256=copy.sha256)
        return False
    async with copy.local() as path:
        sha256 = copy.sha256 or await asyncio.to_thread(_hash, path)
        part = await asyncio.to_thread(_part_in, to.folder, path) if to.folder is not None else path
        try:
            await to.put_file(name, part, mime=output.mime or DEFAULT_MIME)
        finally:
            if to.folder is not None:
                await asyncio.to_thread(part.unlink, missing_ok=True)
    await _compare_written(replace(copy, store=to, sha256=sha256))
    failpoint("results.after_copy")
    is_moved = await outputs.record_place(pool, output, kept_in=places.called(to), sha256=sha256)
    failpoint("results.after_record")
    if is_moved and not await copy.store.has_same_file(name, to):
        await _move_cover(copy, to=to)
        if copy.found.is_version(await copy.store.find(name)):
            await copy.store.delete([name])
    return is_moved


async def _compare_written(expected: StoredFile) -> None:
    """Read back what was written, once it is on the disk; raises StoreUnavailable."""
    store, name = expected.store, expected.found.name
    await store.sync(name)
    written = await store.find(name)
    try:
        if written is not None and written.size_bytes == expected.size_bytes:
            return await replace(expected, found=written).compare()
    except CopyLost as error:
        log.error("RESULT_STORE_FAILED", store=str(store.address), error=str(error))
    raise StoreUnavailable(StoreTrouble.SERVER_ERROR)


async def _move_cover(copy: StoredFile, *, to: FileStore) -> None:
    name = cover_name(copy.found.name)
    cover = await copy.store.read_small(name, most_bytes=COVER_BYTES)
    if cover is not None:
        await to.put_bytes(name, cover, mime="image/jpeg")
        await to.sync(name)
        await copy.store.delete([name])


def _hash(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _make_folders(*folders: Path) -> None:
    for folder in folders:
        make_private(folder)


def _part_in(folder: Path, path: Path) -> Path:
    """A complete copy of a file below a folder, to be renamed there."""
    _make_folders(folder, folder / PARTS)
    part = folder / PARTS / f"move.{secrets.token_hex(8)}"
    with path.open("rb") as source, open_private(part) as target:
        shutil.copyfileobj(source, target, MIB)
    return part


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCopies:
    places: ResultPlaces

    async def count(self, pool: Pool, older_than: timedelta) -> int:
        return await outputs.count_old_copies(pool, older_than=older_than)

    async def delete(self, pool: Pool, older_than: timedelta, limit: int) -> Batch:
        """Delete a batch; a store that does not answer is left for later."""
        copies = await outputs.old_copies(pool, older_than=older_than, limit=limit)
        try:
            await self._delete(copies, owner=await outputs.store_owner(pool))
        except StoreUnavailable as error:
            log.error("RESULT_STORE_FAILED", error=str(error))
            return Batch(0, more=False)
        await outputs.forget_copies(pool, copies, older_than=older_than)
        return Batch(len(copies), more=len(copies) == limit)

    async def _delete(self, copies: Sequence[OldCopy], *, owner: str) -> None:
        for kept_in in {copy.kept_in for copy in copies}:
            names = [copy.kept_as for copy in copies if copy.kept_in == kept_in]
            for store in self.places.candidates(kept_in):
                if await self.places.is_foreign(store, owner=owner):
                    continue
                await store.delete([each for name in names for each in (name, cover_name(name))])
