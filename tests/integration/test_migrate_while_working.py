"""A migration beside the version before, which works on the same tables: neither ends the other, nobody waits for long."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import permutations

import pytest

from photomat.db.migrate import migrate, read_migrations
from photomat.db.pool import Connection
from photomat.kernel.errors import Startup
from support.database import connection_of
from support.logs import logged
from support.long_history import fill
from support.patience import until, until_found

NAMES = [file.name for file in read_migrations()]
FIRST_RELEASE = 8
"""The newest migration of version 0.1.0."""

WRITES = {
    "inbox": "UPDATE inbox SET error = 'x' WHERE received_id = 1",
    "generation_jobs": "UPDATE generation_jobs SET due_at = photomat_now() WHERE job_id = 1",
    "orphan_callbacks": "INSERT INTO orphan_callbacks (task_id, payload) VALUES ('t', '{}')",
}
BLOCKED = "SELECT true FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND application_name = $1"


@asynccontextmanager
async def old_and_new(dsn: str, *, at: int = FIRST_RELEASE) -> AsyncIterator[tuple[Connection, Connection]]:
    """Two sessions of the old version, on the schema as it was at that number."""
    await migrate(dsn, read_migrations()[:at])
    async with connection_of(dsn) as one, connection_of(dsn) as two:
        yield one, two


async def until_the_migration_waits(watcher: Connection) -> None:
    """Wait until the migration stands in a queue for some lock."""

    async def waits() -> bool | None:
        found: bool | None = await watcher.fetchval(BLOCKED, "photomat migrate")
        return found

    await until_found(waits)


@pytest.mark.parametrize("tables", list(permutations(WRITES, 2)), ids=" then ".join)
async def test_the_old_version_writes_in_any_order_while_the_new_one_migrates(
    empty_database: str, tables: tuple[str, str]
) -> None:
    async with old_and_new(empty_database) as (old, watcher), asyncio.TaskGroup() as group:
        async with old.transaction():
            await old.execute(WRITES[tables[0]])
            migration = group.create_task(migrate(empty_database))
            await until_the_migration_waits(watcher)
            await old.execute(WRITES[tables[1]], timeout=120)
        assert await migration == NAMES[FIRST_RELEASE:]


@pytest.mark.parametrize("at", [FIRST_RELEASE, FIRST_RELEASE + 1])
async def test_behind_a_long_reader_a_migration_waits_and_everybody_else_goes_on(empty_database: str, at: int) -> None:
    async with old_and_new(empty_database, at=at) as (dump, live), asyncio.TaskGroup() as group:
        with logged() as lines:
            async with dump.transaction():
                await dump.fetch("SELECT count(*) FROM generation_jobs")
                migration = group.create_task(migrate(empty_database))
                await until_the_migration_waits(live)
                for statement in (*WRITES.values(), "SELECT 1 FROM generation_jobs"):
                    await live.execute(statement, timeout=120)
                await until(lambda: [line["event"] for line in lines].count("MIGRATION_WAITS") >= 2)
                await live.execute(WRITES["generation_jobs"], timeout=120)
                assert not migration.done()
        assert await migration == NAMES[at:]


PURCHASE = ("generation_jobs", "holds")
SETTLE = ("job_outputs", "ledger_transactions", "generation_jobs")
BEFORE_GROWTH = 21
"""From here on migrations meet tables that may be large."""


async def test_on_a_long_history_a_migration_gets_its_locks_while_people_buy(empty_database: str) -> None:
    """An index takes its time there: whoever waits for one table must not hold another that the migration wants next."""
    await migrate(empty_database, read_migrations()[:BEFORE_GROWTH])
    async with connection_of(empty_database) as connection:
        await fill(connection, jobs=30_000)
    over = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        shops = [group.create_task(_sells(empty_database, tables, over)) for tables in (PURCHASE, SETTLE) * 2]
        try:
            assert await migrate(empty_database, patience_s=300) == NAMES[BEFORE_GROWTH:]
        finally:
            over.set()
    assert sum(shop.result() for shop in shops) > 20, "nobody sold anything meanwhile"


async def _sells(dsn: str, tables: tuple[str, ...], over: asyncio.Event) -> int:
    """Lock tables as writing to them does, in the order a transaction of the shop comes to them; say how often."""
    done = 0
    async with connection_of(dsn) as connection:
        while not over.is_set():
            async with connection.transaction():
                for table in tables:
                    await connection.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE", timeout=300)
                    await asyncio.sleep(0.005)
            done += 1
            await asyncio.sleep(0.02)
    return done


async def test_a_migration_that_never_gets_its_lock_says_what_to_do_and_leaves_nothing_behind(
    empty_database: str,
) -> None:
    async with old_and_new(empty_database) as (stuck, other), stuck.transaction():
        await stuck.execute(WRITES["inbox"])
        with pytest.raises(Startup, match=r"did not get its locks within 0 s .* pg_stat_activity"):
            await migrate(empty_database, patience_s=0)
        assert await other.fetchval("SELECT max(number) FROM schema_migrations") == FIRST_RELEASE
        assert await other.fetchval("SELECT to_regclass('watches')") is None
