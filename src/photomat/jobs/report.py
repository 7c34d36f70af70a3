"""Everything known about one job, for the operator: its row, its money, its callbacks and outputs, its timeline.

Reads only. Prompts, URLs of files and bodies of callbacks stay in the database.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.inbox.lanes import TapUpdate, taps_on
from photomat.jobs.explain import Surroundings, facts_of, why_not_delivered
from photomat.jobs.listing import COLUMNS, as_plain
from photomat.jobs.store import find_job_by_task_id
from photomat.jobs.timeline import Event, events_of
from photomat.kernel.ids import BotId, JobId, MessageId, ReceivedId, UserId
from photomat.kie.state_parser import parse_kie_state
from photomat.wallet.ledger import JobHold, holds_of_job


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCallback:
    received_at: datetime
    task_id: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutput:
    """One output; `at_telegram`: Telegram has the file."""

    position: int
    mime: str | None
    size_bytes: int | None
    kept_at: datetime | None
    at_telegram: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    why: str
    row: Mapping[str, Any]
    taps: Sequence[TapUpdate]
    holds: Sequence[JobHold]
    callbacks: Sequence[StoredCallback]
    outputs: Sequence[StoredOutput]
    events: Sequence[Event]


async def find_job(pool: Pool, name: str) -> JobId | None:
    """The job with this id, else the job with this task id."""
    job_id = await pool.fetchval("SELECT job_id FROM generation_jobs WHERE job_id::text = $1", name)
    return await find_job_by_task_id(pool, name) if job_id is None else JobId(job_id)


async def read_job_report(pool: Pool, name: str, around: Surroundings) -> JobReport | None:
    """The report of a job by its own id or its task's; None when there is no such job."""
    job_id = await find_job(pool, name)
    if job_id is None:
        return None
    row = dict(await require_row(pool, f"SELECT {COLUMNS} FROM generation_jobs WHERE job_id = $1", job_id))  # noqa: S608  a constant list of columns
    async with transaction(pool) as tx:
        holds = await holds_of_job(tx, job_id)
    return JobReport(
        why=why_not_delivered(facts_of(row), around),
        row=as_plain(row),
        taps=await _taps(pool, row),
        holds=holds,
        callbacks=await _callbacks(pool, job_id),
        outputs=await _outputs(pool, job_id),
        events=await events_of(pool, job_id),
    )


async def _taps(pool: Pool, row: Mapping[str, Any]) -> list[TapUpdate]:
    """The taps on the card, searched from the update that made its draft."""
    since = await pool.fetchval(
        """
        SELECT substring(origin FROM '^update:[0-9]+:([0-9]+)')::bigint
          FROM drafts JOIN generation_jobs USING (draft_id) WHERE job_id = $1
        """,
        row["job_id"],
    )
    if since is None:
        return []
    return await taps_on(
        pool,
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        message_id=MessageId(row["card_message_id"]),
        since=ReceivedId(since),
    )


async def _callbacks(pool: Pool, job_id: JobId) -> list[StoredCallback]:
    rows = await pool.fetch(
        "SELECT received_at, task_id, body FROM callbacks WHERE job_id = $1 ORDER BY callback_id", job_id
    )
    return [
        StoredCallback(
            received_at=row["received_at"],
            task_id=row["task_id"],
            state=parse_kie_state(json.loads(row["body"])).state,
        )
        for row in rows
    ]


async def _outputs(pool: Pool, job_id: JobId) -> list[StoredOutput]:
    rows = await pool.fetch(
        """
        SELECT position, mime, size_bytes, kept_at, file_id IS NOT NULL AS at_telegram
          FROM job_outputs WHERE job_id = $1 ORDER BY position
        """,
        job_id,
    )
    return [StoredOutput(**dict(row)) for row in rows]
