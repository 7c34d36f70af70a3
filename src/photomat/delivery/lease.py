"""The delivery lock kept alive while a long edit is under way, and what is raised by whoever lost it."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from photomat.db.pool import Pool
from photomat.delivery.locked import LockedCard
from photomat.work import renewing
from photomat.work.renewing import ClaimLost

__all__ = ["ClaimLost", "renew_lock", "while_renewing"]

T = TypeVar("T")


async def while_renewing(pool: Pool, card: LockedCard, *, lease: timedelta, work: Callable[[], Awaitable[T]]) -> T:
    """Do the work with the card's lock kept alive; raises ClaimLost, and ends the work, when it was taken over.

    The new holder renders the same card again.
    """
    return await renewing.while_renewing(work, renew=lambda: renew_lock(pool, card), lease=lease)


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
