"""The database that tests use in turn comes to each as from the template, whatever the one before did to it."""

from collections.abc import Iterator

import pytest

from conftest import run_bounded
from support.database import SharedPostgres, connection_of, shift_clock
from support.reuse import ReusedDatabase

SHIFT_S = "SELECT extract(epoch FROM photomat_now() - statement_timestamp())::float8"


@pytest.fixture
def reused(postgres: SharedPostgres) -> Iterator[ReusedDatabase]:
    one = ReusedDatabase(postgres)
    yield one
    one.close()


async def shifted(dsn: str, seconds: float) -> None:
    async with connection_of(dsn) as connection:
        await shift_clock(connection, seconds)


async def execute(dsn: str, change: str) -> None:
    async with connection_of(dsn) as connection:
        await connection.execute(change)


async def shift_of(dsn: str) -> float:
    async with connection_of(dsn) as connection:
        return float(await connection.fetchval(SHIFT_S))


def test_a_shifted_clock_is_set_right_and_the_database_used_again(reused: ReusedDatabase) -> None:
    first = reused.take()
    run_bounded(shifted(first, 3600))
    assert run_bounded(shift_of(first)) == 3600
    reused.give_back()
    assert reused.take() == first
    assert run_bounded(shift_of(first)) == 0


@pytest.mark.parametrize(
    "change",
    [
        "CREATE OR REPLACE FUNCTION photomat_now() RETURNS timestamptz LANGUAGE sql STABLE RETURN now()",
        "ALTER TABLE clock_shift DISABLE TRIGGER ALL; UPDATE clock_shift SET shift = '1 h'",
        "CREATE INDEX ON wallets (user_id)",
        "ANALYZE users, installation",
    ],
)
def test_after_another_change_the_next_test_gets_another_database(reused: ReusedDatabase, change: str) -> None:
    first = reused.take()
    run_bounded(execute(first, change))
    reused.give_back()
    assert reused.take() != first
