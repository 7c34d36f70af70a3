"""The timeline of a job: one row for each change, written in the transaction that makes it. No decision reads it.

The writer of a row is the session's application name, which is the instance. Prompts and URLs of files are never details.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import JobId

RECORD_CREATED: Final = """
    INSERT INTO job_events (job_id, tag, detail)
    SELECT job_id, 'created', jsonb_build_object('model', model, 'price', price) FROM made"""
RECORD_INTENT: Final = """
    INSERT INTO job_events (job_id, tag, detail)
    SELECT job_id, 'intent', jsonb_build_object('attempt', attempts) FROM changed"""
RECORD_SUBMITTED: Final = """
    INSERT INTO job_events (job_id, tag, detail)
    SELECT job_id, 'submitted', jsonb_build_object('task_id', task_id, 'status', status) FROM changed"""
RECORD_LOCKED: Final = """
    INSERT INTO job_events (job_id, tag, instance, detail)
    SELECT job_id, 'locked', delivering_by, jsonb_strip_nulls(jsonb_build_object(
               'fence', delivery_fence, 'attempt', delivery_attempts, 'taken_over', nullif(taken_over, false)))
      FROM changed"""
RECORD_RUNG: Final = (
    "INSERT INTO job_events (job_id, tag, detail) SELECT job_id, 'rung', jsonb_build_object('kind', kind) FROM changed"
)
RECORD_MARKED: Final = """
    INSERT INTO job_events (job_id, tag, detail)
    SELECT job_id, 'shown', detail -> 'event' FROM changed WHERE detail ? 'event'"""
"""Events recorded inside the statement that makes the change, as a CTE; `made` or `changed` is what it returns."""


class Tag(StrEnum):
    CREATED = "created"
    INTENT = "intent"
    SUBMITTED = "submitted"
    UNKNOWN = "unknown"
    PUT_BACK = "put back"
    WOKEN = "woken"
    OVERDUE = "overdue"
    LOST = "lost"
    SETTLED = "settled"
    UNREAD = "not all of the answer was read"
    ACCEPTED = "accepted"
    CANCELED = "canceled"
    STOPPED = "stopped"
    RETRIED = "retried"
    LOCKED = "locked"
    SHOWN = "shown"
    MOVED = "moved"
    RELEASED = "released"
    PARKED = "parked"
    UNDELIVERABLE = "undeliverable"
    REARMED = "rearmed"
    ASKED = "asked again"
    RESENT = "sent again"
    REFUNDED = "refunded"
    RUNG = "rung"
    RING_PUT_BACK = "ring put back"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    at: datetime
    tag: str
    instance: str
    detail: Mapping[str, Any]


async def record(tx: Transaction, job_id: JobId, tag: Tag, **detail: object) -> None:
    """Record what this transaction does to a job; details that are None are left out."""
    await record_all(tx, {job_id: detail}, tag)


async def record_all(tx: Transaction, jobs: Mapping[JobId, Mapping[str, object]], tag: Tag) -> None:
    if not jobs:
        return
    await tx.execute(
        "INSERT INTO job_events (job_id, tag, detail) SELECT job_id, $2, detail FROM unnest($1::bigint[], $3::jsonb[])"
        " AS happened (job_id, detail)",
        list(jobs),
        tag,
        [{name: value for name, value in detail.items() if value is not None} for detail in jobs.values()],
    )


async def events_of(pool: Pool, job_id: JobId) -> list[JobEvent]:
    rows = await pool.fetch(
        "SELECT at, tag, instance, detail FROM job_events WHERE job_id = $1 ORDER BY event_id", job_id
    )
    return [JobEvent(**dict(row)) for row in rows]
