"""Instances and commands of the program by fork: one process loads `photomat` once, every instance is its child.

Loading the program takes seconds of processor time, a fork a moment, so that stories with many deaths stay affordable.
A child is a process like any other: its own memory, sessions and signals, and it runs its command, `photomat run` unless
another is wanted, from the first line to the exit code. Another version of the program cannot be forked from this one: it is
loaded separately, as a child of the same parent. Run as a module this file is that parent; it ends, with its children, when its
input ends, which is when the process that asked for them is gone, however it ended.
"""

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import IO, Final, NoReturn

CLOSE_LIMIT_S: Final = 60.0
LOADED: Final = "loaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRequest:
    """One `photomat run`, or another command: where its words and its exit code go, its version, whose clock it believes.

    Without a file of their own its errors go where its words go.
    """

    environment: dict[str, str]
    folder: str
    log: str
    end: str
    program: str | None = None
    clock: str | None = None
    arguments: Sequence[str] = ("run",)
    errors: str | None = None


class ForkServer:
    """Asks the parent process for children, one line each way. Starting it takes seconds: the program is loaded."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-P", "-m", "photomat_chaos.lab.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        if _pipe(self._parent.stdout).readline().strip() != LOADED:
            raise RuntimeError("the fork server could not load the program")

    def birth(self, order: LaunchRequest) -> int:
        """Start an instance and return its process id; its exit code will be written to `end`."""
        _pipe(self._parent.stdin).write(json.dumps(asdict(order)) + "\n")
        _pipe(self._parent.stdin).flush()
        return int(_pipe(self._parent.stdout).readline())

    def close(self) -> None:
        """End the parent and its remaining children."""
        _pipe(self._parent.stdin).close()
        _pipe(self._parent.stdout).close()
        self._parent.wait(timeout=CLOSE_LIMIT_S)


@cache
def fork_server() -> ForkServer:
    found = ForkServer()
    atexit.register(found.close)
    return found


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("the fork server was started without pipes")
    return stream


class _ForkingParent:
    """The loaded program, waiting for launch requests."""

    def __init__(self) -> None:
        self._ends: dict[int, Path] = {}
        signal.signal(signal.SIGCHLD, lambda _number, _frame: self._reap())

    def serve(self) -> None:
        """Fork a child for every line until the input ends; then kill the remaining ones."""
        self._say(LOADED)
        for line in sys.stdin:
            order = LaunchRequest(**json.loads(line))
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            pid = os.fork()
            if pid == 0:
                _run_command(order)
            self._ends[pid] = Path(order.end)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            self._say(str(pid))
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        for pid in self._ends:
            os.kill(pid, signal.SIGKILL)
        while self._ends:
            self._bury(*os.waitpid(-1, 0))

    def _say(self, word: str) -> None:
        sys.stdout.write(f"{word}\n")
        sys.stdout.flush()

    def _reap(self) -> None:
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._bury(pid, status)

    def _bury(self, pid: int, status: int) -> None:
        end = self._ends.pop(pid)
        draft = end.with_suffix(".draft")
        with suppress(OSError):  # the folder may be gone already
            draft.write_text(str(os.waitstatus_to_exitcode(status)), encoding="utf-8")
            draft.replace(end)


def _run_command(order: LaunchRequest) -> NoReturn:
    """Run this command of `photomat` with this environment, folder and log."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    code = 1
    try:
        _settle_in(order)
        if order.program is not None:
            environment = {**order.environment, "PYTHONPATH": order.program}
            os.execve(sys.executable, [sys.executable, "-P", "-u", "-m", "photomat", "run"], environment)  # noqa: S606  our own program
        _believe(order.clock)
        main(commands)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  the last words of a process; it ends on the next line
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _settle_in(order: LaunchRequest) -> None:
    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.folder)
    log = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    errors = log if order.errors is None else os.open(order.errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, log), (2, errors)):
        os.dup2(source, number)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", closefd=False)
    sys.argv = ["photomat", *order.arguments]


def _believe(clock: str | None) -> None:
    """Shift this process's wall clock by what the file says."""
    if clock is not None:
        from photomat_chaos.lab import skew  # noqa: PLC0415  only the children that are wrong about the time need it

        skew.install(Path(clock))


if __name__ == "__main__":
    from typer.main import get_command

    import photomat.app.instance  # noqa: F401  what takes the time
    from photomat.catalog.load import load_catalog
    from photomat.cli.main import app, main
    from photomat.console.app import load_templates
    from photomat.moderation.rules import shipped_rule_set
    from photomat.texts.load import load_texts

    load_catalog()
    load_texts()
    load_templates()
    shipped_rule_set()
    commands = get_command(app)
    gc.collect()
    gc.freeze()  # shared with the children: no collection of theirs touches it
    _ForkingParent().serve()
