"""The program knows which schema it needs, and names what a database lacks."""

import pytest

from photomat.db.schema_check import describe_schema, missing, needed, require_schema
from photomat.kernel.errors import Startup
from support.database import connection_of


async def test_the_committed_schema_is_what_the_migrations_make(database: str) -> None:
    async with connection_of(database) as connection:
        made = await describe_schema(connection)
    assert made == needed(), "run: .venv/bin/python -m photomat.db.schema_check > src/photomat/db/schema.txt"


async def test_a_migrated_database_lacks_nothing(database: str) -> None:
    async with connection_of(database) as connection:
        await require_schema(connection)


@pytest.mark.breaks_invariants
@pytest.mark.parametrize(
    ("damage", "lacking"),
    [
        ("ALTER TABLE generation_jobs DROP COLUMN chat_id", "column generation_jobs.chat_id"),
        ("DROP INDEX idx_generation_jobs_undelivered", "index generation_jobs.idx_generation_jobs_undelivered"),
        ("ALTER TABLE clock_shift DROP CONSTRAINT clock_shift_has_one_row", "clock_shift_has_one_row"),
        ("DROP FUNCTION photomat_now() CASCADE", r"function photomat_now\(\)"),
    ],
)
async def test_what_somebody_took_away_is_named(database: str, damage: str, lacking: str) -> None:
    async with connection_of(database) as connection:
        await connection.execute(damage)
        with pytest.raises(Startup, match=f"The database lacks .*{lacking}"):
            await require_schema(connection)


async def test_more_than_is_needed_is_nobodys_concern(database: str) -> None:
    async with connection_of(database) as connection:
        await connection.execute("CREATE TABLE of_a_newer_version (note text)")
        assert await missing(connection, needed()) == []
