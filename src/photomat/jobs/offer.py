"""Taking an offer: the result of a job its user had canceled, for its price, with a hold of its own.

A job that a promo code had made free needs that code once more: when it has paid for another one since, the offer is gone.
"""

from photomat.db.pool import Transaction
from photomat.jobs import outcome_store as store
from photomat.jobs import timeline
from photomat.jobs.job import offer_reference
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.rewards.hooks import after_paid_job
from photomat.rewards.passes import still_pays
from photomat.wallet import ledger


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
