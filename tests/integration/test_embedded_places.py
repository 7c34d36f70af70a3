"""Where the embedded PostgreSQL may live, and who can reach it."""

import pwd
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from photomat.db.embedded import Embedded
from support.database import connection_of
from support.owner import (
    AS_NOBODY,
    ROOT_OF_A_CONTAINER,
    as_root,
    needs_open_programs,
    needs_setpriv,
    owner_of,
    remember,
    server_pid,
)

TEMPORARY = Path(tempfile.gettempdir()).resolve()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def status_of_server(data_dir: Path) -> str:
    return Path(f"/proc/{server_pid(data_dir)}/status").read_text()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can pass into; pytest's own are closed to all but their user."""
    with tempfile.TemporaryDirectory(prefix="photomat-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@as_root
async def test_closed_parents_are_passed_and_keep_their_mode(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir(mode=0o700)
    inner = outer / "inner"
    inner.mkdir(mode=0o700)
    server = Embedded.start(inner / "data")
    try:
        await remember(server.dsn, "reached")
        status = status_of_server(inner / "data")
        assert "CapEff:\t0000000000000004" in status or "CapEff:\t0000000000000002" in status
        assert [mode_of(folder) for folder in (outer, inner)] == [0o700, 0o700]
        assert [folder.stat().st_uid for folder in (outer, inner)] == [0, 0]
    finally:
        server.stop()


@as_root
@needs_open_programs
async def test_where_the_way_is_open_the_server_has_no_capability_at_all(open_folder: Path) -> None:
    server = Embedded.start(open_folder / "data")
    try:
        status = status_of_server(open_folder / "data")
        assert "CapEff:\t0000000000000000" in status
        uid = pwd.getpwnam("nobody").pw_uid
        assert f"Uid:\t{uid}\t{uid}\t{uid}\t{uid}" in status
    finally:
        server.stop()


@as_root
@needs_setpriv
async def test_the_rights_of_root_in_a_container_are_enough(tmp_path: Path) -> None:
    with owner_of(tmp_path / "data", prefix=ROOT_OF_A_CONTAINER) as owner:
        await remember(owner.line(), "reached")
        owner.stop()


@as_root
@needs_setpriv
def test_root_without_the_right_to_pass_is_told_what_to_do(tmp_path: Path) -> None:
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    with owner_of(tmp_path / "data", prefix=prefix) as owner:
        said = owner.line()
    assert said.startswith("refused: PostgreSQL does not run as root")
    assert "DATABASE_URL" in said


@as_root
@needs_setpriv
@needs_open_programs
async def test_an_ordinary_user_simply_runs_it(open_folder: Path) -> None:
    shutil.chown(open_folder, "nobody")
    with owner_of(open_folder / "data", prefix=AS_NOBODY) as owner:
        await remember(owner.line(), "reached")
        owner.stop()


@pytest.mark.parametrize("name", ["a" * 120, "данные бота, копия"])
async def test_a_long_or_unusual_path_puts_the_socket_into_a_private_temporary_folder(
    tmp_path: Path, name: str
) -> None:
    data_dir = tmp_path / name
    server = Embedded.start(data_dir)
    try:
        await remember(server.dsn, "reached")
        folder = (data_dir / "socket").resolve()
        assert folder.parent == TEMPORARY
        assert mode_of(folder) == 0o700
    finally:
        server.stop()
    assert not folder.exists()


async def test_nobody_else_can_reach_the_data_the_password_or_the_socket(tmp_path: Path) -> None:
    server = Embedded.start(tmp_path)
    try:
        assert mode_of(tmp_path / "postgres") == 0o700
        assert mode_of(tmp_path / "socket") == 0o700
        assert mode_of(tmp_path / "postgres.password") == 0o600
        assert mode_of(tmp_path / "postgres.log") == 0o600
        password = (tmp_path / "postgres.password").read_text()
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(server.dsn.replace(password, "guess"), timeout=120)
    finally:
        server.stop()


async def test_the_server_keeps_its_promises_about_settings(tmp_path: Path) -> None:
    server = Embedded.start(tmp_path)
    expected = {
        "data_checksums": "on",
        "server_encoding": "UTF8",
        "fsync": "on",
        "listen_addresses": "",
        "max_connections": "100",
        "TimeZone": "UTC",
    }
    try:
        async with connection_of(server.dsn) as connection:
            found = {name: await connection.fetchval(f"SHOW {name}") for name in expected}
            assert await connection.fetchval("SELECT lower('КОТ')") == "кот"
    finally:
        server.stop()
    assert found == expected


async def test_what_people_wrote_never_reaches_the_server_log(tmp_path: Path) -> None:
    server = Embedded.start(tmp_path)
    try:
        async with connection_of(server.dsn) as connection:
            await connection.execute("CREATE TABLE prompts (prompt text CHECK (prompt = ''))")
            with pytest.raises(asyncpg.CheckViolationError):
                await connection.execute("INSERT INTO prompts VALUES ('тайный кот')")
    finally:
        server.stop()
    log = (tmp_path / "postgres.log").read_text()
    assert "ready to accept connections" in log
    assert "тайный кот" not in log
    assert "INSERT" not in log
