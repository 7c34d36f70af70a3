"""A job's charge goes back to its customer: the money, what was given because the job was paid, and the news of it.

Lock the job first where it may change meanwhile; its wallet is locked here.
"""

from photomat.db.pool import Transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.money import Money
from photomat.notices.notice import TO_BALANCE
from photomat.notices.tell import tell
from photomat.rewards.hooks import after_refunded_job
from photomat.wallet import giving_back
from photomat.wallet.posting import RefundReason


async def give_charge_back(
    tx: Transaction,
    *,
    job_id: JobId,
    reference: str,
    by: str,
    amount: Money | None = None,
    reason: RefundReason = "refund",
) -> giving_back.Refund:
    """Give back all that is left of a charge, or a part, once per reference; the customer is told once too.

    Why an operator did it stays in the journal: it is not written for the customer.
    """
    refund = await giving_back.refund_charge(tx, job_id=job_id, amount=amount, reference=reference, reason=reason)
    if refund.is_new:
        await after_refunded_job(tx, user_id=refund.user_id, job_id=job_id)
        await timeline.record(tx, job_id, Tag.REFUNDED, by=by, amount=refund.amount.minor)
        await tell(
            tx,
            key=f"job-refund:{reference}",
            chat_id=ChatId(refund.user_id),
            text_key="job-undelivered" if reason == "undelivered" else "job-refunded",
            facts={"amount": refund.amount},
            buttons=[[TO_BALANCE]],
        )
    return refund
