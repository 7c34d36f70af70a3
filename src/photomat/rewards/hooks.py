"""What payments and jobs report to this slice, in their own transaction: a payment, a refund, a paid or refunded job.

A hook may post only to the user it is about, whose wallet its caller has locked. What concerns another user becomes a row
that is due, which the step in `book` books with both wallets in order.
"""

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.rewards import bonus, referrals


async def after_payment(tx: Transaction, *, payment_id: int, user_id: UserId, amount: Money, is_topup: bool) -> Money:
    """Credit the bonus of the payer's waiting promo code, return it, and record the inviter's share.

    A code is for a top-up: a subscription's month, which is paid automatically, does not use it up.
    """
    await referrals.note_share(tx, payment_id=payment_id, friend_id=user_id)
    if not is_topup:
        return Money(0, amount.currency)
    return await bonus.give(tx, payment_id=payment_id, user_id=user_id, amount=amount)


async def goes_back_with(tx: Transaction, *, payment_id: int, refunded: Money, of: Money) -> Money:
    """The bonus that goes back with this much of a payment."""
    return await bonus.due_back(tx, payment_id=payment_id, refunded=refunded, of=of)


async def after_refund(tx: Transaction, *, payment_id: int, user_id: UserId, refunded: Money, of: Money) -> None:
    """A part of a payment went back for certain: take back its bonus in proportion, and make the inviter's share due.

    The reward for the invitation is lost if the rest of the friend's payments no longer covers its job.
    """
    await bonus.take_back(tx, payment_id=payment_id, user_id=user_id, refunded=refunded, of=of)
    await referrals.make_share_due(tx, payment_id=payment_id)
    await referrals.lose_payment(tx, friend_id=user_id)


async def after_paid_job(tx: Transaction, *, user_id: UserId, job_id: JobId) -> None:
    """A job was charged: the first one that an invited friend's own payments cover makes both rewards due."""
    await referrals.make_due(tx, friend_id=user_id, job_id=job_id)


async def after_refunded_job(tx: Transaction, *, user_id: UserId, job_id: JobId) -> None:
    """Some of a job's charge went back; once all of it did, its rewards are lost."""
    await referrals.lose_job(tx, friend_id=user_id, job_id=job_id)
