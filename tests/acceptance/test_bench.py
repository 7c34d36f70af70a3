"""A benchmark of a second: every flow ends, the figures are there, and the books are in order."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from photomat.audit.run import violations
from photomat_bench.fairness import LEAST_TIMES, measure_fairness
from photomat_bench.flow_run import FlowPlan, run_flows
from photomat_bench.instances import FLOOR, RUNNING
from support.database import SharedPostgres, connection_of, create_database, drop_database
from support.patience import until

ANY_PROCESS = 1


async def test_a_short_load_ends_every_flow_and_counts_what_it_cost(empty_database: str, tmp_path: Path) -> None:
    plan = FlowPlan(seconds=1.0, rate=4.0, kie_ms=20, warm_up_s=0, counters_lag_s=0, seed=3)
    figures = await run_flows(plan, dsn=empty_database, postgres_pid=ANY_PROCESS, folder=tmp_path)
    assert figures.flows > 0
    assert (figures.lost, figures.refused) == (0, 0)
    assert figures.calls_per_flow >= 8
    assert figures.written_per_flow > 1
    assert figures.product_cpu_ms > 0
    assert figures.callback_to_card_ms["p99"] > 0
    async with connection_of(empty_database) as connection:
        assert await violations(connection) == []


@pytest.mark.prove
async def test_the_floor_makes_the_eight_calls_of_a_flow(empty_database: str, tmp_path: Path) -> None:
    plan = FlowPlan(seconds=1.0, at_once=4, kie_ms=20, counters_lag_s=0, engine=FLOOR)
    figures = await run_flows(plan, dsn=empty_database, postgres_pid=ANY_PROCESS, folder=tmp_path)
    assert figures.flows > 0
    assert figures.calls_per_flow == 8.0
    assert figures.written_per_flow == 0


@pytest.mark.prove
async def test_the_heavy_user_buys_fifty_times_what_another_does(postgres: SharedPostgres, tmp_path: Path) -> None:
    alone_dsn, beside_dsn = [await create_database(postgres.dsn, template="template0") for _ in range(2)]
    alone, beside = await measure_fairness(20.0, alone_dsn=alone_dsn, beside_dsn=beside_dsn, folder=tmp_path, seed=1)
    assert beside.times >= LEAST_TIMES
    assert (alone.lost, alone.refused, beside.lost, beside.refused) == (0, 0, 0, 0)
    for dsn in (alone_dsn, beside_dsn):
        async with connection_of(dsn) as connection:
            assert await violations(connection) == []
        await drop_database(postgres.dsn, dsn)


@pytest.mark.prove
async def test_sigterm_ends_a_load_with_its_instances_and_its_database(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = ("-m", "photomat", "bench", "flows", "--seconds", "60", "--keep", str(kept))
    process = await asyncio.create_subprocess_exec(sys.executable, *command, start_new_session=True)
    await until(lambda: any(RUNNING in log.read_text() for log in kept.rglob("*.log")))
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(60):
        await process.wait()
    assert list(kept.rglob("postmaster.pid")) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
