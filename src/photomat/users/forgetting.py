"""A user who asked to be forgotten: being forgotten, then a number without names, until they come back.

What operators decided stays, by number: a ban and its end, limits. The reason of a ban goes, because it may name the user.
"""

from typing import Final

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId

NO_REASON: Final = "—"


async def begin_forgetting(tx: Transaction, user_id: UserId) -> bool:
    """Mark the user, and lock them until the commit; False when there is no such user."""
    return bool(
        await tx.fetchval(
            """
            UPDATE users SET forgetting_at = coalesce(forgetting_at, photomat_now()) WHERE user_id = $1
            RETURNING true
            """,
            user_id,
        )
    )


async def forget_names(tx: Transaction, user_id: UserId) -> None:
    """Take the names out of the user's row: from now on they are a number."""
    await tx.execute(
        """
        UPDATE users
           SET first_name = '', username = NULL, ban_reason = CASE WHEN ban_reason IS NOT NULL THEN $2 END,
               forgetting_at = NULL, forgotten_at = photomat_now()
         WHERE user_id = $1
        """,
        user_id,
        NO_REASON,
    )


async def is_forgotten(tx: Transaction, user_id: UserId) -> bool:
    """Whether the user was forgotten and has not come back since."""
    return bool(await tx.fetchval("SELECT forgotten_at IS NOT NULL FROM users WHERE user_id = $1", user_id))


async def is_being_forgotten(tx: Transaction, user_id: UserId) -> bool:
    return bool(await tx.fetchval("SELECT forgetting_at IS NOT NULL FROM users WHERE user_id = $1", user_id))
