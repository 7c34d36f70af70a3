"""Budgets shared by all instances: so many calls in any window of time, and a vendor's own "not before".

A budget is a row with the instants of its last calls, so the window slides and a burst is allowed whenever it fits. Taking is
one conditional statement: two instances never spend the same place. A refusal says how long to wait; nobody sleeps here.
"""

from dataclasses import dataclass
from datetime import timedelta

from photomat.db.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most `limit` calls in any `window_s` seconds."""

    name: str
    limit: int
    window_s: float


async def take(pool: Pool, budget: Budget, *, reserve: int = 0) -> float:
    """Take one call, leaving `reserve` for more important ones. 0 means taken, else the seconds to wait."""
    taken = await pool.fetchval(
        """
        INSERT INTO budgets AS b (name, taken) VALUES ($1, ARRAY[photomat_now()])
            ON CONFLICT ON CONSTRAINT budgets_pkey DO UPDATE
           SET taken = ARRAY(SELECT at FROM unnest(b.taken) AS at WHERE at > photomat_now() - $3::interval ORDER BY at)
                       || photomat_now(),
               used_at = photomat_now(), blocked_until = NULL, reason = NULL
         WHERE (b.blocked_until IS NULL OR b.blocked_until <= photomat_now())
           AND (SELECT count(*) FROM unnest(b.taken) AS at WHERE at > photomat_now() - $3::interval) < $2
        RETURNING true
        """,
        budget.name,
        budget.limit - reserve,
        timedelta(seconds=budget.window_s),
    )
    return 0.0 if taken else await _wait(pool, budget, reserve)


async def block(pool: Pool, name: str, *, seconds: float, reason: str) -> None:
    """Spend nothing of this budget before so long, because the vendor said so."""
    await pool.execute(
        """
        INSERT INTO budgets AS b (name, blocked_until, reason) VALUES ($1, photomat_now() + $2::interval, $3)
            ON CONFLICT ON CONSTRAINT budgets_pkey DO UPDATE
           SET blocked_until = greatest(b.blocked_until, excluded.blocked_until), reason = excluded.reason
        """,
        name,
        timedelta(seconds=seconds),
        reason,
    )


async def blocked_because(pool: Pool, name: str) -> str | None:
    """Why nothing of this budget is spent now; None while nobody has said so."""
    reason: str | None = await pool.fetchval(
        "SELECT reason FROM budgets WHERE name = $1 AND blocked_until > photomat_now()", name
    )
    return reason


async def forget_unused(pool: Pool) -> None:
    """Drop the budgets of chats that have been quiet for an hour; a missing row is an untouched budget."""
    await pool.execute(
        """
        DELETE FROM budgets
         WHERE used_at < photomat_now() - interval '1 hour'
           AND (blocked_until IS NULL OR blocked_until <= photomat_now())
        """
    )


async def _wait(pool: Pool, budget: Budget, reserve: int) -> float:
    """Until the block is over, and until the call that must leave the window first has left it."""
    wait = await pool.fetchval(
        """
        SELECT extract(epoch FROM greatest(
                   b.blocked_until,
                   (SELECT at FROM unnest(b.taken) AS at ORDER BY at DESC OFFSET greatest($2 - 1, 0) LIMIT 1) + $3::interval
               ) - photomat_now())
          FROM budgets AS b WHERE name = $1
        """,
        budget.name,
        budget.limit - reserve,
        timedelta(seconds=budget.window_s),
    )
    return max(0.05, float(wait or 0))
