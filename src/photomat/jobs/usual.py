"""How long a model usually takes, by our own jobs: from the tap that bought one to its result. Reads only."""

from typing import Final

from photomat.db.pool import Pool

NEWEST: Final = 50
"""So many of the newest results are looked at, however many there are; the index by model gives them."""


async def usual_seconds(pool: Pool, model_id: str) -> int | None:
    """The median of the newest results of a model; None while it has none."""
    seconds: float | None = await pool.fetchval(
        """
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM settled_at - created_at)::float8)
          FROM (SELECT created_at, settled_at FROM generation_jobs
                 WHERE model = $1 AND status = 'done' ORDER BY settled_at DESC LIMIT $2) AS newest
        """,
        model_id,
        NEWEST,
    )
    return None if seconds is None else max(1, round(seconds))
