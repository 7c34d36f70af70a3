"""Jobs for the operator's eyes: which there are, which are stuck, which callbacks wait for their job.

Reads only. Prompts and addresses of files stay in the database.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from photomat.cluster.instances import alive_instances
from photomat.db.pool import Pool
from photomat.jobs.claims import CREATES
from photomat.jobs.explain import Surroundings, facts_of, why_not_delivered
from photomat.work import budget

COLUMNS: Final = """
    job_id, corr, bot_id, user_id, chat_id, card_message_id, model, kind, status, price, currency, quote,
    credits_consumed, cost, external_task_id, gift,
    fail_code, fail_reason, last_error, attempts, found_via, woken_via, cardinality(result_urls) AS outputs,
    created_at, intent_at, submitted_at, overdue_at, empty_since, offered_at, settled_at, stopped_at,
    coalesce(due_at, submit_at) AS due_at, leased_by,
    leased_until, card_wanted, card_shown, deliver_at, delivering_at, delivering_by, delivery_fence, delivery_attempts,
    delivery_error, delivery_failing_since, delivered_at, undeliverable_at, parked_at, ring_kind, ring_due_at, rung_at,
    photomat_now() AS now"""
"""Everything an operator may see of a job's row."""

STUCK_AFTER: Final = timedelta(minutes=2)
"""What is due is claimed within a second: after so long something is wrong."""


class Only(StrEnum):
    """Which jobs are listed."""

    ALL = "all"
    UNDELIVERED = "undelivered"
    STUCK = "stuck"


CHOSEN: Final[Mapping[Only, str]] = {
    Only.ALL: "SELECT job_id FROM generation_jobs ORDER BY job_id DESC LIMIT $1",
    Only.UNDELIVERED: "SELECT job_id FROM generation_jobs WHERE status = 'done' AND delivered_at IS NULL",
    Only.STUCK: """
        SELECT job_id FROM generation_jobs
         WHERE settled_at IS NULL
           AND (stopped_at IS NOT NULL OR overdue_at IS NOT NULL OR coalesce(due_at, submit_at) IS NULL
                OR status = 'submitting' AND external_task_id IS NULL AND intent_at < photomat_now() - $2::interval)
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE (due_at < photomat_now() - $2::interval OR submit_at < photomat_now() - $2::interval)
           AND coalesce(leased_until < photomat_now(), true)
        UNION ALL SELECT job_id FROM generation_jobs WHERE parked_at IS NOT NULL AND card_shown < card_wanted
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND deliver_at < photomat_now() - $2::interval
           AND coalesce(delivering_at < photomat_now() - $3::interval, true)
    """,
}
"""Which jobs are listed, each condition found by an index: a list is read while the shop is busy."""


async def list_jobs(pool: Pool, *, limit: int, only: Only, around: Surroundings) -> list[dict[str, Any]]:
    """The newest jobs of a sort, each with the sentence that says why it is not delivered."""
    spans = (STUCK_AFTER, around.delivery_lease) if only is Only.STUCK else ()
    rows = await pool.fetch(
        f"""
        WITH chosen AS MATERIALIZED ({CHOSEN[only]})
        SELECT {COLUMNS} FROM generation_jobs
         WHERE job_id IN (SELECT DISTINCT job_id FROM chosen ORDER BY job_id DESC LIMIT $1)
         ORDER BY job_id DESC LIMIT $1
        """,  # noqa: S608  constants of ours
        limit,
        *spans,
    )
    jobs = [dict(row) for row in rows]
    return [plain(job) | {"why": why_not_delivered(facts_of(job), around)} for job in jobs]


async def waiting_orphans(pool: Pool, *, limit: int) -> list[dict[str, Any]]:
    """Callbacks that wait for their job, oldest first."""
    rows = await pool.fetch(
        """
        SELECT orphan_id, task_id, received_at, shouted_at, error FROM orphan_callbacks
         WHERE processed_at IS NULL ORDER BY orphan_id LIMIT $1
        """,
        limit,
    )
    return [plain(dict(row)) for row in rows]


async def look_around(pool: Pool, *, delivery_lease: timedelta, given_up_after: timedelta) -> Surroundings:
    """Who is alive at this moment, and the settings a sentence needs."""
    return Surroundings(
        alive=await alive_instances(pool),
        delivery_lease=delivery_lease,
        timeout=given_up_after,
        submits_blocked=await budget.blocked_because(pool, CREATES),
    )


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for machines: instants as text."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}
