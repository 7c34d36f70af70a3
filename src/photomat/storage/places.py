"""The places where copies of results are: the store of the settings, and where older copies still lie.

A row names the place of its copy; without a name it is the folder below DATA_DIR. A copy that is not there is looked for in the
store of the settings and in that folder, so results stay readable while they are moved, after a restore, and after a custom
folder was mounted elsewhere. A copy is used only if its size is the recorded one, and its bytes only if their SHA-256 is.
"""

import asyncio
import hashlib
import re
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from photomat.kernel.clock import epoch
from photomat.kernel.logs import get_logger
from photomat.kernel.private_files import make_private
from photomat.storage.address import FolderAddress, StoreAddress, parse_address
from photomat.storage.errors import CopyDamaged, CopyLost, CopyReplaced, StoreTrouble, StoreUnavailable, translated
from photomat.storage.store import MIB, NO_ACCESS, BucketAccess, FileStore, FoundFile

NAME: Final = re.compile(r"(?P<job>[1-9][0-9]{0,17})/(?P<position>[0-9]{1,6})\.(?P<rest>[a-z0-9]{1,12}|cover\.jpg)")
"""How a copy is called: the job, the position of the output, what it is."""
INCOMPLETE: Final = re.compile(r"(?P<job>[1-9][0-9]{0,17})/\.[a-z0-9.]{1,24}\.[0-9a-f]{8}\.part")
"""How a copy is called while a folder does not have all of it."""
MARK: Final = "photomat-store.json"
SOURCES: Final = "photomat-moved-from.json"
"""The places from where copies are moved into a store, as long as any of them has copies."""
NOT_COPIES: Final = frozenset({MARK, SOURCES})
"""What a store says of itself; it is part of no backup."""
MOST_MARK_BYTES: Final = 4096
MOST_REMEMBERED: Final = 4096
REST_S: Final = 30.0
MOST_REPLACED: Final = 3
OPEN_FILES: Final = Path("/proc/self/fd")
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRecord:
    """What a row says of a copy; a copy of version 0.4 has no hash."""

    kept_as: str | None
    kept_in: str | None
    size_bytes: int | None
    sha256: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A copy that is there. Its bytes are used only through `local` and `pieces`, which compare their hash."""

    store: FileStore
    found: FoundFile
    sha256: bytes | None
    places: "ResultPlaces"

    @property
    def suffix(self) -> str:
        _, dot, extension = self.found.name.rpartition(".")
        return dot + extension if dot else ""

    @property
    def size_bytes(self) -> int:
        return self.found.size_bytes

    @asynccontextmanager
    async def local(self) -> AsyncIterator[Path]:
        """A path of the whole file, valid in the block; raises CopyLost or StoreUnavailable before it."""
        if self.store.folder is not None:
            await self.verify()
            with self._held(self.store.folder / self.found.name) as path:
                yield path
            return
        with _unnamed(self.places.tmp) as file:
            await self._read_whole(partial(StoredFile.write_into, file=file))
            yield _path_of(file)

    async def write_into(self, file: BinaryIO) -> None:
        file.seek(0)
        async for piece in self.pieces():
            try:
                await asyncio.to_thread(file.write, piece)
            except OSError as error:
                raise translated(error) from None
        file.flush()
        file.seek(0)

    @contextmanager
    def _held(self, path: Path) -> Iterator[Path]:
        """A path that stays valid if the file is moved or deleted meanwhile, where the system has such paths."""
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise CopyLost("our copy of a result was moved or deleted", name=self.found.name) from None
        except OSError as error:
            raise translated(error) from None
        with file:
            yield _path_of(file) if OPEN_FILES.is_dir() else path

    async def verify(self) -> None:
        """Compare its hash, unless this process did so already; raises CopyLost."""
        if self.sha256 is not None and self._version not in self.places.verified:
            await self.compare()

    async def compare(self) -> None:
        """Read it and compare its hash; raises CopyLost."""
        await self._read_whole(StoredFile.read_once)

    async def _read_whole(self, read: Callable[["StoredFile"], Awaitable[None]]) -> None:
        """Read it, and retry once after a failed read: a wrong hash may come from the transfer, not from the file."""
        try:
            await read(self)
        except (CopyDamaged, CopyReplaced):
            await read(await self._found_again())

    async def read_once(self) -> None:
        async for _ in self.pieces():
            pass

    async def pieces(self, *, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """Its bytes. Of the whole file the last piece comes only if the hash is right: raises CopyDamaged before it."""
        end = self.size_bytes if end is None else end
        is_whole = start == 0 and end == self.size_bytes and self.sha256 is not None
        digest, last, is_first = hashlib.sha256(), b"", True
        async for version, piece in self._versions(start, end, is_whole=is_whole):
            is_first = version is self
            if not is_whole:
                yield piece
                continue
            await asyncio.to_thread(digest.update, piece)
            if last:
                yield last
            last = piece
        if not is_whole:
            return
        if digest.digest() != self.sha256:
            raise CopyDamaged("our copy of a result is damaged: its hash is not the recorded one", name=self.found.name)
        if self.found.e_tag is not None and is_first:
            self.places.remember(self._version)
        if last:
            yield last

    async def _versions(
        self, start: int, end: int, *, is_whole: bool
    ) -> AsyncGenerator[tuple["StoredFile", bytes], None]:
        """Pieces, and the version each is of; a file that is replaced meanwhile is read on, its hash tells whether rightly."""
        copy, replaced = self, 0
        while start < end:
            try:
                async for piece in copy.store.pieces(copy.found, start=start, end=end):
                    start += len(piece)
                    yield copy, piece
            except CopyReplaced:
                replaced += 1
                if self.sha256 is None or replaced > MOST_REPLACED:
                    raise
                copy = await self._found_again()
                if not is_whole:
                    await copy.verify()

    async def _found_again(self) -> "StoredFile":
        found = await self.store.find(self.found.name)
        if found is None or found.size_bytes != self.size_bytes:
            raise CopyLost("our copy of a result was moved or deleted", name=self.found.name)
        return replace(self, found=found)

    @property
    def _version(self) -> tuple[str, str, str | None]:
        return (str(self.store.address), self.found.name, self.found.e_tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPlaces:
    """`current` takes new copies. `folder` is the one below DATA_DIR, which also takes what a bucket refuses for a while.

    `tmp` holds files without a name while they are sent.
    """

    current: FileStore
    folder: FileStore
    tmp: Path
    access: BucketAccess = NO_ACCESS
    verified: set[tuple[str, str, str | None]] = field(default_factory=set)
    opened: dict[str, FileStore] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    failed_at: dict[str, float] = field(default_factory=dict)

    @property
    def is_bucket(self) -> bool:
        return self.current.folder is None

    @property
    def stores(self) -> list[FileStore]:
        """The places this machine writes to; one where both addresses lead to the same folder."""
        return [self.current] if self.current.is_same_place(self.folder) else [self.current, self.folder]

    def called(self, store: FileStore) -> str | None:
        """How a row names the place; None for the folder below DATA_DIR."""
        return None if store.address == self.folder.address else str(store.address)

    def at(self, address: StoreAddress) -> FileStore:
        """The store at an address, always the same one."""
        for store in (self.current, self.folder):
            if store.address == address:
                return store
        return self.opened.setdefault(str(address), FileStore(address, access=self.access))

    def named(self, kept_in: str | None) -> FileStore:
        return self.folder if kept_in is None else self.at(parse_address(kept_in))

    def candidates(self, kept_in: str | None) -> list[FileStore]:
        """Where a copy may be: where its row says, then where new ones go, then the folder."""
        return list(dict.fromkeys((self.named(kept_in), self.current, self.folder)))

    async def find(self, copy: CopyRecord) -> StoredFile | None:
        """The copy, if it is there with its recorded size; raises StoreUnavailable when that cannot be known now."""
        if copy.kept_as is None or NAME.fullmatch(copy.kept_as) is None:
            return None
        trouble: StoreUnavailable | None = None
        for store in self.candidates(copy.kept_in):
            try:
                found = await store.find(copy.kept_as)
            except StoreUnavailable as error:
                trouble = error
                continue
            if found is not None and copy.size_bytes in {None, found.size_bytes}:
                return StoredFile(store=store, found=found, sha256=copy.sha256, places=self)
        if trouble is not None:
            raise trouble
        return None

    def written(self, copy: CopyRecord) -> StoredFile:
        """A copy that is complete since just now, without a look at its store; its hash is compared at each use."""
        name, size_bytes = copy.kept_as or "", copy.size_bytes or 0
        found = FoundFile(
            name=name, size_bytes=size_bytes, e_tag=None, changed_at=datetime.fromtimestamp(epoch(), tz=UTC)
        )
        return StoredFile(store=self.named(copy.kept_in), found=found, sha256=copy.sha256, places=self)

    def remember(self, version: tuple[str, str, str | None]) -> None:
        if len(self.verified) >= MOST_REMEMBERED:
            self.verified.clear()
        self.verified.add(version)

    def is_resting(self, store: FileStore) -> bool:
        """Whether a store failed so short a time ago that deliveries do not wait for it again."""
        return store.folder is None and monotonic() - self.failed_at.get(str(store.address), -REST_S) < REST_S

    def note_failure(self, store: FileStore) -> None:
        self.failed_at[str(store.address)] = monotonic()

    async def require_ours(self, store: FileStore, *, owner: str) -> None:
        """Mark a store as this installation's, or refuse it: two of them would overwrite each other's files.

        The folder below DATA_DIR is not marked: it outlives a database that is created again.
        """
        if self.is_known(store):
            return
        is_unmarked = store is not self.folder and await store.find(MARK) is None
        is_ours = is_unmarked and await store.put_once(MARK, _mark(owner))
        if not is_ours and await self.is_foreign(store, owner=owner):
            raise StoreUnavailable(StoreTrouble.FOREIGN)
        self.owned.add(str(store.address))

    async def is_foreign(self, store: FileStore, *, owner: str) -> bool:
        """Whether another installation marked it: then its files are not ours, whatever they are called."""
        if self.is_known(store):
            return False
        return await store.read_small(MARK, most_bytes=MOST_MARK_BYTES) not in {None, _mark(owner)}

    def is_known(self, store: FileStore) -> bool:
        """Whether this process found that it is ours."""
        return str(store.address) in self.owned


@lru_cache(maxsize=64)
def one_folder(folder: Path) -> ResultPlaces:
    """Everything in one folder."""
    store = FileStore(FolderAddress(folder))
    return ResultPlaces(current=store, folder=store, tmp=Path(tempfile.gettempdir()))


def _mark(owner: str) -> bytes:
    return f'{{"photomat": "{owner}"}}\n'.encode()


def cover_name(kept_as: str) -> str:
    """The name of the cover beside a copy."""
    return f"{kept_as.partition('.')[0]}.cover.jpg"


def _unnamed(tmp: Path) -> BinaryIO:
    try:
        make_private(tmp)
        return tempfile.TemporaryFile(dir=tmp, buffering=MIB)  # type: ignore[return-value]
    except OSError as error:
        raise translated(error) from None


def _path_of(file: BinaryIO) -> Path:
    """The path under which a file without a name can be opened again, while it is open."""
    folder = OPEN_FILES if OPEN_FILES.is_dir() else Path("/dev/fd")
    return folder / str(file.fileno())
