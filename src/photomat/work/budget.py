"""Budgets shared by all instances: so many calls in any window of time, and a vendor's own "not before".

A budget is a row with the instants of its last calls, so the window slides and a burst is allowed whenever it fits. Taking is
one conditional statement: two instances never spend the same place. A refusal says how long to wait; no function here sleeps.

An instance with many calls takes a small share of a budget in one statement (`Shares`). The places of a share are entered with
the instant at which it expires, the latest at which one of them can be used: no window holds more calls than the limit, however
many instances there are, and what a killed one left unused is free again a window later. Without a quarter of the budget free,
places are taken as they are needed, those of calls that come together in one statement, and none is wasted. A block reaches an
instance that holds a share when the share is used up or expired, a second later at most.

A queue whose items each need one call claims them together with their places: `room` reads how many there are, and writes
nothing; `lock` and `spend` take them in the transaction of the claim, `PLACES` and `SPEND` in its statement.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from photomat.db.pool import Pool, Transaction
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.metrics import BUDGET_BLOCKS
from photomat.work.batch_writer import BatchWriter

KEPT_BACK: Final = 20
"""One call in so many, at least one, is not used: requests arrive closer together than they left."""
BY_NAME: Final = "name || '' = {name} AND since >= (SELECT photomat_budget_since({name}))"
"""Finds the row of a budget by the index `budgets_recent`, not by its key.

