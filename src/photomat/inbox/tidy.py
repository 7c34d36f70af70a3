"""What was handled long ago is forgotten, so that the inbox does not grow with history. Parked updates stay."""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool
from photomat.inbox import store

KEPT: Final = timedelta(days=2)
"""Longer than Telegram repeats an update, shorter than the week of silence after which it numbers them anew."""

AT_ONCE: Final = 5000


async def forget_handled(pool: Pool) -> None:
    """Forget what is old enough, a bounded part of it at a time."""
    await store.delete_handled(pool, older_than=KEPT, limit=AT_ONCE)
    await store.delete_quiet_lanes(pool, older_than=KEPT, limit=AT_ONCE)
