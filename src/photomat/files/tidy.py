"""Files nobody needs any more are forgotten after a season, so that the rows do not grow with history.

An order made of them can be made again until then; after that its files are asked for anew (`facts.gone`).
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool
from photomat.files import store

KEPT: Final = timedelta(days=90)
AT_ONCE: Final = 1000


async def forget_unused(pool: Pool) -> None:
    """Forget what is old and in no open draft and no job under way, a bounded part of it at a time."""
    await store.delete_unused(pool, older_than=KEPT, limit=AT_ONCE)