A row that is updated a hundred times a second has as many dead versions, which PostgreSQL cannot remove beside a transaction
that is open for long. Its key leads to all of them, this index to those since the last `RENEW`. The function returns `since` as
the statement sees it. It is `>=` and not `=`, because a row renewed while the statement waited for it must match.
"""
OF_ASKED: Final = "name || '' = ANY (ARRAY[budget]) AND since >= recent"
"""The same for a list `asked` of budgets. A plain `=` could become a merge join, which reads the whole index."""
RENEW: Final = """
    since = CASE WHEN b.since < photomat_now() - interval '10 seconds' AND b.used_at > photomat_now() - interval '1 second'
                 THEN photomat_now() ELSE b.since END"""
"""Moves a busy budget to the end of the index; that of a quiet chat stays where it is."""
CURRENT_TURN: Final = f"SELECT turn FROM budgets WHERE {BY_NAME}"  # noqa: S608  a constant of ours
"""The round the queue of a budget has come to, inside another statement; nothing before the first."""
PLACES: Final = f"""
    SELECT CASE WHEN blocked_until > photomat_now() THEN 0 ELSE greatest(0, {{limit}} - (
               SELECT count(*) FROM unnest(taken) AS at WHERE at > photomat_now() - {{window}}::interval)) END AS calls
      FROM budgets WHERE {BY_NAME} """  # noqa: S608  a constant of ours
"""The calls a budget allows now; with FOR UPDATE at its end it locks the row until the statement has spent them."""
SPEND: Final = f"""
    UPDATE budgets AS b
       SET taken = ARRAY(SELECT at FROM unnest(b.taken) AS at WHERE at > photomat_now() - {{window}}::interval ORDER BY at)
                   || array_fill(photomat_clock(), ARRAY[asked.calls]),
           used_at = photomat_now(), blocked_until = NULL, reason = NULL, {RENEW}
      FROM asked
     WHERE {BY_NAME} AND asked.calls > 0"""  # noqa: S608  constants of ours
"""Takes the calls of a claim; `asked` has how many."""
SPEND_IN_TURN: Final = SPEND.replace("reason = NULL", "reason = NULL, turn = greatest(b.turn, asked.turn)")
"""The same for a queue that works in rounds; `asked` has the round it has come to as well."""
SHARE_OF: Final = 8
"""A share is at most one in so many of a budget's calls."""
FREE_BESIDE_SHARES: Final = 4
"""One in so many of a budget's calls stays free when a share is taken."""
MAX_SHARE_S: Final = 1.0
MAX_SHARES: Final = 1000
"""How many budgets are remembered before those without a share are dropped."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Take:
    """So many calls of a budget, all of them or none, to be used within `lasts_s`, leaving `reserve` for others."""

    budget: Budget
    calls: int
    reserve: int
    lasts_s: float


async def take(pool: Pool, budget: Budget, *, reserve: int = 0) -> float:
    """Take one call, leaving `reserve` for more important ones. 0 means taken, else the seconds to wait."""
    [is_taken] = await _take_all(pool, [_Take(budget=budget, calls=1, reserve=reserve, lasts_s=0)])
    return 0.0 if is_taken else await _wait(pool, budget, reserve)


async def _take_all(pool: Pool, takes: Sequence[_Take]) -> list[bool]:
    """Take calls of several budgets; of equal takes as many as fit. Different takes of one budget come one after the other."""
    left = Counter(takes)
    granted: dict[_Take, int] = {}
    while left:
        together = {take.budget.name: take for take in reversed(left)}
        counts = {take: left.pop(take) for take in together.values()}
        calls = await _take_different(pool, counts)
        granted |= {take: calls.get(take.budget.name, 0) // take.calls for take in counts}
    used: Counter[_Take] = Counter()
    results = []
    for take in takes:
        used[take] += 1
        results.append(used[take] <= granted[take])
    return results


async def _take_different(pool: Pool, counts: Mapping[_Take, int]) -> dict[str, int]:
    """Take calls of different budgets, each so many times, locked in one order; how many calls each got.

    Of two instances that use a budget for the first time at once, one may get nothing: it asks again a moment later.
    """
    rows = await pool.fetch(
        f"""
        WITH asked AS (
            SELECT *, photomat_budget_since(budget) AS recent
              FROM unnest($1::text[], $2::int[], $3::interval[], $4::int[], $5::int[], $6::interval[])
                       AS take (budget, most, span, calls, times, lasts)
        ), made AS (
            INSERT INTO budgets (name, taken)
            SELECT budget, array_fill(photomat_clock() + lasts, ARRAY[calls * least(times, most / calls)]) FROM asked
             WHERE calls <= most AND recent IS NULL
             ORDER BY budget
                ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING
            RETURNING name, cardinality(taken) AS granted
        ), locked AS MATERIALIZED (
            SELECT budget, recent, lasts, span, calls * least(times, (most - (
                       SELECT count(*) FROM unnest(taken) AS at WHERE at > photomat_now() - span)::int) / calls) AS granted
              FROM asked JOIN budgets ON {OF_ASKED}
             WHERE blocked_until IS NULL OR blocked_until <= photomat_now()
             ORDER BY budget FOR UPDATE OF budgets
        ), taken AS (
            UPDATE budgets AS b
               SET taken = ARRAY(SELECT at FROM unnest(b.taken) AS at WHERE at > photomat_now() - span ORDER BY at)
                           || array_fill(photomat_clock() + lasts, ARRAY[granted]),
                   used_at = photomat_now(), blocked_until = NULL, reason = NULL, {RENEW}
              FROM locked
             WHERE {OF_ASKED} AND granted > 0
            RETURNING b.name, granted
        )
        SELECT name, granted FROM made UNION ALL SELECT name, granted FROM taken
        """,  # noqa: S608  constants of ours
        [take.budget.name for take in counts],
        [take.budget.limit - take.reserve for take in counts],
        [timedelta(seconds=take.budget.window_s) for take in counts],
        [take.calls for take in counts],
        list(counts.values()),
        [timedelta(seconds=take.lasts_s) for take in counts],
    )
    return {row["name"]: row["granted"] for row in rows}


@dataclass(slots=True)
class _Share:
    """The places `left` of a share until `until`; `used` counts the calls since it was taken."""

    left: int = 0
    used: int = 1
    until: float = 0.0
    alone_until: float = 0.0
    """Until then no share is taken: too little of the budget is free."""
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def use(self) -> bool:
        if self.left == 0 or monotonic() >= self.until:
            return False
        self.left -= 1
        self.used += 1
        return True


class Shares:
    """The places this instance has taken ahead. Each share is a little more than was used since the one before."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._shares: dict[str, _Share] = {}
        self._takes = BatchWriter(partial(_take_all, pool), rests=0)

    async def take(self, budget: Budget, *, reserve: int = 0) -> float:
        """As `take`, from a share where there is one and what was free beside it is enough for the reserve."""
        share = self._share(budget.name)
        if reserve <= _free_beside_shares(budget):
            async with share.taking:
                if share.use() or await self._take_share(budget, share):
                    return 0.0
                share.used += 1
        if await self._taken(_Take(budget=budget, calls=1, reserve=reserve, lasts_s=0)):
            return 0.0
        return await _wait(self._pool, budget, reserve)

    async def _taken(self, take: _Take) -> bool:
        """Take it together with others. One that was stopped is no unknown outcome: the call has not left."""
        try:
            return await self._takes.add(take)
        except OutcomeUnknown as error:
            raise Transient("the budget could not be asked") from error

    async def _take_share(self, budget: Budget, share: _Share) -> bool:
        calls, began = min(budget.limit // SHARE_OF, share.used + share.used // 4 + 2), monotonic()
        if calls <= 1 or began < share.alone_until:
            return False
        lasts_s = min(MAX_SHARE_S, budget.window_s / 4)
        reserve = _free_beside_shares(budget)
        if not await self._taken(_Take(budget=budget, calls=calls, reserve=reserve, lasts_s=lasts_s)):
            share.left, share.alone_until = 0, began + lasts_s
            return False
        share.left, share.used, share.until = calls - 1, 1, began + lasts_s
        return True

    def _share(self, name: str) -> _Share:
        if len(self._shares) >= MAX_SHARES:
            now = monotonic()
            self._shares = {
                each: share for each, share in self._shares.items() if share.until > now or share.taking.locked()
            }
        return self._shares.setdefault(name, _Share())

    async def block(self, name: str, *, seconds: float, reason: str) -> None:
        """Block the budget as `block` does; nothing more of our own share is used."""
        self._share(name).left = 0
        await block(self._pool, name, seconds=seconds, reason=reason)


def _free_beside_shares(budget: Budget) -> int:
    return budget.limit // FREE_BESIDE_SHARES


async def room(pool: Pool, budget: Budget) -> Room:
    """Read how many calls are allowed now; writes nothing and locks nothing."""
    calls = await _places(pool, budget, "")
    if calls is None or calls > 0:
        return Room(budget.limit if calls is None else calls, 0.0)
    return Room(0, await _wait(pool, budget, 0))


async def open_budget(session: Pool | Transaction, budget: Budget) -> None:
    """Write the row of a budget that was never used, or not for long."""
    await session.execute(
        "INSERT INTO budgets (name) VALUES ($1) ON CONFLICT ON CONSTRAINT budgets_pkey DO NOTHING", budget.name
    )


async def lock(tx: Transaction, budget: Budget) -> int:
    """Lock the budget until the end of the transaction; return how many calls it allows now."""
    calls = await _places(tx, budget, "FOR UPDATE")
    if calls is None:
        await open_budget(tx, budget)
        calls = await _places(tx, budget, "FOR UPDATE")
    return calls or 0


async def _places(session: Pool | Transaction, budget: Budget, locking: str) -> int | None:
    """How many calls a budget allows now; None without its row."""
    calls: int | None = await session.fetchval(
        PLACES.format(name="$1", limit="$2::int", window="$3") + locking,
        budget.name,
        budget.limit,
        timedelta(seconds=budget.window_s),
    )
    return calls


async def spend(tx: Transaction, budget: Budget, *, calls: int, turn: int = 0) -> None:
    """Take calls of a locked budget; `turn` is the round its queue has come to."""
    await tx.execute(
        f"""
        WITH asked AS (SELECT $2::int AS calls, $3::bigint AS turn)
        {SPEND_IN_TURN.format(name="$1", window="$4")}
        """,
        budget.name,
        calls,
        turn,
        timedelta(seconds=budget.window_s),
    )


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
        f"SELECT reason FROM budgets WHERE {BY_NAME.format(name='$1')} AND blocked_until > photomat_now()",  # noqa: S608  a constant of ours
        name,
    )
    return reason


