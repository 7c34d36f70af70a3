"""Refund what a job was charged, once per reference, with a notice to the customer.

Results that could not be delivered for some days are refunded once: those parked for the operator, and those in a group the bot
was removed from. A user who blocked the bot gets the result on their return, so those jobs wait. The condition is tested again
under the job's lock, so a card shown a moment ago is not refunded. A refunded result that is shown later is a gift.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.messages.notices import TO_BALANCE, notify
from photomat.rewards import referrals
from photomat.wallet import refunds
from photomat.wallet.postings import RefundReason

MAX_REFUNDS: Final = 100
SETTLED_WITHIN: Final = timedelta(days=60)
"""Older ones were handled by an earlier pass or by an operator."""
UNDELIVERED: Final = """
    status = 'done' AND NOT gift AND price > 0 AND delivered_at IS NULL AND settled_at <= photomat_now() - $1::interval
    AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL AND chat_id <> user_id)
"""
log = get_logger()


async def refund_undelivered(pool: Pool, *, after: timedelta) -> int:
    """Refund results that could not be delivered for so long; return how many."""
    rows = await pool.fetch(
        f"""
        SELECT job_id FROM generation_jobs AS job
         WHERE settled_at > photomat_now() - $1::interval - $2::interval AND {UNDELIVERED}
           AND (SELECT sum(amount) FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = job.job_id AND account = 'income') > 0
         ORDER BY settled_at LIMIT $3
        """,  # noqa: S608  a constant of ours
        after,
        SETTLED_WITHIN,
        MAX_REFUNDS,
    )
    return sum([await _refund_if_undelivered(pool, JobId(row["job_id"]), after) for row in rows])


async def _refund_if_undelivered(pool: Pool, job_id: JobId, after: timedelta) -> bool:
    try:
        async with transaction(pool) as tx:
            undelivered = await tx.fetchval(
                f"SELECT true FROM generation_jobs WHERE job_id = $2 AND {UNDELIVERED} FOR UPDATE",  # noqa: S608  a constant of ours
                after,
                job_id,
            )
            if not undelivered:
                return False
            refund = await refund_job_charge(
                tx, job_id=job_id, reference=f"undelivered:{job_id}", by="the rule of days", reason="undelivered"
            )
    except Rejected:
        return False
    log.warning("REFUND_UNDELIVERED", job_id=job_id, user_id=refund.user_id, amount=refund.amount.minor)
    return refund.is_new


async def refund_given_up(tx: Transaction, jobs: Iterable[JobId], *, by: str) -> None:
    """Refund results that can no longer be shown because another bot owns the database, unless refunded before."""
    for job_id in jobs:
        with suppress(Rejected):
            async with tx.transaction():
                await refund_job_charge(
                    tx, job_id=job_id, reference=f"undelivered:{job_id}", by=by, reason="undelivered"
                )


async def refund_job_charge(
    tx: Transaction,
    *,
    job_id: JobId,
    reference: str,
    by: str,
    amount: Money | None = None,
    reason: RefundReason = "refund",
) -> refunds.ChargeRefund:
    """Refund what is left of a charge, or a part, once per reference, and notify the customer once.

    Lock the job first where it may change meanwhile; its wallet is locked here. An operator's reason stays in the journal.
    """
    refund = await refunds.refund_charge(tx, job_id=job_id, amount=amount, reference=reference, reason=reason)
    if refund.is_new:
        await referrals.lose_job(tx, friend_id=refund.user_id, job_id=job_id)
        await timeline.record(tx, job_id, Tag.REFUNDED, by=by, amount=refund.amount.minor)
        await notify(
            tx,
            key=f"job-refund:{reference}",
            chat_id=ChatId(refund.user_id),
            text_key="job-undelivered" if reason == "undelivered" else "job-refunded",
            facts={"amount": refund.amount},
            buttons=[[TO_BALANCE]],
        )
    return refund
