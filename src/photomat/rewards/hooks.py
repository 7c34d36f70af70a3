"""What payments and jobs tell this slice, in their own transaction: money came or went back, a job was paid or refunded.

A hook may move the money of the user it is about, whose wallet its caller has locked. Whatever concerns somebody else becomes a
row that is due, and the step in `book` books it with both wallets in order.
"""

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.rewards import bonus, referrals


async def after_payment(tx: Transaction, *, payment_id: int, user_id: UserId, amount: Money, is_topup: bool) -> Money:
    """Give the payer what a promo code promised for this payment, nothing where none did; note the inviter's percent.

    A code promises something for a top-up: a subscription's month, which comes by itself, does not use it up.
    """
    await referrals.note_share(tx, payment_id=payment_id, friend_id=user_id)
    if not is_topup:
        return Money(0, amount.currency)
    return await bonus.give(tx, payment_id=payment_id, user_id=user_id, amount=amount)


async def goes_back_with(tx: Transaction, *, payment_id: int, refunded: Money, of: Money) -> Money:
    """What of the payer's wallet will go back besides, once so much of a payment does."""
    return await bonus.due_back(tx, payment_id=payment_id, refunded=refunded, of=of)


async def after_refund(tx: Transaction, *, payment_id: int, user_id: UserId, refunded: Money, of: Money) -> None:
    """So much of a payment surely went back now: its bonus goes back in proportion, and so will the inviter's percent.

    So does the reward for the invitation, when the rest of the friend's payments no longer covers its job.
    """
    await bonus.take_back(tx, payment_id=payment_id, user_id=user_id, refunded=refunded, of=of)
    await referrals.make_share_due(tx, payment_id=payment_id)
    await referrals.lose_payment(tx, friend_id=user_id)


async def after_paid_job(tx: Transaction, *, user_id: UserId, job_id: JobId) -> None:
    """A job was charged more than nothing: the first one an invited friend's own money covers makes both rewards due."""
    await referrals.make_due(tx, friend_id=user_id, job_id=job_id)


async def after_refunded_job(tx: Transaction, *, user_id: UserId, job_id: JobId) -> None:
    """Something of a job's charge went back; when all of it did, it no longer earns anybody a reward."""
    await referrals.lose_job(tx, friend_id=user_id, job_id=job_id)
