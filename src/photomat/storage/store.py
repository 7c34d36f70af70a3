"""One store of files: a folder or a bucket, through one library (obstore), which is imported when the first file is touched.

A file appears under its name complete or not at all: in a folder by renaming a complete one, in a bucket by one request or by
the last one of a multipart upload. Every request carries the SHA-256 of its bytes in its signature. Killed in between, a folder
keeps a file below `.parts`, or a small one where it belongs, deleted after a day, and a bucket hidden parts, which its own
lifecycle rule deletes (docs/operations/results-store.md).

Bytes come in pieces of `PIECE_BYTES`, each by a request of its own for the same version of the file, so that a slow reader
holds neither memory nor a connection.
"""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from photomat.kernel.failpoint import failpoint
from photomat.kernel.private_files import FOLDER_MODE, make_private, open_private
from photomat.storage.address import BucketAddress, FolderAddress, StoreAddress
from photomat.storage.errors import CopyLost, CopyReplaced, translated

if TYPE_CHECKING:
    from obstore.store import ObjectStore

T = TypeVar("T")
MIB: Final = 1 << 20
PIECE_BYTES: Final = 8 * MIB
PART_BYTES: Final = 8 * MIB
"""A larger file goes into a bucket in parts of this size; S3 takes none below 5 MiB."""
PARTS_AT_ONCE: Final = 2
LISTED_AT_ONCE: Final = 1000
ANSWER_WITHIN_S: Final = 15.0
"""For a question about one file, retries included."""
LEAST_BYTES_PER_S: Final = MIB // 4
REQUEST_WITHIN: Final = timedelta(seconds=60)
ONE_SECOND: Final = timedelta(seconds=1)
CONNECT_WITHIN: Final = timedelta(seconds=5)
RETRIES: Final = 2
RETRY_WITHIN: Final = timedelta(seconds=20)
DEFAULT_REGION: Final = "us-east-1"
NO_SYNC_OF_FOLDERS: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EACCES})
"""What file systems of other kinds answer, and a folder we may pass but not read."""
PARTS: Final = ".parts"
"""The folder of incomplete files, below a folder of results; what a killed process left there is deleted after a day."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BucketAccess:
    """Endpoint and keys of buckets. Without keys the library asks the machine for its role, as on AWS."""

    endpoint: str | None = None
    region: str | None = None
    key_id: str | None = None
    secret: str | None = None
    token: str | None = None


NO_ACCESS: Final = BucketAccess()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file that is there; `e_tag` names its version."""

    name: str
    size_bytes: int
    e_tag: str | None
    changed_at: datetime

    def is_version(self, other: "FoundFile | None") -> bool:
        """Whether the file was not written in between; listings of buckets know parts of a second, answers about one do not."""
        return other is not None and self.e_tag == other.e_tag and abs(self.changed_at - other.changed_at) < ONE_SECOND


