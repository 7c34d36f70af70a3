"""Databases as hosting providers arrange them: options in the URL, a schema, a role with few rights, other defaults."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from photomat.db.migrate import migrate, read_migrations, refuse_old_version
from photomat.db.pool import Connection, Pool, connect, connect_pool, transaction
from photomat.db.schema_check import require_schema
from photomat.kernel.errors import Startup
from photomat_chaos.lab.proxy import open_proxy
from support.command import photomat
from support.database import connection_of, pool_of
from support.pgbouncer import needs_pgbouncer, running_pgbouncer

PASSWORD = "of-no-value"
HOSTED = (
    "connect_timeout=15&keepalives=1&keepalives_idle=5&gssencmode=prefer&channel_binding=prefer&pgbouncer=true"
    "&connection_limit=5&target_session_attrs=read-write&schema=public&unheard_of=1&application_name=shop"
)
LEVEL = "SELECT current_setting('transaction_isolation')"

CHANGES_A_TABLE = 34
"""A migration that only the owner of a table may apply."""


async def test_a_url_with_everything_providers_write_into_it_works(database: str) -> None:
    async with pool_of(f"{database}&{HOSTED}") as pool:
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        assert await pool.fetchval("SELECT current_setting('application_name')") == "photomat"


async def test_a_schema_is_where_everything_is_made_and_found(empty_database: str) -> None:
    dsn = f"{empty_database}&schema=Shop"
    async with connection_of(empty_database) as owner:
        await owner.execute('CREATE SCHEMA "Shop"')
        assert len(await migrate(dsn)) > 20
        assert await migrate(dsn) == []
        assert await owner.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    async with pool_of(dsn) as pool, connection_of(dsn) as direct:
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        await require_schema(direct)


async def test_a_schema_that_is_not_there_is_one_sentence(empty_database: str, tmp_path: Path) -> None:
    ended = photomat("migrate", folder=tmp_path, DATABASE_URL=f"{empty_database}&schema=nowhere")
    assert ended.returncode == 2
    assert 'No schema of the search path "nowhere" can be used' in ended.stderr
    assert "Traceback" not in ended.stderr


async def test_a_schema_behind_a_transaction_pooler_must_be_the_roles_own(empty_database: str) -> None:
    dsn = f"{empty_database}&schema=shop"
    async with connection_of(empty_database) as owner:
        await owner.execute("CREATE SCHEMA shop")
        with pytest.raises(Startup, match='SET search_path = "shop"'):
            await connect_pool(dsn, through_pooler=True)
        await set_default(owner, "search_path", "shop")
    pool = await connect_pool(dsn, through_pooler=True)
    await pool.close()


async def test_a_role_that_may_not_create_tables_is_told_before_the_first_migration(empty_database: str) -> None:
    async with a_role(empty_database) as (owner, role, dsn):
        with pytest.raises(Startup, match=rf'run GRANT CREATE ON SCHEMA "public" TO "{role}"'):
            await migrate(dsn)
        assert await owner.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
        await owner.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
        assert len(await migrate(dsn)) > 20


async def test_a_role_with_few_rights_starts_on_a_migrated_database(database: str) -> None:
    async with a_role(database) as (owner, role, dsn):
        await owner.execute(f"GRANT SELECT ON schema_migrations TO {role}")
        assert await migrate(dsn) == []
        files = [each for each in read_migrations() if each.number <= CHANGES_A_TABLE]
        await owner.execute("DELETE FROM schema_migrations WHERE number >= $1", CHANGES_A_TABLE)
        with pytest.raises(Startup, match="GRANT CREATE ON SCHEMA"):
            await migrate(dsn, files)
        await owner.execute(f"GRANT CREATE ON SCHEMA public TO {role}; GRANT INSERT ON schema_migrations TO {role}")
        with pytest.raises(Startup, match="run `photomat migrate` as the role that owns the tables"):
            await migrate(dsn, files)
        await migrate(database, [])


def test_a_server_that_is_too_old_is_named() -> None:
    with pytest.raises(Startup, match=r"is PostgreSQL 14\.19, and Photomat needs 15 or newer"):
        refuse_old_version(140_019, called="14.19")
    refuse_old_version(150_000, called="15.0")


@pytest.mark.parametrize("options", ["sslmode=require", "channel_binding=require"])
async def test_a_server_without_tls_is_reported_as_that_at_once(database: str, options: str) -> None:
    async with open_proxy(database) as proxy:
        began = time.monotonic()
        with pytest.raises(Startup, match="does not offer TLS"):
            await connect_pool(proxy.dsn.replace("sslmode=disable", options), patience_s=3600)
        assert time.monotonic() - began < 600


async def test_everything_runs_read_committed_whatever_the_server_is_set_to(database: str) -> None:
    async with connection_of(database) as owner:
        await set_default(owner, "default_transaction_isolation", "serializable")
    async with pool_of(database) as pool, connection_of(database) as direct:
        assert await levels(pool) == {"read committed"}
        assert await direct.fetchval(LEVEL) == "read committed"


async def test_single_statements_through_a_pooler_run_read_committed_too(database: str) -> None:
    async with connection_of(database) as owner:
        await set_default(owner, "default_transaction_isolation", "serializable")
    pool = await connect_pool(database, through_pooler=True)
    try:
        assert await levels(pool) == {"read committed"}
        await pool.execute("CREATE TABLE levels AS SELECT current_setting('transaction_isolation') AS level")
        await pool.executemany(
            "INSERT INTO levels SELECT current_setting('transaction_isolation') || $1", [("",), ("",)]
        )
        assert {row["level"] for row in await pool.fetch("SELECT level FROM levels")} == {"read committed"}
        async with pool.acquire() as connection, connection.transaction(isolation="repeatable_read"):
            assert await connection.fetchval(LEVEL) == "repeatable read"
            async with connection.transaction():
                assert await connection.fetchval(LEVEL) == "repeatable read"
    finally:
        await pool.close()


@needs_pgbouncer
async def test_a_real_pooler_in_transaction_mode_runs_read_committed(database: str, tmp_path: Path) -> None:
    async with connection_of(database) as owner:
        await set_default(owner, "default_transaction_isolation", "repeatable read")
    async with running_pgbouncer(database, tmp_path, "transaction") as pooled:
        pool = await connect_pool(f"{pooled}?pgbouncer=true&schema=public", through_pooler=True)
        try:
            assert await levels(pool) == {"read committed"}
        finally:
            await pool.close()


async def levels(pool: Pool) -> set[str]:
    """The isolation levels of a single statement, with and without an argument, and of a transaction."""
    async with transaction(pool) as tx:
        inside = await tx.fetchval(LEVEL)
    return {inside, await pool.fetchval(LEVEL), await pool.fetchval(f"{LEVEL} WHERE $1 = 1", 1)}


async def set_default(owner: Connection, setting: str, value: str) -> None:
    """What sessions of this role start with, in this database alone."""
    name = await owner.fetchval("SELECT current_database()")
    await owner.execute(f"ALTER ROLE CURRENT_USER IN DATABASE \"{name}\" SET {setting} = '{value}'")


@asynccontextmanager
async def a_role(dsn: str) -> AsyncIterator[tuple[Connection, str, str]]:
    """A connection of the owner; another role without any rights of its own, and its address."""
    role = f"guest_{uuid4().hex}"
    parts = urlsplit(dsn)
    netloc = f"{role}:{PASSWORD}@"
    owner = await connect(dsn, name="photomat test")
    try:
        await owner.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        try:
            yield owner, role, parts._replace(netloc=netloc).geturl()
        finally:
            await owner.execute(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}")
    finally:
        await owner.close(timeout=60)
