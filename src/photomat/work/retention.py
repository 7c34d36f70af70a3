"""Retention: data with a limited lifetime is deleted in small batches, oldest first, until nothing old is left.

Each slice says for its own tables what may be deleted (`OldRows`, or functions of its own); `app/duties.py` lists all
kinds with their settings. A batch is one short statement that skips locked rows, so two ACTIVE instances, or a
command beside them, share the work. Killed at any point, the next pass continues.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.logs import get_logger

BATCH: Final = 1000
PAUSE_S: Final = 0.05
"""Between two batches, so that other work comes first."""

log = get_logger()


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of a step; `more`: there may be more to delete."""

    deleted: int
    more: bool


Count = Callable[[Pool, timedelta], Awaitable[int]]
"""How many are older than that and would be deleted."""

Delete = Callable[[Pool, timedelta, int], Awaitable[Batch]]
"""Delete so many at most of what is older than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """One kind of data: `keep` is how long, None forever."""

    name: str
    keep: timedelta | None
    count: Count
    delete: Delete


@dataclass(frozen=True, slots=True, kw_only=True)
class OldRows:
    """Rows of a table that may be deleted: `age` is the indexed column of their age, `only` another condition (SQL).

    `before` is a statement run first in the same transaction.
    """

    table: str
    age: str
    only: str = "true"
    before: str | None = None

    async def count(self, pool: Pool, older_than: timedelta) -> int:
        """Count what would be deleted; reads as many rows."""
        return int(
            await pool.fetchval(
                f"SELECT count(*) FROM {self.table} AS old WHERE {self._is_old}",  # noqa: S608  our own constants
                older_than,
            )
        )

    async def delete(self, pool: Pool, older_than: timedelta, limit: int) -> Batch:
        """Delete a batch, the oldest first."""
        async with transaction(pool) as tx:
            if self.before is not None:
                await tx.execute(self.before)
            done = await tx.execute(
                f"""
                DELETE FROM {self.table}
                 WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM {self.table} AS old WHERE {self._is_old}
                                          ORDER BY old.{self.age} LIMIT $2 FOR UPDATE SKIP LOCKED))
                """,  # noqa: S608  our own constants
                older_than,
                limit,
            )
        deleted = int(done.rpartition(" ")[2])
        return Batch(deleted, more=deleted == limit)

    @property
    def _is_old(self) -> str:
        return f"old.{self.age} < photomat_now() - $1::interval AND {self.only}"


async def prune(
    pool: Pool, kinds: Sequence[RetentionRule], *, stop: asyncio.Event | None = None, batch: int = BATCH
) -> Mapping[str, int]:
    """Delete what is old, kind by kind, in batches, until none is left or `stop`; return how many of each."""
    stop = stop or asyncio.Event()
    deleted = {kind.name: 0 for kind in kinds}
    for kind in kinds:
        while kind.keep is not None and not stop.is_set():
            step = await kind.delete(pool, kind.keep, batch)
            deleted[kind.name] += step.deleted
            if not step.more:
                break
            await sleep_until_set(stop, PAUSE_S)
        if deleted[kind.name]:
            log.info("PRUNED", kind=kind.name, count=deleted[kind.name])
    return deleted


async def would_prune(pool: Pool, kinds: Sequence[RetentionRule]) -> Mapping[str, int]:
    """How many of each kind a pass would delete now."""
    return {kind.name: 0 if kind.keep is None else await kind.count(pool, kind.keep) for kind in kinds}
