"""Where copies of results lie, moving them from one store to another, and deleting what no row names.

Moving is copy → record → delete, output by output, also while the bot runs: a row names one place at any moment, and the file
is there. Killed anywhere, the next run goes on with the rows that still name another place, and the sweep deletes a copy that
was left behind: that of every day in the places of the settings, that of the next run where copies were moved from. Two runs at
once share the work; the second record changes nothing.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import Row, row_as
from photomat.delivery import outputs
from photomat.delivery.archive import move_copy
from photomat.delivery.outputs import SAME_AT_TELEGRAM, Output
from photomat.kernel.clock import epoch
from photomat.kernel.errors import Transient
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger
from photomat.storage.errors import CopyDamaged, CopyLost, StoreUnavailable
from photomat.storage.places import INCOMPLETE, NAME, SOURCES, ResultPlaces, StoredFile, cover_name
from photomat.storage.store import PARTS, FileStore, FoundFile

AT_ONCE: Final = 200
MOST_NOTED_BYTES: Final = 65_536
LEFT_AFTER: Final = timedelta(days=1)
"""A file younger than this may be one whose row is written right now."""
log = get_logger()


@dataclass(slots=True, kw_only=True)
class MoveReport:
    """What a run did. `missing`: copies that no store in reach has, such as those on another machine's disk."""

    moved: int = 0
    moved_bytes: int = 0
    missing: int = 0
    damaged: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not (self.damaged or self.failed)


@dataclass(slots=True, kw_only=True)
class SweepReport:
    seen: int = 0
    deleted: int = 0
    deleted_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesAt:
    """How many copies rows name in a place; None: the folder below DATA_DIR."""

    kept_in: str | None
    copies: int
    size_bytes: int
    waiting: int


async def list_places(pool: Pool) -> list[CopiesAt]:
    """Where copies are; reads every row of results."""
    rows = await pool.fetch(
        """
        SELECT kept_in, count(*) AS copies, coalesce(sum(size_bytes), 0)::bigint AS size_bytes,
               count(keep_at) AS waiting
          FROM job_outputs WHERE kept_as IS NOT NULL GROUP BY kept_in ORDER BY kept_in NULLS FIRST
        """
    )
    return [row_as(CopiesAt, row) for row in rows]


async def count_elsewhere(pool: Pool, *, kept_in: str | None) -> tuple[int, int]:
    """How many copies are in other places than this, and their bytes."""
    found = [place for place in await list_places(pool) if place.kept_in != kept_in]
    return sum(place.copies for place in found), sum(place.size_bytes for place in found)


async def move_copies(
    pool: Pool, places: ResultPlaces, *, to: FileStore, progress: Callable[[MoveReport], None] = lambda _report: None
) -> MoveReport:
    """Move every copy into one store; an output that cannot be moved now is counted and left as it is."""
    report, after = MoveReport(), (JobId(0), -1)
    await places.require_ours(to, owner=await outputs.store_owner(pool))
    sources = await _note_sources(pool, to)
    while batch := await _elsewhere(pool, kept_in=places.called(to), after=after):
        for output in batch:
            await _move_one(pool, places, output, to=to, report=report)
        after = (batch[-1].job_id, batch[-1].position)
        progress(report)
    await _sweep_sources(pool, places, sources, to=to)
    return report


async def _note_sources(pool: Pool, to: FileStore) -> list[str]:
    """Write into a store from where copies are moved there; return also what earlier runs wrote and could not end."""
    noted = await to.read_small(SOURCES, most_bytes=MOST_NOTED_BYTES)
    rows = await pool.fetch(
        "SELECT DISTINCT kept_in FROM job_outputs WHERE kept_as IS NOT NULL AND kept_in IS NOT NULL AND kept_in <> $1",
        str(to.address),
    )
    sources = sorted({*(json.loads(noted) if noted else ()), *(row["kept_in"] for row in rows)})
    if sources:
        await to.put_bytes(SOURCES, json.dumps(sources).encode(), mime="application/json")
    return sources


async def _sweep_sources(pool: Pool, places: ResultPlaces, sources: Sequence[str], *, to: FileStore) -> None:
    """Delete what killed runs left where they had moved copies from; forget a place once no copy is left there."""
    left = [each for each in sources if await _is_left(pool, places, places.named(each), to=to)]
    if left:
        await to.put_bytes(SOURCES, json.dumps(left).encode(), mime="application/json")
    elif sources:
        await to.delete([SOURCES])


async def _is_left(pool: Pool, places: ResultPlaces, source: FileStore, *, to: FileStore) -> bool:
    if source.is_same_place(to):
        return False
    if source.folder is not None and not source.folder.is_dir():
        return True
    try:
        await sweep_store(pool, places, source)
        async for page in source.listed():
            if any(_job_of(file.name) for file in page):
                return True
    except StoreUnavailable as error:
        log.error("RESULT_STORE_FAILED", store=str(source.address), error=str(error))
        return True
    return False


async def _move_one(pool: Pool, places: ResultPlaces, output: Output, *, to: FileStore, report: MoveReport) -> None:
    named = f"job {output.job_id}, output {output.position + 1}"
    try:
        copy = await places.find(output.copy)
        if copy is None:
            report.missing += 1
        elif await move_copy(pool, places, output, copy, to=to):
            report.moved += 1
            report.moved_bytes += copy.size_bytes
    except CopyLost as error:
        if await _is_as_read(pool, output):
            report.damaged += isinstance(error, CopyDamaged)
            report.failed += not isinstance(error, CopyDamaged)
            report.problems.append(f"{named}: {error}")
    except Transient as error:
        report.failed += 1
        report.problems.append(f"{named}: {error}")


