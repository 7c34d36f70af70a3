"""Behind PgBouncer: in session mode nothing is different; in transaction mode the direct address is needed, and asked for."""

import asyncio
import signal
from pathlib import Path

from support.command import photomat
from support.database import pool_of
from support.endings import ends_well
from support.jobs import a_user
from support.pgbouncer import needs_pgbouncer, running_pgbouncer
from support.system import System, running_system

pytestmark = needs_pgbouncer


async def test_in_session_mode_nothing_else_is_needed(database: str, tmp_path: Path) -> None:
    async with (
        running_pgbouncer(database, tmp_path, "session") as pooled,
        running_system(database, tmp_path, DATABASE_URL=pooled) as system,
    ):
        await _one_dies_and_the_other_finishes(system)


async def test_in_transaction_mode_it_runs_with_the_direct_address_beside_it(database: str, tmp_path: Path) -> None:
    async with (
        running_pgbouncer(database, tmp_path, "transaction") as pooled,
        running_system(database, tmp_path, DATABASE_URL=pooled, DIRECT_DATABASE_URL=database) as system,
    ):
        await _one_dies_and_the_other_finishes(system)


async def test_commands_that_write_work_behind_it_one_after_the_other(database: str, tmp_path: Path) -> None:
    async with running_pgbouncer(database, tmp_path, "transaction") as pooled:
        async with pool_of(database) as pool:
            await a_user(pool, user_id=5_000_001)
        addresses = {"DATABASE_URL": pooled, "DIRECT_DATABASE_URL": database}
        for _ in range(3):
            command = ("wallet", "credit", "5000001", "10", "--reason", "a present")
            ended = await asyncio.to_thread(photomat, *command, folder=tmp_path, **addresses)
            assert ended.returncode == 0, ended.stdout + ended.stderr


async def test_in_transaction_mode_alone_it_refuses_to_start_and_says_what_to_do(database: str, tmp_path: Path) -> None:
    async with (
        running_pgbouncer(database, tmp_path, "transaction") as pooled,
        running_system(database, tmp_path, DATABASE_URL=pooled) as system,
    ):
        instance = await system.start(wait=False)
        assert await instance.ends() == 2
        assert "is a pooler in transaction mode" in instance.log
        assert "set DIRECT_DATABASE_URL to the server behind it" in instance.log


async def _one_dies_and_the_other_finishes(system: System) -> None:
    """A purchase in which the ACTIVE instance is killed: its lock must not outlive it in the pooler."""
    first, second = await system.start(), await system.start()
    await second.says("PASSIVE_WAIT")
    anna = system.customer()
    card = await anna.buys()
    first.send(signal.SIGKILL)
    await second.says("ACTIVE_ENTER")
    await ends_well(system, anna, cards=(card,))
    assert await second.stop() == 0
