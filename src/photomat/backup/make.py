"""Make a backup from beginning to end: dump, seal, name, prove, record, delete the oldest.

A dump that is complete gets its name before it is proved: a shop whose books are wrong needs its backups most. Older files are
deleted only after a proof.
"""

import asyncio
import fcntl
import hashlib
import os
import shutil
import tarfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import asyncpg

from photomat.backup import history
from photomat.backup.dump import SESSION, dump_into
from photomat.backup.file import (
    RESULTS_SUFFIX,
    SUFFIX,
    UNFINISHED,
    Manifest,
    keep_newest,
    new_file,
    publish,
    remove_unfinished,
    seal,
    usual_name,
)
from photomat.backup.proof import BackupProof, can_use_our_server, prove, remove_scratch, scratch_server
from photomat.db.pool import Connection, connect
from photomat.db.url import quote_identifier
from photomat.kernel.clock import epoch
from photomat.kernel.errors import PhotomatError, Startup
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.kernel.private_files import FILE_MODE, make_private
from photomat.storage.errors import CopyLost
from photomat.storage.places import NOT_COPIES, ResultPlaces, StoredFile
from photomat.storage.store import FileStore, FoundFile

LOCK_FILE: Final = ".photomat-backup.lock"
UNPROVED: Final = "it was not proved (--no-verify)"
ROOM: Final = 1.5
"""A restored copy is at most so many times as large as the database, indexes being rebuilt."""
FAILURES: Final = (PhotomatError, Startup, OSError, asyncpg.PostgresError)
T = TypeVar("T")
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupOrder:
    """What to make, and where; `keep` is how many files stay (None: all)."""

    dsn: str
    folder: Path
    name: str | None
    data_dir: Path
    made_by: str
    verify: bool
    keep: int | None
    results: ResultPlaces | None = None
    forgotten: Path | None = None
    """Who was forgotten, by number: copied beside the backups, for a restore forgets them again."""
    is_kept: bool = True
    """Recorded as a backup; False for a dump that is deleted after its proof, which must not pass for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedBackup:
    path: Path
    manifest: Manifest
    proof: BackupProof | None
    deleted: tuple[Path, ...]
    results: Path | None

    @property
    def is_proved(self) -> bool:
        return self.proof is not None and not self.proof.problems


def make_backup(order: BackupOrder) -> FinishedBackup:
    """Make a backup; call it in the main thread, outside of an event loop. A failure is recorded and raised."""
    with _only_one(order.folder):
        remove_unfinished(order.folder)
        remove_scratch(order.data_dir)
        backup_id = asyncio.run(_begin(order))
        try:
            path, manifest = asyncio.run(_dump(order))
            results = _copy_results(order, path)
            copy_forgotten(order.forgotten, order.folder)
            proof = _prove(order, path, manifest) if order.verify else None
        except FAILURES as error:
            asyncio.run(_failed(order, backup_id, str(error)))
            raise
        made = FinishedBackup(path=path, manifest=manifest, proof=proof, results=results, deleted=())
        asyncio.run(_end(order, backup_id, made))
        deleted = keep_newest(order.folder, order.keep) if order.keep and made.is_proved else []
    log.info("BACKUP", file=path.name, size=manifest.size_bytes, proved=made.is_proved, deleted=len(deleted))
    return FinishedBackup(path=path, manifest=manifest, proof=proof, results=results, deleted=tuple(deleted))


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """One backup at a time in a folder; the kernel frees the lock of a killed one."""
    make_private(folder)
    descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Startup(f"Another backup into {folder} is being made right now: wait for it.") from None
        yield
    finally:
        os.close(descriptor)


async def _dump(order: BackupOrder) -> tuple[Path, Manifest]:
    name = order.name or usual_name(datetime.fromtimestamp(epoch(), UTC))
    path = order.folder / name
    if path.exists():
        raise Startup(f"{path} exists; a backup never replaces another: choose another name.")
    unfinished = order.folder / f"{name}{UNFINISHED}"
    try:
        with new_file(order.folder, name=name) as stream:
            manifest = await dump_into(stream, order.dsn)
            failpoint("backup.after_dump")
            await asyncio.to_thread(seal, stream, manifest)
        publish(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path, manifest


def _copy_results(order: BackupOrder, path: Path) -> Path | None:
    """Put our copies of results into a tar file beside the dump; files in it never change once they are written."""
    if order.results is None or not _has_results(order.results):
        return None
    target = path.with_name(path.name.removesuffix(SUFFIX) + RESULTS_SUFFIX)
    unfinished = target.with_name(f"{target.name}{UNFINISHED}")
    with new_file(order.folder, name=target.name) as stream:
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for store in order.results.stores:
                if store.folder is not None:
                    _add_files(archive, store.folder)
                else:
                    asyncio.run(_add_objects(archive, store, order.results))
        stream.flush()
        os.fsync(stream.fileno())
    publish(unfinished, target)
    return target


def _has_results(places: ResultPlaces) -> bool:
    return places.is_bucket or any(
        store.folder is not None and store.folder.is_dir() for store in (places.current, places.folder)
    )


async def _add_objects(archive: tarfile.TarFile, store: FileStore, places: ResultPlaces) -> None:
    """Every file of a bucket, one at a time over our disk; one that the running bot deletes meanwhile is left out."""
    async for page in store.listed():
        for found in (each for each in page if each.name not in NOT_COPIES):
            with suppress(CopyLost):
                async with StoredFile(store=store, found=found, sha256=None, places=places).local() as path:
                    await asyncio.to_thread(_add_object, archive, path, found)


def _add_object(archive: tarfile.TarFile, path: Path, found: FoundFile) -> None:
    entry = tarfile.TarInfo(f"results/{found.name}")
    entry.size, entry.mtime, entry.mode = found.size_bytes, int(found.changed_at.timestamp()), FILE_MODE
    with path.open("rb") as file:
        archive.addfile(entry, file)


def _add_files(archive: tarfile.TarFile, folder: Path) -> None:
    """Every file of the folder; one that the running bot deletes meanwhile is left out."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and each.name not in NOT_COPIES):
        with suppress(FileNotFoundError):
            archive.add(path, arcname=f"results/{path.relative_to(folder).as_posix()}", recursive=False)


