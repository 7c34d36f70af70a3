"""How a job ends, as statements: done, failed, offered, accepted, canceled, stopped. One function, one statement.

The caller has locked the row (`lock_status`) and moves the money in the same transaction. Every end raises `card_wanted`, so
the card is due with it.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from photomat.catalog.pricing import USD_PER_CREDIT
from photomat.db.pool import Transaction
from photomat.jobs.job import Job, JobStatus
from photomat.kernel.ids import Fence, JobId, UserId
from photomat.kernel.money import MINOR_PER_MAJOR
from photomat.kie.tracks import NOTHING, Detail


async def write_stopped(tx: Transaction, job: Job, *, error: str) -> bool:
    """Our own rule broke: nothing more happens to this job until an operator acts; the card says so."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET stopped_at = photomat_now(), last_error = $3, due_at = NULL, leased_until = NULL,
                   card_wanted = card_wanted + 1,
               deliver_at = photomat_now()
             WHERE job_id = $1 AND fence = $2 AND settled_at IS NULL
            RETURNING true
            """,
            job.job_id,
            job.fence,
            error,
        )
    )


async def lock_status(tx: Transaction, job_id: JobId, fence: Fence | None) -> JobStatus | None:
    """Lock the job's row and read its status; None when the claim is no longer ours."""
    status = await tx.fetchval(
        "SELECT status FROM generation_jobs WHERE job_id = $1 AND ($2::bigint IS NULL OR fence = $2) FOR UPDATE",
        job_id,
        fence,
    )
    return None if status is None else JobStatus(status)


async def read_owner(tx: Transaction, job_id: JobId) -> UserId:
    """Whose job it is."""
    return UserId(await tx.fetchval("SELECT user_id FROM generation_jobs WHERE job_id = $1", job_id))


async def write_done(
    tx: Transaction,
    job_id: JobId,
    *,
    urls: Sequence[str],
    result_object: Mapping[str, Any] | None,
    via: str,
    gift: bool,
) -> None:
    """The job has its result. The caller has locked the row and moved the money."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET status = 'done', settled_at = photomat_now(), result_urls = $2, result_object = $3, found_via = $4, gift = $5,
               due_at = NULL, leased_until = NULL, fail_code = NULL, fail_reason = NULL,
               card_wanted = card_wanted + 1,
               deliver_at = photomat_now()
         WHERE job_id = $1
        """,
        job_id,
        list(urls),
        None if result_object is None else dict(result_object),
        via,
        gift,
    )


async def write_failed(tx: Transaction, job_id: JobId, *, code: str, reason: str | None, via: str) -> None:
    """The job has failed for good. The caller has locked the row and moved the money."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET status = 'failed', settled_at = photomat_now(), fail_code = $2, fail_reason = $3, found_via = $4,
               due_at = NULL, leased_until = NULL, card_wanted = card_wanted + 1,
               deliver_at = photomat_now()
         WHERE job_id = $1
        """,
        job_id,
        code,
        reason,
        via,
    )


async def write_offered(
    tx: Transaction, job_id: JobId, *, urls: Sequence[str], result_object: Mapping[str, Any] | None, via: str
) -> bool:
    """A result came after the user had canceled: it is offered on the card for its price; False when it was before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE generation_jobs
               SET offered_at = photomat_now(), result_urls = $2, result_object = $3, found_via = $4, due_at = NULL,
                   leased_until = NULL, card_wanted = card_wanted + 1,
               deliver_at = photomat_now()
             WHERE job_id = $1 AND status = 'canceled' AND offered_at IS NULL
            RETURNING true
            """,
            job_id,
            list(urls),
            None if result_object is None else dict(result_object),
            via,
        )
    )


async def write_accepted(tx: Transaction, job_id: JobId) -> None:
    """The offer was taken and paid."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET status = 'done', settled_at = photomat_now(), card_wanted = card_wanted + 1,
               deliver_at = photomat_now()
         WHERE job_id = $1 AND status = 'canceled' AND offered_at IS NOT NULL
        """,
        job_id,
    )


async def write_canceled(tx: Transaction, job_id: JobId) -> None:
    """The user let it go. A task that is already running is still looked at: its result becomes an offer."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET status = 'canceled', settled_at = photomat_now(), card_wanted = card_wanted + 1,
               deliver_at = photomat_now(),
               due_at = CASE WHEN status = 'pending' THEN NULL ELSE due_at END
         WHERE job_id = $1
        """,
        job_id,
    )


async def write_unread(tx: Transaction, job_id: JobId, *, fields: Sequence[str]) -> None:
    """Name the fields of the answer that no rule could read, for the operator's alert."""
    await tx.execute("UPDATE generation_jobs SET unread_fields = $2 WHERE job_id = $1", job_id, list(fields))


async def write_cost(tx: Transaction, job_id: JobId, *, consumed: Decimal) -> None:
    """What Kie says it took, and what that is at the rate of the job's quote; an older program's job has none."""
    await tx.execute(
        """
        UPDATE generation_jobs
           SET credits_consumed = $2, cost = ceil($2::numeric * $3::numeric * (quote ->> 'usd_rate')::numeric)
         WHERE job_id = $1
        """,
        job_id,
        consumed,
        USD_PER_CREDIT * MINOR_PER_MAJOR,
    )


async def insert_outputs(tx: Transaction, job_id: JobId, urls: Sequence[str], *, details: Mapping[str, Detail]) -> None:
    """One row for every output, so that each is copied and remembered by itself, with what Kie tells of it."""
    known = [details.get(url, NOTHING) for url in urls]
    await tx.execute(
        """
        INSERT INTO job_outputs (job_id, position, url, track_id, title, cover_url, seconds)
        SELECT $1, place - 1, url, track_id, title, cover_url, seconds
          FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[])
               WITH ORDINALITY AS found (url, track_id, title, cover_url, seconds, place)
            ON CONFLICT DO NOTHING
        """,
        job_id,
        list(urls),
        [one.track_id for one in known],
        [one.title for one in known],
        [one.cover_url for one in known],
        [one.seconds for one in known],
    )
