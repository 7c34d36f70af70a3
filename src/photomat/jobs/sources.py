"""What somebody made before, as something to go on from: jobs, their tracks, their files. Reads only, and one's own alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.roles import PROMPT_NAMES
from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId

SHOWN: Final = 10
"""How many stand on a page. One more is read than is shown: it tells that there is another page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A finished job, or one output of it (`position`). `words` describe it: what it is called, or what was asked for."""

    job_id: JobId
    model: str
    made_at: datetime
    words: str
    position: int | None = None
    outputs: int = 1
    seconds: Decimal | None = None
    is_track: bool = False


async def made_tasks(
    pool: Pool, *, user_id: UserId, models: Sequence[str], job_id: JobId | None = None, skip: int = 0
) -> list[Made]:
    """The newest finished jobs of these models that Kie can go on from; with `job_id` that one alone."""
    rows = await pool.fetch(
        """
        SELECT job_id, model, inputs, created_at, title AS called
          FROM generation_jobs
         WHERE user_id = $1 AND model = ANY($2) AND status = 'done' AND external_task_id IS NOT NULL
           AND ($3::bigint IS NULL OR job_id = $3)
         ORDER BY job_id DESC LIMIT $4 OFFSET $5
        """,
        user_id,
        list(models),
        job_id,
        SHOWN + 1,
        skip,
    )
    return [_made(row) for row in rows]


async def made_tracks(
    pool: Pool, *, user_id: UserId, models: Sequence[str], job_id: JobId | None = None, skip: int = 0
) -> list[Made]:
    """The tracks of the newest finished jobs of these models; with `job_id` of that one alone."""
    rows = await pool.fetch(
        """
        SELECT job_id, model, inputs, created_at, job.title AS called, position, job_outputs.title, seconds,
               true AS is_track, (SELECT count(*) FROM job_outputs AS other WHERE other.job_id = job.job_id) AS outputs
          FROM generation_jobs AS job JOIN job_outputs USING (job_id)
         WHERE user_id = $1 AND model = ANY($2) AND status = 'done' AND track_id IS NOT NULL
           AND ($3::bigint IS NULL OR job_id = $3)
         ORDER BY job_id DESC, position LIMIT $4 OFFSET $5
        """,
        user_id,
        list(models),
        job_id,
        SHOWN + 1,
        skip,
    )
    return [_made(row) for row in rows]


async def made_files(pool: Pool, *, user_id: UserId, kind: str, skip: int = 0) -> list[Made]:
    """The newest outputs that are of this kind: by their bytes where we have them, else by what was ordered."""
    rows = await pool.fetch(
        """
        SELECT job_id, model, inputs, created_at, job.title AS called, position, job_outputs.title, seconds,
               track_id IS NOT NULL AS is_track,
               (SELECT count(*) FROM job_outputs AS other WHERE other.job_id = job.job_id) AS outputs
          FROM generation_jobs AS job JOIN job_outputs USING (job_id)
         WHERE user_id = $1 AND status = 'done' AND COALESCE(split_part(mime, '/', 1), kind) = $2
           AND url LIKE 'http%'
         ORDER BY job_id DESC, position LIMIT $3 OFFSET $4
        """,
        user_id,
        kind,
        SHOWN + 1,
        skip,
    )
    return [_made(row) for row in rows]


def _made(row: Row) -> Made:
    return Made(
        job_id=JobId(row["job_id"]),
        model=row["model"],
        made_at=row["created_at"],
        words=row.get("title") or _described(row["inputs"]) or row["called"] or "",
        position=row.get("position"),
        outputs=row.get("outputs") or 1,
        seconds=row.get("seconds"),
        is_track=row.get("is_track") or False,
    )


def _described(inputs: Mapping[str, Any]) -> str:
    """What was asked for, however its model calls it."""
    return next((str(inputs[name]) for name in PROMPT_NAMES if name in inputs), "")
