"""The instances of the lab: they end with whoever started them, however hard that one goes."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from photomat_chaos.lab import processes
from photomat_chaos.lab.processes import Instance
from support.patience import until

LAB = """
import sys, time
from pathlib import Path
from photomat_chaos.lab import processes
folder, environment = Path(sys.argv[1]), dict(pair.split("=", 1) for pair in sys.argv[2:])
forked = processes.start(environment, folder=folder, name="forked")
loaded = processes.start(environment, folder=folder, name="loaded", program=folder)
print(forked.pid, loaded.pid, flush=True)
time.sleep(60)
"""
ANOTHER_VERSION = "import time; print('another version', flush=True); time.sleep(60)"
GONE_WITHIN_S = 120.0


def another_version(folder: Path) -> Path:
    """A program of the same name that only says who it is."""
    (folder / "photomat").mkdir()
    (folder / "photomat" / "__init__.py").touch()
    (folder / "photomat" / "__main__.py").write_text(ANOTHER_VERSION)
    return folder


def instances_of_a_killed_lab(folder: Path, database: str) -> list[int]:
    """Let a lab start two instances, and kill it."""
    environment = (f"DATABASE_URL={database}", "BOT_TOKEN=1:a", "KIE_API_KEY=k")
    with subprocess.Popen([sys.executable, "-c", LAB, str(folder), *environment], stdout=subprocess.PIPE) as lab:
        assert lab.stdout is not None
        pids = [int(word) for word in lab.stdout.readline().split()]
        assert len(pids) == 2
        assert all(is_there(pid) for pid in pids)
        lab.send_signal(signal.SIGKILL)
    return pids


def is_there(pid: int) -> bool:
    """Whether a process lives, or at least has not been buried."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.prove
async def test_a_lab_that_is_killed_leaves_no_instance_behind(tmp_path: Path) -> None:
    """The database takes the call and never says a word, so nobody leaves by itself so soon."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/nothing"
        pids = instances_of_a_killed_lab(another_version(tmp_path), database)
        await until(
            lambda: not any(is_there(pid) for pid in pids), within_s=GONE_WITHIN_S, about=lambda: f"the end of {pids}"
        )


async def test_another_version_is_loaded_anew_frozen_woken_and_ended(tmp_path: Path) -> None:
    instance = processes.start({}, folder=tmp_path, name="old", program=another_version(tmp_path))
    await until(lambda: "another version" in instance.log, about=lambda: instance.log)
    assert instance.alive
    instance.send(signal.SIGSTOP)
    await until(lambda: instance.stopped, about=lambda: f"{instance} to stop")
    instance.send(signal.SIGCONT)
    await until(lambda: not instance.stopped, about=lambda: f"{instance} to go on")
    instance.end()
    assert (instance.alive, instance.exit_code, instance.stopped) == (False, -signal.SIGKILL, False)


def test_another_version_cannot_be_wrong_about_the_time(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="its own clock"):
        processes.start({}, folder=tmp_path, name="old", program=tmp_path, clock=tmp_path / "clock")


def test_what_has_ended_gets_no_signal(tmp_path: Path) -> None:
    log_file, end_file = tmp_path / "some.log", tmp_path / "some.end"
    log_file.write_text("Photomat is running")
    end_file.write_text("0")
    ended = Instance(url="http://nowhere", pid=os.getpid(), log_file=log_file, end_file=end_file)
    ended.send(signal.SIGKILL)
    assert (ended.ready, ended.alive, ended.exit_code) == (False, False, 0)
