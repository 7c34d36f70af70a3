"""What is measured, as real processes: instances of the product with the vendors' limits lifted, or a bare bot."""

import asyncio
import hashlib
import hmac
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import photomat
from photomat.checks.smoke_environment import reserve_port
from photomat_bench.vendors import KIE_KEY, TOKEN

RUNNING: Final = "Photomat is running"
OUR_OWN: Final = Path(photomat.__file__).parents[1]
"""What is measured is the version that measures, from wherever it was started."""
READY_LIMIT_S: Final = 180.0
STOP_LIMIT_S: Final = 20.0
LIFTED: Final = {
    "KIE_CREATES_PER_10S": "20000",
    "KIE_QUERIES_PER_S": "1000",
    "TELEGRAM_CALLS_PER_S": "10000",
    "ORDERS_PER_MINUTE": "0",
    "MOST_RUNNING": "0",
    "WELCOME_CREDIT": "100000000",
}
"""Our own pacing must not be what is measured."""
LIFTED_BEFORE: Final = {"KIE_CREATES_PER_10S": "2000", "TELEGRAM_CALLS_PER_S": "1000"}
"""The largest values earlier versions allow, which is more than they use."""


PEERS: Final = Path(__file__).parent / "peers"
BARE_BOT: Final = PEERS / "bare_bot.py"
ECHO: Final = PEERS / "echo.py"
AUDITED: Final = "AUDIT_KEPT"
"""Logged after the audit that a new database gets at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Another job engine, by the name of its module in `peers`, and the Python that has it installed; `none` is the floor."""

    name: str
    python: Path


FLOOR: Final = Engine(name="none", python=Path(sys.executable))


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

    async def until_logged(self, words: str, *, within_s: float) -> None:
        """Wait for these words in the log; after a while go on without them."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while words not in self.log():  # noqa: ASYNC110  a file
                    await asyncio.sleep(0.1)

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
    *,
    dsn: str,
    vendors_url: str,
    folder: Path,
    name: str,
    settings: Mapping[str, str],
    profile: Path | None = None,
    program: Path | None = None,
) -> BenchInstance:
    """Start the product, or the version of it in the folder `program`.

    With `profile` it writes a cProfile file of the time between two SIGUSR1.
    """
    port = reserve_port()
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
        "PYTHONPATH": str(program or OUR_OWN),
        **LIFTED,
        **(LIFTED_BEFORE if program else {}),
        **settings,
    }
    module = ["photomat", "run"] if profile is None else ["photomat_bench.profiled", str(profile.absolute())]
    return _launch([sys.executable, "-m", *module], environment, port=port, folder=folder, name=name)


def start_bare_bot(engine: Engine, *, dsn: str, vendors_url: str, folder: Path) -> BenchInstance:
    """Start the same sends without a ledger, through another engine or none, in the environment of that engine."""
    port = reserve_port()
    command = [str(engine.python), str(BARE_BOT), "--engine", engine.name, "--port", str(port)]
    command += ["--vendors", vendors_url]
    environment = {"PATH": os.environ.get("PATH", ""), "DATABASE_URL": dsn}
    return _launch(command, environment, port=port, folder=folder, name=engine.name)


def start_echo(folder: Path) -> BenchInstance:
    port = reserve_port()
    command = [sys.executable, str(ECHO), str(port)]
    return _launch(command, {"PATH": os.environ.get("PATH", "")}, port=port, folder=folder, name="echo")


def callback_secret() -> bytes:
    """The secret by which the product signs callback URLs where the operator sets none."""
    return hmac.new(TOKEN.encode(), b"kie callback", hashlib.sha256).digest()


def _launch(command: list[str], environment: Mapping[str, str], *, port: int, folder: Path, name: str) -> BenchInstance:
    folder.mkdir(parents=True, exist_ok=True)
    log_file = folder / f"{name}.log"
    with log_file.open("wb") as stream:
        process = subprocess.Popen(  # noqa: S603  our own programs
            command, env=dict(environment), cwd=folder, stdout=stream, stderr=subprocess.STDOUT
        )
    return BenchInstance(url=f"http://127.0.0.1:{port}", process=process, log_file=log_file)


@asynccontextmanager
async def running_instances(
    count: int,
    *,
    dsn: str,
    vendors_url: str,
    folder: Path,
    settings: Mapping[str, str],
    profile: Path | None = None,
    engine: Engine | None = None,
    program: Path | None = None,
) -> AsyncIterator[list[BenchInstance]]:
    """So many instances on one database, all of which handle updates, or one bare bot; they end with the block."""
    shared = {**({"UPDATE_WORKERS": "all"} if count > 1 else {}), **settings}
    started: list[BenchInstance] = []
    try:
        for number in range(1, count + 1):
            if engine is not None:
                started.append(start_bare_bot(engine, dsn=dsn, vendors_url=vendors_url, folder=folder))
            else:
                started.append(
                    start_instance(
                        dsn=dsn,
                        vendors_url=vendors_url,
                        folder=folder,
                        name=f"instance-{number}",
                        settings=shared,
                        profile=profile if number == 1 else None,
                        program=program,
                    )
                )
            await started[-1].until_ready()
        yield started
    finally:
        for instance in started:
            await asyncio.to_thread(instance.stop)
