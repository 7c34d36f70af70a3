"""One running instance of the product, as an operator has it: its address, its log, its signals, its end."""

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from photomat_chaos.lab import processes
from support.patience import PATIENCE_S, until

DRAIN_LIMIT_S: Final = 60.0


@dataclass(slots=True, kw_only=True)
class Instance(processes.Instance):
    """One `photomat run` of a test, which waits for what it says and how it ends."""

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

    async def ends(self, within_s: float = PATIENCE_S) -> int:
        """Wait for its end; give the exit code."""
        await until(
            lambda: self.exit_code is not None, within_s=within_s, about=lambda: f"the end of\n{self.log[-4000:]}"
        )
        code = self.exit_code
        assert code is not None
        return code

    async def stop(self) -> int:
        """Ask it to stop, as a deploy does, and wait for its end."""
        self.send(signal.SIGTERM)
        return await self.ends(DRAIN_LIMIT_S)

    async def kill(self) -> None:
        """End it as hard as a machine can."""
        self.send(signal.SIGKILL)
        await self.ends()


def start_instance(environment: dict[str, str], *, folder: Path, name: str, program: Path | None = None) -> Instance:
    """Start one on a port of its own; `environment` is everything else it gets, `program` another version's folder."""
    started = processes.start(environment, folder=folder, name=name, program=program)
    return Instance(url=started.url, pid=started.pid, log_file=started.log_file, end_file=started.end_file)
