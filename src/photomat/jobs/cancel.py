"""Canceling: free until the request leaves for Kie, and again once the job is overdue.

Kie cannot cancel a task. In between the money is spent at Kie, so the card says how long it usually takes instead. An operator
may cancel any job that is not settled; a result that comes after that is offered for its price, as after any cancel.
"""

from dataclasses import dataclass
from datetime import timedelta

from photomat.db.pool import Transaction
from photomat.jobs import outcome_store as store
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL, JobStatus, hold_reference
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId, MessageId, UserId
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
    await _let_go(tx, job_id, price=row["price"], by="customer")
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
        await _let_go(tx, job_id, price=row["price"], by="operator")
    return status


async def _let_go(tx: Transaction, job_id: JobId, *, price: int, by: str) -> None:
    if price:
        await ledger.release(tx, reference=hold_reference(job_id))
    await store.write_canceled(tx, job_id)
    await timeline.record(tx, job_id, Tag.CANCELED, by=by)
