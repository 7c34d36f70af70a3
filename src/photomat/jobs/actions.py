"""What people do to a job: cancel it, accept an offer, mark or hide its result, retry it.

A user may cancel until the request is sent to Kie, which cannot cancel a task, and again once the job is overdue. An operator
may cancel any job that is not settled. A result that comes after a cancel is offered for its price and paid with a hold of its
own; a job that a promo code had made free needs that code again, and without it the offer is gone.

An operator's retry never submits an intent again, which could pay Kie twice. A stopped job continues where it stood; a failed
or canceled one is polled again, and a late result becomes a gift or an offer.
"""

from enum import StrEnum

from photomat.db.pool import Transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import JobStatus, hold_reference, may_become, offer_reference
from photomat.jobs.store import IS_PENDING
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.rewards import referrals
from photomat.rewards.vouchers import voucher_pays_again
from photomat.wallet import ledger


class CancelOutcome(StrEnum):
    """What came of a user's cancel. `TOO_LATE`: the task is at Kie, and may be canceled when it is overdue."""

    CANCELED = "canceled"
    TOO_LATE = "too late"
    SETTLED = "settled"
    NOT_YOURS = "not yours"


class NextStep(StrEnum):
    """What a retry does, or why it does nothing."""

    SUBMIT = "submit"
    LOOK = "look"
    DONE_ALREADY = "done already"
    INTENT = "intent"
    NO_TASK = "no task"

    @property
    def makes_due(self) -> bool:
        return self in {NextStep.SUBMIT, NextStep.LOOK}


class JobVerb(StrEnum):
    """What an operator may do to many jobs at once."""

    RETRY = "retry"
    REDELIVER = "redeliver"
    CANCEL = "cancel"
    REFUND = "refund"


async def cancel_job(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId) -> CancelOutcome:
    row = await tx.fetchrow(
        """
        SELECT status, overdue_at, price FROM generation_jobs
         WHERE job_id = $1 AND user_id = $2 AND card_message_id = $3 FOR UPDATE
        """,
        job_id,
        user_id,
        message_id,
    )
    if row is None:
        return CancelOutcome.NOT_YOURS
    status = JobStatus(row["status"])
    if not may_become(status, JobStatus.CANCELED):
        return CancelOutcome.SETTLED
    if status is not JobStatus.PENDING and row["overdue_at"] is None:
        return CancelOutcome.TOO_LATE
    await _cancel(tx, job_id, price=row["price"], by="customer")
    return CancelOutcome.CANCELED


