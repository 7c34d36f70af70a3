"""Callbacks without a job, and submits without an answer, for operators. Reads only; signed URLs and echoes are left out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.jobs.attach import DISMISSED
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.kie.results import without_echoes
from photomat.kie.state_parser import parse_kie_state
from photomat.reports.jobs import UNCERTAIN
from photomat.texts.sentence import Sentence

COUNTED: Final = 10_000
WHY: Final = {
    "no such job": "orphan-why-no-job",
    "no job has this task": "orphan-why-no-task",
    "another job has this task": "orphan-why-taken",
    DISMISSED: "orphan-why-dismissed",
}
OTHER_TASK: Final = re.compile(r"job (\d{1,18}) has another task")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanLine:
    """`state` is what Kie says of the task; `why`: no job was found because of that."""

    orphan_id: int
    task_id: str
    state: str
    payload: Mapping[str, Any]
    received_at: datetime
    processed_at: datetime | None
    why: Sentence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrphanPage:
    lines: Sequence[OrphanLine]
    next_before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainSubmit:
    """A request that left for Kie and got no answer."""

    job_id: JobId
    user_id: UserId
    model: str
    price: Money
    error: str | None
    created_at: datetime
    intent_at: datetime
    overdue_at: datetime | None


async def list_orphans(
    pool: Pool, *, waiting: bool, task_id: str | None = None, before: int | None = None, limit: int
) -> OrphanPage:
    """Orphans that wait, or those that were matched or dismissed; newest first."""
    if waiting:
        rows = await pool.fetch(
            """
            SELECT orphan_id, task_id, payload, received_at, processed_at, error FROM orphan_callbacks
             WHERE processed_at IS NULL AND ($2::text IS NULL OR task_id = $2) AND ($3::bigint IS NULL OR orphan_id < $3)
             ORDER BY orphan_id DESC LIMIT $1
            """,
            limit + 1,
            task_id,
            before,
        )
    else:
        rows = await pool.fetch(
            """
            SELECT * FROM (
                SELECT orphan_id, task_id, payload, received_at, processed_at, error FROM orphan_callbacks
                 WHERE processed_at > photomat_now() - interval '30 days' ORDER BY processed_at DESC LIMIT $4) AS lately
             WHERE ($2::text IS NULL OR task_id = $2) AND ($3::bigint IS NULL OR orphan_id < $3)
             ORDER BY orphan_id DESC LIMIT $1
            """,
            limit + 1,
            task_id,
            before,
            COUNTED,
        )
    lines = [_line(row) for row in rows[:limit]]
    return OrphanPage(lines=lines, next_before=lines[-1].orphan_id if len(rows) > limit else None)


async def count_waiting(pool: Pool) -> int:
    waiting: int = await pool.fetchval(
        "SELECT count(*) FROM (SELECT FROM orphan_callbacks WHERE processed_at IS NULL LIMIT $1) AS waiting", COUNTED
    )
    return waiting


async def uncertain_submits(pool: Pool, *, limit: int) -> list[UncertainSubmit]:
    """The oldest first: their time runs out first."""
    rows = await pool.fetch(
        f"""
        SELECT job_id, user_id, model, price, currency, last_error, created_at, intent_at, overdue_at FROM generation_jobs
         WHERE {UNCERTAIN} ORDER BY job_id LIMIT $1
        """,  # noqa: S608  a constant of ours
        limit,
    )
    return [
        UncertainSubmit(
            job_id=JobId(row["job_id"]),
            user_id=UserId(row["user_id"]),
            model=row["model"],
            price=Money(row["price"], row["currency"]),
            error=row["last_error"],
            created_at=row["created_at"],
            intent_at=row["intent_at"],
            overdue_at=row["overdue_at"],
        )
        for row in rows
    ]


def _line(row: Row) -> OrphanLine:
    clean = without_echoes(row["payload"]) or {}
    payload = clean if isinstance(clean, Mapping) else {"payload": clean}
    return OrphanLine(
        orphan_id=row["orphan_id"],
        task_id=row["task_id"],
        state=parse_kie_state(payload).state,
        payload=payload,
        received_at=row["received_at"],
        processed_at=row["processed_at"],
        why=None if row["error"] is None else _why(row["error"]),
    )


def _why(error: str) -> Sentence:
    """Why it has no job, or who closed it; what another release wrote is shown as it is."""
    other = OTHER_TASK.fullmatch(error)
    if other is not None:
        return Sentence("orphan-why-other-task", job=int(other[1]))
    return Sentence(WHY[error]) if error in WHY else Sentence("action-plain", words=error)
