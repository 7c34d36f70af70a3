"""The outputs of a job as rows: where Kie keeps each, what its bytes are, our own copy, Telegram's file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from photomat.db.floors import Queue
from photomat.db.pool import Pool
from photomat.db.rows import row_as
from photomat.kernel.ids import JobId
from photomat.storage.places import CopyRecord

MAX_TRIES: Final = 8
KEEP_LEASE: Final = timedelta(seconds=150)
"""Longer than a copy may take, so that a slow file is not fetched twice at once."""

OURS: Final = "bot_id = (SELECT bot_id FROM installation)"
"""The job belongs to the bot that owns the database. File ids of Telegram are valid for one bot only."""

SAME_AT_TELEGRAM: Final = f"""
    file_id IS NOT NULL AND media IN ('audio', 'document', 'video') AND mime IS DISTINCT FROM 'image/gif'
    AND EXISTS (SELECT FROM generation_jobs AS job WHERE job.job_id = output.job_id AND job.{OURS})
"""
"""Telegram has the same bytes, and our bot can access them. A photo is compressed, a GIF becomes a video: such originals exist
only here.
"""

UPLOAD_LATER: Final = timedelta(minutes=1)
"""How soon a copy is brought into the bucket that did not take it at first."""

IS_DUE: Final = "keep_at <= photomat_now() AND keep_at >= coalesce({floor}, '-infinity'::timestamptz)"
KEEPS: Final = Queue(
    due=f"SELECT 1 FROM job_outputs WHERE {IS_DUE}",  # noqa: S608  a constant of ours
    oldest=f"SELECT least(min(keep_at), photomat_now()) - interval '1 second' FROM job_outputs WHERE {IS_DUE}",  # noqa: S608  likewise
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output. `kept_as` is our copy's name below the results folder; `title`, cover and length are as Kie reports them.

    `is_transparent`: a picture that is not opaque everywhere. `is_track`: a song that Kie can continue.
    """

    job_id: JobId
    corr: str
    position: int
    url: str
    media: str | None
    mime: str | None
    size_bytes: int | None
    width: int | None
    height: int | None
    kept_as: str | None
    file_id: str | None
    title: str | None = None
    cover_url: str | None = None
    seconds: Decimal | None = None
    is_transparent: bool = False
    is_track: bool = False
    kept_in: str | None = None
    sha256: bytes | None = None

    @property
    def copy(self) -> CopyRecord:
        return CopyRecord(kept_as=self.kept_as, kept_in=self.kept_in, size_bytes=self.size_bytes, sha256=self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A complete copy: its name, the store it is in, what it is. `is_final`: the store is the one of the settings."""

    name: str
    kept_in: str | None
    is_final: bool
    sha256: bytes
    mime: str
    size_bytes: int
    width: int | None
    height: int | None
    seconds: Decimal | None = None
    is_transparent: bool = False


async def outputs_of(pool: Pool, job_id: JobId) -> list[Output]:
    [found] = await outputs_of_jobs(pool, [job_id])
    return found


async def outputs_of_jobs(pool: Pool, job_ids: Sequence[JobId]) -> list[list[Output]]:
    """The outputs of each of these jobs, in their order."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, corr, position, url, media, mime, size_bytes, width, height, kept_as,
               CASE WHEN job.{OURS} THEN file_id END AS file_id, output.title, cover_url, seconds,
               see_through AS is_transparent, track_id IS NOT NULL AS is_track, kept_in, sha256
          FROM job_outputs AS output JOIN generation_jobs AS job USING (job_id)
         WHERE job_id = ANY($1::bigint[]) AND forgotten_at IS NULL ORDER BY position
        """,  # noqa: S608  our own constants
        job_ids,
    )
    found: dict[JobId, list[Output]] = {job_id: [] for job_id in job_ids}
    for row in rows:
        found[row["job_id"]].append(row_as(Output, row))
    return [found[job_id] for job_id in job_ids]


async def result_object_of(pool: Pool, job_id: JobId) -> Mapping[str, Any]:
    found = await pool.fetchval("SELECT result_object FROM generation_jobs WHERE job_id = $1", job_id)
    return found or {}


class NewCopy(NamedTuple):
    """An output, and the complete copy of it that was just made."""

    output: Output
    kept: KeptFile


async def record_copies(pool: Pool, copies: Sequence[NewCopy]) -> None:
    """Record complete copies; one that is not where it belongs is due again."""
    ordered = sorted(copies, key=lambda copy: (copy.output.job_id, copy.output.position))
    await pool.execute(
        """
        UPDATE job_outputs AS output
           SET mime = copy.mime, size_bytes = copy.size_bytes, width = copy.width, height = copy.height,
               kept_as = copy.name, kept_at = photomat_now(),
               keep_at = CASE WHEN copy.is_final THEN NULL ELSE photomat_now() + $1::interval END,
               seconds = coalesce(copy.seconds, output.seconds), see_through = copy.is_transparent, kept_in = copy.kept_in,
               sha256 = copy.sha256
          FROM unnest($2::bigint[], $3::int[], $4::text[], $5::bigint[], $6::int[], $7::int[], $8::text[], $9::numeric[],
                      $10::bool[], $11::text[], $12::bytea[], $13::bool[])
               AS copy (job_id, position, mime, size_bytes, width, height, name, seconds, is_transparent, kept_in, sha256,
                        is_final)
         WHERE output.job_id = copy.job_id AND output.position = copy.position
        """,
        UPLOAD_LATER,
        [copy.output.job_id for copy in ordered],
        [copy.output.position for copy in ordered],
        [copy.kept.mime for copy in ordered],
        [copy.kept.size_bytes for copy in ordered],
        [copy.kept.width for copy in ordered],
        [copy.kept.height for copy in ordered],
        [copy.kept.name for copy in ordered],
        [copy.kept.seconds for copy in ordered],
        [copy.kept.is_transparent for copy in ordered],
        [copy.kept.kept_in for copy in ordered],
        [copy.kept.sha256 for copy in ordered],
        [copy.kept.is_final for copy in ordered],
    )


async def record_place(pool: Pool, output: Output, *, kept_in: str | None, sha256: bytes | None) -> bool:
    """The copy was moved; return False if its row says something else by now."""
    return bool(
        await pool.fetchval(
            """
            UPDATE job_outputs SET kept_in = $5, sha256 = coalesce($6, sha256), keep_at = NULL
             WHERE job_id = $1 AND position = $2 AND kept_as = $3 AND kept_in IS NOT DISTINCT FROM $4
            RETURNING true
            """,
            output.job_id,
            output.position,
            output.kept_as,
            output.kept_in,
            kept_in,
            sha256,
        )
    )


async def record_damage(pool: Pool, output: Output) -> None:
    """The copy is damaged: it counts as none, and is fetched again while Kie has the file."""
    await pool.execute(
        """
        UPDATE job_outputs SET kept_as = NULL, kept_at = NULL, keep_at = photomat_now(), keep_tries = 0
         WHERE job_id = $1 AND position = $2 AND kept_as = $3 AND kept_in IS NOT DISTINCT FROM $4 AND sha256 = $5
        """,
        output.job_id,
        output.position,
        output.kept_as,
        output.kept_in,
        output.sha256,
    )


async def claim_unkept(pool: Pool, *, limit: int, lease: timedelta) -> list[Output]:
    """Claim outputs that are not copied yet, or not where they belong; what fails is due again with backoff.

    One without a copy is given up in the end; one whose copy waits on the disk of some instance is not. Copying is
    idempotent, so the claim is only a date without a fence.
    """
    rows = await pool.fetch(
        f"""
        WITH due AS MATERIALIZED (
            SELECT job_id, position, corr FROM job_outputs JOIN generation_jobs USING (job_id)
             WHERE {IS_DUE.format(floor="$5")} AND (SELECT photomat_our_bot($4)) IS NOT NULL
             ORDER BY keep_at LIMIT $1 FOR UPDATE OF job_outputs SKIP LOCKED
        )
        UPDATE job_outputs AS output
           SET keep_tries = keep_tries + 1,
               keep_at = CASE WHEN keep_tries + 1 < $3 OR kept_as IS NOT NULL
                              THEN photomat_now() + $2::interval * power(2, least(keep_tries, $3)) END
          FROM due
         WHERE output.job_id = due.job_id AND output.position = due.position
        RETURNING output.job_id, due.corr, output.position, url, media, mime, size_bytes, width, height, kept_as, file_id,
                  output.title, cover_url, seconds, see_through AS is_transparent, track_id IS NOT NULL AS is_track,
                  kept_in, sha256
        """,  # noqa: S608  a constant of ours
        limit,
        lease,
        MAX_TRIES,
        pool.bot_id,
        pool.floors.of("keeps"),
    )
    return [row_as(Output, row) for row in rows]


async def put_off_keeping(pool: Pool, output: Output, *, after: timedelta) -> None:
    """There was no room for a copy, or it lies on another machine: retry after so long, without counting this attempt."""
    await pool.execute(
        """
        UPDATE job_outputs SET keep_at = photomat_now() + $3::interval, keep_tries = greatest(keep_tries - 1, 0)
         WHERE job_id = $1 AND position = $2 AND (kept_as IS NULL OR keep_at IS NOT NULL)
        """,
        output.job_id,
        output.position,
        after,
    )


async def record_file_id(pool: Pool, output: Output, *, media: str, file_id: str) -> None:
    """Record Telegram's file id, by which the output is shown from now on; not for a job of another bot."""
    await pool.execute(
        """
        UPDATE job_outputs AS output SET media = $3, file_id = $4
          FROM generation_jobs AS job
         WHERE output.job_id = $1 AND position = $2 AND job.job_id = output.job_id AND job.bot_id = $5
        """,
        output.job_id,
        output.position,
        media,
        file_id,
        pool.bot_id,
    )


async def count_old_copies(pool: Pool, *, older_than: timedelta) -> int:
    return int(
        await pool.fetchval(
            f"""
            SELECT count(*) FROM job_outputs AS output
             WHERE kept_at < photomat_now() - $1::interval AND kept_as IS NOT NULL AND {SAME_AT_TELEGRAM}
            """,  # noqa: S608  our own constants
            older_than,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OldCopy:
    job_id: JobId
    position: int
    kept_as: str
    kept_in: str | None


async def old_copies(pool: Pool, *, older_than: timedelta, limit: int) -> list[OldCopy]:
    """The oldest such copies."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, position, kept_as, kept_in FROM job_outputs AS output
         WHERE kept_at < photomat_now() - $1::interval AND kept_as IS NOT NULL AND {SAME_AT_TELEGRAM}
         ORDER BY kept_at LIMIT $2
        """,  # noqa: S608  our own constants
        older_than,
        limit,
    )
    return [row_as(OldCopy, row) for row in rows]


async def forget_copies(pool: Pool, copies: Sequence[OldCopy], *, older_than: timedelta) -> None:
    """The files of these copies are deleted; one copied again meanwhile is younger and stays."""
    await pool.execute(
        """
        UPDATE job_outputs AS output SET kept_as = NULL, kept_at = NULL
          FROM unnest($1::bigint[], $2::int[]) AS gone (job_id, position)
         WHERE output.job_id = gone.job_id AND output.position = gone.position AND kept_at < photomat_now() - $3::interval
        """,
        [copy.job_id for copy in copies],
        [copy.position for copy in copies],
        older_than,
    )


async def store_owner(pool: Pool) -> str:
    """What marks a bucket as that of this database."""
    return str(await pool.fetchval("SELECT store_id FROM installation"))
