"""Everything that is held about a user as one zip: a JSON file a table, an index in words, and our copies of the results.

Memory is bounded: rows come by cursor, files in pieces. Copies that do not fit `most_bytes` are listed with their links
instead. This module reads every table the registry names, and writes none.
"""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from photomat.db.pool import Pool, transaction
from photomat.delivery.archive import ResultArchive
from photomat.delivery.fallbacks import ResultLinks
from photomat.delivery.outputs import Output, outputs_of
from photomat.kernel.errors import Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId, UserId
from photomat.privacy.personal_data import PersonalData, PersonalTable
from photomat.storage.errors import CopyLost
from photomat.storage.places import StoredFile
from photomat.texts.load import Texts

ROWS_AT_ONCE: Final = 200
JOBS_AT_ONCE: Final = 200
NO_LIMIT: Final = 2**63 - 1
COPIED_AT_ONCE: Final = 256 * 1024
INDEX: Final = "index.txt"
SPARE_BYTES: Final = 256 * 1024
"""For the zip's own directory and the index."""


class ExportTooLarge(Rejected):
    """The data alone is larger than the file may be."""

    def __init__(self) -> None:
        super().__init__("export-too-large")


@dataclass(slots=True, kw_only=True)
class Exported:
    """What is in an export: rows by table, results with a copy inside, results that are only listed."""

    rows: dict[str, int] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportBuilder:
    pool: Pool
    personal: PersonalData
    archive: ResultArchive
    links: ResultLinks
    texts: Texts

    async def build(self, user_id: UserId, file: BinaryIO, *, language: str, most_bytes: int = NO_LIMIT) -> Exported:
        """Write the zip into an open file; raises ExportTooLarge if the data alone does not fit."""
        found = Exported()
        failpoint("export.before_build")
        with ZipFile(file, "w", ZIP_DEFLATED) as made:
            for name, table in self.personal.tables.items():
                if table.of_user:
                    found.rows[name] = await self._table(made, name, table, user_id)
                    _require(file, most_bytes)
            await self._results(made, found, user_id, file=file, most_bytes=most_bytes)
            made.writestr(INDEX, self._index(found, user_id, language))
        _require(file, most_bytes)
        return found

    async def _table(self, made: ZipFile, name: str, table: PersonalTable, user_id: UserId) -> int:
        """One JSON array, a row a line."""
        count = 0
        async with transaction(self.pool) as tx:
            with made.open(f"data/{name}.json", "w", force_zip64=True) as entry:
                entry.write(b"[")
                async for row in tx.cursor(_select(name, table), user_id, prefetch=ROWS_AT_ONCE):
                    entry.write((",\n" if count else "\n").encode() + row["line"].encode())
                    count += 1
                entry.write(b"\n]\n")
        return count

    async def _results(
        self, made: ZipFile, found: Exported, user_id: UserId, *, file: BinaryIO, most_bytes: int
    ) -> None:
        """Newest first: what does not fit is old."""
        before = JobId(NO_LIMIT)
        while jobs := await _done_jobs(self.pool, user_id, before):
            before = jobs[-1]
            for job_id in jobs:
                for output in await outputs_of(self.pool, job_id):
                    await self._result(made, found, output, room=most_bytes - file.tell())

    async def _result(self, made: ZipFile, found: Exported, output: Output, *, room: int) -> None:
        copy = await self.archive.find(output)
        if copy is not None and copy.size_bytes + SPARE_BYTES < room and await self._is_inside(made, output, copy):
            found.inside.append(f"results/{copy.found.name}")
        else:
            link = self.links.to(output, is_kept=copy is not None)
            found.listed.append(f"{output.job_id}/{output.position + 1}: {link.url}")

    async def _is_inside(self, made: ZipFile, output: Output, copy: StoredFile) -> bool:
        """Copy a result into the zip; False if it turned out to be damaged."""
        try:
            async with self.archive.noticing_damage(output), copy.local() as path:
                await asyncio.to_thread(_copy, made, path, f"results/{copy.found.name}")
        except CopyLost:
            return False
        return True

    def _index(self, found: Exported, user_id: UserId, language: str) -> str:
        say = self.texts.speaker(language)
        lines = [say("export-index-title", user=str(user_id)), "", say("export-index-data")]
        lines += [
            f"data/{name}.json — {say('export-file-' + name.replace('_', '-'))}: {count}"
            for name, count in found.rows.items()
            if count
        ]
        lines += ["", say("export-index-inside", count=len(found.inside)), *found.inside]
        lines += ["", say("export-index-listed", count=len(found.listed)), *found.listed]
        lines += ["", say("export-index-left-out"), "", say("export-index-others"), ""]
        return "\n".join(lines)


def _require(file: BinaryIO, most_bytes: int) -> None:
    if file.tell() > most_bytes:
        raise ExportTooLarge


def _select(name: str, table: PersonalTable) -> str:
    without = ", ".join(f"'{column}'" for column in table.without)
    changed = ", ".join(f"'{column}', {instead}" for column, instead in table.changed.items())
    return (
        f"SELECT ((to_jsonb({name}) || jsonb_build_object({changed})) - ARRAY[{without}]::text[])::text AS line FROM {name}"  # noqa: S608  our own registry
        f" WHERE {table.of_user}"
    )


def _copy(made: ZipFile, path: Path, name: str) -> None:
    """Results are compressed already."""
    entry = ZipInfo.from_file(path, name)
    entry.compress_type = ZIP_STORED
    with path.open("rb") as source, made.open(entry, "w") as target:
        shutil.copyfileobj(source, target, COPIED_AT_ONCE)


async def _done_jobs(pool: Pool, user_id: UserId, before: JobId) -> list[JobId]:
    rows = await pool.fetch(
        """
        SELECT job_id FROM generation_jobs
         WHERE user_id = $1 AND job_id < $2 AND status = 'done' AND forgotten_at IS NULL ORDER BY job_id DESC LIMIT $3
        """,
        user_id,
        before,
        JOBS_AT_ONCE,
    )
    return [JobId(row["job_id"]) for row in rows]


def export_name(user_id: UserId) -> str:
    return f"photomat-{user_id}.zip"


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A new file of mode 0600; it is removed again if the block fails. Raises FileExistsError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise
