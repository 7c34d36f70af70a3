"""A statement that is interrupted at any moment leaves no transaction behind on its connection.

The dangerous moment is the loop iteration in which the reply to asyncpg's Parse arrives together with a deadline. Every
way to run a statement is interrupted there: the loop is blocked until the server has answered, and the task is canceled
in the iteration that reads the answer.
"""

import asyncio
import inspect
import io
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

import asyncpg
import pytest

from photomat.db.connection import ROLLBACK_TIMEOUT_S, SyncedConnection
from photomat.db.pool import Connection, Pool, connect, connect_pool, transaction
from photomat_chaos.lab.proxy import open_proxy
from support.database import connection_of
from support.patience import until_found

NAME = "photomat interrupted"
SERVER_ANSWERS_S = 0.004
ITERATIONS = range(14)
"""Loop iterations that pass before the interruption; the slowest of the ways below sends its Parse within these."""

numbers = count()
Way = Callable[[Connection], Awaitable[object]]


def new(statement: str) -> str:
    """The statement with a text that has not been prepared yet."""
    return f"{statement} /* {next(numbers)} */"


def update() -> str:
    """A statement that locks a table as soon as it is parsed."""
    return new("UPDATE clock_shift SET shift = shift + $1 * interval '0 s'")


async def in_a_transaction(connection: Connection) -> None:
    async with connection.transaction():
        await connection.execute(update(), 1)


async def with_a_cursor(connection: Connection) -> None:
    async with connection.transaction():
        async for _ in connection.cursor(new("SELECT shift FROM clock_shift")):
            pass


async def copy_from_query(connection: Connection) -> None:
    await connection.copy_from_query(new("SELECT shift FROM clock_shift"), output=io.BytesIO())


async def copy_records(connection: Connection) -> None:
    await connection.execute("CREATE TEMP TABLE IF NOT EXISTS copied (n int)")
    await connection.copy_records_to_table("copied", records=[(1,), (2,)])


async def copy_to_table(connection: Connection) -> None:
    await connection.execute("CREATE TEMP TABLE IF NOT EXISTS copied (n int)")
    await connection.copy_to_table("copied", source=io.BytesIO(b"1\n2\n"))


async def prepare_and_fetch(connection: Connection) -> None:
    await (await connection.prepare(update())).fetch(1)


WAYS: dict[str, Way] = {
    "execute": lambda connection: connection.execute(update(), 1),
    "execute a script": lambda connection: connection.execute("UPDATE clock_shift SET shift = shift; SELECT 1"),
    "executemany": lambda connection: connection.executemany(update(), [(1,), (2,)]),
    "fetch": lambda connection: connection.fetch(update(), 1),
    "fetchmany": lambda connection: connection.fetchmany(update(), [(1,), (2,)]),
    "fetchrow": lambda connection: connection.fetchrow(update(), 1),
    "fetchval": lambda connection: connection.fetchval(update(), 1),
    "prepare": lambda connection: connection.prepare(update()),
    "prepare and fetch": prepare_and_fetch,
    "transaction": in_a_transaction,
    "cursor": with_a_cursor,
    "copy_from_query": copy_from_query,
    "copy_from_table": lambda connection: connection.copy_from_table("clock_shift", output=io.BytesIO()),
    "copy_records_to_table": copy_records,
    "copy_to_table": copy_to_table,
}
"""Every public method of a connection that sends a statement."""

SEND_NO_STATEMENT_OF_OURS = {
    *("add_listener", "remove_listener", "close", "reset", "reload_schema_state", "end_interrupted", "pin_isolation"),
    *("set_type_codec", "reset_type_codec", "set_builtin_type_codec"),
}


def test_every_way_to_send_a_statement_is_interrupted_below() -> None:
    public = {
        name
        for name, method in inspect.getmembers(SyncedConnection, inspect.iscoroutinefunction)
        if not name.startswith("_")
    }
    assert public - SEND_NO_STATEMENT_OF_OURS - set(WAYS) == set()


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("through", ["nothing", "a pooler"])
async def test_an_interrupted_statement_leaves_an_idle_session(database: str, name: str, through: str) -> None:
    async with watched_pool(database, through_pooler=through == "a pooler") as (pool, watcher):
        for iterations in ITERATIONS:
            await interrupt(on_a_connection(pool, WAYS[name]), after_iterations=iterations)
            await until_idle(watcher)
        assert await pool.fetchval("SELECT 1") == 1


async def test_an_argument_that_cannot_be_encoded_leaves_an_idle_session(database: str) -> None:
    async with watched_pool(database) as (pool, watcher):
        before = await pool.fetchval("SELECT pg_backend_pid()")
        for ask in (pool.execute, pool.fetch, pool.fetchrow, pool.fetchval):
            with pytest.raises(asyncpg.DataError):
                await ask(update(), "not a number")
            await until_idle(watcher)
        with pytest.raises(asyncpg.DataError):
            await pool.executemany(update(), [(1,), ("not a number",)])
        await until_idle(watcher)
        assert await pool.fetchval("SELECT pg_backend_pid()") == before


