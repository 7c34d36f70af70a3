"""A long upload keeps its lease alive: while an edit is under way its lock is renewed, three times a lease.

A short edit costs nothing, for the first renewal comes after a third of the lease. Whoever finds that the lock is no longer
theirs is stopped in the middle, writes nothing and says so: the new holder renders the same card again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, TypeVar

from photomat.db.pool import Pool
from photomat.delivery.locked import LockedCard
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.kernel.trouble import describe

RENEWALS: Final = 3
T = TypeVar("T")
log = get_logger()


class LockLost(PhotomatError):
    """Somebody else has taken the lock over: stop, write nothing."""


async def while_renewing(pool: Pool, card: LockedCard, *, lease: timedelta, work: Callable[[], Awaitable[T]]) -> T:
    """Do the work with the card's lock kept alive; raises LockLost, and ends the work, when it was taken over."""
    try:
        async with asyncio.TaskGroup() as group:
            renewing = group.create_task(_renew(pool, card, every_s=lease.total_seconds() / RENEWALS))
            done = await work()
            renewing.cancel()
    except ExceptionGroup as troubles:
        raise troubles.exceptions[0] from troubles.exceptions[0].__cause__
    return done


async def _renew(pool: Pool, card: LockedCard, *, every_s: float) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            ours = await renew_lock(pool, card)
        except Exception as error:  # noqa: BLE001  the top of a loop: without a database the fence still guards
            log.warning("DELIVERY_LEASE_NOT_RENEWED", error=describe(error))
        else:
            if not ours:
                raise LockLost("the lock was taken over during the edit")


async def renew_lock(pool: Pool, card: LockedCard) -> bool:
    """Begin the lease anew; False when the lock is no longer ours."""
    return bool(
        await pool.fetchval(
            """
            UPDATE generation_jobs SET delivering_at = photomat_now()
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
        )
    )
