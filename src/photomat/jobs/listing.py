"""Jobs for the operator's eyes: lists and one job whole. Prompts and addresses of files stay in the database."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from photomat.db.pool import Pool


async def list_jobs(pool: Pool, *, limit: int, undelivered: bool) -> list[dict[str, Any]]:
    """The newest jobs, or only those whose result nobody has seen yet."""
    rows = await pool.fetch(
        """
        SELECT job_id, corr, user_id, model, status, price, currency, external_task_id, created_at, settled_at, delivered_at
          FROM generation_jobs
         WHERE NOT $2 OR (status = 'done' AND delivered_at IS NULL)
         ORDER BY job_id DESC LIMIT $1
        """,
        limit,
        undelivered,
    )
    return [_plain(row) for row in rows]


async def show_job(pool: Pool, name: str) -> dict[str, Any] | None:
    """One job by its own id or by its task's."""
    row = await pool.fetchrow(
        """
        SELECT job_id, corr, user_id, chat_id, card_message_id, model, kind, status, price, currency, external_task_id, gift,
               fail_code, fail_reason, last_error, attempts, found_via, cardinality(result_urls) AS outputs,
               created_at, intent_at, submitted_at, overdue_at, settled_at, stopped_at, due_at, leased_by, leased_until,
               card_wanted, card_shown, deliver_at, delivering_at, delivering_by, delivered_at, delivery_error,
               undeliverable_at, parked_at, ring_kind, rung_at
          FROM generation_jobs WHERE job_id::text = $1 OR external_task_id = $1
        """,
        name,
    )
    return None if row is None else _plain(row)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}
