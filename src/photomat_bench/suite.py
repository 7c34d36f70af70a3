"""All measurements in turn, several rounds of them, so that what changes on the machine meanwhile falls on every one alike."""

import os
import platform
import sys
import time
import zipfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Final

from photomat import __version__
from photomat.db.pool import connect
from photomat_bench.fairness import measure_fairness
from photomat_bench.figures import Better, Figure
from photomat_bench.flow_run import FlowFigures, FlowPlan, run_flows
from photomat_bench.instances import FLOOR, Engine
from photomat_bench.lifetime import measure_lifetime
from photomat_bench.long_history import KEPT, jobs_that_fit, make_history
from photomat_bench.pgbench import commits_per_s
from photomat_bench.requests import RequestFigures, measure_callbacks, measure_echo
from photomat_bench.server import BenchServer, ScratchDatabases

AT_ONCE: Final = 64
KIE_MS: Final = 20
"""For the greatest number of flows; at a rate a task takes the usual time."""
PEERS: Final = {"pgqueuer": "peers", "procrastinate": "peers", "awa": "peers", "oban": "oban"}
"""Each engine and the environment it is installed in (`make bench`)."""
DISTRIBUTIONS: Final = {"pgqueuer": "pgqueuer", "procrastinate": "procrastinate", "awa": "awa-pg", "oban": "oban"}
"""Their names on PyPI."""
MEASUREMENTS: Final = (
    "echo",
    "callbacks",
    "floor",
    "one instance on a history",
    "one instance",
    "one instance beside an open transaction",
    "two instances",
    "one instance with slow vendors",
    "two instances with slow vendors",
    "16 flows/s",
    "start and idle",
    "pgbench",
    "previous release",
    "one instance by the menu",
    "baseline",
    "fairness",
    *PEERS,
)
"""What is compared stands together: a change of the machine meanwhile falls on both."""
OLDER: Final = frozenset({"previous release", "baseline"})
"""Other versions of the program."""
WITHOUT_SCHEMA: Final = OLDER | PEERS.keys() | {"floor"}
"""They make their own schema, or need none."""
LONG_ONLY: Final = OLDER | {"one instance on a history", "one instance by the menu", "fairness"}
"""Not in the short form, nor are the other engines."""
SLOW_MS: Final = 400
SLOW_AT_ONCE: Final = 256
"""Vendors that take so long to answer: loops are full before the cores are, as at a bad hour of Telegram."""
HISTORY_JOBS: Final = 1_000_000
"""A tenth of what a large shop has after some years; ten events and about four lines in the ledger each."""
POSTGRES_SETTINGS: Final = (
    "server_version",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "max_connections",
    "commit_delay",
)
PACKAGES: Final = ("aiogram", "aiohttp", "asyncpg", "uvloop", "pydantic")


class NotHere(Exception):
    """A measurement cannot run on this machine; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Seconds of load of each kind; `open` is how long a transaction is open before flows beside it are measured."""

    flows: float
    requests: float
    fair: float
    idle: float
    open: float


LONG: Final = Lengths(flows=15.0, requests=5.0, fair=60.0, idle=20.0, open=30.0)
SHORT_LIMIT_S: Final = 280.0
SHORT: Final = Lengths(flows=6.0, requests=3.0, fair=20.0, idle=10.0, open=8.0)


