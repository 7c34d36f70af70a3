"""The statements on `input_files`, and those on outputs that become inputs.

Files in no open draft and no job under way may be deleted; an order made of them asks for them again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.catalog.answers import FileFacts
from photomat.catalog.reference import FileRef, JobRef
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.files.file import ConvertedCopy, FileContent, FromLink, FromOutput, FromTelegram, InputFile, Source
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import JobId, UserId
from photomat.storage.places import CopyRecord
from photomat.work.retention import OldRows

UPLOAD_LASTS: Final = timedelta(hours=12)
"""Kie keeps an upload for a day or more; it is used again for half of that."""
RESULT_LASTS: Final = timedelta(days=14)
"""How long Kie keeps results at most."""
TAKEN_LATELY: Final = timedelta(days=1)
SELECT_FILE: Final = """
    SELECT file_id, user_id, source, telegram_id, link, job_id, position, kind, format, mime, size_bytes, seconds,
           width, height, sha256, CASE WHEN kie_url_at > photomat_now() - $3::interval THEN kie_url END AS kie_url,
           converted_format, converted_bytes,
           CASE WHEN converted_at > photomat_now() - $3::interval THEN converted_url END AS converted_url
      FROM input_files"""
UNUSED_FILES: Final = OldRows(
    table="input_files",
    age="taken_at",
    only="""
        NOT EXISTS (SELECT FROM drafts
                     WHERE drafts.user_id = old.user_id AND expires_at > photomat_now()
                       AND canceled_at IS NULL AND bought_at IS NULL
                       AND jsonb_path_exists(inputs, '$.**.file ? (@ == $id)', jsonb_build_object('id', old.file_id)))
        AND NOT EXISTS (SELECT FROM generation_jobs AS job
                         WHERE job.user_id = old.user_id AND settled_at IS NULL
                           AND jsonb_path_exists(coalesce(request, inputs), '$.**.file ? (@ == $id)',
                                                 jsonb_build_object('id', old.file_id)))
    """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOutput:
    """An output of a job: Kie's URL, our copy, and Telegram's file id."""

    url: str
    copy: CopyRecord
    telegram_id: str | None


async def add_file(pool: Pool, *, user_id: UserId, origin: str, source: Source, content: FileContent) -> InputFile:
    """Record a file; one recorded before from the same origin is returned as it was."""
    facts = content.facts
    await pool.execute(
        """
        INSERT INTO input_files (user_id, origin, source, telegram_id, link, job_id, position,
                                 kind, format, mime, size_bytes, seconds, width, height, sha256)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            ON CONFLICT ON CONSTRAINT input_files_once DO NOTHING
        """,
        user_id,
        origin,
        *_columns(source),
        facts.kind,
        facts.format,
        content.mime,
        facts.size_bytes,
        facts.seconds,
        facts.width,
        facts.height,
        content.sha256,
    )
    found = await find_by_origin(pool, user_id=user_id, origin=origin)
    if found is None:
        raise Corrupt(f"the file of {origin} for user {user_id} was not stored")
    return found


async def find_by_origin(pool: Pool, *, user_id: UserId, origin: str) -> InputFile | None:
    row = await pool.fetchrow(f"{SELECT_FILE} WHERE user_id = $1 AND origin = $2", user_id, origin, UPLOAD_LASTS)
    return None if row is None else _file(row)


async def newest_from_telegram(pool: Pool) -> str | None:
    """Telegram's id of the file that was accepted last."""
    found: str | None = await pool.fetchval(
        "SELECT telegram_id FROM input_files WHERE telegram_id IS NOT NULL ORDER BY file_id DESC LIMIT 1"
    )
    return found


async def own_files(tx: Transaction, *, user_id: UserId, file_ids: Iterable[int]) -> Mapping[int, InputFile]:
    """These files by id, as far as they are this user's."""
    rows = await tx.fetch(
        f"{SELECT_FILE} WHERE user_id = $1 AND file_id = ANY($2::bigint[])", user_id, list(file_ids), UPLOAD_LASTS
    )
    return {row["file_id"]: _file(row) for row in rows}


async def files_still_there(tx: Transaction, refs: Iterable[FileRef], *, user_id: UserId) -> set[FileRef]:
    """Which of these files are the user's and available, as far as is known.

    A result is available from our copy, from Telegram, from Kie as long as it keeps results, or as an upload at Kie.
    """
    rows = await tx.fetch(
        """
        SELECT file.file_id
          FROM input_files AS file
          LEFT JOIN job_outputs AS made ON made.job_id = file.job_id AND made.position = file.position
          LEFT JOIN generation_jobs AS job ON job.job_id = made.job_id
         WHERE file.user_id = $1 AND file.file_id = ANY($2::bigint[])
           AND (file.source <> 'output' OR file.kie_url_at > photomat_now() - $3::interval
                OR job.status = 'done' AND (made.kept_as IS NOT NULL
                                            OR made.file_id IS NOT NULL AND job.bot_id = (SELECT bot_id FROM installation)
                                            OR job.settled_at > photomat_now() - $4::interval))
        """,
        user_id,
        [ref.file_id for ref in refs],
        UPLOAD_LASTS,
        RESULT_LASTS,
    )
    return {FileRef(row["file_id"]) for row in rows}


