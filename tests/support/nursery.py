"""Instances of the program by fork: one process loads `photomat` once, every instance is its child.

Loading the program takes seconds of processor time, a fork a moment, so that stories with many deaths stay affordable.
A child is a process like any other: its own memory, sessions and signals, and it runs the command `photomat run` from
the first line to the exit code. Run as a script this file is that parent; it ends, with its children, when its input ends.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn


class Nursery:
    """Asks the parent for children, one line each way."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def birth(self, *, environment: dict[str, str], folder: Path, log: Path, end: Path) -> int:
        """Start `photomat run`; its exit code will be written to `end`. Give its process id."""
        order = {"environment": environment, "folder": str(folder), "log": str(log), "end": str(end)}
        _pipe(self._parent.stdin).write(json.dumps(order) + "\n")
        _pipe(self._parent.stdin).flush()
        return int(_pipe(self._parent.stdout).readline())

    def close(self) -> None:
        """End the parent and whatever is left of its children."""
        _pipe(self._parent.stdin).close()
        _pipe(self._parent.stdout).close()
        self._parent.wait(timeout=10)


@cache
def nursery() -> Nursery:
    """The nursery of this run, opened when the first instance is wanted."""
    found = Nursery()
    atexit.register(found.close)
    return found


def _pipe(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise RuntimeError("the nursery was started without pipes")
    return stream


class _Parent:
    """The loaded program, waiting for orders."""

    def __init__(self) -> None:
        self._ends: dict[int, Path] = {}
        signal.signal(signal.SIGCHLD, lambda _number, _frame: self._reap())

    def serve(self) -> None:
        """Fork a child for every line, until there are no more; then end those that are left."""
        for line in sys.stdin:
            order = json.loads(line)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            pid = os.fork()
            if pid == 0:
                _live(order)
            self._ends[pid] = Path(order["end"])
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            sys.stdout.write(f"{pid}\n")
            sys.stdout.flush()
        for pid in list(self._ends):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._ends:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            end = self._ends.pop(pid)
            draft = end.with_suffix(".draft")
            with suppress(OSError):  # the test's folder may be gone already
                draft.write_text(str(os.waitstatus_to_exitcode(status)), encoding="utf-8")
                draft.replace(end)


def _live(order: dict[str, Any]) -> NoReturn:
    """Be `photomat run` with this environment, folder and log."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, source in ((0, os.open(os.devnull, os.O_RDONLY)), (1, log), (2, log)):
        os.dup2(source, number)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", closefd=False)
    sys.argv = ["photomat", "run"]
    code = 1
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    import photomat.wiring  # noqa: F401  what takes the time
    from photomat.cli.main import main

    _Parent().serve()
