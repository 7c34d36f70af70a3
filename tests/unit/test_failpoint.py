"""A failpoint kills at the named place, at the pass asked for, and never otherwise."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from photomat.kernel import failpoint
from photomat.kernel.failpoint import FAILPOINTS, UnknownFailpoint, arm

SCRIPT = """
import sys
from photomat.kernel import logs
from photomat.kernel.failpoint import arm, failpoint
logs.configure("text", sys.stderr)
arm(sys.argv[1])
for n in range(3):
    failpoint("settle.before_commit")
    failpoint("settle.after_commit")
    print(n, flush=True)
"""


@pytest.fixture(autouse=True)
def _disarmed() -> Iterator[None]:
    yield
    arm(None)


def run(setting: str) -> tuple[int, list[str]]:
    ended = subprocess.run([sys.executable, "-c", SCRIPT, setting], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout.split()


@pytest.mark.parametrize(
    ("setting", "survived"),
    [("settle.before_commit", []), ("settle.after_commit:2", ["0"]), ("settle.after_commit:3", ["0", "1"])],
)
def test_the_process_is_killed_at_the_pass_asked_for(setting: str, survived: list[str]) -> None:
    assert run(setting) == (-signal.SIGKILL, survived)


def test_a_place_passed_less_often_kills_nobody() -> None:
    assert run("settle.after_commit:4") == (0, ["0", "1", "2"])


@pytest.mark.parametrize(
    "setting",
    [
        "no.such.place",
        "settle.before_commit:x",
        "settle.before_commit:-1",
        "settle",
        "burn@settle.before_commit",
        "stop@",
        "tell@",
    ],
)
def test_an_unknown_name_is_refused_and_not_ignored(setting: str) -> None:
    with pytest.raises(UnknownFailpoint, match="photomat failpoints"):
        arm(setting)


def test_unset_nothing_is_counted() -> None:
    arm("")
    for name in FAILPOINTS:
        failpoint.failpoint(name)


def test_every_name_is_there_once_and_says_its_step() -> None:
    assert len(set(FAILPOINTS)) == len(FAILPOINTS)
    assert all(step and place for step, _, place in (name.partition(".") for name in FAILPOINTS))


def test_a_told_pass_strikes_nobody_and_names_the_place() -> None:
    ended = subprocess.run([sys.executable, "-c", SCRIPT, "tell"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["0", "1", "2"])
    assert ended.stderr.count("[FAILPOINT] action=tell name=settle.before_commit") == 3


def test_a_stopped_process_goes_on_when_it_is_told_to() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "stop@settle.after_commit:2"], stdout=subprocess.PIPE
    ) as frozen:
        _, status = os.waitpid(frozen.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        frozen.send_signal(signal.SIGCONT)
        told, _ = frozen.communicate(timeout=300)
    assert (frozen.returncode, told.split()) == (0, [b"0", b"1", b"2"])


def test_a_cut_shuts_every_connection_and_nothing_else() -> None:
    arm("cut@settle.before_commit")
    with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as ours:
        theirs, _ = door.accept()
        pair = socket.socketpair()
        with theirs, pair[0], pair[1]:
            failpoint.failpoint("settle.before_commit")
            assert (ours.recv(1), theirs.recv(1)) == (b"", b"")
            pair[0].send(b"a pair of our own")
            assert pair[1].recv(1) == b"a"
        with socket.create_connection(door.getsockname(), timeout=120):
            door.accept()[0].close()
