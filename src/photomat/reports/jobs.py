"""The list of jobs for operators: filtered, a page at a time, newest first; how many stand where; what a bulk act would do.

Lists can never hurt the database: states that are rare are found by their partial indexes, everything else is searched among
the newest `SEARCHED` jobs only. A page ends with the number that the next one starts below.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.jobs.actions import JobVerb, next_step
from photomat.jobs.explain import Surroundings, facts_of, why_not_delivered
from photomat.jobs.job import JobStatus, may_become
from photomat.jobs.listing import CHOSEN, COLUMNS, STUCK_AFTER, JobFilter, find_job
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.texts.sentence import Sentence

SEARCHED: Final = 100_000
COUNTED: Final = 10_000
"""A state with more jobs is shown as so many and more."""
LATELY: Final = timedelta(days=1)
CORR_LENGTH: Final = 8


class JobState(StrEnum):
    """A status, or a condition that needs a look."""

    PENDING = "pending"
    SUBMITTING = "submitting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"
    UNDELIVERED = "undelivered"
    STUCK = "stuck"
    OVERDUE = "overdue"
    STOPPED = "stopped"
    PARKED = "parked"
    UNCERTAIN = "uncertain"
    GIFT = "gift"


LIVE: Final = (JobState.PENDING, JobState.SUBMITTING, JobState.RUNNING)
ENDED: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELED)
TROUBLES: Final = (
    JobState.UNDELIVERED,
    JobState.STUCK,
    JobState.OVERDUE,
    JobState.STOPPED,
    JobState.PARKED,
    JobState.UNCERTAIN,
)
UNCERTAIN: Final = """
    settled_at IS NULL AND status = 'submitting' AND external_task_id IS NULL
    AND coalesce(leased_until <= photomat_now(), true)"""
"""The request left for Kie, its answer never came, and no instance waits for it."""
UNDELIVERED: Final = "status = 'done' AND delivered_at IS NULL"
"""Also what is not seen unless a user comes back, so there may be many: its index is read from the newest on."""
FOUND_BY_INDEX: Final[Mapping[JobState, str]] = {
    **{state: f"SELECT job_id FROM generation_jobs WHERE settled_at IS NULL AND status = '{state}'" for state in LIVE},  # noqa: S608
    JobState.PARKED: "SELECT job_id FROM generation_jobs WHERE parked_at IS NOT NULL AND card_shown < card_wanted",
    JobState.UNCERTAIN: f"SELECT job_id FROM generation_jobs WHERE {UNCERTAIN}",  # noqa: S608
    JobState.OVERDUE: "SELECT job_id FROM generation_jobs WHERE settled_at IS NULL AND overdue_at IS NOT NULL",
    JobState.STOPPED: "SELECT job_id FROM generation_jobs WHERE settled_at IS NULL AND stopped_at IS NOT NULL",
    JobState.STUCK: CHOSEN[JobFilter.STUCK],
}
"""The jobs of a state that is rare at any time, each by a partial index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobQuery:
    """What to list; `name` is a job's number, its task id or its correlation id."""

    state: JobState | None = None
    model: str | None = None
    user_id: UserId | None = None
    name: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: JobId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One job of the list; `why` says where its result is."""

    job_id: JobId
    corr: str
    user_id: UserId
    user_name: str | None
    model: str
    title: str | None
    status: JobStatus
    price: Money
    gift: bool
    task_id: str | None
    created_at: datetime
    settled_at: datetime | None
    delivered_at: datetime | None
    is_parked: bool
    why: Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    lines: Sequence[JobLine]
    next_before: JobId | None


@dataclass(slots=True)
class _Search:
    """The conditions of a search with their arguments; $1 is how many to find."""

    args: list[object]
    conditions: list[str] = field(default_factory=list)

    def add(self, condition: str, value: object) -> None:
        self.args.append(value)
        self.conditions.append(condition.replace("$n", f"${len(self.args)}"))


async def list_jobs(pool: Pool, query: JobQuery, *, around: Surroundings, limit: int) -> JobPage:
    search = await _search(pool, query, around, limit)
    rows = await pool.fetch(
        f"""
        WITH {_source(query)}
        SELECT {COLUMNS}, title, username, first_name
          FROM (SELECT * FROM generation_jobs WHERE {" AND ".join(search.conditions)} ORDER BY job_id DESC LIMIT $1) AS job
          LEFT JOIN (SELECT user_id, username, first_name FROM users) AS person USING (user_id)
         ORDER BY job_id DESC
        """,  # noqa: S608  constants of this module; every value is an argument
        *search.args,
    )
    lines = [_line(row, around) for row in rows[:limit]]
    return JobPage(lines=lines, next_before=lines[-1].job_id if len(rows) > limit else None)


async def count_states(pool: Pool, around: Surroundings) -> dict[JobState, int]:
    """How many jobs stand where now; of those that ended, since a day ago."""
    rows = await pool.fetch(
        """
        SELECT status, count(*) FROM (
            SELECT status FROM generation_jobs WHERE settled_at IS NULL LIMIT $1) AS live GROUP BY status
        UNION ALL SELECT status, count(*) FROM (
            SELECT status FROM generation_jobs WHERE settled_at > photomat_now() - $2::interval LIMIT $1) AS ended
         GROUP BY status
        UNION ALL SELECT 'gift', count(*) FROM (
            SELECT FROM generation_jobs WHERE settled_at > photomat_now() - $2::interval AND gift LIMIT $1) AS gifts
        """,
        COUNTED,
        LATELY,
    )
    counts = dict.fromkeys(JobState, 0) | {JobState(row["status"]): row["count"] for row in rows}
    for state in TROUBLES:
        spans = (STUCK_AFTER, around.delivery_lease) if state is JobState.STUCK else ()
        chosen = FOUND_BY_INDEX.get(state, f"SELECT job_id FROM generation_jobs WHERE {UNDELIVERED}")  # noqa: S608
        counts[state] = await pool.fetchval(
            f"SELECT count(DISTINCT job_id) FROM (SELECT job_id FROM ({chosen}) AS several LIMIT $1) AS chosen",  # noqa: S608
            COUNTED,
            *spans,
        )
    return counts


async def _search(pool: Pool, query: JobQuery, around: Surroundings, limit: int) -> _Search:
    search = _Search([limit + 1])
    if query.state is JobState.STUCK:
        search.args += [STUCK_AFTER, around.delivery_lease]
    if query.state in FOUND_BY_INDEX:
        search.conditions.append("job_id IN (SELECT job_id FROM chosen)")
    elif query.state is JobState.UNDELIVERED:
        search.conditions.append(UNDELIVERED)
    else:
        floor = await pool.fetchval("SELECT max(job_id) FROM generation_jobs") or 0
        search.add("job_id > $n", floor - SEARCHED)
    if query.state in ENDED:
        search.conditions.append(f"status = '{query.state}'")
    if query.state is JobState.GIFT:
        search.conditions.append("gift")
    if query.name is not None:
        search.add("job_id = ANY($n::bigint[])", await _named(pool, query.name))
    for condition, value in (
        ("user_id = $n", query.user_id),
        ("model ILIKE '%' || $n || '%'", None if query.model is None else _literally(query.model)),
        ("created_at >= $n", query.since),
        ("created_at < $n", query.until),
        ("job_id < $n", query.before),
    ):
        if value is not None:
            search.add(condition, value)
    return search


def _source(query: JobQuery) -> str:
    """The jobs of a rare state, found first; nothing for the others, which are walked from the newest on."""
    chosen = FOUND_BY_INDEX.get(query.state) if query.state is not None else None
    return f"chosen AS MATERIALIZED ({chosen or 'SELECT 1 AS job_id'})"


def _literally(pattern: str) -> str:
    return pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


async def _named(pool: Pool, name: str) -> list[int]:
    """The numbers of the jobs that a number, task id or correlation id names."""
    known = await find_job(pool, name.removeprefix("#"))
    found: set[int] = set() if known is None else {known}
    if len(name) == CORR_LENGTH:
        rows = await pool.fetch(
            """
            SELECT job_id FROM generation_jobs
             WHERE job_id > (SELECT max(job_id) FROM generation_jobs) - $2::bigint AND corr = $1
            """,
            name.lower(),
            SEARCHED,
        )
        found |= {row["job_id"] for row in rows}
    return sorted(found)


def _line(row: Row, around: Surroundings) -> JobLine:
    return JobLine(
        job_id=JobId(row["job_id"]),
        corr=row["corr"],
        user_id=UserId(row["user_id"]),
        user_name=f"@{row['username']}" if row["username"] else row["first_name"],
        model=row["model"],
        title=row["title"],
        status=JobStatus(row["status"]),
        price=Money(row["price"], row["currency"]),
        gift=row["gift"],
        task_id=row["external_task_id"],
        created_at=row["created_at"],
        settled_at=row["settled_at"],
        delivered_at=row["delivered_at"],
        is_parked=row["parked_at"] is not None and row["card_shown"] < row["card_wanted"],
        why=why_not_delivered(facts_of(dict(row)), around),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedJob:
    """What an act would do to one job: the money that would move, and whether it would be done at all."""

    job_id: JobId
    user_id: UserId
    model: str
    status: JobStatus
    amount: Money | None
    would_act: bool


async def plan_bulk(pool: Pool, verb: JobVerb, job_ids: Collection[int]) -> list[PlannedJob]:
    """The dry run of an act on many jobs; the act itself decides again under each job's lock."""
    rows = await pool.fetch(
        """
        SELECT job_id, user_id, model, status, price, currency, external_task_id,
               (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = job.job_id AND account = 'income') AS kept
          FROM generation_jobs AS job WHERE job_id = ANY($1::bigint[]) ORDER BY job_id DESC
        """,
        list(job_ids),
    )
    return [_planned(verb, row) for row in rows]


