"""A large file that stays on disk: sliced like bytes, so that what measures bytes can measure it, and never read whole."""

import hashlib
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, TypeAlias

BIG_BYTES: Final = 32 * 1024 * 1024
MAX_SLICE: Final = 1024 * 1024
CHUNK: Final = 1024 * 1024


class _Descriptor:
    """A descriptor of our own of an open file, which may be closed and deleted by others; closed with the last user."""

    def __init__(self, file: IO[bytes]) -> None:
        self.number = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.number)


class FileOnDisk:
    """A part of an open file, from `start`; a short slice of it is bytes, a long one is another part."""

    def __init__(self, file: "IO[bytes] | _Descriptor", *, start: int = 0, size: int | None = None) -> None:
        self._file = file if isinstance(file, _Descriptor) else _Descriptor(file)
        self._start = start
        self._size = os.fstat(self._file.number).st_size - start if size is None else size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> "bytes | FileOnDisk":
        start, stop, _ = part.indices(self._size)
        size = max(0, stop - start)
        if size > MAX_SLICE:
            return FileOnDisk(self._file, start=self._start + start, size=size)
        return os.pread(self._file.number, size, self._start + start)

    def chunks(self) -> Iterator[bytes]:
        for at in range(0, self._size, CHUNK):
            yield os.pread(self._file.number, min(CHUNK, self._size - at), self._start + at)

    def copy_to(self, path: Path) -> None:
        with path.open("wb") as copy:
            for chunk in self.chunks():
                copy.write(chunk)


Content: TypeAlias = bytes | FileOnDisk


def content_of(file: IO[bytes]) -> Content:
    """What an uploaded file contains; a large one stays in its temporary file."""
    return FileOnDisk(file) if os.fstat(file.fileno()).st_size > BIG_BYTES else file.read()


def content_at(path: Path) -> Content:
    if path.stat().st_size <= BIG_BYTES:
        return path.read_bytes()
    with path.open("rb") as file:
        return FileOnDisk(file)


def sha256_of(data: Content) -> str:
    digest = hashlib.sha256()
    for chunk in (data,) if isinstance(data, bytes) else data.chunks():
        digest.update(chunk)
    return digest.hexdigest()


def write_to(path: Path, data: Content) -> None:
    """Write a file; its name appears when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    if isinstance(data, bytes):
        part.write_bytes(data)
    else:
        data.copy_to(part)
    part.replace(path)
