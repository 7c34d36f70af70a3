"""The delivery lock: the lease on changing a job's card. The delivery columns of generation_jobs are written here alone.

A card is due while `card_shown < card_wanted`. Taking the lock raises the fence; every later write (mark, release, move,
give up) tests it, so a zombie whose lease was taken over changes nothing. "Shown" is recorded only after the edit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, Transaction
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.kernel.ids import BotId, ChatId, Fence, InstanceId, JobId, MessageId, UserId
from photomat.kernel.money import Money

ONCE_MORE_AFTER: Final = timedelta(minutes=2)
"""After an unknown outcome or a take-over an older edit may still land; the final one is rendered again."""

DELIVERIES_DUE: Final = """
    SELECT 1 FROM generation_jobs
     WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at <= photomat_now()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedCard:
    """A job's card in our hands until the lease runs out: everything needed to render it, and the fence."""

    job_id: JobId
    corr: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    message_id: MessageId
    model: str
    inputs: Mapping[str, Any]
    language: str
    price: Money
    status: JobStatus
    fail_code: str | None
    gift: bool
    offered: bool
    overdue: bool
    stopped: bool
    progress: int
    page: int
    result_object: Mapping[str, Any] | None
    wanted: int
    fence: Fence
    attempts: int
    found_via: str | None
    doubtful: bool
    delivered: bool
    created_at: datetime
    locked_at: datetime

    @property
    def shows_result(self) -> bool:
        """Whether what this card is to show is the result."""
        return self.status is JobStatus.DONE

    @property
    def first_result(self) -> bool:
        """Whether the result was not on the card before, as far as anybody recorded."""
        return self.shows_result and not self.delivered


async def try_acquire_delivery_lock(
    pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId, job_id: JobId | None = None
) -> list[LockedCard]:
    """Lock cards that are due, results before failures before progress; of one job only when it is named."""
    rows = await pool.fetch(
        f"""
        WITH due AS MATERIALIZED (
            SELECT job_id, delivering_at IS NOT NULL AS taken_over FROM generation_jobs
             WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
               AND deliver_at <= photomat_now()
               AND (delivering_at IS NULL OR delivering_at <= photomat_now() - $2::interval)
               AND ($4::bigint IS NULL OR job_id = $4)
             ORDER BY CASE status WHEN 'done' THEN 0 WHEN 'failed' THEN 1 WHEN 'canceled' THEN 1 ELSE 2 END, deliver_at
             LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE generation_jobs AS job
               SET delivery_fence = job.delivery_fence + 1, delivering_at = photomat_now(), delivering_by = $3,
                   delivery_attempts = CASE WHEN job.card_tried = job.card_wanted THEN job.delivery_attempts + 1 ELSE 1 END,
                   card_tried = job.card_wanted, card_doubtful = job.card_doubtful OR due.taken_over
              FROM due
             WHERE job.job_id = due.job_id
            RETURNING job.*, due.taken_over, photomat_now() AS locked_at),
        told AS ({timeline.TELL_LOCKED})
        SELECT * FROM changed
        """,  # noqa: S608  a constant statement of the timeline
        limit,
        lease,
        instance,
        job_id,
    )
    return [_card(row) for row in rows]


