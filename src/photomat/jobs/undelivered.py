"""The rule "failed delivery for so many days": what a customer paid for and could not be shown is given back, once.

It speaks of results that wait for a person: parked for the operator, or in a group the bot was put out of. Who has blocked the
bot gets the result when they return, so their jobs wait. Results of a bot that does not own the database any more are given
up when another one gets it. The job is locked before its wallet and looked at again under that lock: a card shown a moment ago
is not refunded. The result stays where it is; shown later it is a gift.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs.refund import give_charge_back
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger

MOST_AT_ONCE: Final = 100
LOOKED_BACK: Final = timedelta(days=60)
"""Older ones were looked at before, or an operator has."""

WAITS_IN_VAIN: Final = """
    status = 'done' AND NOT gift AND price > 0 AND delivered_at IS NULL AND settled_at <= photomat_now() - $1::interval
    AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL AND chat_id <> user_id)
"""
log = get_logger()


async def refund_undelivered(pool: Pool, *, after: timedelta) -> int:
    """Refund what could not be shown for so long; say how many jobs that were."""
    rows = await pool.fetch(
        f"""
        SELECT job_id FROM generation_jobs AS job
         WHERE settled_at > photomat_now() - $1::interval - $2::interval AND {WAITS_IN_VAIN}
           AND (SELECT sum(amount) FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = job.job_id AND account = 'income') > 0
         ORDER BY settled_at LIMIT $3
        """,  # noqa: S608  a constant of ours
        after,
        LOOKED_BACK,
        MOST_AT_ONCE,
    )
    return sum([await _refund(pool, JobId(row["job_id"]), after) for row in rows])


async def refund_given_up(tx: Transaction, jobs: Iterable[JobId], *, by: str) -> None:
    """Refund results that nobody can show any more, because another bot owns the database; what was refunded before stays."""
    for job_id in jobs:
        with suppress(Rejected):
            async with tx.transaction():
                await give_charge_back(
                    tx, job_id=job_id, reference=f"undelivered:{job_id}", by=by, reason="undelivered"
                )


async def _refund(pool: Pool, job_id: JobId, after: timedelta) -> bool:
    try:
        async with transaction(pool) as tx:
            if not await _still_in_vain(tx, job_id, after):
                return False
            refund = await give_charge_back(
                tx,
                job_id=job_id,
                reference=f"undelivered:{job_id}",
                by="the rule of days",
                reason="undelivered",
            )
    except Rejected:
        return False
    log.warning("REFUND_UNDELIVERED", job_id=job_id, user_id=refund.user_id, amount=refund.amount.minor)
    return refund.is_new


async def _still_in_vain(tx: Transaction, job_id: JobId, after: timedelta) -> bool:
    return bool(
        await tx.fetchval(
            f"SELECT true FROM generation_jobs WHERE job_id = $2 AND {WAITS_IN_VAIN} FOR UPDATE",  # noqa: S608  a constant of ours
            after,
            job_id,
        )
    )
