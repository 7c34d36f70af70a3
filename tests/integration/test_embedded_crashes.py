"""The data of the embedded PostgreSQL outlives every way its owner or its server can die."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from photomat.db.embedded import Embedded
from photomat.db.postgres.privileges import choose_user
from photomat.db.postgres.server import make_socket_folder, start_server
from support.owner import is_alive, owner_of, remember, remembered, server_pid, wait_for


@contextmanager
def some_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as process:
        yield process
        process.kill()


def unfinished_in(data_dir: Path) -> list[Path]:
    return list(data_dir.glob("postgres.unfinished-*/PG_VERSION"))


async def test_data_stays_between_runs_and_a_second_stop_is_harmless(tmp_path: Path) -> None:
    first = Embedded.start(tmp_path)
    await remember(first.dsn, "кот")
    first.stop()
    first.stop()
    second = Embedded.start(tmp_path)
    try:
        assert second.dsn == first.dsn
        assert await remembered(second.dsn) == ["кот"]
    finally:
        second.stop()


async def test_a_killed_owner_takes_its_server_along_and_the_next_start_has_the_data(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        await remember(owner.line(), "before the crash")
        pid = server_pid(tmp_path)
        owner.kill()
        wait_for(lambda: not is_alive(pid), what="the server ends with its owner")
    server = Embedded.start(tmp_path)
    try:
        assert await remembered(server.dsn) == ["before the crash"]
    finally:
        server.stop()


async def test_a_start_right_after_the_kill_waits_for_the_old_server(tmp_path: Path) -> None:
    for word in ("one", "three", "two"):
        with owner_of(tmp_path) as owner:
            await remember(owner.line(), word)
            owner.kill()
    with owner_of(tmp_path) as owner:
        assert await remembered(owner.line()) == ["one", "three", "two"]
        owner.stop()


async def test_a_server_whose_owner_is_gone_is_stopped_and_replaced(tmp_path: Path) -> None:
    Embedded.start(tmp_path).stop()
    user = choose_user(tmp_path / "postgres")
    folder = make_socket_folder(tmp_path, user)
    leftover = start_server(tmp_path, user, socket_folder=folder, settings={})
    server = Embedded.start(tmp_path)
    try:
        assert leftover.process.wait(10) == 0
        await remember(server.dsn, "served")
    finally:
        server.stop()


async def test_a_process_number_that_means_somebody_else_by_now_is_left_alone(tmp_path: Path) -> None:
    Embedded.start(tmp_path).stop()
    note = tmp_path / "postgres" / "postmaster.pid"
    with some_process() as stranger:
        note.write_text(f"{stranger.pid}\n{tmp_path}/postgres\n0\n5432\n\n*\n0 0\nready\n")
        server = Embedded.start(tmp_path)
        try:
            await remember(server.dsn, "served")
            assert stranger.poll() is None
        finally:
            server.stop()


async def test_a_first_start_killed_half_way_leaves_nothing_that_hurts(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        wait_for(lambda: unfinished_in(tmp_path), what="initdb has begun")
        owner.kill()
    assert not (tmp_path / "postgres").exists()
    server = Embedded.start(tmp_path)
    try:
        await remember(server.dsn, "served")
        assert not unfinished_in(tmp_path)
    finally:
        server.stop()


async def test_a_lost_password_file_is_replaced_and_the_data_stays(tmp_path: Path) -> None:
    first = Embedded.start(tmp_path)
    await remember(first.dsn, "кот")
    first.stop()
    (tmp_path / "postgres.password").unlink()
    second = Embedded.start(tmp_path)
    try:
        assert second.dsn != first.dsn
        assert await remembered(second.dsn) == ["кот"]
    finally:
        second.stop()


async def test_a_server_that_died_by_itself_serves_again_at_the_same_address(tmp_path: Path) -> None:
    server = Embedded.start(tmp_path)
    try:
        await remember(server.dsn, "before")
        assert server.tend() is False
        os.kill(server_pid(tmp_path), signal.SIGKILL)
        wait_for(server.tend, what="the dead server is noticed and replaced")
        assert await remembered(server.dsn) == ["before"]
    finally:
        server.stop()
