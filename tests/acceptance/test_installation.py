"""The sandbox, or another bot, is started on a real shop's database: nothing of the shop is claimed, charged or marked."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from photomat.db.embedded import Embedded
from photomat.db.installation import SANDBOX_BOT, owner_of
from photomat.db.migrate import migrate, read_migrations
from support.busy_shop import a_busy_shop, everything_in
from support.command import photomat
from support.database import connection_of, pool_of
from support.ports import free_ports_in_a_row
from support.system import running_system, until
from support.updates import BOT_ID

PROGRAM = str(Path(sys.executable).with_name("photomat"))
BEFORE_THE_TABLE = 21
"""The migrations of the last version that did not know whose database it was."""

KEYS = {"BOT_TOKEN": "7000000002:token", "KIE_API_KEY": "key"}


@asynccontextmanager
async def started(command: str, folder: Path, **settings: str) -> AsyncIterator[tuple[int, Path]]:
    """Run a long-running command until it says that it is ready; gives its port and its log."""
    port = free_ports_in_a_row(3)
    log_file = folder / f"{command}-{port}.log"
    environment = {"PATH": os.environ["PATH"], "PORT": str(port), "HOST": "127.0.0.1", "DATA_DIR": str(folder / "var")}
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, command, env=environment | settings, cwd=folder, stdout=log, stderr=asyncio.subprocess.STDOUT
        )
    try:
        await until(lambda: "Chat page" in log_file.read_text() or process.returncode is not None)
        assert process.returncode is None, log_file.read_text()
        yield port, log_file
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        async with asyncio.timeout(120):
            await process.wait()


async def test_another_bot_refuses_to_start_on_a_shops_database_and_touches_nothing(
    database: str, tmp_path: Path
) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        await pool.execute("DELETE FROM installation")
        before = await everything_in(pool)
        for settings in (KEYS, {**KEYS, "BOT_TOKEN": f"{SANDBOX_BOT}:token"}):
            ended = photomat("run", folder=tmp_path, DATABASE_URL=database, PORT="0", **settings)
            assert ended.returncode == 2, ended.stdout
            assert f"This database belongs to bot {BOT_ID}" in ended.stderr
            assert ("photomat installation adopt" in ended.stderr) == (settings is KEYS), "the sandbox adopts nothing"
            assert "Traceback" not in ended.stderr
        assert await everything_in(pool) == before
        assert await pool.fetchval("SELECT count(*) FROM instances") == 0


async def test_an_older_shop_a_sandbox_has_run_on_starts_again_after_its_bot_adopts_it(
    empty_database: str, tmp_path: Path
) -> None:
    await migrate(empty_database, read_migrations()[:BEFORE_THE_TABLE])
    async with connection_of(empty_database) as connection:
        await connection.execute("INSERT INTO stars_readings (bot_id) VALUES ($1), ($2)", SANDBOX_BOT, BOT_ID)
    ours = {"BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key", "DATABASE_URL": empty_database}
    ended = photomat("run", folder=tmp_path, PORT="0", **ours)
    assert (ended.returncode, "photomat installation adopt" in ended.stderr) == (2, True), ended.stderr
    ended = photomat("installation", "adopt", "--reason", "it is ours", folder=tmp_path, **ours)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    async with running_system(empty_database, tmp_path) as system:
        await system.start()


async def test_another_currency_refuses_to_start_where_there_is_money(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        before = await everything_in(pool)
        ours = {"BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": "key", "DATABASE_URL": database, "PORT": "0"}
        ended = photomat("run", folder=tmp_path, CURRENCY="USD", USD_RATE="1", **ours)
        assert (ended.returncode, "set CURRENCY=RUB" in ended.stderr) == (2, True), ended.stderr
        check = photomat("check", "--only", "storage", folder=tmp_path, CURRENCY="USD", USD_RATE="1", **ours)
        assert (check.returncode, "set CURRENCY=RUB" in check.stdout) == (1, True), check.stdout
        assert await everything_in(pool) == before


async def test_the_sandbox_beside_a_shop_has_a_database_of_its_own(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        before = await everything_in(pool)
        shop = {"DATABASE_URL": database, "DIRECT_DATABASE_URL": database, "PUBLIC_URL": "https://shop.example"}
        async with started("run", tmp_path, **shop) as (_port, log_file):
            assert "DATABASE_URL_IGNORED" in log_file.read_text()
            without_keys = photomat("installation", "show", folder=tmp_path)
            assert "belongs to the sandbox" in without_keys.stdout, "a command beside the sandbox finds the sandbox's"
            with_address = photomat("installation", "show", folder=tmp_path, DATABASE_URL=database)
            assert f"belongs to bot {BOT_ID}" in with_address.stdout, "and with DATABASE_URL the shop's"
        async with started("sandbox", tmp_path, **shop, **KEYS):
            pass
        assert await everything_in(pool) == before
        assert await pool.fetchval("SELECT count(*) FROM instances") == 0
    assert not (tmp_path / "var" / "postgres").exists()
    assert (tmp_path / "var" / "sandbox" / "postgres").is_dir()


def test_what_an_earlier_sandbox_left_in_data_dir_is_the_sandboxes_again_and_never_the_shops(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "var"
    _left_by_an_earlier_version(folder)
    shown = photomat("installation", "show", folder=tmp_path, EMBEDDED_OK="1", **KEYS)
    assert "belongs to nobody" in shown.stdout or "run `photomat migrate` first" in shown.stderr, shown.stderr
    shown = photomat("installation", "show", folder=tmp_path)
    assert "belongs to the sandbox" in shown.stdout, shown.stderr
    assert photomat("migrate", folder=tmp_path, EMBEDDED_OK="1", **KEYS).returncode == 0
    shown = photomat("installation", "show", folder=tmp_path, EMBEDDED_OK="1", **KEYS)
    assert "belongs to nobody" in shown.stdout, "the real shop begins without play money"


def test_the_copies_of_a_shop_stay_when_the_sandbox_that_was_tried_there_before_moves_away(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    _left_by_an_earlier_version(folder)
    copies = [folder / "results" / "1" / name for name in ("0.png", "0.cover.jpg")]
    copies[0].parent.mkdir(parents=True)
    for copy in copies:
        copy.write_bytes(b"paid for by a customer of the shop at DATABASE_URL")
    (folder / "sandbox").mkdir()
    (folder / "sandbox" / "postgres.password").write_text("left by a move that was interrupted")
    shown = photomat("installation", "show", folder=tmp_path)
    assert "belongs to the sandbox" in shown.stdout, shown.stderr
    assert (folder / "sandbox" / "postgres").is_dir()
    assert all(copy.is_file() for copy in copies)


def test_a_command_without_keys_finds_the_shop_in_data_dir_where_there_is_no_sandbox(tmp_path: Path) -> None:
    assert photomat("migrate", folder=tmp_path, EMBEDDED_OK="1", **KEYS).returncode == 0
    ended = photomat("audit", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "var" / "sandbox").exists()


def _left_by_an_earlier_version(folder: Path) -> None:
    server = Embedded.start(folder)

    async def play() -> None:
        await migrate(server.dsn)
        async with connection_of(server.dsn) as connection:
            await connection.execute("INSERT INTO stars_readings (bot_id) VALUES ($1)", SANDBOX_BOT)

    try:
        with asyncio.Runner() as runner:
            runner.run(play())
    finally:
        server.stop()


async def test_a_shop_given_to_another_bot_is_left_by_the_one_that_still_runs(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start()
        assert (await owner_of(database)).bots == (BOT_ID,)
        async with system.sql() as connection:
            await connection.execute("UPDATE installation SET bot_id = 7000000002")
        await instance.says("INSTALLATION_LOST")
        await until(lambda: instance.exit_code is not None, about=lambda: instance.log)
        assert instance.exit_code == 2
