"""Canceling: free until the request leaves for Kie, and again once the job is overdue.

Kie cannot cancel a task. In between the money is spent at Kie, so the card says how long it usually takes instead. An operator
may cancel any job that is not settled; a result that comes after that is offered for its price, as after any cancel.

Taking an offer: the result of a job its user had canceled, for its price, with a hold of its own.

A job that a promo code had made free needs that code once more: when it has paid for another one since, the offer is gone.

Look or submit again now, because an operator says so. An intent is never submitted again: that could pay Kie twice.

A job stopped by our own error goes on from where it stood. A failed or canceled one is looked at once more: what Kie made of it
after all becomes a gift or an offer.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from photomat.db.pool import Transaction
from photomat.jobs import store, timeline
from photomat.jobs.job import TERMINAL, JobStatus, hold_reference, offer_reference
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.rewards.hooks import after_paid_job
from photomat.rewards.vouchers import still_pays
from photomat.wallet import ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled:
    """Let go; the money is back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLate:
    """The task is at Kie. It may be canceled again when it is overdue; `finished` means it is settled already."""

    usually: timedelta
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYours:
    """Not this user's job, or not its card."""


Cancelation = Canceled | TooLate | NotYours


async def cancel_job(
    tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId, usually: timedelta
) -> Cancelation:
    """Cancel a job from its card, if it may be canceled now."""
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
        return NotYours()
    status = JobStatus(row["status"])
    if status in TERMINAL:
        return TooLate(usually=usually, finished=True)
    if status is not JobStatus.PENDING and row["overdue_at"] is None:
        return TooLate(usually=usually, finished=False)
    await _cancel(tx, job_id, price=row["price"], by="customer")
    return Canceled()


async def cancel_by_operator(tx: Transaction, job_id: JobId) -> JobStatus | None:
    """Cancel a live job whatever its state; gives the status it had, None when there is no such job.

    A settled job is left as it is: its money has moved already, and what moved is corrected by a move, not by a cancel.
    """
    row = await tx.fetchrow("SELECT status, price FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    if row is None:
        return None
    status = JobStatus(row["status"])
    if status not in TERMINAL:
        await _cancel(tx, job_id, price=row["price"], by="operator")
    return status


async def _cancel(tx: Transaction, job_id: JobId, *, price: int, by: str) -> None:
    if price:
        await ledger.release(tx, reference=hold_reference(job_id))
    await store.write_canceled(tx, job_id)
    await timeline.record(tx, job_id, Tag.CANCELED, by=by)


async def accept_offer(tx: Transaction, *, job_id: JobId, user_id: UserId, message_id: MessageId) -> bool:
    """Pay for the offered result and show it; False when there is no such offer (any more). Raises NotEnough."""
    row = await tx.fetchrow(
        """
        SELECT price, currency FROM generation_jobs
         WHERE job_id = $1 AND user_id = $2 AND card_message_id = $3 AND status = 'canceled' AND offered_at IS NOT NULL
           FOR UPDATE
        """,
        job_id,
        user_id,
        message_id,
    )
    if row is None or not await still_pays(tx, user_id=user_id, job_id=job_id):
        return False
    if row["price"]:
        amount = Money(row["price"], row["currency"])
        await ledger.hold(tx, user_id=user_id, amount=amount, reference=offer_reference(job_id), job_id=job_id)
        await ledger.charge(tx, reference=offer_reference(job_id))
        await after_paid_job(tx, user_id=user_id, job_id=job_id)
    await store.write_accepted(tx, job_id)
    await timeline.record(tx, job_id, Tag.ACCEPTED, price=row["price"])
    return True


class NextStep(StrEnum):
    """What will happen next, or why nothing will."""

    SUBMIT = "submit"
    LOOK = "look"
    DONE_ALREADY = "done already"
    INTENT = "intent"
    NO_TASK = "no task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """The answer to a retry; `went` says whether the job is due now."""

    again: NextStep

    @property
    def went(self) -> bool:
        """Whether something happens now."""
        return self.again in {NextStep.SUBMIT, NextStep.LOOK}


async def retry_job(tx: Transaction, job_id: JobId) -> Retry | None:
    """Make a job due now where that is safe; None when there is no such job."""
    row = await tx.fetchrow("SELECT status, external_task_id FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
    if row is None:
        return None
    retry = Retry(again=_next_step(JobStatus(row["status"]), row["external_task_id"]))
    if retry.went:
        await store.make_due(tx, job_id)
        await timeline.record(tx, job_id, Tag.RETRIED, again=retry.again)
    return retry


def _next_step(status: JobStatus, task_id: str | None) -> NextStep:
    if status is JobStatus.PENDING:
        return NextStep.SUBMIT
    if status is JobStatus.DONE:
        return NextStep.DONE_ALREADY
    if task_id is not None:
        return NextStep.LOOK
    return NextStep.INTENT if status is JobStatus.SUBMITTING else NextStep.NO_TASK