async def forget_unused(pool: Pool) -> None:
    """Drop the budgets of chats that have been quiet for an hour; a missing row is an untouched budget."""
    await pool.execute(
        """
        WITH unused AS MATERIALIZED (
            SELECT name FROM budgets
             WHERE used_at < photomat_now() - interval '1 hour' AND turn = 0
               AND (blocked_until IS NULL OR blocked_until <= photomat_now())
             ORDER BY name FOR UPDATE SKIP LOCKED
        )
        DELETE FROM budgets USING unused WHERE budgets.name = unused.name
        """
    )


async def _wait(pool: Pool, budget: Budget, reserve: int) -> float:
    """Until the block is over, and until the call that must leave the window first has left it."""
    wait = await pool.fetchval(
        f"""
        SELECT extract(epoch FROM greatest(
                   b.blocked_until,
                   (SELECT at FROM unnest(b.taken) AS at ORDER BY at DESC OFFSET greatest($2 - 1, 0) LIMIT 1) + $3::interval
               ) - photomat_now())
          FROM budgets AS b WHERE {BY_NAME.format(name="$1")}
        """,  # noqa: S608  a constant of ours
        budget.name,
        budget.limit - reserve,
        timedelta(seconds=budget.window_s),
    )
    return max(0.05, float(wait or 0))
