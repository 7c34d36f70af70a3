"""Retention: data with a limited lifetime is deleted in small batches, oldest first, until nothing old is left.

Each slice says for its own tables what may be deleted (`OldRows`, or functions of its own); `app/duties.py` lists all
kinds with their settings. A batch is one short statement that skips locked rows, so two ACTIVE instances, or a
command beside them, share the work. Killed at any point, the next pass continues. Of the tables in partitions whole ones are
dropped (`jobs/partitions.py`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
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
class OldPartition:
    """A partition that is dropped as a whole; `rows` is an estimate, `newest` the time of its newest row."""

    name: str
    rows: int
    size_bytes: int
    newest: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """One kind of data: `keep` is how long, None forever; `setting` says so, or why there is none."""

    name: str
    keep: timedelta | None
    count: Count
    delete: Delete
    table: str
    setting: str
    partitions: Callable[[Pool, timedelta], Awaitable[list[OldPartition]]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a pass would delete of one kind: older than `before`, about so many bytes, with whole partitions among it."""

    kind: RetentionRule
    before: datetime | None
    rows: int
    size_bytes: int
    partitions: Sequence[OldPartition]


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


async def forecast(pool: Pool, kinds: Sequence[RetentionRule]) -> list[Forecast]:
    """What a pass would delete now, kind by kind; counts what it would delete, so it reads as much."""
    return [await _forecast_one(pool, kind) for kind in kinds]


async def _forecast_one(pool: Pool, kind: RetentionRule) -> Forecast:
    if kind.keep is None:
        return Forecast(kind=kind, before=None, rows=0, size_bytes=0, partitions=())
    whole = await kind.partitions(pool, kind.keep) if kind.partitions is not None else []
    rows = await kind.count(pool, kind.keep)
    single = max(0, rows - sum(part.rows for part in whole))
    return Forecast(
        kind=kind,
        before=await pool.fetchval("SELECT photomat_now() - $1::interval", kind.keep),
        rows=rows,
        size_bytes=sum(part.size_bytes for part in whole) + single * await _bytes_per_row(pool, kind.table),
        partitions=whole,
    )


async def _bytes_per_row(pool: Pool, table: str) -> int:
    """With its share of the indexes, by PostgreSQL's estimate of the rows."""
    return int(
        await pool.fetchval(
            """
            SELECT coalesce(sum(pg_total_relation_size(oid)) / nullif(sum(reltuples::bigint), 0), 0) FROM pg_class
             WHERE relkind = 'r' AND reltuples > 0
               AND (oid = $1::text::regclass OR oid IN (SELECT relid FROM pg_partition_tree($1::text::regclass)))
            """,
            table,
        )
    )
