"""Forget the files a user sent: what we know of them; their bytes are not kept here."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId


async def forget_files(tx: Transaction, user_id: UserId, limit: int) -> int:
    return len(
        await tx.fetch(
            """
            DELETE FROM input_files
             WHERE file_id = ANY (ARRAY(SELECT file_id FROM input_files WHERE user_id = $1 LIMIT $2))
            RETURNING file_id
            """,
            user_id,
            limit,
        )
    )