async def jobs_still_there(tx: Transaction, refs: Iterable[JobRef], *, user_id: UserId) -> set[JobRef]:
    """Which of these jobs, or tracks of them, are the user's and Kie can continue from."""
    wanted = list(refs)
    rows = await tx.fetch(
        """
        SELECT wanted.job_id, wanted.position
          FROM unnest($2::bigint[], $3::integer[]) AS wanted (job_id, position)
          JOIN generation_jobs AS job ON job.job_id = wanted.job_id
          LEFT JOIN job_outputs AS made ON made.job_id = wanted.job_id AND made.position = wanted.position
         WHERE job.user_id = $1 AND job.status = 'done'
           AND CASE WHEN wanted.position IS NULL THEN job.external_task_id ELSE made.track_id END IS NOT NULL
        """,
        user_id,
        [ref.job_id for ref in wanted],
        [ref.output for ref in wanted],
    )
    return {JobRef(row["job_id"], row["position"]) for row in rows}


async def remember_upload(pool: Pool, file_id: int, *, kie_url: str) -> None:
    await pool.execute(
        "UPDATE input_files SET kie_url = $2, kie_url_at = photomat_now(), lost_times = 0 WHERE file_id = $1",
        file_id,
        kie_url,
    )


async def remember_converted(pool: Pool, file_id: int, copy: ConvertedCopy) -> None:
    await pool.execute(
        """
        UPDATE input_files
           SET converted_url = $2, converted_format = $3, converted_bytes = $4, converted_at = photomat_now(), lost_times = 0
         WHERE file_id = $1
        """,
        file_id,
        copy.kie_url,
        copy.format,
        copy.size_bytes,
    )


async def count_loss(pool: Pool, file_id: int, *, most: int) -> bool:
    """Count a failed fetch; return whether it was the last of `most`, after which counting restarts."""
    lost_times = await pool.fetchval(
        "UPDATE input_files SET lost_times = (lost_times + 1) % $2 WHERE file_id = $1 RETURNING lost_times",
        file_id,
        most,
    )
    return not lost_times


async def keep_longer(pool: Pool, file_id: int) -> None:
    """A file is used again: count it as new, so that it is not deleted meanwhile."""
    await pool.execute(
        "UPDATE input_files SET taken_at = photomat_now() WHERE file_id = $1 AND taken_at < photomat_now() - $2::interval",
        file_id,
        TAKEN_LATELY,
    )


async def own_output(pool: Pool, source: FromOutput, *, user_id: UserId) -> SourceOutput | None:
    """An output of this user's finished job, without a file id of another bot."""
    row = await pool.fetchrow(
        """
        SELECT url, kept_as, kept_in, size_bytes, sha256,
               CASE WHEN job.bot_id = (SELECT bot_id FROM installation) THEN file_id END AS file_id
          FROM job_outputs JOIN generation_jobs AS job USING (job_id)
         WHERE job_id = $1 AND position = $2 AND user_id = $3 AND status = 'done'
        """,
        source.job_id,
        source.position,
        user_id,
    )
    if row is None:
        return None
    copy = CopyRecord(
        kept_as=row["kept_as"], kept_in=row["kept_in"], size_bytes=row["size_bytes"], sha256=row["sha256"]
    )
    return SourceOutput(url=row["url"], copy=copy, telegram_id=row["file_id"])


def _columns(source: Source) -> tuple[str, str | None, str | None, JobId | None, int | None]:
    match source:
        case FromTelegram(telegram_id):
            return "telegram", telegram_id, None, None, None
        case FromLink(url):
            return "link", None, url, None, None
        case FromOutput(job_id, position):
            return "output", None, None, job_id, position


def _file(row: Row) -> InputFile:
    facts = FileFacts(
        kind=row["kind"],
        format=row["format"],
        size_bytes=row["size_bytes"],
        seconds=row["seconds"],
        width=row["width"],
        height=row["height"],
    )
    return InputFile(
        file_id=row["file_id"],
        user_id=row["user_id"],
        source=_source(row),
        content=FileContent(facts=facts, mime=row["mime"], sha256=row["sha256"]),
        kie_url=row["kie_url"],
        converted=_converted(row),
    )


def _converted(row: Row) -> ConvertedCopy | None:
    if (url := row["converted_url"]) is None:
        return None
    return ConvertedCopy(format=row["converted_format"], kie_url=url, size_bytes=row["converted_bytes"])


def _source(row: Row) -> Source:
    match row["source"]:
        case "telegram":
            return FromTelegram(row["telegram_id"])
        case "link":
            return FromLink(row["link"])
        case _:
            return FromOutput(JobId(row["job_id"]), row["position"])