class FileStore:
    def __init__(self, address: StoreAddress, *, access: BucketAccess = NO_ACCESS) -> None:
        self.address = address
        self._access = access

    def __repr__(self) -> str:
        return f"FileStore({self.address})"

    @property
    def folder(self) -> Path | None:
        """The folder this store is; None for a bucket."""
        return self.address.path if isinstance(self.address, FolderAddress) else None

    def is_same_place(self, other: "FileStore") -> bool:
        """Whether two addresses lead to one place: a symbolic link, or a folder that is mounted twice."""
        if self.address == other.address:
            return True
        if self.folder is None or other.folder is None:
            return False
        try:
            return self.folder.samefile(other.folder)
        except OSError:
            return False

    async def has_same_file(self, name: str, other: "FileStore") -> bool:
        """Whether a name is one file in both places, also where a network folder is mounted twice.

        That has two devices; the version of a file holds inode, time and size.
        """
        if self.is_same_place(other):
            return True
        if self.folder is None or other.folder is None:
            return False
        here, there = await self.find(name), await other.find(name)
        return here is not None and there is not None and here.e_tag == there.e_tag

    @cached_property
    def _objects(self) -> "ObjectStore":
        from obstore.store import LocalStore, S3Store  # noqa: PLC0415  7 MB that most starts do not need

        if isinstance(self.address, FolderAddress):
            make_private(self.address.path)
            return LocalStore(self.address.path)
        return S3Store(self.address.bucket, **_bucket_options(self.address, self._access))

    async def find(self, name: str) -> FoundFile | None:
        import obstore  # noqa: PLC0415

        if self.folder is not None and not self.folder.is_dir():
            return None
        with _translating():
            async with asyncio.timeout(ANSWER_WITHIN_S):
                try:
                    return _found(await obstore.head_async(self._objects, name))
                except FileNotFoundError:
                    return None

    async def put_file(self, name: str, part: Path, *, mime: str) -> None:
        """Move a complete local file into the store; it is gone from where it was only if this store is a folder."""
        failpoint("store.before_put")
        if self.folder is not None:
            await _on_disk(_rename, part, self.folder / name)
        else:
            await self._upload(name, part, mime=mime)
        failpoint("store.after_put")

    async def put_bytes(self, name: str, data: bytes, *, mime: str) -> None:
        failpoint("store.before_put")
        if self.folder is not None:
            await _on_disk(_write, self.folder / name, data)
        else:
            await self._upload(name, data, mime=mime)
        failpoint("store.after_put")

    async def sync(self, name: str) -> None:
        """Write a file of a folder, and its name, through to the disk; a bucket has done so before it answers."""
        if self.folder is not None:
            await _on_disk(_sync, self.folder / name, self.folder)

    async def _upload(self, name: str, data: Path | bytes, *, mime: str) -> None:
        import obstore  # noqa: PLC0415

        with _translating():
            size = len(data) if isinstance(data, bytes) else (await asyncio.to_thread(data.stat)).st_size
            async with asyncio.timeout(ANSWER_WITHIN_S + size / LEAST_BYTES_PER_S):
                await obstore.put_async(
                    self._objects,
                    name,
                    data,
                    attributes={"Content-Type": mime},
                    chunk_size=PART_BYTES,
                    max_concurrency=PARTS_AT_ONCE,
                )

    async def put_once(self, name: str, data: bytes) -> bool:
        """Write a small file unless there is one of this name; return whether it was written."""
        if self.folder is not None:
            return await _on_disk(_write_once, self.folder, name, data)
        import obstore  # noqa: PLC0415
        from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415

        with _translating():
            async with asyncio.timeout(ANSWER_WITHIN_S):
                try:
                    await obstore.put_async(self._objects, name, data, mode="create")
                except AlreadyExistsError:
                    return False
        return True

    async def read_small(self, name: str, *, most_bytes: int) -> bytes | None:
        """A small file in one piece; None when there is none, or it is larger."""
        found = await self.find(name)
        if found is None or found.size_bytes > most_bytes:
            return None
        return b"".join([piece async for piece in self.pieces(found)])

    async def pieces(self, file: FoundFile, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of this very version, in order; raises CopyLost or CopyReplaced when it is not there any more."""
        end = file.size_bytes if end is None else end
        while start < end:
            upto = min(end, start + PIECE_BYTES)
            yield await self._piece(file, start, upto)
            start = upto

    async def _piece(self, file: FoundFile, start: int, end: int) -> bytes:
        import obstore  # noqa: PLC0415
        from obstore.exceptions import PreconditionError  # noqa: PLC0415

        options: Any = {"range": (start, end)} | ({} if file.e_tag is None else {"if_match": file.e_tag})
        with _translating():
            async with asyncio.timeout(ANSWER_WITHIN_S + REQUEST_WITHIN.total_seconds()):
                try:
                    answer = await obstore.get_async(self._objects, file.name, options=options)
                    data = bytes(await answer.bytes_async())
                except FileNotFoundError:
                    raise CopyLost("our copy of a result was moved or deleted", name=file.name) from None
                except PreconditionError:
                    raise CopyReplaced("our copy of a result was replaced", name=file.name) from None
        if len(data) != end - start:
            raise CopyReplaced("our copy of a result is shorter than it was", name=file.name)
        return data

    async def delete(self, names: Sequence[str]) -> None:
        """Delete files; those that are not there are deleted already."""
        import obstore  # noqa: PLC0415

        if self.folder is not None and not self.folder.is_dir():
            return
        for name in names:
            with _translating():
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    with suppress(FileNotFoundError):
                        await obstore.delete_async(self._objects, name)
        if self.folder is not None:
            await asyncio.to_thread(_remove_empty, {(self.folder / name).parent for name in names}, self.folder)

    async def listed(self, *, below: str = "", after: str = "") -> AsyncIterator[list[FoundFile]]:
        """Every file below a folder of the store, `LISTED_AT_ONCE` at a time; a bucket's are in order of their names."""
        import obstore  # noqa: PLC0415

        if self.folder is not None and not (self.folder / below).is_dir():
            return
        with _translating():
            found = obstore.list(self._objects, below or None, offset=after or None, chunk_size=LISTED_AT_ONCE)
            pages = aiter(found)
        while True:
            with _translating():
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    try:
                        page = await anext(pages)
                    except StopAsyncIteration:
                        return
            yield [_found(each) for each in page]

    async def plain_url(self, name: str) -> str:
        """Where a file would be if it were public: no signature, no key."""
        import obstore  # noqa: PLC0415

        with _translating():
            async with asyncio.timeout(ANSWER_WITHIN_S):
                signed: Any = await obstore.sign_async(cast("Any", self._objects), "GET", name, timedelta(minutes=1))
        return str(signed).partition("?")[0]


def _bucket_options(address: BucketAddress, access: BucketAccess) -> dict[str, Any]:
    keys = {"access_key_id": access.key_id, "secret_access_key": access.secret, "session_token": access.token}
    return {
        "prefix": address.prefix or None,
        "region": access.region or DEFAULT_REGION,
        "virtual_hosted_style_request": False,
        "disable_bulk_delete": True,
        "retry_config": {"max_retries": RETRIES, "retry_timeout": RETRY_WITHIN},
        "client_options": {
            "allow_http": (access.endpoint or "").startswith("http:"),
            "connect_timeout": CONNECT_WITHIN,
            "timeout": REQUEST_WITHIN,
        },
        **({} if access.endpoint is None else {"endpoint": access.endpoint}),
        **{name: value for name, value in keys.items() if value is not None},
    }


@contextmanager
def _translating() -> Iterator[None]:
    """Translate what the library, the disk and the clock raise; ours passes."""
    from obstore.exceptions import BaseError  # noqa: PLC0415

    try:
        yield
    except (BaseError, OSError, TimeoutError, ValueError, NotImplementedError) as error:
        raise translated(error) from None


async def _on_disk(do: Callable[..., T], *arguments: Any) -> T:
    try:
        return await asyncio.to_thread(do, *arguments)
    except OSError as error:
        raise translated(error) from None


def _found(meta: Any) -> FoundFile:
    return FoundFile(name=meta["path"], size_bytes=meta["size"], e_tag=meta["e_tag"], changed_at=meta["last_modified"])


def _rename(part: Path, path: Path) -> None:
    _make_folder(path.parent)
    part.replace(path)


def _write(path: Path, data: bytes) -> None:
    """Write a file of the folder; its name appears when it is complete. A rename within one folder costs least."""
    _make_folder(path.parent)
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        with open_private(part) as file:
            file.write(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write_once(folder: Path, name: str, data: bytes) -> bool:
    make_private(folder)
    make_private(folder / PARTS)
    part = folder / PARTS / f"{name}.{os.urandom(4).hex()}"
    try:
        with open_private(part) as file:
            file.write(data)
        os.link(part, folder / name)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if (folder / name).exists():
            return False
        part.replace(folder / name)
    finally:
        part.unlink(missing_ok=True)
    return True


def _sync(path: Path, root: Path) -> None:
    _sync_one(path)
    for folder in (path.parent, root, root.parent):
        try:
            _sync_one(folder)
        except OSError as error:
            if error.errno not in NO_SYNC_OF_FOLDERS:
                raise


def _sync_one(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _make_folder(folder: Path) -> None:
    """Make the folder of a job, and the one of all jobs where it is missing."""
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_private(folder.parent)
        make_private(folder)


def _remove_empty(folders: set[Path], root: Path) -> None:
    for folder in folders - {root}:
        with suppress(OSError):
            folder.rmdir()
