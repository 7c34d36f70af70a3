"""The environment of an experiment: a real PostgreSQL, both simulators, a load balancer, and real instances.

A storm has a server of its own, which may be killed; cells of the matrix share one and get a database cloned from a template.
"""

import asyncio
import itertools
import os
import shutil
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import Connection, connect
from photomat.db.postgres.server import running_pid
from photomat_chaos.lab import processes
from photomat_chaos.lab.fork_server import fork_server
from photomat_chaos.lab.load_balancer import LoadBalancer, open_load_balancer, serving
from photomat_chaos.lab.processes import Instance
from photomat_sandbox.faults import Faults
from photomat_sandbox.kie.app import build_app as build_kie
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.telegram.app import build_app as build_telegram
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import KEPT_EVENTS, Transcript, TranscriptEvent, World

TOKEN: Final = "900900:storm-token"  # noqa: S105  opens nothing but the simulator
KEY: Final = "storm-key"
WEBHOOK_KEY: Final = "storm-webhook-key"
FAST_AND_FORGETFUL: Final = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""For where instances die and PostgreSQL does not: what was committed stays in its memory."""

SURVIVES_ITS_OWN_DEATH: Final = {"fsync": "off", "synchronous_commit": "on", "full_page_writes": "on"}
"""For where PostgreSQL is killed too: a commit is answered when its log is with the operating system, which lives on."""

SETTINGS: Final = {
    "LEASE_S": "2",
    "DELIVERY_LEASE_S": "3",
    "POLL_FIRST_S": "0.3",
    "JOB_OVERDUE_S": "60",
    "JOB_TIMEOUT_S": "300",
    "WELCOME_CREDIT": "1000000",
}
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})
MANY_CREDITS: Final = 1_000_000.0
READY_LIMIT_S: Final = 60.0
LOOK_EVERY_S: Final = 0.1
HARVEST_S: Final = 0.5


@dataclass(slots=True, kw_only=True)
class Notes:
    """What happened outside: counts of events, and task and body of callbacks answered 200."""

    counts: Counter[tuple[World, str]] = field(default_factory=Counter)
    answered_200: set[tuple[str, str]] = field(default_factory=set)

    def take(self, event: TranscriptEvent) -> None:
        self.counts[event.world, event.kind] += 1
        if event.kind == "callback" and event.summary.endswith("HTTP 200"):
            self.answered_200.add((str(event.detail["task_id"]), str(event.detail["body"])))


@dataclass(slots=True, kw_only=True)
class Arena:
    """Both simulators, the load balancer, the database, and every instance that was started."""

    folder: Path
    dsn: str
    telegram: TelegramWorld
    kie: KieWorld
    faults: Faults
    addresses: dict[str, str]
    balancer: LoadBalancer
    transcripts: list[Transcript]
    server: Embedded | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    started: list[Instance] = field(default_factory=list)
    _seen: dict[int, int] = field(default_factory=dict)

    def start(self, **settings: str) -> Instance:
        """Start an instance behind the load balancer; it gets calls when it is ready."""
        return self.launch(settings)

    def launch(
        self, settings: Mapping[str, str], *, program: Path | None = None, clock: Path | None = None
    ) -> Instance:
        """Start an instance, possibly of another version (`program`) or with a wrong wall clock."""
        environment = {
            "BOT_TOKEN": TOKEN,
            "KIE_API_KEY": KEY,
            "TELEGRAM_API_URL": self.addresses["telegram"],
            "KIE_API_URL": self.addresses["kie"],
            "KIE_UPLOAD_URL": self.addresses["kie"],
            "DATABASE_URL": self.dsn,
            "DATA_DIR": str(self.folder / "data"),
            "PUBLIC_URL": self.balancer.url,
            **({"KIE_WEBHOOK_KEY": key} if (key := self.kie.settings.webhook_key) else {}),
            **SETTINGS,
            **self.settings,
            **settings,
        }
        name = f"instance-{len(self.started) + 1}"
        instance = processes.start(environment, folder=self.folder, name=name, program=program, clock=clock)
        self.started.append(instance)
        self.balancer.instances = [each for each in self.balancer.instances if each.alive] + [instance]
        return instance

    async def start_ready(self, count: int) -> None:
        new = [self.start() for _ in range(count)]
        await until(lambda: all(each.ready or not each.alive for each in new), within_s=READY_LIMIT_S, what="a start")
        for instance in new:
            if not instance.alive:
                said = instance.log_file.read_text(encoding="utf-8", errors="replace")[-2000:]
                raise RuntimeError(f"an instance did not start:\n{said}")

    async def end_all(self) -> None:
        for instance in self.started:
            if instance.alive:
                await asyncio.to_thread(instance.end)

    def harvest(self) -> None:
        """Record the events since the last time; the simulators keep only the newest."""
        for place, transcript in enumerate(self.transcripts):
            for event in transcript.since(self._seen.get(place, 0), limit=KEPT_EVENTS):
                self.notes.take(event)
            self._seen[place] = transcript.last

    async def keep_harvesting(self, over: asyncio.Event) -> None:
        """Record events until the storm is over."""
        while not over.is_set():
            self.harvest()
            await asyncio.sleep(HARVEST_S)

    async def restart_postgres(self) -> None:
        """Kill the server (SIGQUIT, "immediate") and start it on the same data."""
        if self.server is None:
            raise RuntimeError("this arena does not own its server")
        pid = running_pid((self.folder / "postgres").resolve())
        if pid is not None:
            os.kill(pid, signal.SIGQUIT)
        await until_true(lambda: asyncio.to_thread(self.server_tended), within_s=READY_LIMIT_S)

    def server_tended(self) -> bool:
        """Restart the server if it has died; True when it had."""
        return self.server is not None and self.server.tend()

    @asynccontextmanager
    async def sql(self) -> AsyncIterator[Connection]:
        connection = await connect(self.dsn, name="storm observer")
        try:
            yield connection
        finally:
            await connection.close(timeout=5)


@asynccontextmanager
async def open_arena(folder: Path, *, settings: Mapping[str, str] = NO_SETTINGS) -> AsyncIterator[Arena]:
    """Build an arena in an empty folder; `settings` override those of every instance."""
    await asyncio.to_thread(fork_server)
    server = await asyncio.to_thread(Embedded.start, folder / "postgres", settings=SURVIVES_ITS_OWN_DEATH)
    try:
        await migrate(server.dsn)
        async with open_worlds(folder, server.dsn, webhook_key=WEBHOOK_KEY) as arena:
            arena.server = server
            arena.settings = settings
            yield arena
    finally:
        await asyncio.to_thread(server.stop)


@asynccontextmanager
async def open_worlds(folder: Path, dsn: str, *, webhook_key: str = "") -> AsyncIterator[Arena]:
    """Build an arena on a migrated database; with a webhook key Kie signs its callbacks."""
    faults = Faults()
    telegram = TelegramWorld(token=TOKEN, webhook_retry_unit_s=0.1)
    kie = KieWorld(
        key=KEY,
        credits=MANY_CREDITS,
        webhook_key=webhook_key,
        seconds_to_success=0.8,
        picture_side_px=64,
        callback_retries=20,
        callback_retry_after_s=0.5,
    )
    transcripts = [Transcript(), Transcript()]
    async with (
        serving(build_telegram(telegram, transcripts[0], faults)) as telegram_url,
        serving(build_kie(kie, transcripts[1], faults)) as kie_url,
        open_load_balancer() as balancer,
    ):
        arena = Arena(
            folder=folder,
            dsn=dsn,
            telegram=telegram,
            kie=kie,
            faults=faults,
            addresses={"telegram": telegram_url, "kie": kie_url},
            balancer=balancer,
            transcripts=transcripts,
        )
        try:
            yield arena
        finally:
            await arena.end_all()


async def until(condition: Callable[[], object], *, within_s: float, what: str) -> None:
    try:
        async with asyncio.timeout(within_s):
            while not condition():  # noqa: ASYNC110  the condition is anything, so no event can be set for it
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        raise TimeoutError(f"waited {within_s:g} s for {what}") from None


async def until_true(ask: Callable[[], Awaitable[bool]], *, within_s: float) -> bool:
    """Ask repeatedly; False when the time is over."""
    try:
        async with asyncio.timeout(within_s):
            while not await ask():  # noqa: ASYNC110  likewise
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        return False
    return True


TEMPLATE: Final = "lab_template"
IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108  only a private folder below it is used
ROOMY_BYTES: Final = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """A server, and the folder for one subfolder per database."""

    dsn: str
    folder: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @asynccontextmanager
    async def world(self, name: str) -> AsyncIterator[Arena]:
        database, folder = f"world_{next(self._numbers)}", self.folder / name
        await asyncio.to_thread(folder.mkdir)
        await _execute(self.dsn, f'CREATE DATABASE "{database}" TEMPLATE "{TEMPLATE}" STRATEGY file_copy')
        try:
            async with open_worlds(folder, _other(self.dsn, database)) as arena:
                yield arena
        finally:
            await _execute(self.dsn, f'DROP DATABASE "{database}" WITH (FORCE)')
            await asyncio.to_thread(shutil.rmtree, folder)


@asynccontextmanager
async def open_databases(folder: Path) -> AsyncIterator[Databases]:
    """Start the server in an empty folder, and the fork server with it."""
    await asyncio.to_thread(fork_server)
    server = await asyncio.to_thread(Embedded.start, folder / "postgres", settings=FAST_AND_FORGETFUL)
    try:
        await _execute(server.dsn, f'CREATE DATABASE "{TEMPLATE}"')
        await migrate(_other(server.dsn, TEMPLATE))
        yield Databases(dsn=server.dsn, folder=folder)
    finally:
        await asyncio.to_thread(server.stop)


def fastest_place() -> str | None:
    """A disk in memory, where cloning takes a tenth of the time; None where it is small."""
    return str(IN_MEMORY) if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOMY_BYTES else None


async def _execute(dsn: str, statement: str) -> None:
    connection = await connect(dsn, name="lab")
    try:
        await connection.execute(statement)
    finally:
        await connection.close(timeout=5)


def _other(dsn: str, database: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{database}"))
