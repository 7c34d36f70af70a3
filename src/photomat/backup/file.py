"""The file of a backup: PostgreSQL's custom format with our manifest behind it, so that one file is complete or not a backup.

`pg_restore` reads the dump by its own table of contents and never reaches what follows it, so the file also works without this
program. The manifest is written last, with the checksum of everything before it; the file has a temporary name until it and
its folder are on disk. Killed at any moment: either the whole file, or one with a temporary name that the next backup removes.
"""

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from photomat.kernel.errors import Startup
from photomat.kernel.private_files import FILE_MODE, make_private

SUFFIX: Final = ".photomat"
UNFINISHED: Final = ".unfinished"
RESULTS_SUFFIX: Final = ".results.tar"
PREFIX: Final = "photomat-"
MAGIC: Final = b"PHOTOMAT-BACKUP-1\n"
FOOTER: Final = struct.Struct(f">Q{len(MAGIC)}s")
MAX_MANIFEST_BYTES: Final = 1 << 20
CHUNK: Final = 1 << 20


class NotABackup(Startup):
    """The file is damaged, incomplete, or was not made by `photomat backup`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the file holds: whose shop, of when, in which schema, how many rows of each table, and the checksum of the dump."""

    version: str
    schema: int
    migrations: tuple[str, ...]
    bot_id: int | None
    currency: str | None
    snapshot_at: datetime
    server: str
    pg_schema: str
    rows: Mapping[str, int]
    figures: Mapping[str, int] = field(default_factory=dict)
    size_bytes: int = 0
    sha256: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "snapshot_at": self.snapshot_at.isoformat()}


def manifest_from_json(stored: Mapping[str, Any]) -> Manifest:
    known = {name: stored[name] for name in Manifest.__dataclass_fields__ if name in stored}
    at = datetime.fromisoformat(stored["snapshot_at"])
    int(str(stored["server"]).partition(".")[0])
    return Manifest(**{**known, "migrations": tuple(stored["migrations"]), "snapshot_at": at})


def new_file(folder: Path, *, name: str) -> BinaryIO:
    """Open a new file with a temporary name, readable for us alone from its first byte."""
    make_private(folder)
    path = folder / f"{name}{UNFINISHED}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    return os.fdopen(descriptor, "r+b")


def usual_name(at: datetime) -> str:
    """Sorted by name is sorted by time."""
    return f"{PREFIX}{at.astimezone(UTC):%Y%m%dT%H%M%SZ}{SUFFIX}"


def checksum(stream: BinaryIO, size: int) -> str:
    """The SHA-256 of the first bytes of a file."""
    digest, left = hashlib.sha256(), size
    stream.seek(0)
    while left:
        part = stream.read(min(CHUNK, left))
        if not part:
            break
        digest.update(part)
        left -= len(part)
    return digest.hexdigest()


def seal(stream: BinaryIO, manifest: Manifest) -> None:
    """Write the manifest behind the dump, and wait until all of it is on disk."""
    stream.seek(0, os.SEEK_END)
    body = json.dumps(manifest.as_json(), ensure_ascii=False, sort_keys=True).encode()
    stream.write(body + FOOTER.pack(len(body), MAGIC))
    stream.flush()
    os.fsync(stream.fileno())


def publish(unfinished: Path, path: Path) -> None:
    """Give a sealed file its name, for good."""
    unfinished.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_manifest(path: Path) -> Manifest:
    """The manifest of a sealed file; its checksum is not tested here (`require_whole`)."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - FOOTER.size))
            length, magic = FOOTER.unpack(stream.read(FOOTER.size))
            if magic != MAGIC or not 0 < length <= min(MAX_MANIFEST_BYTES, size):
                raise NotABackup(_not_ours(path))
            stream.seek(size - FOOTER.size - length)
            manifest = manifest_from_json(json.loads(stream.read(length)))
    except FileNotFoundError:
        raise NotABackup(f"There is no file {path}.") from None
    except (OSError, struct.error, ValueError, KeyError, TypeError) as error:
        raise NotABackup(f"{_not_ours(path)} ({type(error).__name__})") from None
    if manifest.size_bytes + length + FOOTER.size != size:
        raise NotABackup(f"{path} is damaged: its size is not the one it was made with. Use another backup.")
    return manifest


def require_whole(path: Path) -> Manifest:
    """The manifest of a file whose checksum was tested."""
    manifest = read_manifest(path)
    with path.open("rb") as stream:
        if checksum(stream, manifest.size_bytes) != manifest.sha256:
            raise NotABackup(
                f"{path} is damaged: its checksum differs from the one it was made with. Use another backup."
            )
    return manifest


def _not_ours(path: Path) -> str:
    return (
        f"{path} is incomplete, or was not made by `photomat backup`; a dump of your own is loaded with pg_restore,"
        " as docs/operations/backups.md says."
    )


def finished(folder: Path) -> Iterator[Path]:
    """The backups in a folder, newest first."""
    yield from sorted(folder.glob(f"{PREFIX}*{SUFFIX}"), reverse=True) if folder.is_dir() else ()


def remove_unfinished(folder: Path) -> None:
    """Remove what backups that were killed left; nothing else writes here now: the caller holds the folder's lock."""
    for path in folder.glob(f"*{UNFINISHED}"):
        with suppress(OSError):
            path.unlink()


def keep_newest(folder: Path, keep: int) -> list[Path]:
    """Delete all but the newest files of the usual name; return what was deleted."""
    old = list(finished(folder))[keep:]
    for path in old:
        with suppress(OSError):
            path.unlink()
            path.with_suffix(RESULTS_SUFFIX).unlink(missing_ok=True)
    return old
