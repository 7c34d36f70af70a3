"""How often one user may pay, and when they may again."""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import UserId

DAY: Final = timedelta(days=1)


async def wait_to_pay(db: Pool | Transaction, user_id: UserId, *, a_day: int) -> timedelta | None:
    """How long until the user may pay again; None when they may now, and always when `a_day` is 0."""
    if not a_day:
        return None
    wait: timedelta | None = await db.fetchval(
        """
        SELECT received_at + $2::interval - photomat_now() FROM payments
         WHERE user_id = $1 AND received_at > photomat_now() - $2::interval
         ORDER BY received_at DESC OFFSET $3 LIMIT 1
        """,
        user_id,
        DAY,
        a_day - 1,
    )
    return wait
