"""Vouchers: the free generations of promo codes. Which one pays for a job, and using it, once per job.

A voucher is used in the transaction that creates the job, under the lock of the user's row, so the last one pays for one job.
It counts as used unless its job failed, was canceled, or came too late and was given away: then it is available again, until
the result of a canceled job is accepted after all.
"""

from typing import Final

from photomat.catalog.pricing import Quote, Voucher
from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.users.user import lock_user

LEFT: Final = """
    generations - (SELECT count(*) FROM pass_uses JOIN generation_jobs AS job USING (job_id)
                    WHERE pass_uses.use_id = promo_uses.use_id AND status NOT IN ('failed', 'canceled')
                      AND NOT gift)
"""
"""How many generations a use of a code still pays for."""


async def voucher_for(tx: Transaction, *, user_id: UserId, quote: Quote) -> Voucher | None:
    """The user's oldest voucher that covers this price, with how many generations are left; None if there is none."""
    row = await tx.fetchrow(
        f"""
        SELECT use_id, code, available FROM (
            SELECT use_id, code, {LEFT} AS available FROM promo_uses JOIN promo_codes USING (code)
             WHERE user_id = $1 AND kind = 'free' AND currency = $2 AND amount >= $3) AS theirs
         WHERE available > 0 ORDER BY use_id LIMIT 1
        """,  # noqa: S608  our own constant
        user_id,
        quote.price.currency,
        quote.price.minor,
    )
    if row is None:
        return None
    return Voucher(use_id=row["use_id"], code=row["code"], left=row["available"], price=quote.price)


async def is_voucher_left(tx: Transaction, *, user_id: UserId, quote: Quote) -> bool:
    """Whether the voucher of a quote can still be used, locked until the commit; True for a quote without one."""
    return quote.paid_by is None or await _is_left(tx, quote.paid_by.use_id, user_id)


async def voucher_pays_again(tx: Transaction, *, user_id: UserId, job_id: JobId) -> bool:
    """Whether the voucher of a canceled job can still pay for it; True for a job without one."""
    use_id = await tx.fetchval("SELECT use_id FROM pass_uses WHERE job_id = $1", job_id)
    return use_id is None or await _is_left(tx, use_id, user_id)


async def _is_left(tx: Transaction, use_id: int, user_id: UserId) -> bool:
    await lock_user(tx, user_id)
    return bool(
        await tx.fetchval(
            f"SELECT {LEFT} > 0 FROM promo_uses JOIN promo_codes USING (code) WHERE use_id = $1 AND user_id = $2",  # noqa: S608  our own constant
            use_id,
            user_id,
        )
    )


async def use_voucher(tx: Transaction, *, use_id: int, job_id: JobId) -> None:
    await tx.execute("INSERT INTO pass_uses (job_id, use_id) VALUES ($1, $2)", job_id, use_id)
