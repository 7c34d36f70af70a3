"""A user's own earlier jobs: one of them, and results a new order can continue from, hidden ones left out. Reads only."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple

from photomat.catalog.formula import plain
from photomat.catalog.model import Model
from photomat.catalog.pricing import Quote, quote_from_json
from photomat.catalog.reference import JobRef, reference
from photomat.catalog.roles import PROMPT_NAMES
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, row_as
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.work.recent import Recent

SHOWN: Final = 10
"""Results on a page. One more is read, to know whether there is another page."""
NEWEST: Final = 50
"""How many of a model's newest results its usual time is taken from."""
FIND_JOB_OF_ASKED_CARD: Final = """
    SELECT job_id FROM generation_jobs
     WHERE bot_id = asked.bot_id AND chat_id = asked.chat_id AND card_message_id = asked.tapped LIMIT 1"""
"""Whether a message is the card of a bought job, which only `delivery` edits."""


NOT_HIDDEN: Final = (
    "job.forgotten_at IS NULL"
    " AND NOT EXISTS (SELECT FROM result_marks AS mark WHERE mark.job_id = job.job_id AND mark.hidden_at IS NOT NULL)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentOrders:
    """What limits depend on: unsettled jobs, the age of the newest and of the n-th newest job, and the free ones.

    `oldest_free` is the age of the oldest free one that still counts.
    """

    running: int
    newest: timedelta | None
    minute_ago: timedelta | None
    free: int
    oldest_free: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJob:
    """A user's own job; `quote` is None for jobs sold before quotes were stored, `title` for jobs sold before titles were."""

    model: str
    title: str | None
    inputs: Mapping[str, Any]
    corr: str
    price: Money
    quote: Quote | None
    status: JobStatus
    gift: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierResult:
    """A finished job, or one output of it (`position`). `words` describe it: its title, or its prompt."""

    job_id: JobId
    model: str
    made_at: datetime
    words: str
    position: int | None = None
    outputs: int = 1
    seconds: Decimal | None = None
    is_track: bool = False


async def own_job(pool: Pool, *, job_id: JobId, user_id: UserId) -> OwnJob | None:
    row = await pool.fetchrow(
        """
        SELECT model, title, inputs, corr, price, currency, quote, status, gift, created_at
          FROM generation_jobs WHERE job_id = $1 AND user_id = $2 AND forgotten_at IS NULL
        """,
        job_id,
        user_id,
    )
    if row is None:
        return None
    price, quote = Money(row["price"], row["currency"]), quote_from_json(row["quote"])
    return row_as(OwnJob, row, price=price, quote=quote, status=JobStatus(row["status"]))


async def has_ordered(pool: Pool, user_id: UserId) -> bool:
    """Whether a user has bought anything yet."""
    return bool(await pool.fetchval("SELECT true FROM generation_jobs WHERE user_id = $1 LIMIT 1", user_id))


async def earlier_tasks(
    pool: Pool, *, user_id: UserId, models: Sequence[str], job_id: JobId | None = None, skip: int = 0
) -> list[EarlierResult]:
    """The newest finished jobs of these models that Kie can continue from; with `job_id` that one alone."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, model, inputs, created_at, title AS called
          FROM generation_jobs AS job
         WHERE user_id = $1 AND model = ANY($2) AND status = 'done' AND external_task_id IS NOT NULL AND {NOT_HIDDEN}
           AND ($3::bigint IS NULL OR job_id = $3)
         ORDER BY job_id DESC LIMIT $4 OFFSET $5
        """,  # noqa: S608  a constant of ours
        user_id,
        list(models),
        job_id,
        SHOWN + 1,
        skip,
    )
    return [_earlier_result(row) for row in rows]


async def earlier_tracks(
    pool: Pool, *, user_id: UserId, models: Sequence[str], job_id: JobId | None = None, skip: int = 0
) -> list[EarlierResult]:
    rows = await pool.fetch(
        f"""
        SELECT job_id, model, inputs, created_at, job.title AS called, position, job_outputs.title, seconds,
               true AS is_track, (SELECT count(*) FROM job_outputs AS other WHERE other.job_id = job.job_id) AS outputs
          FROM generation_jobs AS job JOIN job_outputs USING (job_id)
         WHERE user_id = $1 AND model = ANY($2) AND status = 'done' AND track_id IS NOT NULL AND {NOT_HIDDEN}
           AND ($3::bigint IS NULL OR job_id = $3)
         ORDER BY job_id DESC, position LIMIT $4 OFFSET $5
        """,  # noqa: S608  a constant of ours
        user_id,
        list(models),
        job_id,
        SHOWN + 1,
        skip,
    )
    return [_earlier_result(row) for row in rows]


async def earlier_files(
    pool: Pool, *, user_id: UserId, kind: str, skip: int = 0, limit: int = SHOWN + 1
) -> list[EarlierResult]:
    """The newest outputs of this kind, judged by their bytes where we have them, else by what was ordered."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, model, inputs, created_at, job.title AS called, position, job_outputs.title, seconds,
               track_id IS NOT NULL AS is_track,
               (SELECT count(*) FROM job_outputs AS other WHERE other.job_id = job.job_id) AS outputs
          FROM generation_jobs AS job JOIN job_outputs USING (job_id)
         WHERE user_id = $1 AND status = 'done' AND COALESCE(split_part(mime, '/', 1), kind) = $2
           AND url LIKE 'http%' AND {NOT_HIDDEN}
         ORDER BY job_id DESC, position LIMIT $3 OFFSET $4
        """,  # noqa: S608  a constant of ours
        user_id,
        kind,
        limit,
        skip,
    )
    return [_earlier_result(row) for row in rows]


