"""One owner for a data folder, found by tools beside it and not disturbed by a terminal's Ctrl-C."""

import os
import signal
from pathlib import Path

import pytest

from photomat.db.embedded import Embedded, find_running
from photomat.kernel.errors import Startup
from support.owner import is_alive, owner_of, remember, remembered, server_pid, wait_for


def test_a_second_owner_is_refused_and_told_whom_to_stop(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        owner.line()
        with pytest.raises(Startup, match=rf"process {owner.process.pid}; stop it .* DATA_DIR, or set DATABASE_URL"):
            Embedded.start(tmp_path)
        assert is_alive(server_pid(tmp_path))
        owner.stop()


def test_the_next_owner_is_let_in_when_the_first_has_stopped(tmp_path: Path) -> None:
    Embedded.start(tmp_path).stop()
    with owner_of(tmp_path) as owner:
        assert owner.line().startswith("postgresql://")
        owner.stop()


async def test_a_tool_finds_the_server_of_a_running_bot_and_nothing_after_it(tmp_path: Path) -> None:
    assert find_running(tmp_path / "never made") is None
    with owner_of(tmp_path) as owner:
        dsn = owner.line()
        assert find_running(tmp_path) == dsn
        await remember(dsn, "a tool was here")
        owner.stop()
    assert find_running(tmp_path) is None


async def test_ctrl_c_in_the_terminal_leaves_the_server_to_its_owner(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        dsn = owner.line()
        pid = server_pid(tmp_path)
        os.killpg(owner.process.pid, signal.SIGINT)
        await remember(dsn, "after Ctrl-C")
        assert await remembered(dsn) == ["after Ctrl-C"]
        assert os.getpgid(pid) == pid
        owner.stop()
        wait_for(lambda: not is_alive(pid), what="the owner stops its server")


def test_a_glance_at_the_lock_does_not_turn_a_starting_owner_away(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        wait_for(lambda: find_running(tmp_path), what="the owner serves although we look all the time")
        owner.line()
        owner.stop()
