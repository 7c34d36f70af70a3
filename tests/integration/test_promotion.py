"""A replica is promoted: connections find the new primary, and a shop that may have lost something waits for its operator."""

import asyncio
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from conftest import fastest_place
from photomat.db.connection import UNUSABLE
from photomat.db.listen import listen
from photomat.db.pool import Pool, connect, connect_pool, is_unavailable
from photomat.kernel.errors import Startup
from photomat.operators import restores
from photomat.work.controls import BOT, KIE, RESTORE
from photomat_chaos.lab.replica import open_pair
from support.command import photomat
from support.database import SharedPostgres, connection_of, create_database, pool_of
from support.patience import until
from support.updates import BOT_ID

LOST_AT = datetime(2026, 11, 16, 20, 0, tzinfo=UTC)


@pytest.fixture
def folder() -> Iterator[Path]:
    """For two servers."""
    with tempfile.TemporaryDirectory(prefix="photomat-pair-", dir=fastest_place()) as name:
        yield Path(name)


async def test_everything_that_was_committed_is_on_the_new_primary_and_everybody_finds_it(folder: Path) -> None:
    words: list[str] = []
    async with open_pair(folder, "sync") as pair, asyncio.TaskGroup() as group:
        pool = await connect_pool(pair.dsn)
        listening = group.create_task(listen(pair.dsn, words.append))
        await pool.execute("CREATE TABLE kept (number int)")
        await pool.execute("INSERT INTO kept VALUES (1)")
        await pair.kill_primary()
        assert is_unavailable(await _failure_of(pool, "INSERT INTO kept VALUES (2)"))
        with pytest.raises(Startup, match="accepts no writes: it is a replica; promote one"):
            await connect(pair.dsn, name="test")
        words.clear()
        await pair.promote()
        await pool.execute("INSERT INTO kept VALUES (3)")
        assert {1, 3} <= {row["number"] for row in await pool.fetch("SELECT number FROM kept")}
        await until(lambda: "" in words)
        await pool.execute("SELECT pg_notify('photomat', 'submit')")
        await until(lambda: "submit" in words)
        listening.cancel()
        await pool.close()


async def _failure_of(pool: Pool, statement: str) -> Exception:
    """What a statement fails with on a server that was killed a moment ago."""
    while True:
        try:
            await pool.execute(statement)
        except UNUSABLE as error:
            return error


async def test_a_read_only_server_is_an_unavailable_one_and_no_error_of_the_job(database: str) -> None:
    async with connection_of(database) as connection:
        await connection.execute("SET default_transaction_read_only = on")
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError) as refused:
            await connection.execute("INSERT INTO users (user_id, first_name) VALUES (1, 'Anna')")
    assert is_unavailable(refused.value)


async def test_a_promoted_replica_that_was_behind_is_paused_like_a_restored_shop(
    postgres: SharedPostgres, tmp_path: Path
) -> None:
    database = await create_database(postgres.dsn, template=postgres.template)
    words = ("restore", "promoted", "--yes", "--reason", "db1 burnt")
    settings = {"DATABASE_URL": database, "BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key"}
    ended = await asyncio.to_thread(photomat, *words, folder=tmp_path, **settings)
    assert ended.returncode != 0
    assert "say when the primary was lost with --since" in ended.stdout + ended.stderr
    since = f"{LOST_AT:%Y-%m-%dT%H:%M:%S}"
    ended = await asyncio.to_thread(photomat, *words, "--since", since, folder=tmp_path, **settings)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "The shop as of 2026-11-16 20:00:00 UTC. It is paused." in ended.stdout
    async with pool_of(database) as pool:
        restore = await restores.open_restore(pool)
        assert restore is not None
        assert (restore.snapshot_at, restore.file) == (LOST_AT, "replica")
        paused = {row["name"] for row in await pool.fetch("SELECT name FROM controls")}
        assert {BOT, KIE, RESTORE} <= paused
        assert await pool.fetchval("SELECT reason FROM operator_journal WHERE action = 'restore'") == "db1 burnt"
