"""Timelines and callbacks in partitions of about a month's jobs each: made ahead of time, dropped whole when all of it is old.

A row belongs to the range of its job's number, so every unique key holds across partitions, a job's rows lie together, and no
clock decides where a row goes (decision 12). Small shops stay in one range for months; rows are deleted from a range only
while it is being filled, from the partition of the past, which was the table before there were ranges, and from the default
one. A range that is full waits until it is old as a whole: its rows are kept for up to a month longer.

The default partition holds what has no range: callbacks without a job's number, what stays of a range that was dropped, and,
should the duty fail for long, new rows; those move to their range when it is made.

Every lock is asked for briefly and again in the next pass. Killed between detaching and dropping, the next pass finds the
detached table by its name, copies what stays and drops it.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.kernel.logs import get_logger
from photomat.work.retention import Batch, OldPartition, OldRows

LEAST_JOBS: Final = 100_000
"""A range has at least so many numbers."""
AHEAD: Final = 2
"""So many ranges are ready beyond the newest job."""
SETTLES_WITHIN: Final = timedelta(days=2)
"""From making a job to its end; what takes longer is copied, not lost."""
LOCK_TIMEOUT: Final = "200ms"
DROP_TIMEOUT_S: Final = 900
DUTY_LOCK: Final = 0x72616E676573
"""Two ACTIVE instances make one range."""
BOUNDS: Final = re.compile(r"FOR VALUES FROM \((?:MINVALUE|'?(?P<low>\d+)'?)\) TO \('?(?P<high>\d+)'?\)")
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One partition; `high` is None for the default one, `low` is None for the past. `rows` is PostgreSQL's estimate."""

    name: str
    low: int | None
    high: int | None
    rows: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionedRows:
    """A table in ranges of jobs: `only` says which old rows may be deleted one by one, `stays` which jobs keep theirs.

    `stays` is about a row of generation_jobs, with `$1` for how long rows are kept. `protection` is a trigger of new ranges.
    """

    table: str
    age: str
    only: str
    stays: str
    before: str | None = None
    protection: str | None = None

    async def count(self, pool: Pool, older_than: timedelta) -> int:
        """Estimate what goes with whole ranges and count the rest."""
        parts = await self.partitions(pool)
        whole = await self._old_ranges(pool, parts, older_than)
        single = await self._cleaned_by_row(pool, parts)
        counted = [await self._rows_of(part).count(pool, older_than) for part in single if part not in whole]
        return sum(part.rows for part in whole) + sum(counted)

    async def delete(self, pool: Pool, older_than: timedelta, limit: int) -> Batch:
        """Drop one range, or delete a batch of rows where ranges are not dropped."""
        for left in await self._detached(pool):
            await self._drop(pool, left, older_than)
        parts = await self.partitions(pool)
        for part in await self._old_ranges(pool, parts, older_than):
            if await self._detach(pool, part):
                await self._drop(pool, part.name, older_than)
                return Batch(part.rows, more=True)
        for part in await self._cleaned_by_row(pool, parts):
            step = await self._rows_of(part).delete(pool, older_than, limit)
            if step.deleted:
                return Batch(step.deleted, more=True)
        return Batch(0, more=False)

    async def old_partitions(self, pool: Pool, older_than: timedelta) -> list[OldPartition]:
        """The ranges that would be dropped now, with the time of their newest row."""
        parts = await self.partitions(pool)
        return [
            OldPartition(
                name=part.name, rows=part.rows, size_bytes=part.size_bytes, newest=await self._newest(pool, part)
            )
            for part in await self._old_ranges(pool, parts, older_than)
        ]

    async def partitions(self, pool: Pool) -> list[Partition]:
        """All partitions, the oldest range first, the default one last."""
        rows = await pool.fetch(
            """
            SELECT child.relname AS name, pg_get_expr(child.relpartbound, child.oid) AS bounds,
                   child.reltuples::bigint AS rows, pg_total_relation_size(child.oid) AS size_bytes
              FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
             WHERE inhparent = $1::text::regclass
            """,
            self.table,
        )
        parts = [await self._partition(pool, dict(row)) for row in rows]
        return sorted(parts, key=lambda part: (part.high is None, part.high))

    async def make_ahead(self, pool: Pool, *, newest_job: int, width: int) -> list[str]:
        """Make the ranges that are missing beyond the newest job, one for all numbers that were passed; their names."""
        made: list[str] = []
        while True:
            end = max(part.high for part in await self.partitions(pool) if part.high is not None)
            if end >= newest_job + AHEAD * width:
                return made
            passed = -(-(newest_job + 1) // LEAST_JOBS) * LEAST_JOBS
            made.append(await self._make(pool, low=end, high=max(end + width, passed)))

    async def _make(self, pool: Pool, *, low: int, high: int) -> str:
        name = f"{self.table}_from_{low}"
        async with transaction(pool) as tx:
            await _short_locks(tx)
            await tx.execute("SELECT pg_advisory_xact_lock($1)", DUTY_LOCK)
            if await tx.fetchval("SELECT to_regclass($1) IS NULL", name):
                await tx.execute(f"CREATE TABLE {name} (LIKE {self.table} INCLUDING ALL)")
                if self.protection is not None:
                    await tx.execute(self.protection.format(name=name))
                await tx.execute(f"LOCK TABLE {self.table}_default IN ACCESS EXCLUSIVE MODE")
                await self._move_from_default(tx, name, low=low, high=high)
                await tx.execute(
                    f"ALTER TABLE {self.table} ATTACH PARTITION {name} FOR VALUES FROM ({low}) TO ({high})"
                )
        log.info("PARTITION_MADE", table=self.table, partition=name, to_job=high - 1)
        return name

    async def _move_from_default(self, tx: Transaction, name: str, *, low: int, high: int) -> None:
        if self.before is not None:
            await tx.execute(self.before)
        await tx.execute(
            f"""
            WITH moved AS (DELETE FROM {self.table}_default WHERE job_id >= $1 AND job_id < $2 RETURNING *)
            INSERT INTO {name} SELECT * FROM moved
            """,  # noqa: S608  our own constants
            low,
            high,
            timeout=DROP_TIMEOUT_S,
        )

    async def _old_ranges(self, pool: Pool, parts: list[Partition], older_than: timedelta) -> list[Partition]:
        """Those whose jobs were all made long enough ago, by the first job after them."""
        return [
            part
            for part in parts
            if part.high is not None
            and await pool.fetchval(
                """
                SELECT created_at < photomat_now() - $2::interval - $3::interval FROM generation_jobs
                 WHERE job_id >= $1 ORDER BY job_id LIMIT 1
                """,
                part.high,
                older_than,
                SETTLES_WITHIN,
            )
        ]

    async def _cleaned_by_row(self, pool: Pool, parts: list[Partition]) -> list[Partition]:
        newest = await _newest_job(pool)
        return [
            part for part in parts if part.low is None or (part.high is not None and part.low <= newest < part.high)
        ]

    def _rows_of(self, part: Partition) -> OldRows:
        return OldRows(table=part.name, age=self.age, only=self.only, before=self.before)

    async def _detached(self, pool: Pool) -> list[str]:
        rows = await pool.fetch(
            """
            SELECT relname FROM pg_class
             WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r' AND NOT relispartition
               AND relname ~ ('^' || $1 || '_(past|from_[0-9]+)$')
            """,
            self.table,
        )
        return [row["relname"] for row in rows]

    async def _detach(self, pool: Pool, part: Partition) -> bool:
        """False if another session reads the table for long: the next pass tries again."""
        try:
            async with transaction(pool) as tx:
                await _short_locks(tx)
                await tx.execute(f"ALTER TABLE {self.table} DETACH PARTITION {part.name}")
        except asyncpg.LockNotAvailableError:
            log.warning("PARTITION_WAITS", table=self.table, partition=part.name)
            return False
        return True

    async def _drop(self, pool: Pool, name: str, older_than: timedelta) -> None:
        """Copy what stays of a detached range into the default partition, and drop it."""
        async with transaction(pool) as tx:
            await tx.execute(f"SET LOCAL statement_timeout = '{DROP_TIMEOUT_S}s'")
            await tx.execute(
                f"""
                INSERT INTO {self.table}_default
                SELECT old.* FROM {name} AS old
                 WHERE old.{self.age} >= photomat_now() - $1::interval
                    OR old.job_id IN (
                       SELECT job_id FROM generation_jobs
                        WHERE job_id BETWEEN (SELECT min(job_id) FROM {name}) AND (SELECT max(job_id) FROM {name})
                          AND forgotten_at IS NULL AND ({self.stays}))
                """,  # noqa: S608  our own constants
                older_than,
                timeout=DROP_TIMEOUT_S,
            )
            await tx.execute(f"DROP TABLE {name}")
        log.info("PARTITION_DROPPED", table=self.table, partition=name)

    async def _newest(self, pool: Pool, part: Partition) -> datetime | None:
        newest: datetime | None = await pool.fetchval(f"SELECT max({self.age}) FROM {part.name}")  # noqa: S608  our own names
        return newest

    async def _partition(self, pool: Pool, row: dict[str, object]) -> Partition:
        bounds = BOUNDS.fullmatch(str(row.pop("bounds")))
        low, high = (bounds["low"], bounds["high"]) if bounds else (None, None)
        if row["rows"] == -1:  # never analyzed, so small
            row["rows"] = await pool.fetchval(f"SELECT count(*) FROM {row['name']}")  # noqa: S608  our own names
        return Partition(
            name=str(row["name"]),
            low=None if low is None else int(low),
            high=None if high is None else int(high),
            rows=int(str(row["rows"])),
            size_bytes=int(str(row["size_bytes"])),
        )


EVENTS: Final = PartitionedRows(
    table="job_events",
    age="at",
    only="""
        EXISTS (SELECT FROM generation_jobs AS job
                 WHERE job.job_id = old.job_id AND job.settled_at < photomat_now() - $1::interval)
    """,
    stays="settled_at IS NULL OR settled_at >= photomat_now() - $1::interval",
    before="SELECT set_config('photomat.pruning', 'on', true)",
    protection="CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {name}"
    " EXECUTE FUNCTION refuse_to_change_events()",
)
"""A trigger refuses to delete events unless the setting of `before` is on."""
CALLBACKS: Final = PartitionedRows(
    table="callbacks",
    age="received_at",
    only="""
        (old.job_id IS NULL OR old.job_id = 0
         OR EXISTS (SELECT FROM generation_jobs AS job
                     WHERE job.job_id = old.job_id AND job.settled_at < photomat_now() - $1::interval
                       AND job.fail_code IS DISTINCT FROM 'empty'))
    """,
    stays="settled_at IS NULL OR settled_at >= photomat_now() - $1::interval OR fail_code = 'empty'",
)
"""The body of a result that could not be read is the only evidence of it, and stays."""
TABLES: Final = (EVENTS, CALLBACKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortage:
    """A table whose ranges end too soon; `homeless` rows have no range and lie in the default partition."""

    table: str
    jobs_left: int
    homeless: bool


async def keep_ranges_ahead(pool: Pool) -> list[str]:
    """Make the ranges that are missing beyond the newest job; their names."""
    newest, width = await _newest_job(pool), await _month_of_jobs(pool)
    made: list[str] = []
    for each in TABLES:
        try:
            made += await each.make_ahead(pool, newest_job=newest, width=width)
        except asyncpg.LockNotAvailableError:
            log.warning("PARTITION_WAITS", table=each.table)
    return made


async def find_shortages(pool: Pool) -> list[Shortage]:
    """Tables with less than half a range left: the duty should have made the next ones long ago."""
    newest = await _newest_job(pool)
    found = []
    for each in TABLES:
        end = max(part.high for part in await each.partitions(pool) if part.high is not None)
        homeless = await pool.fetchval(
            f"SELECT EXISTS (SELECT FROM {each.table}_default WHERE job_id >= $1)",  # noqa: S608  our own constant
            end,
        )
        if homeless or end - newest < LEAST_JOBS // 2:
            found.append(Shortage(table=each.table, jobs_left=max(0, end - newest), homeless=homeless))
    return found


async def _newest_job(pool: Pool) -> int:
    """By the sequence too: after a restore it is far ahead of the jobs."""
    return int(
        await pool.fetchval(
            """
            SELECT greatest((SELECT max(job_id) FROM generation_jobs), 0,
                            pg_sequence_last_value(pg_get_serial_sequence('generation_jobs', 'job_id')::regclass))
            """
        )
    )


async def _month_of_jobs(pool: Pool) -> int:
    """How many numbers a range gets: the jobs of the last 30 days, in round numbers."""
    row = await require_row(
        pool,
        """
        SELECT (SELECT max(job_id) FROM generation_jobs)
               - (SELECT job_id FROM generation_jobs WHERE created_at > photomat_now() - interval '30 days'
                   ORDER BY created_at LIMIT 1) AS jobs
        """,
    )
    return LEAST_JOBS * max(1, -(-(row["jobs"] or 0) // LEAST_JOBS))


async def _short_locks(tx: Transaction) -> None:
    await tx.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