def _planned(verb: JobVerb, row: Row) -> PlannedJob:
    status, moved = JobStatus(row["status"]), 0
    match verb:
        case JobVerb.RETRY:
            would_act = next_step(status, row["external_task_id"]).makes_due
        case JobVerb.REDELIVER:
            would_act = True
        case JobVerb.CANCEL:
            would_act = may_become(status, JobStatus.CANCELED)
            moved = row["price"]
        case JobVerb.REFUND:
            would_act = row["kept"] > 0
            moved = row["kept"]
    return PlannedJob(
        job_id=JobId(row["job_id"]),
        user_id=UserId(row["user_id"]),
        model=row["model"],
        status=status,
        amount=Money(moved, row["currency"]) if would_act and moved else None,
        would_act=would_act,
    )


def sum_up(jobs: Sequence[PlannedJob]) -> list[Money]:
    """The money that would move, one sum a currency."""
    sums: dict[str, int] = {}
    for job in jobs:
        if job.amount is not None:
            sums[job.amount.currency] = sums.get(job.amount.currency, 0) + job.amount.minor
    return [Money(minor, currency) for currency, minor in sorted(sums.items())]


async def matching_ids(pool: Pool, query: JobQuery, *, around: Surroundings, limit: int) -> list[JobId]:
    """The newest jobs that match, for an act on all of them."""
    page = await list_jobs(pool, query, around=around, limit=limit)
    return [line.job_id for line in page.lines]
