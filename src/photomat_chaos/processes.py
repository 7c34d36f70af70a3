"""Instances as real processes: `photomat run`, started, frozen, woken and killed by their own process id, and no other."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

RUNNING: Final = b"Photomat is running"
END_LIMIT_S: Final = 15.0


@dataclass(slots=True, kw_only=True)
class Instance:
    """One `photomat run` of ours."""

    url: str
    log_file: Path
    process: subprocess.Popen[bytes]
    frozen: bool = False
    _ready: bool = field(default=False)

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    @property
    def ready(self) -> bool:
        """Whether it has said that it works, and still lives."""
        if not self._ready:
            self._ready = RUNNING in self.log_file.read_bytes()
        return self._ready and self.alive

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.alive:
            self.process.send_signal(number)
            self.frozen = number is signal.SIGSTOP or (self.frozen and number is not signal.SIGCONT)

    def end(self) -> None:
        """End it as hard as a machine can, and wait for that."""
        self.send(signal.SIGKILL)
        self.process.wait(END_LIMIT_S)


def start(environment: Mapping[str, str], *, folder: Path, name: str) -> Instance:
    """Start one on a port of its own; it gets this environment and nothing else."""
    port = free_port()
    log_file = folder / f"{name}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "photomat", "run"],
            env={**_passed_on(), "HOST": "127.0.0.1", "PORT": str(port), **environment},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return Instance(url=f"http://127.0.0.1:{port}", log_file=log_file, process=process)


def _passed_on() -> dict[str, str]:
    """What of our own environment a child needs to be the same program."""
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}


def free_port() -> int:
    """A port nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
