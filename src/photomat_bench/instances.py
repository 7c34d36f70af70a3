"""Instances of the product as real processes, with the vendors' limits lifted by the environment."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.checks.smoke_environment import reserve_port
from photomat_bench.vendors import KIE_KEY, TOKEN

RUNNING: Final = "Photomat is running"
READY_LIMIT_S: Final = 60.0
STOP_LIMIT_S: Final = 20.0
LIFTED: Final = {
    "KIE_CREATES_PER_10S": "2000",
    "KIE_QUERIES_PER_S": "1000",
    "TELEGRAM_CALLS_PER_S": "1000",
    "ORDERS_PER_MINUTE": "0",
    "MOST_RUNNING": "0",
    "WELCOME_CREDIT": "100000000",
}
"""The largest values the settings allow: our own pacing must not be what is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchInstance:
    url: str
    process: "subprocess.Popen[bytes]"
    log_file: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    async def until_ready(self) -> None:
        async with asyncio.timeout(READY_LIMIT_S):
            while RUNNING not in self.log():
                if self.process.poll() is not None:
                    raise RuntimeError(f"an instance did not start:\n{self.log()[-3000:]}")
                await asyncio.sleep(0.05)

    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_instance(
    *, dsn: str, vendors_url: str, folder: Path, name: str, settings: Mapping[str, str], profile: Path | None = None
) -> BenchInstance:
    """Start one; with `profile` it writes a cProfile file of the time between two SIGUSR1."""
    port = reserve_port()
    log_file = folder / f"{name}.log"
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "BOT_TOKEN": TOKEN,
        "KIE_API_KEY": KIE_KEY,
        "TELEGRAM_API_URL": vendors_url,
        "KIE_API_URL": vendors_url,
        "KIE_UPLOAD_URL": vendors_url,
        "DATABASE_URL": dsn,
        "DATA_DIR": str(folder / "data"),
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        **LIFTED,
        **settings,
    }
    program = ["photomat", "run"] if profile is None else ["photomat_bench.profiled", str(profile.absolute())]
    with log_file.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-m", *program], env=environment, cwd=folder, stdout=stream, stderr=subprocess.STDOUT
        )
    return BenchInstance(url=f"http://127.0.0.1:{port}", process=process, log_file=log_file)


@asynccontextmanager
async def running_instances(
    count: int, *, dsn: str, vendors_url: str, folder: Path, settings: Mapping[str, str], profile: Path | None = None
) -> AsyncIterator[list[BenchInstance]]:
    """So many instances on one database, all of which handle updates; they end with the block."""
    shared = {**({"UPDATE_WORKERS": "all"} if count > 1 else {}), **settings}
    started: list[BenchInstance] = []
    try:
        for number in range(1, count + 1):
            instance = start_instance(
                dsn=dsn,
                vendors_url=vendors_url,
                folder=folder,
                name=f"instance-{number}",
                settings=shared,
                profile=profile if number == 1 else None,
            )
            started.append(instance)
            await instance.until_ready()
        yield started
    finally:
        for instance in started:
            await asyncio.to_thread(instance.stop)
