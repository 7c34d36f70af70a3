"""Connections are bounded, speak JSON, and explain themselves without giving the password away."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from photomat.db.pool import Pool, connect_pool, one_statement, transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import Corrupt, Startup
from support.database import address_of, connection_of, pool_of, shift_clock


async def test_json_columns_are_python_values_both_ways(database: str) -> None:
    value = {"prompt": "кот-космонавт", "ratios": ["1:1", None], "paid": True}
    async with pool_of(database) as pool:
        assert await pool.fetchval("SELECT $1::jsonb", value) == value
        assert await pool.fetchval("SELECT $1::json", value) == value
        assert await pool.fetchval("SELECT ($1::jsonb)::text", {"кот": 1}) == '{"кот": 1}'


async def test_every_session_is_bounded_by_the_server(database: str) -> None:
    expected = {
        "statement_timeout": "30s",
        "idle_in_transaction_session_timeout": "1min",
        "jit": "off",
        "application_name": "photomat",
    }
    async with pool_of(database) as pool:
        found = {name: await pool.fetchval(f"SHOW {name}") for name in expected}
    assert found == expected


async def test_a_session_that_reads_everything_has_no_time_limit_and_writes_nothing(database: str) -> None:
    pool = await connect_pool(database, unhurried=True)
    try:
        assert await pool.fetchval("SHOW statement_timeout") == "0"
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await pool.execute("DELETE FROM inbox")
    finally:
        await pool.close()


async def test_a_transaction_commits_all_or_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await shift_clock(tx, 5)
        with pytest.raises(asyncpg.DivisionByZeroError):
            await shift_and_then(pool, "SELECT 1 / 0")
        assert (await pool.fetchval("SELECT shift FROM clock_shift")).total_seconds() == 5


async def test_a_canceled_transaction_leaves_a_clean_connection_behind(database: str) -> None:
    async with pool_of(database, size=1) as pool:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await shift_and_then(pool, "SELECT pg_sleep(60)")
        assert (await pool.fetchval("SELECT shift FROM clock_shift")).total_seconds() == 0
        assert await pool.fetchval("SELECT pg_current_xact_id_if_assigned()") is None


@pytest.mark.parametrize("ask", ["fetch", "fetchrow", "fetchval", "execute"])
async def test_nobody_waits_for_ever_for_a_connection_of_a_busy_pool(database: str, ask: str) -> None:
    pool = await connect_pool(database, size=1, acquire_timeout_s=0.5)
    try:
        async with asyncio.timeout(120), transaction(pool):
            with pytest.raises(TimeoutError):
                await getattr(pool, ask)("SELECT 1")
            with pytest.raises(TimeoutError):
                await shift_and_then(pool, "SELECT 1")
        assert await pool.fetchval("SELECT 1") == 1
    finally:
        await pool.close()


async def test_the_clock_moves_for_everybody_when_a_test_shifts_it(database: str) -> None:
    async with connection_of(database) as ours, connection_of(database) as theirs:
        before = await theirs.fetchval("SELECT photomat_now()")
        await shift_clock(ours, 300)
        after = await theirs.fetchval("SELECT photomat_now()")
    assert 300 <= (after - before).total_seconds() < 360


async def test_the_clock_runs_on_within_a_transaction_and_has_one_row(database: str) -> None:
    async with connection_of(database) as connection:
        async with connection.transaction():
            first = await connection.fetchval("SELECT photomat_now()")
            assert await connection.fetchval("SELECT photomat_now()") > first
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.execute("INSERT INTO clock_shift DEFAULT VALUES")


async def test_a_pooler_gets_no_session_settings_and_no_prepared_statements(database: str) -> None:
    pool = await connect_pool(database, through_pooler=True)
    try:
        assert await pool.fetchval("SHOW statement_timeout") == "0"
        async with pool.acquire() as connection:
            await connection.fetchval("SELECT $1::int", 1)
            assert await connection.fetchval("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''") == 0
    finally:
        await pool.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("host", r"photomat@/nowhere/photomat cannot be reached; start the database"),
        ("password", r"refuses the user or the password; correct DATABASE_URL"),
        ("name", r"no_such_database does not exist; create the database"),
        ("nonsense", r"DATABASE_URL is not a valid address"),
    ],
)
async def test_a_database_that_cannot_be_used_is_named_without_its_password(
    database: str, change: str, sentence: str
) -> None:
    password = urlsplit(database).password or ""
    dsn = {
        "host": f"postgresql://photomat:{password}@/photomat?host=/nowhere",
        "password": database.replace(password, "wrong-secret"),
        "name": address_of(database, "no_such_database"),
        "nonsense": f"mysql://photomat:{password}@host:port/x",
    }[change]
    with pytest.raises(Startup, match=sentence) as refusal:
        await connect_pool(dsn, patience_s=0)
    assert password not in str(refusal.value)
    assert "wrong-secret" not in str(refusal.value)


async def test_a_database_that_starts_a_little_later_than_we_do_is_waited_for(database: str) -> None:
    """The server's socket appears under the asked name only after the first tries have failed."""
    folder = urlsplit(database).query.removeprefix("host=").split("&")[0]
    dsn = database.replace(folder, f"{folder}-later")
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(connect_pool(dsn, patience_s=300))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        await asyncio.to_thread(link, folder)
    await waiting.result().close()


async def shift_and_then(pool: Pool, statement: str) -> None:
    async with transaction(pool) as tx:
        await shift_clock(tx, 100)
        await tx.execute(statement)


def link(folder: str) -> None:
    Path(f"{folder}-later").symlink_to(folder)


async def test_a_row_that_must_exist_and_does_not_is_named_by_its_statement(database: str) -> None:
    async with pool_of(database) as pool:
        assert (await require_row(pool, "SELECT $1::int AS number", 7))["number"] == 7
        with pytest.raises(Corrupt, match=r"SELECT user_id FROM users WHERE user_id = \$1"):
            await require_row(pool, "SELECT user_id FROM users\n WHERE user_id = $1", 7)


async def test_one_statement_is_a_transaction_by_itself_and_a_second_one_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        tx = one_statement(pool)
        assert await tx.fetchval("UPDATE clock_shift SET shift = '1 hour' RETURNING true")
        with pytest.raises(RuntimeError, match="second statement"):
            await tx.fetch("UPDATE clock_shift SET shift = '2 hours'")
        assert (await pool.fetchval("SELECT shift FROM clock_shift")).total_seconds() == 3600
