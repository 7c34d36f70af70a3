"""The test support itself: async tests really run, are bounded, and end with the audit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.database import RUNNING_SERVER, SharedPostgres

TESTS = Path(__file__).parent.parent

EXAMPLES = """
import asyncio
import pytest
from support.database import connection_of

async def book_half_a_move(dsn: str) -> None:
    async with connection_of(dsn) as connection:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(
            "INSERT INTO ledger_transactions (reference, reason, digest) VALUES ('half', 'welcome', sha256(''))"
        )

async def test_cooked_books(database: str) -> None:
    await book_half_a_move(database)

@pytest.mark.breaks_invariants
async def test_cooked_on_purpose(database: str) -> None:
    await book_half_a_move(database)

@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("also", ["SELECT 1", "ALTER TABLE users ADD COLUMN note text", "DELETE FROM installation"])
async def test_alone(database: str, turn: int, also: str) -> None:
    async with connection_of(database) as connection:
        assert await connection.fetchval("SELECT count(*) FROM inbox") == 0
        assert await connection.fetchval("SELECT count(*) FROM ledger_transactions") == 0
        assert await connection.fetchval("SELECT shift = '0' FROM clock_shift")
        assert await connection.fetchval("SELECT count(*) FROM installation") == 1
        await connection.execute("INSERT INTO users (user_id, language) VALUES (7, 'ru')")
        await connection.execute("UPDATE clock_shift SET shift = '1 day'")
        await connection.execute(also)

async def test_red() -> None:
    await asyncio.sleep(0)
    assert False, "really ran"

@pytest.mark.time_limit(0.05)
async def test_endless() -> None:
    await asyncio.Event().wait()

async def test_unowned_warning() -> None:
    asyncio.sleep(0)

@pytest.mark.parametrize("number", [1, 2])
async def test_green(number: int, tmp_path: object) -> None:
    await asyncio.sleep(0)
    assert number and tmp_path
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, postgres: SharedPostgres) -> str:
    """What pytest says about the examples when it uses our conftest."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "test_examples.py").write_text(EXAMPLES)
    (folder / "pytest.ini").write_text(f"[pytest]\npythonpath = {TESTS}\nfilterwarnings = error\n")
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", str(folder)]
    wide = os.environ | {"COLUMNS": "200", RUNNING_SERVER: f"{postgres.dsn} {postgres.template}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=folder, env=wide)
    return done.stdout


def test_an_async_test_that_fails_is_red(report: str) -> None:
    assert "FAILED test_examples.py::test_red - AssertionError: really ran" in report


def test_an_async_test_that_hangs_is_red_after_its_bound(report: str) -> None:
    assert "FAILED test_examples.py::test_endless - TimeoutError" in report


def test_a_forgotten_await_is_red(report: str) -> None:
    assert "FAILED test_examples.py::test_unowned_warning" in report


def test_async_tests_take_fixtures_and_parameters(report: str) -> None:
    assert "PASSED test_examples.py::test_green[1]" in report
    assert "PASSED test_examples.py::test_green[2]" in report


def test_a_test_meets_nothing_of_the_one_before(report: str) -> None:
    assert report.count("PASSED test_examples.py::test_alone") == 6


def test_books_that_do_not_balance_make_a_test_red_unless_it_broke_them_on_purpose(report: str) -> None:
    assert "FAILED test_examples.py::test_cooked_books - AssertionError: the audit found: " in report
    assert "PASSED test_examples.py::test_cooked_on_purpose" in report