async def mark_delivered(tx: Transaction, card: LockedCard, *, ring_kind: str | None, once_more: bool) -> bool:
    """Record what the card shows now; False when the lock was no longer ours. `delivered_at` speaks of results only.

    Doubt is forgotten by the final face alone: an old progress edit of unknown outcome may still land over it.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET card_shown = $3, delivering_at = NULL, delivering_by = NULL, delivery_error = NULL,
                   delivery_attempts = 0, card_doubtful = card_doubtful AND NOT $8,
                   delivered_at = CASE WHEN $4 THEN coalesce(delivered_at, photomat_now()) ELSE delivered_at END,
                   ring_due_at = CASE WHEN $5::text IS NOT NULL AND ring_kind IS DISTINCT FROM $5 THEN photomat_now()
                                      ELSE ring_due_at END,
                   ring_kind = coalesce($5, ring_kind),
                   deliver_at = CASE WHEN $6 AND card_wanted = $3 THEN photomat_now() + $7::interval ELSE deliver_at END,
                   card_wanted = card_wanted + CASE WHEN $6 AND card_wanted = $3 THEN 1 ELSE 0 END
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
            card.wanted,
            card.shows_result,
            ring_kind,
            once_more,
            ONCE_MORE_AFTER,
            card.status in TERMINAL,
        )
    )


async def release(
    tx: Transaction, card: LockedCard, *, after: timedelta, error: str, counted: bool, unknown: bool
) -> bool:
    """Give the lock back without having shown anything for sure; the next try comes after so long.

    A try that surely never left is not counted; one whose outcome is unknown leaves the card doubtful.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET delivering_at = NULL, delivering_by = NULL, delivery_error = $3, deliver_at = photomat_now() + $4::interval,
                   delivery_attempts = greatest(0, delivery_attempts - CASE WHEN $5 THEN 0 ELSE 1 END),
                   card_doubtful = card_doubtful OR $6
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
            error,
            after,
            counted,
            unknown,
        )
    )


async def still_ours(pool: Pool, card: LockedCard) -> bool:
    """Whether the fence is still the one we raised; asked before an edit that comes late."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM generation_jobs
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            """,
            card.job_id,
            card.fence,
        )
    )


async def move_card(tx: Transaction, card: LockedCard, message_id: MessageId) -> bool:
    """The card's message is gone and a new slot stands in for it."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs SET card_message_id = $3
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
            message_id,
        )
    )


async def mark_undeliverable(tx: Transaction, card: LockedCard, *, error: str) -> bool:
    """The person cannot be reached; armed again when they return."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET undeliverable_at = photomat_now(), delivering_at = NULL, delivering_by = NULL, delivery_error = $3
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
            error,
        )
    )


async def park(tx: Transaction, card: LockedCard, *, error: str) -> bool:
    """Too many refusals nobody planned for: the operator decides."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET parked_at = photomat_now(), delivering_at = NULL, delivering_by = NULL, delivery_error = $3
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
            error,
        )
    )


async def free_locks_of_the_dead(pool: Pool) -> int:
    """Let the locks of instances nobody sees any more be taken over at once; say how many. The fence still guards."""
    rows = await pool.fetch(
        """
        UPDATE generation_jobs SET delivering_at = '-infinity'
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND delivering_at > '-infinity'
           AND delivering_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING job_id
        """,
        DEAD_AFTER,
    )
    return len(rows)


async def get_undelivered_jobs(pool: Pool, *, limit: int = 100) -> list[JobId]:
    """Jobs whose result is not shown yet, oldest first."""
    rows = await pool.fetch(
        """
        SELECT job_id FROM generation_jobs
         WHERE status = 'done' AND delivered_at IS NULL AND card_shown < card_wanted
         ORDER BY deliver_at LIMIT $1
        """,
        limit,
    )
    return [JobId(row["job_id"]) for row in rows]


def _card(row: Mapping[str, Any]) -> LockedCard:
    return LockedCard(
        job_id=JobId(row["job_id"]),
        corr=row["corr"],
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        chat_id=ChatId(row["chat_id"]),
        message_id=MessageId(row["card_message_id"]),
        model=row["model"],
        inputs=row["inputs"],
        language=row["language"],
        price=Money(row["price"], row["currency"]),
        status=JobStatus(row["status"]),
        fail_code=row["fail_code"],
        gift=row["gift"],
        offered=row["offered_at"] is not None,
        overdue=row["overdue_at"] is not None,
        stopped=row["stopped_at"] is not None,
        progress=row["progress"],
        page=row["card_page"],
        result_object=row["result_object"],
        wanted=row["card_wanted"],
        fence=Fence(row["delivery_fence"]),
        attempts=row["delivery_attempts"],
        found_via=row["found_via"],
        doubtful=row["card_doubtful"],
        delivered=row["delivered_at"] is not None,
        created_at=row["created_at"],
        locked_at=row["locked_at"],
    )
