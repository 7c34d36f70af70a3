"""One measured run of flows: instances and vendors are started, warmed up, loaded and metered.

Commits are all transactions that PostgreSQL counted; `written` are those that changed something and so wait for the log. Costs
are those of all flows, from the first update to the last message; flows per second and how busy the cores were are taken while
the load is steady, without its first part and without the end, in which fewer and fewer flows are open.
"""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.db.pool import connect
from photomat_bench.flows import WAVES, Flow, FlowDriver
from photomat_bench.instances import BenchInstance, Engine, running_instances
from photomat_bench.meters import DatabaseCounts, cpu_s, database_counts, family_cpu_s, resident_mb
from photomat_bench.wire import serving

PROMPT: Final = "кот-космонавт"
WARM_UP_S: Final = 4.0
STEADY_AFTER: Final = 0.2
"""The share of the load after which it may be steady; then as many flows must have ended as are open at a time."""
LOOKED_EVERY_S: Final = 0.02
AUDIT_LIMIT_S: Final = 20.0
COUNTERS_LAG_S: Final = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """`rate` flows a second, or as many as possible with `at_once` open at a time."""

    seconds: float
    rate: float | None = None
    at_once: int = 48
    instances: int = 1
    kie_ms: int = 100
    vendors_ms: int = 0
    """How long the vendors take to answer a call."""
    seed: int = 1
    warm_up_s: float = WARM_UP_S
    counters_lag_s: float = COUNTERS_LAG_S
    settings: Mapping[str, str] = field(default_factory=dict)
    profile: Path | None = None
    engine: Engine | None = None
    program: Path | None = None
    """A folder with another version of the package `photomat`."""
    by_menu: bool = False
    """Customers take the way through the menu, which earlier releases know too, instead of one sentence."""
    open_transaction_s: float = 0.0
    """Another session opens a transaction that reads, so long before the load, and holds it open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processor:
    """Processor seconds used until one instant."""

    at: float
    product_s: float
    postgres_s: float
    vendors_s: float

    @property
    def all_s(self) -> float:
        return self.product_s + self.postgres_s + self.vendors_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Meters at one instant."""

    processor: Processor
    database: DatabaseCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Steady:
    """The part of the load from which rates are taken."""

    first: Processor
    last: Processor

    @property
    def seconds(self) -> float:
        return self.last.at - self.first.at

    @property
    def cores_busy(self) -> float:
        """The share of all cores that product, PostgreSQL, vendors and driver used together."""
        return (self.last.all_s - self.first.all_s) / (max(self.seconds, LOOKED_EVERY_S) * (os.cpu_count() or 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFigures:
    flows: int
    lost: int
    refused: int
    seconds: float
    flows_per_s: float
    cores_busy: float
    commits_per_flow: float
    written_per_flow: float
    wal_syncs_per_flow: float
    wal_kb_per_flow: float
    product_cpu_ms: float
    postgres_cpu_ms: float
    vendors_cpu_ms: float
    tap_to_picture_ms: dict[str, float]
    callback_to_card_ms: dict[str, float]
    message_to_card_ms: dict[str, float]
    calls_per_flow: float
    memory_mb: float


async def run_flows(
    plan: FlowPlan,
    *,
    dsn: str,
    postgres_pid: int,
    folder: Path,
    tell: Callable[[float], None] = lambda _share: None,
    begin: Callable[[], Awaitable[None]] | None = None,
) -> FlowFigures:
    """Run on a migrated database; `tell` gets the share of the time that is over, `begin` is called after the warm-up."""
    driver = FlowDriver(seconds_at_kie=plan.kie_ms / 1000, prompt=PROMPT, by_menu=plan.by_menu, seed=plan.seed)
    async with _installation(plan, driver, dsn, folder) as instances, _open_transaction(plan, dsn):
        await _warm_up(driver, dsn, plan)
        driver.start_counting()
        meter = Meter(dsn=dsn, postgres_pid=postgres_pid, instances=instances, lag_s=plan.counters_lag_s)
        for instance in instances[:1] if plan.profile else []:
            instance.signal(signal.SIGUSR1)
        if begin is not None:
            await begin()
        first = await meter.read()
        async with asyncio.TaskGroup() as group:
            bar = group.create_task(_tell_time(plan.seconds, tell))
            steady = group.create_task(_while_steady(driver, meter, plan))
            await _load(driver, plan, plan.seconds, waves=WAVES)
            bar.cancel()
        last = await meter.read()
        if plan.profile:
            instances[0].signal(signal.SIGUSR1)
            await asyncio.sleep(1.0)
        memory_mb = max(resident_mb(each.pid) for each in instances)
        return _figures(driver, plan, first, last, steady.result(), memory_mb=memory_mb)


@asynccontextmanager
async def _installation(
    plan: FlowPlan, driver: FlowDriver, dsn: str, folder: Path
) -> AsyncIterator[list[BenchInstance]]:
    async with serving(driver.vendors.answer, after_s=plan.vendors_ms / 1000) as url:
        driver.vendors.url = url
        async with running_instances(
            plan.instances,
            dsn=dsn,
            vendors_url=url,
            folder=folder,
            settings=plan.settings,
            profile=plan.profile,
            engine=plan.engine,
            program=plan.program,
        ) as instances:
            driver.instances = [each.url for each in instances]
            yield instances


@asynccontextmanager
async def _open_transaction(plan: FlowPlan, dsn: str) -> AsyncIterator[None]:
    """A forgotten report: its snapshot keeps PostgreSQL from removing what has become old since."""
    if not plan.open_transaction_s:
        yield
        return
    connection = await connect(dsn, name="bench report")
    try:
        await connection.execute("SET idle_in_transaction_session_timeout = 0")
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.fetchval("SELECT count(*) FROM users")
            yield
    finally:
        await connection.close(timeout=5)


async def _until_audited(dsn: str) -> None:
    """Wait for the first proof of a new database; after a while go on without it."""
    connection = await connect(dsn, name="bench meter")
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(AUDIT_LIMIT_S):
                while not await connection.fetchval("SELECT EXISTS (SELECT FROM audit_runs)"):  # noqa: ASYNC110  a row
                    await asyncio.sleep(0.2)
    finally:
        await connection.close(timeout=5)


async def _warm_up(driver: FlowDriver, dsn: str, plan: FlowPlan) -> None:
    """Fill the caches and plans of every connection with the same load, once the nightly audit of a new database is over."""
    if not plan.warm_up_s:
        return
    if plan.engine is None:
        await _until_audited(dsn)
    await _load(driver, plan, max(plan.warm_up_s, plan.open_transaction_s))
    await asyncio.sleep(plan.counters_lag_s)


async def _load(driver: FlowDriver, plan: FlowPlan, seconds: float, *, waves: int = 0) -> None:
    if plan.rate is None:
        await driver.run_at_most(seconds, at_once=plan.at_once, waves=waves)
    else:
        await driver.run_at_rate(plan.rate, seconds, seed=plan.seed)


async def _while_steady(driver: FlowDriver, meter: "Meter", plan: FlowPlan) -> Steady:
    await asyncio.sleep(plan.seconds * STEADY_AFTER)
    opening = 0 if plan.rate is not None else plan.at_once
    while len(driver.done) < opening and not driver.is_ending:  # noqa: ASYNC110  a list
        await asyncio.sleep(LOOKED_EVERY_S)
    first = meter.processor()
    while not driver.is_ending:  # noqa: ASYNC110  set where nothing waits for it
        await asyncio.sleep(LOOKED_EVERY_S)
    return Steady(first=first, last=meter.processor())


async def _tell_time(seconds: float, tell: Callable[[float], None]) -> None:
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        tell(passed / seconds)
        await asyncio.sleep(0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    dsn: str
    postgres_pid: int
    instances: Sequence[BenchInstance]
    lag_s: float

    async def read(self) -> Sample:
        processor = self.processor()
        await asyncio.sleep(self.lag_s)  # sessions report their counters at most once a second
        connection = await connect(self.dsn, name="bench meter")
        try:
            counts = await database_counts(connection)
        finally:
            await connection.close(timeout=5)
        return Sample(processor=processor, database=counts)

    def processor(self) -> Processor:
        return Processor(
            at=time.perf_counter(),
            product_s=sum(cpu_s(each.pid) for each in self.instances),
            postgres_s=family_cpu_s(self.postgres_pid),
            vendors_s=cpu_s(os.getpid()),
        )


def _figures(
    driver: FlowDriver, plan: FlowPlan, first: Sample, last: Sample, steady: Steady, *, memory_mb: float
) -> FlowFigures:
    done = driver.done
    if not done:
        raise RuntimeError(f"no flow ended, {driver.lost} were lost")
    count = len(done)
    ended = sum(steady.first.at <= flow.rung < steady.last.at for flow in done)
    if not ended and plan.rate is None:
        raise RuntimeError("no flow ended while the load was steady: the machine is too slow for so few seconds")
    counts, before, after = last.database.since(first.database), first.processor, last.processor
    return FlowFigures(
        flows=len(done),
        lost=driver.lost,
        refused=driver.refused,
        seconds=round(steady.seconds, 2),
        flows_per_s=round(ended / max(steady.seconds, LOOKED_EVERY_S), 2),
        cores_busy=round(steady.cores_busy, 3),
        commits_per_flow=round(counts.commits / count, 2),
        written_per_flow=round(counts.written / count, 2),
        wal_syncs_per_flow=round(counts.wal_syncs / count, 2),
        wal_kb_per_flow=round(counts.wal_bytes / count / 1024, 2),
        product_cpu_ms=round((after.product_s - before.product_s) / count * 1000, 2),
        postgres_cpu_ms=round((after.postgres_s - before.postgres_s) / count * 1000, 2),
        vendors_cpu_ms=round((after.vendors_s - before.vendors_s) / count * 1000, 2),
        tap_to_picture_ms=percentiles([_own_ms(flow, plan) for flow in done]),
        callback_to_card_ms=percentiles([(flow.pictured - flow.called_back) * 1000 for flow in done]),
        message_to_card_ms=percentiles([(flow.carded - flow.due) * 1000 for flow in done]),
        calls_per_flow=round(sum(driver.vendors.calls.values()) / count, 2),
        memory_mb=round(memory_mb, 1),
    )


def _own_ms(flow: Flow, plan: FlowPlan) -> float:
    """From the tap to the picture without the time at Kie."""
    return (flow.pictured - flow.tapped) * 1000 - plan.kie_ms


def percentiles(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"p50": 0.0, "p95": 0.0, "p99": 0.0}
    ordered = sorted(values)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 1)

    return {"p50": round(statistics.median(ordered), 1), "p95": at(0.95), "p99": at(0.99)}