def _earlier_result(row: Row) -> EarlierResult:
    return EarlierResult(
        job_id=JobId(row["job_id"]),
        model=row["model"],
        made_at=row["created_at"],
        words=row.get("title") or _prompt_of(row["inputs"]) or row["called"] or "",
        position=row.get("position"),
        outputs=row.get("outputs") or 1,
        seconds=row.get("seconds"),
        is_track=row.get("is_track") or False,
    )


def _prompt_of(inputs: Mapping[str, Any]) -> str:
    return next((str(inputs[name]) for name in PROMPT_NAMES if name in inputs), "")


async def inputs_of_earlier_jobs(
    tx: Transaction, user_id: UserId, model: Model, inputs: Mapping[str, Any]
) -> dict[str, str]:
    """Inputs of the jobs this order refers to, by the names prices use: `{"task_id:resolution": "480p"}`."""
    wanted = {name for row in model.prices for name, _ in row.when if ":" in name}
    tasks = {name: ref for name, value in inputs.items() if isinstance(ref := reference(value), JobRef)}
    if not wanted or not tasks:
        return {}
    rows = await tx.fetch(
        """
        SELECT job_id, coalesce(request -> 'body', inputs) AS chosen
          FROM generation_jobs WHERE job_id = ANY($1::bigint[]) AND user_id = $2
        """,
        [ref.job_id for ref in tasks.values()],
        user_id,
    )
    chosen = {row["job_id"]: row["chosen"] for row in rows}
    found = {
        f"{name}:{key}": plain(value)
        for name, ref in tasks.items()
        for key, value in chosen.get(ref.job_id, {}).items()
        if isinstance(value, str | int | float | bool)
    }
    return {name: value for name, value in found.items() if name in wanted}


async def usual_seconds(pool: Pool, model_id: str) -> int | None:
    """The median time from purchase to result of a model's newest jobs; None while it has none."""
    return (await usual_seconds_of(pool, [model_id])).get(model_id)


class UsualTimes:
    """The same, at most a few seconds old: every page of a model says it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._of: dict[str, Recent[int | None]] = {}

    async def of(self, model_id: str) -> int | None:
        if model_id not in self._of:
            self._of[model_id] = Recent(partial(usual_seconds, self._pool, model_id))
        return await self._of[model_id].read()


async def usual_seconds_of(pool: Pool, model_ids: Collection[str]) -> dict[str, int]:
    """The same for several models in one query; a model without results is not in it."""
    rows = await pool.fetch(
        """
        SELECT wanted.model,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - created_at)::float8) AS seconds
          FROM unnest($1::text[]) AS wanted (model)
               CROSS JOIN LATERAL (SELECT created_at, settled_at FROM generation_jobs AS job
                                    WHERE job.model = wanted.model AND status = 'done'
                                    ORDER BY settled_at DESC LIMIT $2) AS newest
         GROUP BY wanted.model
        """,
        list(model_ids),
        NEWEST,
    )
    return {row["model"]: max(1, round(row["seconds"])) for row in rows}


class AskedOrders(NamedTuple):
    """Whose recent orders are asked for: the `newest`, and up to `free` free ones."""

    user_id: UserId
    newest: int
    free: int


async def recent_orders(tx: Transaction, asked: Sequence[AskedOrders], *, within: timedelta) -> list[RecentOrders]:
    """The newest jobs of each user, and the free ones of this time; those that a voucher pays for do not count."""
    rows = await tx.fetch(
        """
        SELECT recent.*
          FROM unnest($1::bigint[], $2::int[], $3::int[]) WITH ORDINALITY AS asked (user_id, most, most_free, number)
         CROSS JOIN LATERAL (
               WITH newest AS (
                   SELECT created_at FROM generation_jobs WHERE user_id = asked.user_id
                    ORDER BY job_id DESC LIMIT greatest(most, 1)
               ), free AS (
                   SELECT created_at FROM generation_jobs
                    WHERE user_id = asked.user_id AND price = 0 AND created_at > photomat_now() - $4::interval
                      AND status NOT IN ('failed', 'canceled') AND (quote ? 'pass') IS NOT TRUE
                    ORDER BY created_at DESC LIMIT greatest(most_free, 1)
               )
               SELECT (SELECT count(*) FROM generation_jobs
                        WHERE user_id = asked.user_id AND settled_at IS NULL) AS running,
                      photomat_now() - (SELECT max(created_at) FROM newest) AS newest,
                      photomat_now() - (SELECT min(created_at) FROM newest HAVING count(*) >= most) AS minute_ago,
                      (SELECT count(*) FROM free) AS free,
                      photomat_now() - (SELECT min(created_at) FROM free) AS oldest_free) AS recent
         ORDER BY number
        """,
        *map(list, zip(*asked, strict=True)),
        within,
    )
    return [RecentOrders(**dict(row)) for row in rows]
