"""What was sent once more is forgotten after a season, so that the rows do not grow with history."""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool

KEPT: Final = timedelta(days=90)
"""Far longer than the tap that asked can be repeated, which must find its row."""

AT_ONCE: Final = 5000


async def forget_sent(pool: Pool) -> None:
    """Forget what ended long ago, among the oldest rows, a bounded part of them at a time."""
    await pool.execute(
        """
        DELETE FROM result_sends
         WHERE send_id IN (SELECT send_id FROM (SELECT send_id, asked_at, due_at FROM result_sends
                                                 ORDER BY send_id LIMIT $2) AS oldest
                            WHERE due_at IS NULL AND asked_at < photomat_now() - $1::interval)
        """,
        KEPT,
        AT_ONCE,
    )
