"""One measured run of flows: instances and vendors are started, warmed up, loaded and metered.

Commits are all transactions that PostgreSQL counted; `written` are those that changed something and so wait for the log.
"""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.db.pool import connect
from photomat_bench.flows import Flow, FlowDriver
from photomat_bench.instances import AUDITED, BenchInstance, Engine, running_instances
from photomat_bench.meters import DatabaseCounts, cpu_s, database_counts, family_cpu_s, resident_mb
from photomat_bench.wire import serving

PROMPT: Final = "кот-космонавт"
WARM_UP_S: Final = 2.0
WARM_UP_RATE: Final = 8.0
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
    seed: int = 1
    warm_up_s: float = WARM_UP_S
    counters_lag_s: float = COUNTERS_LAG_S
    settings: Mapping[str, str] = field(default_factory=dict)
    profile: Path | None = None
    engine: Engine | None = None
    program: Path | None = None
    """A folder with another version of the package `photomat`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Meters at one instant."""

    at: float
    product_s: float
    postgres_s: float
    vendors_s: float
    database: DatabaseCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFigures:
    flows: int
    lost: int
    refused: int
    seconds: float
    flows_per_s: float
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
    driver = FlowDriver(seconds_at_kie=plan.kie_ms / 1000, prompt=PROMPT)
    async with _installation(plan, driver, dsn, folder) as instances:
        await _warm_up(driver, instances, plan)
        driver.start_counting()
        meter = Meter(dsn=dsn, postgres_pid=postgres_pid, instances=instances, lag_s=plan.counters_lag_s)
        for instance in instances[:1] if plan.profile else []:
            instance.signal(signal.SIGUSR1)
        if begin is not None:
            await begin()
        first = await meter.read()
        async with asyncio.TaskGroup() as group:
            bar = group.create_task(_tell_time(plan.seconds, tell))
            await _load(driver, plan)
            bar.cancel()
        last = await meter.read()
        if plan.profile:
            instances[0].signal(signal.SIGUSR1)
            await asyncio.sleep(1.0)
        return _figures(driver, plan, first, last, memory_mb=max(resident_mb(each.pid) for each in instances))


@asynccontextmanager
async def _installation(
    plan: FlowPlan, driver: FlowDriver, dsn: str, folder: Path
) -> AsyncIterator[list[BenchInstance]]:
    async with serving(driver.vendors.answer) as url:
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


async def _warm_up(driver: FlowDriver, instances: Sequence[BenchInstance], plan: FlowPlan) -> None:
    """Fill caches and plans, and let the nightly audit of a new database pass."""
    if not plan.warm_up_s:
        return
    if plan.engine is None:
        await instances[0].until_logged(AUDITED, within_s=AUDIT_LIMIT_S)
    await driver.run_at_rate(WARM_UP_RATE, plan.warm_up_s, seed=plan.seed + 1000)
    await asyncio.sleep(plan.counters_lag_s)


async def _load(driver: FlowDriver, plan: FlowPlan) -> None:
    if plan.rate is None:
        await driver.run_at_most(plan.seconds, at_once=plan.at_once)
    else:
        await driver.run_at_rate(plan.rate, plan.seconds, seed=plan.seed)


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
        at, product, postgres, vendors = self._processor()
        await asyncio.sleep(self.lag_s)  # sessions report their counters at most once a second
        connection = await connect(self.dsn, name="bench meter")
        try:
            counts = await database_counts(connection)
        finally:
            await connection.close(timeout=5)
        return Sample(at=at, product_s=product, postgres_s=postgres, vendors_s=vendors, database=counts)

    def _processor(self) -> tuple[float, float, float, float]:
        return (
            time.perf_counter(),
            sum(cpu_s(each.pid) for each in self.instances),
            family_cpu_s(self.postgres_pid),
            cpu_s(os.getpid()),
        )


def _figures(driver: FlowDriver, plan: FlowPlan, first: Sample, last: Sample, *, memory_mb: float) -> FlowFigures:
    done = driver.done
    count = max(len(done), 1)
    seconds = max((flow.rung for flow in done), default=last.at) - min((flow.due for flow in done), default=first.at)
    counts = last.database.since(first.database)
    return FlowFigures(
        flows=len(done),
        lost=driver.lost,
        refused=driver.refused,
        seconds=round(seconds, 2),
        flows_per_s=round(len(done) / seconds, 2),
        commits_per_flow=round(counts.commits / count, 2),
        written_per_flow=round(counts.written / count, 2),
        wal_syncs_per_flow=round(counts.wal_syncs / count, 2),
        wal_kb_per_flow=round(counts.wal_bytes / count / 1024, 2),
        product_cpu_ms=round((last.product_s - first.product_s) / count * 1000, 2),
        postgres_cpu_ms=round((last.postgres_s - first.postgres_s) / count * 1000, 2),
        vendors_cpu_ms=round((last.vendors_s - first.vendors_s) / count * 1000, 2),
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
