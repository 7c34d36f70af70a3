"""Budgets shared by all instances: so many calls in any window of time, and a vendor's own "not before".

A budget is a row with the instants of its last calls, so the window slides and a burst is allowed whenever it fits. Taking is
one conditional statement: two instances never spend the same place. A refusal says how long to wait; no function here sleeps.

A queue whose items each need one call claims them together with their places: `room` reads how many there are, and writes
nothing; `lock` and `spend` take them in the transaction of the claim.
"""

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple

from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import Transient
from photomat.kernel.metrics import BUDGET_BLOCKS

KEPT_BACK: Final = 20
"""One call in so many, at least one, is not used: requests arrive closer together than they left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most `limit` calls in any `window_s` seconds."""

    name: str
    limit: int
    window_s: float

    @property
    def apart_s(self) -> float:
        """How far calls are apart on average when all are used."""
        return self.window_s / self.limit


class Room(NamedTuple):
    """How many calls are allowed now; without any, the seconds until the next."""

    calls: int
    wait_s: float


class NoRoom(Transient):
    """Items are due and the budget allows no call now; `retry_after_s` says when it does."""


def below(name: str, *, allowed: int, window_s: float) -> Budget:
    """A budget a little below what the vendor allows."""
    return Budget(name=name, limit=max(1, allowed - math.ceil(allowed / KEPT_BACK)), window_s=window_s)


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


async def room(pool: Pool, budget: Budget) -> Room:
    """Read how many calls are allowed now; writes nothing and locks nothing."""
    calls = await pool.fetchval(
        """
        SELECT CASE WHEN b.blocked_until > photomat_now() THEN 0
                    ELSE $2 - (SELECT count(*) FROM unnest(b.taken) AS at WHERE at > photomat_now() - $3::interval) END
          FROM budgets AS b WHERE name = $1
        """,
        budget.name,
        budget.limit,
        timedelta(seconds=budget.window_s),
    )
    if calls is None or calls > 0:
        return Room(budget.limit if calls is None else calls, 0.0)
    return Room(0, await _wait(pool, budget, 0))


async def lock(tx: Transaction, budget: Budget) -> int:
    """Lock the budget until the end of the transaction; return how many calls it allows now."""
    await tx.execute(
        "INSERT INTO budgets (name) VALUES ($1) ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING", budget.name
    )
    row = await tx.fetchrow(
        "SELECT taken, blocked_until > photomat_now() AS blocked FROM budgets WHERE name = $1 FOR UPDATE", budget.name
    )
    if row is None or row["blocked"]:
        return 0
    used = await tx.fetchval(
        "SELECT count(*) FROM unnest($1::timestamptz[]) AS at WHERE at > photomat_now() - $2::interval",
        row["taken"],
        timedelta(seconds=budget.window_s),
    )
    return max(0, budget.limit - int(used))


async def spend(tx: Transaction, budget: Budget, *, calls: int, turn: int = 0) -> None:
    """Take calls of a locked budget; `turn` is the round its queue has come to."""
    await tx.execute(
        """
        UPDATE budgets AS b
           SET taken = ARRAY(SELECT at FROM unnest(b.taken) AS at WHERE at > photomat_now() - $3::interval ORDER BY at)
                       || array_fill(photomat_now(), ARRAY[$2::int]),
               used_at = photomat_now(), blocked_until = NULL, reason = NULL, turn = greatest(b.turn, $4)
         WHERE name = $1
        """,
        budget.name,
        calls,
        timedelta(seconds=budget.window_s),
        turn,
    )


async def current_turn(tx: Transaction, name: str) -> int:
    """The round the queue of this budget has come to; 0 before the first."""
    return int(await tx.fetchval("SELECT turn FROM budgets WHERE name = $1", name) or 0)


async def block(pool: Pool, name: str, *, seconds: float, reason: str) -> None:
    """Block the budget for so long, as the vendor demands."""
    BUDGET_BLOCKS.labels(budget=family_of(name)).inc()
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


def family_of(name: str) -> str:
    """A budget's name without ids: `kie:creates`, `telegram`, `telegram:chat`."""
    vendor, *rest = name.split(":")
    words = [word for word in rest if word.isalpha()]
    return ":".join([vendor, *words])


async def unblock(tx: Transaction, name: str) -> bool:
    """Lift a block at once; False if there is none."""
    return bool(
        await tx.fetchval(
            """
            UPDATE budgets SET blocked_until = NULL, reason = NULL WHERE name = $1 AND blocked_until > photomat_now()
            RETURNING true
            """,
            name,
        )
    )


async def blocked_because(pool: Pool, name: str) -> str | None:
    """Why this budget is blocked; None when it is not."""
    reason: str | None = await pool.fetchval(
        "SELECT reason FROM budgets WHERE name = $1 AND blocked_until > photomat_now()", name
    )
    return reason


async def forget_unused(pool: Pool) -> None:
    """Drop the budgets of chats that have been quiet for an hour; a missing row is an untouched budget."""
    await pool.execute(
        """
        DELETE FROM budgets
         WHERE used_at < photomat_now() - interval '1 hour' AND turn = 0
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
