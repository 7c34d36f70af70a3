"""A database is built, upgraded and protected by its migrations."""

import asyncio
from pathlib import Path

import pytest

from photomat.db.migrate import migrate, read_migrations
from photomat.db.rows import require_row
from photomat.kernel.errors import Startup
from support.database import connection_of

FIRST = "CREATE TABLE cats (name text NOT NULL);"
SECOND = "ALTER TABLE cats ADD COLUMN lives integer NOT NULL DEFAULT 9;"


def folder_of(tmp_path: Path, *texts: str) -> Path:
    for number, text in enumerate(texts, start=1):
        (tmp_path / f"{number:04}_step.sql").write_text(text)
    return tmp_path


async def test_a_fresh_database_builds_with_every_file_of_the_program(empty_database: str) -> None:
    names = [file.name for file in read_migrations()]
    assert await migrate(empty_database) == names
    assert await migrate(empty_database) == []
    async with connection_of(empty_database) as connection:
        rows = await connection.fetch("SELECT name FROM schema_migrations ORDER BY number")
    assert [row["name"] for row in rows] == names


async def test_a_database_with_data_is_upgraded_by_a_later_file_and_keeps_its_rows(
    empty_database: str, tmp_path: Path
) -> None:
    await migrate(empty_database, read_migrations(folder_of(tmp_path, FIRST)))
    async with connection_of(empty_database) as connection:
        await connection.execute("INSERT INTO cats (name) VALUES ('Мурка')")
        applied = await migrate(empty_database, read_migrations(folder_of(tmp_path, FIRST, SECOND)))
        row = await require_row(connection, "SELECT name, lives FROM cats")
    assert applied == ["0002_step"]
    assert (row["name"], row["lives"]) == ("Мурка", 9)


async def test_a_file_that_fails_leaves_nothing_of_itself_and_keeps_what_came_before(
    empty_database: str, tmp_path: Path
) -> None:
    broken = "CREATE TABLE dogs (name text); SELECT no_such_function();"
    files = read_migrations(folder_of(tmp_path, FIRST, broken))
    with pytest.raises(Exception, match="no_such_function"):
        await migrate(empty_database, files)
    async with connection_of(empty_database) as connection:
        assert await connection.fetchval("SELECT to_regclass('dogs')") is None
        assert await connection.fetchval("SELECT array_agg(number) FROM schema_migrations") == [1]


async def test_an_edited_file_is_refused_by_name_before_anything_changes(empty_database: str, tmp_path: Path) -> None:
    await migrate(empty_database, read_migrations(folder_of(tmp_path, FIRST)))
    edited = read_migrations(folder_of(tmp_path, FIRST + " -- better", SECOND))
    with pytest.raises(Startup, match="edited after they ran: 0001_step"):
        await migrate(empty_database, edited)
    async with connection_of(empty_database) as connection:
        assert await connection.fetchval("SELECT max(number) FROM schema_migrations") == 1


async def test_a_program_runs_on_a_schema_newer_than_itself(empty_database: str, tmp_path: Path) -> None:
    both = read_migrations(folder_of(tmp_path, FIRST, SECOND))
    await migrate(empty_database, both)
    assert await migrate(empty_database, both[:1]) == []


async def test_a_newer_schema_that_breaks_older_programs_is_refused_by_name(
    empty_database: str, tmp_path: Path
) -> None:
    folder_of(tmp_path, FIRST)
    (tmp_path / "0002_breaks_the_cats.sql").write_text("DROP TABLE cats;")
    both = read_migrations(tmp_path)
    await migrate(empty_database, both)
    with pytest.raises(Startup, match="knows up to 0001, and 0002_breaks_the_cats says that older programs cannot"):
        await migrate(empty_database, both[:1])


async def test_a_database_that_missed_a_file_is_refused(empty_database: str, tmp_path: Path) -> None:
    both = read_migrations(folder_of(tmp_path, FIRST, SECOND))
    await migrate(empty_database, both)
    async with connection_of(empty_database) as connection:
        await connection.execute("DELETE FROM schema_migrations WHERE number = 1")
    with pytest.raises(Startup, match="never saw 0001_step"):
        await migrate(empty_database, both)


async def test_two_migrators_at_once_apply_each_file_once(empty_database: str, tmp_path: Path) -> None:
    slow = "SELECT pg_sleep(0.2); " + FIRST
    files = read_migrations(folder_of(tmp_path, slow, SECOND, "CREATE TABLE dogs (name text);"))
    applied = await asyncio.gather(*(migrate(empty_database, files) for _ in range(4)))
    assert sorted(name for names in applied for name in names) == ["0001_step", "0002_step", "0003_step"]
