"""The oldest supported PostgreSQL, as Debian packages it: the same schema and the same purchase as on the embedded one."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from photomat.backup.file import read_manifest
from photomat.backup.programs import ProgramFailed
from photomat.backup.proof import load
from photomat.db.installation import stamp
from photomat.db.migrate import migrate
from photomat.db.pool import transaction
from photomat.db.schema_check import describe_schema, needed, require_schema
from photomat.kernel.ids import BotId
from photomat.operators import restores
from support.backups import a_backup, command
from support.database import SharedPostgres, connection_of, create_database, pool_of
from support.endings import ends_well
from support.postgres_versions import OLDEST, needs_postgres_15, running_postgres
from support.system import open_shop
from support.updates import BOT_ID

EMBEDDED = 18


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """One PostgreSQL 15 for this file."""
    with (
        tempfile.TemporaryDirectory(prefix="photomat-pg15-") as folder,
        running_postgres(OLDEST, Path(folder)) as dsn,
    ):
        yield dsn


@pytest.fixture
def database(server: str) -> str:
    """A migrated database of it; audited when the test has passed."""
    dsn = asyncio.run(create_database(server, template="template0"))
    asyncio.run(migrate(dsn))
    return dsn


@needs_postgres_15
async def test_the_migrations_make_the_same_schema(database: str) -> None:
    async with connection_of(database) as connection:
        assert connection.get_server_version().major == int(OLDEST)
        assert await describe_schema(connection) == needed()
        await require_schema(connection)


@needs_postgres_15
async def test_a_picture_is_bought_and_charged_once(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await anna.buys()
        await ends_well(system, anna, cards=(card,))
        assert await system.instance.stop() == 0


@needs_postgres_15
async def test_a_dump_is_loaded_into_the_oldest_server(database: str, server: str, tmp_path: Path) -> None:
    file = await a_backup(database, tmp_path, "--no-verify")
    empty = await create_database(server, template="template0")
    await load(empty, file, read_manifest(file))
    async with connection_of(empty) as connection:
        assert await connection.fetchval("SELECT count(*) FROM schema_migrations") > 0


@pytest.mark.prove
@needs_postgres_15
async def test_a_backup_comes_back_all_of_it_or_nothing(database: str, server: str, tmp_path: Path) -> None:
    await stamp(database, bot_id=BotId(BOT_ID), currency="RUB")
    file = await a_backup(database, tmp_path, "--no-verify")
    empty = await create_database(server, template="template0")
    code, said = await command("restore", str(file), "--yes", folder=tmp_path, database=empty)
    assert code == 0, said
    async with pool_of(empty) as pool, transaction(pool) as tx:
        assert await restores.open_restore(pool) is not None
        assert await tx.fetchval("SELECT to_regclass('restore_in_progress')") is None
    other = await create_database(server, template="template0")
    async with connection_of(other) as connection:
        await connection.execute("CREATE FUNCTION photomat_now() RETURNS timestamptz LANGUAGE sql RETURN now()")
        with pytest.raises(ProgramFailed, match=r"psql failed: .*already exists"):
            await load(other, file, read_manifest(file))
        assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0


async def test_the_embedded_server_is_of_the_newest_version(postgres: SharedPostgres) -> None:
    async with connection_of(postgres.dsn) as connection:
        assert connection.get_server_version().major == EMBEDDED