async def test_a_migration_gets_its_lock_after_an_interrupted_statement(database: str) -> None:
    async with watched_pool(database) as (pool, watcher):
        await pool.execute(update(), 1)
        with pytest.raises(asyncpg.DataError):
            await pool.execute(update(), "not a number")
        await watcher.execute("SET lock_timeout = '120s'; ALTER TABLE clock_shift ADD COLUMN note text")


async def test_the_next_user_of_the_same_connection_begins_a_transaction_of_its_own(database: str) -> None:
    """The statement_timeout that an interrupted statement left running must not end the next statement."""
    connection = await connect(database, name=NAME)
    try:
        await connection.execute("SET statement_timeout = '3s'")
        await connection.execute(update(), 1)
        with pytest.raises(asyncpg.DataError):
            await connection.execute(update(), "not a number")
        await asyncio.sleep(2)
        async with connection.transaction(isolation="repeatable_read"):
            await connection.execute("SELECT pg_sleep(1.5)")
    finally:
        await connection.close(timeout=60)


async def test_an_interrupted_statement_inside_a_transaction_leaves_the_transaction_to_its_owner(database: str) -> None:
    async with watched_pool(database) as (pool, watcher):
        async with transaction(pool) as tx:
            await tx.execute("UPDATE clock_shift SET shift = interval '5 s'")
            with pytest.raises(asyncpg.DataError):
                await tx.execute(update(), "not a number")
            await tx.execute(update(), 1)
        await until_idle(watcher)
        assert (await pool.fetchval("SELECT shift FROM clock_shift")).total_seconds() == 5


async def test_a_statement_that_ends_normally_costs_no_extra_message(database: str) -> None:
    async with open_proxy(database) as proxy, watched_pool(proxy.dsn) as (pool, _):
        for _ in range(2):
            proxy.kinds.clear()
            await pool.fetchval("SELECT $1::int", 1)
        assert b"".join(proxy.kinds) == b"BES"
        proxy.kinds.clear()
        async with transaction(pool) as tx:
            await tx.fetchval("SELECT $1::int", 1)
        assert b"".join(proxy.kinds) == b"QBESQ"


async def test_a_connection_that_cannot_be_rolled_back_in_time_is_replaced(database: str) -> None:
    async with open_proxy(database) as proxy, watched_pool(proxy.dsn) as (pool, _):
        before = await pool.fetchval("SELECT pg_backend_pid()")
        async with asyncio.TaskGroup() as group:
            async with pool.acquire() as connection:
                with pytest.raises(asyncpg.DataError):
                    await connection.execute(update(), "not a number")
                hole = group.create_task(proxy.black_hole(600))
                await asyncio.sleep(0)
                began = time.monotonic()
            assert ROLLBACK_TIMEOUT_S <= time.monotonic() - began < 120
            hole.cancel()
        assert await pool.fetchval("SELECT pg_backend_pid()") != before


@asynccontextmanager
async def watched_pool(dsn: str, *, through_pooler: bool = False) -> AsyncIterator[tuple[Pool, Connection]]:
    """A pool of one connection, and another connection to look at it."""
    async with connection_of(dsn) as watcher:
        pool = await connect_pool(dsn, name=NAME, size=1, through_pooler=through_pooler)
        try:
            yield pool, watcher
        finally:
            pool.terminate()


async def on_a_connection(pool: Pool, way: Way) -> None:
    async with pool.acquire() as connection:
        await way(connection)


async def interrupt(work: Awaitable[Any], *, after_iterations: int) -> None:
    """Cancel the work in the iteration of the loop that reads the server's answer to what it has sent so far."""
    task = asyncio.ensure_future(work)
    for _ in range(after_iterations):
        await asyncio.sleep(0)
    asyncio.get_running_loop().call_later(SERVER_ANSWERS_S / 2, task.cancel)
    time.sleep(SERVER_ANSWERS_S)  # noqa: ASYNC251 - the blocked loop is what the test is about
    with suppress(asyncio.CancelledError):
        await task


async def until_idle(watcher: Connection) -> None:
    """Wait for the sessions of the pool to be outside any transaction, as the server sees it."""

    async def busy_is_none() -> bool | None:
        rows = await watcher.fetch(
            """
            SELECT state, query, xact_start FROM pg_stat_activity AS session
             WHERE datname = current_database() AND application_name = $1
               AND (state <> 'idle' OR xact_start IS NOT NULL OR backend_xmin IS NOT NULL
                    OR EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = session.pid))
            """,
            NAME,
        )
        found[:] = rows
        return None if rows else True

    found: list[Any] = []
    await until_found(busy_is_none, about=lambda: f"{found} to become idle")
