"""A user's history, one order a page, newest first: by kind, by favourites, by words of the prompt. Reads only.

A page is keyed by its job, so new orders do not shift it. Every read is bounded: kinds and words are looked for in the next
`LOOKED_THROUGH` orders from the page on, and only so many of the newest are counted. Favourites have an index of their own.
Hidden results are on no page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from photomat.catalog.roles import PROMPT_NAMES
from photomat.db.pool import Pool
from photomat.db.rows import Row, require_row, row_as
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money

LOOKED_THROUGH: Final = 500
MAX_WORDS: Final = 8
NEWEST: Final = JobId(2**63 - 1)
"""Older than this are all orders."""
WILDCARDS: Final = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})


class GalleryFilter(StrEnum):
    ALL = "all"
    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    FAVOURITE = "fav"
    WORDS = "find"

    @property
    def kind(self) -> str | None:
        """What the outputs are; None where any will do."""
        return self.value if self in {GalleryFilter.IMAGE, GalleryFilter.VIDEO, GalleryFilter.AUDIO} else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryQuery:
    """Whose orders, and which of them; `words` must all be in the prompt."""

    user_id: UserId
    only: GalleryFilter = GalleryFilter.ALL
    words: str = ""

    @property
    def patterns(self) -> list[str] | None:
        if self.only is not GalleryFilter.WORDS:
            return None
        return [f"%{word.translate(WILDCARDS)}%" for word in self.words.split()[:MAX_WORDS]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastJob:
    """One order of the history; `title` is the model's title at the time of purchase."""

    job_id: JobId
    model: str
    inputs: Mapping[str, Any]
    result_object: Mapping[str, Any] | None
    status: JobStatus
    price: Money
    fail_code: str | None
    gift: bool
    offered: bool
    created_at: datetime
    delivered: bool
    title: str | None = None
    is_favourite: bool = False

    @property
    def prompt(self) -> str:
        return next((str(self.inputs[name]) for name in PROMPT_NAMES if name in self.inputs), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceInGallery:
    """`number` counts from 1, None beyond what is counted; `is_all`: there are no more than `count`."""

    number: int | None
    count: int
    is_all: bool


OLDER: Final = "job_id < $2 ORDER BY job_id DESC LIMIT $5"
NEWER: Final = "job_id > $2 ORDER BY job_id LIMIT $5"
FITS: Final = """
    hidden_at IS NULL AND job.forgotten_at IS NULL
    AND ($3::text IS NULL OR job.status = 'done' AND EXISTS (
        SELECT FROM job_outputs AS output
         WHERE output.job_id = job.job_id AND coalesce(split_part(output.mime, '/', 1), job.kind) = $3))
    AND ($4::text[] IS NULL OR EXISTS (
        SELECT FROM jsonb_each_text(job.inputs) AS said WHERE said.key = ANY($6) AND said.value ILIKE ALL($4)))
"""


def _among(only: GalleryFilter, direction: str) -> str:
    """The orders from a page on that fit: $1 the user, $2 the page, $3 a kind, $4 patterns, $5 the bound, $6 prompts."""
    marked = "favourite_at IS NOT NULL AND hidden_at IS NULL"
    near = (
        f"SELECT job_id FROM result_marks WHERE user_id = $1 AND {marked} AND {direction}"  # noqa: S608  constants
        if only is GalleryFilter.FAVOURITE
        else f"SELECT job_id FROM generation_jobs WHERE user_id = $1 AND {direction}"  # noqa: S608  constants
    )
    return f"""
        (SELECT job.*, favourite_at FROM ({near}) AS near
           JOIN generation_jobs AS job USING (job_id) LEFT JOIN result_marks USING (job_id)
          WHERE {FITS}) AS found"""  # noqa: S608  constants


COLUMNS: Final = """
    job_id, model, title, inputs, result_object, status, price, currency, fail_code, gift, offered_at IS NOT NULL AS offered,
    created_at, delivered_at IS NOT NULL AS delivered, favourite_at IS NOT NULL AS is_favourite
"""


async def older_page(pool: Pool, query: GalleryQuery, *, than: JobId = NEWEST) -> PastJob | None:
    return await _page(pool, query, OLDER, than)


async def newer_page(pool: Pool, query: GalleryQuery, *, than: JobId) -> PastJob | None:
    return await _page(pool, query, NEWER, than)


async def page_at(pool: Pool, query: GalleryQuery, job_id: JobId) -> PastJob | None:
    """The page of this job, or the next older one, or the newest: it may be hidden, or no longer fit."""
    at = JobId(min(job_id, NEWEST - 1) + 1)
    return await older_page(pool, query, than=at) or await newer_page(pool, query, than=job_id)


async def _page(pool: Pool, query: GalleryQuery, direction: str, job_id: JobId) -> PastJob | None:
    order = "" if direction is NEWER else "DESC"
    row = await pool.fetchrow(
        f"SELECT {COLUMNS} FROM {_among(query.only, direction)} ORDER BY job_id {order} LIMIT 1",  # noqa: S608  constants
        *_arguments(query, job_id),
    )
    return None if row is None else _past_job(row)


async def place_of(pool: Pool, query: GalleryQuery, job_id: JobId) -> PlaceInGallery:
    row = await require_row(
        pool,
        f"""
        SELECT count(*) AS count, count(*) FILTER (WHERE job_id >= $7) AS number, bool_or(job_id = $7) AS is_counted,
               (SELECT count(*) FROM (SELECT FROM generation_jobs WHERE user_id = $1 LIMIT $5) AS counted) < $5 AS is_all
          FROM {_among(query.only, OLDER)}
        """,  # noqa: S608  constants
        *_arguments(query, NEWEST),
        job_id,
    )
    is_all = row["count"] < LOOKED_THROUGH if query.only is GalleryFilter.FAVOURITE else row["is_all"]
    return PlaceInGallery(number=row["number"] if row["is_counted"] else None, count=row["count"], is_all=is_all)


def _arguments(query: GalleryQuery, job_id: JobId) -> tuple[object, ...]:
    return (query.user_id, job_id, query.only.kind, query.patterns, LOOKED_THROUGH, list(PROMPT_NAMES))


def _past_job(row: Row) -> PastJob:
    return row_as(PastJob, row, status=JobStatus(row["status"]), price=Money(row["price"], row["currency"]))