async def _is_as_read(pool: Pool, output: Output) -> bool:
    """Whether the row still names this copy, and it was not moved meanwhile."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM job_outputs
             WHERE job_id = $1 AND position = $2 AND kept_as = $3 AND kept_in IS NOT DISTINCT FROM $4
            """,
            output.job_id,
            output.position,
            output.kept_as,
            output.kept_in,
        )
    )


async def _elsewhere(pool: Pool, *, kept_in: str | None, after: tuple[JobId, int]) -> list[Output]:
    """The next copies that are not in a place, in order of their jobs."""
    rows = await pool.fetch(
        """
        SELECT job_id, '' AS corr, position, url, media, mime, size_bytes, width, height, kept_as, file_id, title, cover_url,
               seconds, see_through AS is_transparent, track_id IS NOT NULL AS is_track, kept_in, sha256
          FROM job_outputs
         WHERE (job_id, position) > ($2, $3) AND kept_as IS NOT NULL AND kept_in IS DISTINCT FROM $1
         ORDER BY job_id, position LIMIT $4
        """,
        kept_in,
        *after,
        AT_ONCE,
    )
    return [row_as(Output, row) for row in rows]


async def sweep_store(pool: Pool, places: ResultPlaces, store: FileStore, *, dry_run: bool = False) -> SweepReport:
    """Delete files that are called like copies, complete or not, are older than a day, and are not needed.

    A row names a file, or no other copy of its output is known to be good: then it is needed, also if it is damaged.
    """
    report = SweepReport()
    await places.require_ours(store, owner=await outputs.store_owner(pool))
    newest = await pool.fetchval("SELECT coalesce(max(job_id), 0) FROM generation_jobs")
    before = datetime.fromtimestamp(epoch(), UTC) - LEFT_AFTER
    async for page in store.listed():
        report.seen += len(page)
        old = [file for file in page if file.changed_at < before]
        copies = [file for file in old if _job_of(file.name) in range(1, newest + 1)]
        parts = [file for file in old if file.name.startswith(f"{PARTS}/")]
        async for file in _unwanted(pool, places, store, [*parts, *copies]):
            if not dry_run:
                if not file.is_version(await store.find(file.name)):
                    continue
                await store.delete([file.name])
            report.deleted += 1
            report.deleted_bytes += file.size_bytes
    if report.deleted and not dry_run:
        log.info("RESULTS_SWEPT", store=str(store.address), count=report.deleted)
    return report


async def sweep_stores(pool: Pool, places: ResultPlaces, stores: Sequence[FileStore]) -> None:
    """The daily pass; a store that does not answer is left for tomorrow."""
    for store in stores:
        try:
            await sweep_store(pool, places, store)
        except StoreUnavailable as error:
            log.error("RESULT_STORE_FAILED", store=str(store.address), error=str(error))


def _job_of(name: str) -> int:
    """The job of a file called like a copy, or like an incomplete one; 0 for any other file."""
    named = NAME.fullmatch(name) or INCOMPLETE.fullmatch(name)
    return int(named["job"]) if named else 0


async def _unwanted(
    pool: Pool, places: ResultPlaces, store: FileStore, files: Sequence[FoundFile]
) -> AsyncIterator[FoundFile]:
    """One at a time, so that little happens between the look at a file and what is done about it."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, position, kept_as, kept_in, size_bytes, sha256,
               forgotten_at IS NULL AND NOT coalesce({SAME_AT_TELEGRAM}, false) AS is_only_here
          FROM job_outputs AS output JOIN generation_jobs USING (job_id) WHERE job_id = ANY($1::bigint[])
        """,  # noqa: S608  a constant of ours
        sorted({_job_of(file.name) for file in files}),
    )
    of_output = {(row["job_id"], row["position"]): row for row in rows}
    for file in files:
        if not await _is_wanted(places, store, file, of_output):
            yield file


async def _is_wanted(
    places: ResultPlaces, store: FileStore, file: FoundFile, of_output: Mapping[tuple[int, int], Row]
) -> bool:
    """A row names the file here, or a copy somewhere else that is not there, is damaged, or is this very file."""
    named = NAME.fullmatch(file.name)
    row = of_output.get((int(named["job"]), int(named["position"]))) if named else None
    if row is None:
        return False
    if row["kept_as"] is None:
        return bool(row["is_only_here"])
    is_named, place = file.name in {row["kept_as"], cover_name(row["kept_as"])}, places.named(row["kept_in"])
    if is_named and place.is_same_place(store):
        return True
    if not await _is_good(places, place, row):
        return True
    return is_named and await place.has_same_file(file.name, store)


async def _is_good(places: ResultPlaces, place: FileStore, row: Row) -> bool:
    """Whether the copy a row names is there, and its bytes are those that were written."""
    found = await place.find(row["kept_as"])
    if found is None or row["size_bytes"] not in {None, found.size_bytes}:
        return False
    try:
        await StoredFile(store=place, found=found, sha256=row["sha256"], places=places).verify()
    except CopyLost:
        return False
    return True
