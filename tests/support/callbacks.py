"""Callbacks of a test's making, stored the way the door stores them."""

import json
from typing import Any

from photomat.db.pool import Pool
from photomat.jobs.callback import CallbackInbox, KieCallback
from photomat.kernel.ids import JobId
from support.jobs import Woken


def callback(job_id: int | None, task_id: str, **facts: Any) -> KieCallback:
    """A callback about a task, with a job in its address or without."""
    payload = {"code": 200, "data": {"taskId": task_id, "state": "success"} | facts}
    body = json.dumps(payload).encode()
    return KieCallback(job_id=None if job_id is None else JobId(job_id), task_id=task_id, payload=payload, body=body)


async def take(pool: Pool, *callbacks: KieCallback) -> None:
    """Store them one after the other."""
    inbox = CallbackInbox(pool, Woken())
    for one in callbacks:
        await inbox.store(one)


async def orphans(pool: Pool) -> list[tuple[str, str | None, bool]]:
    """The orphans: task, why, whether they are closed."""
    rows = await pool.fetch(
        "SELECT task_id, error, processed_at IS NOT NULL AS processed FROM orphan_callbacks ORDER BY orphan_id"
    )
    return [(row["task_id"], row["error"], row["processed"]) for row in rows]