@dataclass(slots=True, kw_only=True)
class Suite:
    """Collects the values of figures over rounds, within `limit_s`.

    `skipped` says what could not be measured, and why; `faults` which measurements failed or lost flows in some round. A
    measurement that fails ends neither the run nor what was measured before it.
    """

    server: BenchServer
    databases: ScratchDatabases
    lengths: Lengths
    seed: int
    previous: Path | None
    baseline: Path | None
    values: dict[tuple[str, str, Better], list[float]] = field(default_factory=lambda: defaultdict(list))
    limit_s: float | None = None
    history_jobs: int = HISTORY_JOBS
    skipped: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    _measured: int = 0
    _measuring: str = ""
    _measured_by: dict[str, str] = field(default_factory=dict)
    _history: str | None = None
    _slowest_s: float = 0.0

    async def run(
        self,
        names: Sequence[str],
        rounds: int,
        *,
        tell: Callable[[str], None],
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        """Run each round in the order of the names, every second one backwards; `keep` is called after each measurement."""
        await self.databases.prepare()
        measurements, begin = self.measurements(), time.monotonic()
        for number in range(rounds):
            for name in names if number % 2 == 0 else reversed(names):
                tell(name)
                if self.limit_s is not None and time.monotonic() - begin + self._slowest_s > self.limit_s:
                    self.skipped.setdefault(name, "no time was left for it")
                if name not in self.skipped:
                    await self._measure(name, measurements[name], self.seed + number)
                    keep()

    def figures(self) -> list[Figure]:
        """What was measured so far."""
        return [
            Figure(
                name=name,
                unit=unit,
                better=better,
                values=tuple(values),
                fault=self.faults.get(self._measured_by[name], ""),
            )
            for (name, unit, better), values in self.values.items()
        ]

    def measurements(self) -> dict[str, Callable[[str, Path, int], Awaitable[None]]]:
        """Each measurement by its name; it gets the URL of an empty, migrated database, a folder and a seed."""
        return {
            "echo": self._echo,
            "pgbench": self._pgbench,
            "floor": self._floor,
            "one instance": self._flows("one instance"),
            "one instance on a history": self._on_history,
            "one instance beside an open transaction": self._beside_transaction,
            "two instances": self._flows("two instances", instances=2),
            "one instance with slow vendors": self._with_slow_vendors("one instance with slow vendors", 1),
            "two instances with slow vendors": self._with_slow_vendors("two instances with slow vendors", 2),
            "previous release": self._older("previous release", self.previous, "--previous", by_menu=True),
            "baseline": self._older("baseline", self.baseline, "--baseline", by_menu=False),
            "one instance by the menu": self._by_menu,
            "16 flows/s": self._sixteen,
            "callbacks": self._callbacks,
            "fairness": self._fairness,
            "start and idle": self._lifetime,
            **{name: self._peer(name) for name in PEERS},
        }

    async def _measure(self, name: str, measurement: Callable[[str, Path, int], Awaitable[None]], seed: int) -> None:
        begin = time.monotonic()
        self._measured, self._measuring = self._measured + 1, name
        folder = self.server.folder / f"{self._measured}-{name.replace(' ', '-').replace('/', '-')}"
        folder.mkdir()
        try:
            async with self.databases.one(migrated=name not in WITHOUT_SCHEMA) as dsn:
                await measurement(dsn, folder, seed)
        except NotHere as error:
            self.skipped[name] = str(error)
        except Exception as error:  # noqa: BLE001  whatever it is, it ends this measurement alone
            self._blame(f"failed: {reason_of(error)}")
        finally:
            self._slowest_s = max(self._slowest_s, time.monotonic() - begin)

    def _blame(self, fault: str) -> None:
        """The measurement under way did not go as it should: what it measured meets no target."""
        before = self.faults.get(self._measuring)
        self.faults[self._measuring] = f"{before}; {fault}" if before else fault

    def _add(self, name: str, value: float, *, unit: str, better: Better) -> None:
        self.values[name, unit, better].append(value)
        self._measured_by[name] = self._measuring

    async def _echo(self, _dsn: str, folder: Path, _seed: int) -> None:
        self._add_requests("echo", await measure_echo(self.lengths.requests, folder=folder))

    async def _callbacks(self, dsn: str, folder: Path, _seed: int) -> None:
        figures = await measure_callbacks(self.lengths.requests, dsn=dsn, postgres_pid=self.server.pid, folder=folder)
        self._add_requests("callbacks", figures)
        self._add("callbacks: PostgreSQL CPU ms each", figures.postgres_cpu_ms, unit="ms", better="less")

    def _add_requests(self, name: str, figures: RequestFigures) -> None:
        self._add(f"{name}: per s", figures.per_s, unit="/s", better="more")
        self._add(f"{name}: CPU ms each", figures.cpu_ms, unit="ms", better="less")
        self._add(f"{name}: p50 ms at half", figures.half_ms["p50"], unit="ms", better="less")
        self._add(f"{name}: p99 ms at half", figures.half_ms["p99"], unit="ms", better="less")

    async def _pgbench(self, dsn: str, folder: Path, _seed: int) -> None:
        found = await commits_per_s(dsn, self.lengths.requests, folder=folder)
        self._add("pgbench: one-row commits/s", found, unit="/s", better="more")

    async def _floor(self, dsn: str, folder: Path, seed: int) -> None:
        await self._at_most("floor", FlowPlan(seconds=self.lengths.flows, engine=FLOOR, seed=seed), dsn, folder)

    def _flows(self, name: str, *, instances: int = 1) -> Callable[[str, Path, int], Awaitable[None]]:
        async def measure(dsn: str, folder: Path, seed: int) -> None:
            plan = FlowPlan(seconds=self.lengths.flows, instances=instances, seed=seed)
            await self._at_most(name, plan, dsn, folder)

        return measure

    def _with_slow_vendors(self, name: str, instances: int) -> Callable[[str, Path, int], Awaitable[None]]:
        async def measure(dsn: str, folder: Path, seed: int) -> None:
            plan = FlowPlan(seconds=self.lengths.flows, instances=instances, vendors_ms=SLOW_MS, seed=seed)
            await self._at_most(name, plan, dsn, folder, at_once=SLOW_AT_ONCE)

        return measure

    async def _on_history(self, _dsn: str, folder: Path, seed: int) -> None:
        """The database is made once, and used in every round."""
        if self._history is None:
            jobs = jobs_that_fit(self.server, self.history_jobs)
            if not jobs:
                raise NotHere("the disk has no room for a history")
            self._history = await make_history(self.server, jobs=jobs)
            self._add("one instance on a history: finished jobs", jobs, unit="", better="more")
        plan = FlowPlan(seconds=self.lengths.flows, settings=KEPT, seed=seed)
        await self._at_most("one instance on a history", plan, self._history, folder)

    async def _beside_transaction(self, dsn: str, folder: Path, seed: int) -> None:
        plan = FlowPlan(seconds=self.lengths.flows, open_transaction_s=self.lengths.open, seed=seed)
        await self._at_most("one instance beside an open transaction", plan, dsn, folder)

    async def _by_menu(self, dsn: str, folder: Path, seed: int) -> None:
        plan = FlowPlan(seconds=self.lengths.flows, by_menu=True, seed=seed)
        await self._at_most("one instance by the menu", plan, dsn, folder)

    def _older(
        self, name: str, file: Path | None, option: str, *, by_menu: bool
    ) -> Callable[[str, Path, int], Awaitable[None]]:
        is_here = file is not None and file.exists()

        async def measure(dsn: str, folder: Path, seed: int) -> None:
            if file is None or not is_here:
                raise NotHere(f"the zip file of its source is not here ({option})")
            program = folder / "program"
            with zipfile.ZipFile(file) as archive:
                archive.extractall(program)
            plan = FlowPlan(seconds=self.lengths.flows, program=program, by_menu=by_menu, seed=seed)
            await self._at_most(name, plan, dsn, folder)

        return measure

    def _peer(self, name: str) -> Callable[[str, Path, int], Awaitable[None]]:
        async def measure(dsn: str, folder: Path, seed: int) -> None:
            python = environment_of(name) / "bin" / "python"
            if not python.exists():
                raise NotHere("its environment is not installed; `make bench` does it where its Python is found")
            plan = FlowPlan(seconds=self.lengths.flows, engine=Engine(name=name, python=python), seed=seed)
            await self._at_most(name, plan, dsn, folder)

        return measure

    async def _at_most(self, name: str, plan: FlowPlan, dsn: str, folder: Path, *, at_once: int = AT_ONCE) -> None:
        plan = replace(plan, at_once=at_once, kie_ms=KIE_MS)
        figures = await run_flows(plan, dsn=dsn, postgres_pid=self.server.pid, folder=folder)
        self._add(f"{name}: flows/s", figures.flows_per_s, unit="/s", better="more")
        self._add(f"{name}: cores busy", figures.cores_busy, unit="", better="less")
        self._add_costs(name, figures)

    def _add_costs(self, name: str, figures: FlowFigures) -> None:
        self._add_losses(name, lost=figures.lost, refused=figures.refused)
        for figure, value, unit in (
            ("commits per flow", figures.written_per_flow, ""),
            ("transactions per flow", figures.commits_per_flow, ""),
            ("WAL kB per flow", figures.wal_kb_per_flow, "kB"),
            ("CPU ms per flow", figures.product_cpu_ms, "ms"),
            ("PostgreSQL CPU ms per flow", figures.postgres_cpu_ms, "ms"),
            ("both CPU ms per flow", figures.product_cpu_ms + figures.postgres_cpu_ms, "ms"),
            ("vendors and driver CPU ms per flow", figures.vendors_cpu_ms, "ms"),
        ):
            self._add(f"{name}: {figure}", value, unit=unit, better="less")

    def _add_losses(self, name: str, *, lost: int, refused: int) -> None:
        for what, count in (("lost flows", lost), ("refused requests", refused)):
            if count:
                self._add(f"{name}: {what}", count, unit="", better="less")
                self._blame(f"{what}: {count}")

    async def _sixteen(self, dsn: str, folder: Path, seed: int) -> None:
        plan = FlowPlan(seconds=self.lengths.flows, rate=16.0, seed=seed)
        figures = await run_flows(plan, dsn=dsn, postgres_pid=self.server.pid, folder=folder)
        for what, found in (
            ("tap → picture", figures.tap_to_picture_ms),
            ("callback → card", figures.callback_to_card_ms),
        ):
            for percentile in ("p50", "p95", "p99"):
                self._add(f"16 flows/s: {what} {percentile} ms", found[percentile], unit="ms", better="less")
        self._add_costs("16 flows/s", figures)

    async def _fairness(self, dsn: str, folder: Path, seed: int) -> None:
        async with self.databases.one(migrated=True) as beside_dsn:
            alone, beside = await measure_fairness(
                self.lengths.fair, alone_dsn=dsn, beside_dsn=beside_dsn, folder=folder, seed=seed
            )
        for name, figures in (("without a heavy user", alone), ("beside a heavy user", beside)):
            self._add(f"{name}: p50 ms", figures.flow_ms["p50"], unit="ms", better="less")
            self._add(f"{name}: p99 ms", figures.flow_ms["p99"], unit="ms", better="less")
            self._add(f"{name}: orders of the others", figures.flows, unit="", better="more")
            self._add_losses(name, lost=figures.lost, refused=figures.refused)
        self._add("beside a heavy user: orders of the heavy user", beside.heavy_orders, unit="", better="more")
        self._add("beside a heavy user: times the orders of one other", beside.times, unit="", better="more")

    async def _lifetime(self, dsn: str, folder: Path, _seed: int) -> None:
        figures = await measure_lifetime(self.lengths.idle, dsn=dsn, folder=folder)
        self._add("start: ready s", figures.ready_s, unit="s", better="less")
        self._add("start: import aiogram s", figures.import_s, unit="s", better="less")
        self._add("start: CPU s to ready", figures.ready_cpu_s, unit="s", better="less")
        self._add("start: import aiogram CPU s", figures.import_cpu_s, unit="s", better="less")
        self._add("start: memory MB", figures.ready_mb, unit="MB", better="less")
        self._add("start: import aiogram MB", figures.import_mb, unit="MB", better="less")
        self._add("idle: commits/s", figures.idle_commits_per_s, unit="/s", better="less")


def environment_of(peer: str, *, prefix: Path = Path(sys.prefix)) -> Path:
    return prefix / "bench" / PEERS[peer]


def engine_versions(*, prefix: Path = Path(sys.prefix)) -> dict[str, str]:
    """The versions of the other engines, as far as they are installed."""
    found = {}
    for name, distribution in DISTRIBUTIONS.items():
        places = [str(place) for place in environment_of(name, prefix=prefix).glob("lib/python3.*/site-packages")]
        installed = next(iter(metadata.distributions(name=distribution, path=places)), None)
        if installed is not None:
            found[name] = installed.version
    return found


def reason_of(error: BaseException) -> str:
    """The first error of a group, or the error itself, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1][:200]}" if lines else type(error).__name__


async def machine_facts(server: BenchServer) -> Mapping[str, object]:
    """Versions, processor and PostgreSQL's settings: what figures depend on."""
    connection = await connect(server.dsn, name="bench meter")
    try:
        settings = {name: str(await connection.fetchval(f"SHOW {name}")) for name in POSTGRES_SETTINGS}
    finally:
        await connection.close(timeout=5)
    return {
        "photomat": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "loop_ms": _loop_ms(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "engines": engine_versions(),
        "postgresql": settings,
    }


def _loop_ms() -> float:
    """Processor milliseconds of a fixed loop, the least of five: how fast a core is just now, beside whatever else runs."""
    took = []
    for _ in range(5):
        begin = time.process_time()
        total = 0
        for number in range(200_000):
            total += number & 7
        took.append((time.process_time() - begin) * 1000)
    return round(min(took), 2)