async def cancel_by_operator(tx: Transaction, job_id: JobId) -> JobStatus | None:
    """Cancel a live job in any state; return the status it had, None when there is no such job.

    A settled job stays as it is: its money has moved, which is corrected by a refund, not by a cancel.
    """
    row = await tx.fetchrow("SELECT status, price FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    if row is None:
        return None
    status = JobStatus(row["status"])
    if may_become(status, JobStatus.CANCELED):
        await _cancel(tx, job_id, price=row["price"], by="operator")
    return status


async def cancel_queued(tx: Transaction, user_id: UserId) -> list[JobId]:
    """Cancel every job of a user whose request has not left for Kie, and release its money; what is at Kie goes on.

    All jobs are locked before the wallet, as everywhere.
    """
    rows = await tx.fetch(
        f"""
        SELECT job_id, price FROM generation_jobs
         WHERE user_id = $1 AND settled_at IS NULL AND {IS_PENDING} ORDER BY job_id FOR UPDATE
        """,  # noqa: S608  a constant of ours
        user_id,
    )
    for row in rows:
        await _cancel(tx, JobId(row["job_id"]), price=row["price"], by="operator")
    return [JobId(row["job_id"]) for row in rows]


async def lock_job(tx: Transaction, job_id: JobId) -> None:
    """Lock a job until the commit, before what is decided about it is read."""
    await tx.execute("SELECT FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)


async def owner_of_job(tx: Transaction, job_id: JobId) -> UserId | None:
    """Whose job it is; None when there is no such job."""
    owner: UserId | None = await tx.fetchval("SELECT user_id FROM generation_jobs WHERE job_id = $1", job_id)
    return owner


async def _cancel(tx: Transaction, job_id: JobId, *, price: int, by: str) -> None:
    if price:
        await ledger.release(tx, reference=hold_reference(job_id))
    await store.write_canceled(tx, job_id)
    await timeline.record(tx, job_id, Tag.CANCELED, by=by)


async def accept_offer(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId) -> bool:
    """Pay for the offered result and show it; False when there is no such offer. Raises NotEnough."""
    row = await tx.fetchrow(
        """
        SELECT price, currency FROM generation_jobs
         WHERE job_id = $1 AND user_id = $2 AND card_message_id = $3 AND status = 'canceled' AND offered_at IS NOT NULL
           AND forgotten_at IS NULL
           FOR UPDATE
        """,
        job_id,
        user_id,
        message_id,
    )
    if row is None or not await voucher_pays_again(tx, user_id=user_id, job_id=job_id):
        return False
    if row["price"]:
        amount = Money(row["price"], row["currency"])
        await ledger.hold(tx, user_id=user_id, amount=amount, reference=offer_reference(job_id), job_id=job_id)
        await ledger.charge(tx, reference=offer_reference(job_id))
        await referrals.make_due(tx, friend_id=user_id, job_id=job_id)
    await store.write_accepted(tx, job_id)
    await timeline.record(tx, job_id, Tag.ACCEPTED, price=row["price"])
    return True


async def mark_favourite(
    tx: Transaction, *, job_id: JobId, user_id: UserId, is_favourite: bool, message_id: MessageId | None = None
) -> bool:
    """Mark a finished job of the user as a favourite or not; False when there is no such job.

    Its card shows it at once if that is the tapped message; from elsewhere a card the user may have deleted is left alone.
    """
    is_changed = await tx.fetchval(
        """
        INSERT INTO result_marks AS mark (job_id, user_id, favourite_at)
        SELECT job_id, user_id, CASE WHEN $3 THEN photomat_now() END
          FROM generation_jobs WHERE job_id = $1 AND user_id = $2 AND status = 'done' AND forgotten_at IS NULL
            ON CONFLICT (job_id) DO UPDATE SET favourite_at = excluded.favourite_at
        RETURNING true
        """,
        job_id,
        user_id,
        is_favourite,
    )
    if is_changed and message_id is not None:
        await store.make_card_due(tx, job_id, message_id)
    return bool(is_changed)


async def hide_result(tx: Transaction, *, job_id: JobId, user_id: UserId) -> bool:
    """Hide a settled job from its user's history; False when there is no such job. The job and its money stay."""
    return bool(
        await tx.fetchval(
            """
            INSERT INTO result_marks AS mark (job_id, user_id, hidden_at)
            SELECT job_id, user_id, photomat_now()
              FROM generation_jobs WHERE job_id = $1 AND user_id = $2 AND settled_at IS NOT NULL
                ON CONFLICT (job_id) DO UPDATE SET hidden_at = coalesce(mark.hidden_at, excluded.hidden_at)
            RETURNING true
            """,
            job_id,
            user_id,
        )
    )


async def retry_job(tx: Transaction, job_id: JobId) -> NextStep | None:
    """Make a job due now where that is safe; None when there is no such job, or its user is forgotten."""
    row = await tx.fetchrow(
        "SELECT status, external_task_id FROM generation_jobs WHERE job_id = $1 AND forgotten_at IS NULL FOR UPDATE",
        job_id,
    )
    if row is None:
        return None
    step = next_step(JobStatus(row["status"]), row["external_task_id"])
    if step.makes_due:
        await store.make_due(tx, job_id)
        await timeline.record(tx, job_id, Tag.RETRIED, again=step)
    return step


def next_step(status: JobStatus, task_id: str | None) -> NextStep:
    """What a retry of a job in this state does."""
    if status is JobStatus.PENDING:
        return NextStep.SUBMIT
    if status is JobStatus.DONE:
        return NextStep.DONE_ALREADY
    if task_id is not None:
        return NextStep.LOOK
    return NextStep.INTENT if status is JobStatus.SUBMITTING else NextStep.NO_TASK
