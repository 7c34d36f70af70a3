"""One running instance of the product, as an operator has it: its address, its log, its signals, its end."""

import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from support.nursery import nursery
from support.patience import PATIENCE_S, until

RUNNING: Final = "Photomat is running"
DRAIN_LIMIT_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One `photomat run`."""

    url: str
    pid: int
    log_file: Path
    end_file: Path

    @property
    def log(self) -> str:
        """Everything it has said."""
        return self.log_file.read_text(encoding="utf-8")

    @property
    def exit_code(self) -> int | None:
        """How it ended: negative by a signal, None while it lives."""
        return int(self.end_file.read_text(encoding="utf-8")) if self.end_file.exists() else None

    @property
    def is_running(self) -> bool:
        """Whether it has said that it works, and still lives."""
        return self.exit_code is None and RUNNING in self.log

    def lines(self, tag: str) -> list[str]:
        """The lines of one tag."""
        return [line for line in self.log.splitlines() if f"[{tag}]" in line]

    async def says(self, tag: str, *, times: int = 1) -> str:
        """Wait for a line of this tag; give the newest."""
        await until(lambda: len(self.lines(tag)) >= times, about=lambda: f"[{tag}] in {self.log[-4000:]}")
        return self.lines(tag)[-1]

    async def health(self) -> dict[str, Any]:
        """What /health answers."""
        async with aiohttp.ClientSession() as session, session.get(f"{self.url}/health") as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())

    def send(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.exit_code is None:
            os.kill(self.pid, number)

    async def ends(self, within_s: float = PATIENCE_S) -> int:
        """Wait for its end; give the exit code."""
        await until(
            lambda: self.exit_code is not None, within_s=within_s, about=lambda: f"the end of\n{self.log[-4000:]}"
        )
        code = self.exit_code
        assert code is not None
        return code

    async def stop(self) -> int:
        """Ask it to stop, as a deploy does; it has ten seconds."""
        self.send(signal.SIGTERM)
        return await self.ends(DRAIN_LIMIT_S)

    async def kill(self) -> None:
        """End it as hard as a machine can."""
        self.send(signal.SIGKILL)
        await self.ends()


def start_instance(environment: dict[str, str], *, folder: Path, name: str) -> Instance:
    """Start one on a port of its own; `environment` is everything else it gets."""
    port = free_port()
    log_file, end_file = folder / f"{name}.log", folder / f"{name}.end"
    log_file.touch()
    pid = nursery().birth(
        environment={"PATH": os.environ["PATH"], "HOST": "127.0.0.1", "PORT": str(port), **environment},
        folder=folder,
        log=log_file,
        end=end_file,
    )
    return Instance(url=f"http://127.0.0.1:{port}", pid=pid, log_file=log_file, end_file=end_file)


def free_port() -> int:
    """A port nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