def copy_forgotten(record: Path | None, folder: Path) -> None:
    """Keep a whole copy of the list beside the backups; without it, an older copy stays."""
    if record is None or not record.is_file():
        return
    remains = folder / f"{record.name}{UNFINISHED}"
    remains.unlink(missing_ok=True)
    with new_file(folder, name=record.name) as stream:
        stream.write(record.read_bytes())
        stream.flush()
        os.fsync(stream.fileno())
    publish(remains, folder / record.name)


def _prove(order: BackupOrder, path: Path, manifest: Manifest) -> BackupProof:
    asyncio.run(_require_room(order))
    if can_use_our_server(manifest):
        with scratch_server(order.data_dir) as dsn:
            return asyncio.run(prove(dsn, path, manifest))
    return asyncio.run(prove_beside(order, path, manifest))


async def scratch_name(connection: Connection) -> str:
    """One for each shop's database, so that the next proof finds what a killed one left."""
    database = await connection.fetchval("SELECT current_database()")
    return f"photomat_scratch_{hashlib.sha256(str(database).encode()).hexdigest()[:16]}"


async def prove_beside(order: BackupOrder, path: Path, manifest: Manifest) -> BackupProof:
    """Prove in a database of its own on the shop's server, which is newer than ours; what a killed one left is removed."""
    connection = await connect(order.dsn, name=SESSION)
    try:
        name = await scratch_name(connection)
        if not await connection.fetchval("SELECT pg_try_advisory_lock(hashtext('photomat scratch'))"):
            raise Startup("Another backup of this database is being proved right now; run this one again later.")
        await connection.execute(f"DROP DATABASE IF EXISTS {quote_identifier(name)} WITH (FORCE)")
        await connection.execute(f"CREATE DATABASE {quote_identifier(name)} TEMPLATE template0")
        try:
            place = urlsplit(order.dsn)._replace(path=f"/{name}").geturl()
            return await prove(place, path, manifest)
        finally:
            await connection.execute(f"DROP DATABASE {quote_identifier(name)} WITH (FORCE)")
    finally:
        await connection.close(timeout=5)


async def _require_room(order: BackupOrder) -> None:
    size = int(
        await _with_connection(
            order, lambda connection: connection.fetchval("SELECT pg_database_size(current_database())")
        )
    )
    free = shutil.disk_usage(order.data_dir if order.data_dir.exists() else order.folder).free
    if free < size * ROOM:
        raise Startup(
            f"The backup is written, but {order.data_dir} has {free >> 20} MB left and the proof needs about"
            f" {int(size * ROOM) >> 20}: make room, or prove it on another machine; --no-verify leaves the proof out."
        )


async def _begin(order: BackupOrder) -> int | None:
    if not order.is_kept:
        return None
    return await _with_connection(order, lambda connection: history.record_begin(connection, made_by=order.made_by))


async def _end(order: BackupOrder, backup_id: int | None, made: FinishedBackup) -> None:
    problems = (UNPROVED,) if made.proof is None else made.proof.problems
    await _with_connection(
        order,
        lambda connection: history.record_end(
            connection,
            backup_id,
            file=str(made.path),
            manifest=made.manifest,
            is_proved=made.is_proved,
            error="; ".join(problems) or None,
        ),
    )


async def _failed(order: BackupOrder, backup_id: int | None, error: str) -> None:
    try:
        await _with_connection(order, lambda connection: history.record_failure(connection, backup_id, error=error))
    except FAILURES:
        log.error("BACKUP_NOT_RECORDED", error=error)


async def _with_connection(order: BackupOrder, do: Callable[[Connection], Awaitable[T]]) -> T:
    connection = await connect(order.dsn, name=SESSION, patience_s=10)
    try:
        return await do(connection)
    finally:
        await connection.close(timeout=5)
