"""Instances as real processes: `photomat run`, started, frozen, woken and killed by their own process id, and no other."""

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.checks.smoke_environment import reserve_port
from photomat_chaos.lab.fork_server import LaunchRequest, fork_server

RUNNING: Final = "Photomat is running"
END_LIMIT_S: Final = 60.0
LOOK_EVERY_S: Final = 0.01


@dataclass(slots=True, kw_only=True)
class Instance:
    """One `photomat run` process."""

    url: str
    pid: int
    log_file: Path
    end_file: Path
    frozen: bool = False
    _ready: bool = field(default=False)

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    @property
    def exit_code(self) -> int | None:
        """Negative when ended by a signal, None while it runs."""
        return int(self.end_file.read_text(encoding="utf-8")) if self.end_file.exists() else None

    @property
    def alive(self) -> bool:
        return self.exit_code is None

    @property
    def ready(self) -> bool:
        """Whether it has reported that it is running, and has not ended."""
        if not self._ready:
            self._ready = RUNNING in self.log
        return self._ready and self.alive

    @property
    def stopped(self) -> bool:
        """Whether it is stopped by a signal (state T)."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state == "T"

    def send(self, number: signal.Signals) -> None:
        if self.alive:
            os.kill(self.pid, number)
            self.frozen = number is signal.SIGSTOP or (self.frozen and number is not signal.SIGCONT)

    def end(self) -> None:
        """Kill it and wait for its end."""
        self.send(signal.SIGKILL)
        deadline = time.monotonic() + END_LIMIT_S
        while self.alive:
            if time.monotonic() > deadline:
                raise TimeoutError(f"process {self.pid} outlived SIGKILL")
            time.sleep(LOOK_EVERY_S)


def start(
    environment: Mapping[str, str],
    *,
    folder: Path,
    name: str,
    program: Path | None = None,
    clock: Path | None = None,
) -> Instance:
    """Start one on a port of its own; it gets this environment and nothing else.

    `program` is a folder that holds another version of the package `photomat`; `clock` a file that says by how many
    seconds its wall clock is wrong. Not both: another version does not know the lab.
    """
    if program is not None and clock is not None:
        raise ValueError("another version of the program has its own clock")
    port = reserve_port()
    log_file, end_file = folder / f"{name}.log", folder / f"{name}.end"
    log_file.touch()
    order = LaunchRequest(
        environment={**_passed_on(), "HOST": "127.0.0.1", "PORT": str(port), **environment},
        folder=str(folder),
        log=str(log_file),
        end=str(end_file),
        program=None if program is None else str(program.resolve()),
        clock=None if clock is None else str(clock.resolve()),
    )
    pid = fork_server().birth(order)
    return Instance(url=f"http://127.0.0.1:{port}", pid=pid, log_file=log_file, end_file=end_file)


def _passed_on() -> dict[str, str]:
    """What a child needs of our environment to be the same program."""
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
