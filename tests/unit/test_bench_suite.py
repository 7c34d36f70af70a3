"""The order of a run, and what is left of it when a measurement fails."""

import ast
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.progress import Progress

from photomat_bench import instances, vendors
from photomat_bench.cli import counter
from photomat_bench.fairness import LEAST_TIMES, OthersFigures, is_alone_first
from photomat_bench.figures import lines_of, read_lines, target_results, write_lines
from photomat_bench.flow_run import FlowFigures
from photomat_bench.flows import Flow, message_update, tap_update
from photomat_bench.peers import bare_bot
from photomat_bench.report import fault_lines, machine_lines, markdown_of
from photomat_bench.server import BenchServer, ScratchDatabases
from photomat_bench.suite import (
    DISTRIBUTIONS,
    LONG_ONLY,
    MEASUREMENTS,
    PEERS,
    SHORT,
    WITHOUT_SCHEMA,
    NotHere,
    Suite,
    engine_versions,
)
from support.source import ROOT

MACHINE = {"photomat": "0", "python": "3", "system": "", "cores": 2, "load_average": 0, "loop_ms": 4}
FACTS = MACHINE | {"packages": {}, "postgresql": {}}
NO_TIMES = {"p50": 0.0, "p95": 0.0, "p99": 0.0}


@dataclass(slots=True, kw_only=True)
class NoDatabases(ScratchDatabases):
    async def prepare(self) -> None:
        pass

    @asynccontextmanager
    async def one(self, *, migrated: bool) -> AsyncIterator[str]:
        yield f"postgresql:///{'migrated' if migrated else 'empty'}"


@dataclass(slots=True, kw_only=True)
class SmallSuite(Suite):
    """Measures nothing: each measurement is a function of the test."""

    made: dict[str, Callable[["SmallSuite"], Awaitable[None]]]
    seeds: list[tuple[str, int]] = field(default_factory=list)

    def measurements(self) -> dict[str, Callable[[str, Path, int], Awaitable[None]]]:
        return {name: self._one(name) for name in self.made}

    def _one(self, name: str) -> Callable[[str, Path, int], Awaitable[None]]:
        async def measure(_dsn: str, _folder: Path, seed: int) -> None:
            self.seeds.append((name, seed))
            await self.made[name](self)

        return measure

    def add(self, name: str, value: float) -> None:
        self._add(name, value, unit="", better="more")

    def add_costs(self, name: str, *, lost: int = 0, refused: int = 0) -> None:
        self._add_costs(name, figures_of_flows(lost=lost, refused=refused))


def suite_of(folder: Path, **made: Callable[[SmallSuite], Awaitable[None]]) -> SmallSuite:
    server = BenchServer(dsn="postgresql:///none", pid=1, folder=folder)
    return SmallSuite(
        server=server,
        databases=NoDatabases(server=server),
        lengths=SHORT,
        seed=5,
        previous=None,
        baseline=None,
        made={name.replace("_", " "): measure for name, measure in made.items()},
    )


def figures_of_flows(*, lost: int, refused: int) -> FlowFigures:
    return FlowFigures(
        flows=10,
        lost=lost,
        refused=refused,
        seconds=1.0,
        flows_per_s=10.0,
        cores_busy=0.5,
        commits_per_flow=5.0,
        written_per_flow=4.0,
        wal_syncs_per_flow=1.0,
        wal_kb_per_flow=30.0,
        product_cpu_ms=5.0,
        postgres_cpu_ms=5.0,
        vendors_cpu_ms=1.0,
        tap_to_picture_ms=NO_TIMES,
        callback_to_card_ms=NO_TIMES,
        message_to_card_ms=NO_TIMES,
        calls_per_flow=8.0,
        memory_mb=100.0,
    )


async def good(suite: SmallSuite) -> None:
    suite.add("good: per s", 7.0)


async def absent(_suite: SmallSuite) -> None:
    raise NotHere("it is not installed")


async def in_a_group(_suite: SmallSuite) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())


async def fails() -> None:
    raise KeyError("flow 3")


async def test_an_error_nobody_expected_ends_its_measurement_and_not_the_run(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, broken=in_a_group, none=absent, good=good)
    await suite.run(["broken", "none", "good"], 2, tell=lambda _name: None)
    assert suite.faults == {"broken": "failed: KeyError: 'flow 3'; failed: KeyError: 'flow 3'"}
    assert suite.skipped == {"none": "it is not installed"}
    assert [(each.name, each.values) for each in suite.figures()] == [("good: per s", (7.0, 7.0))]
    machine = {"skipped": suite.skipped, "faults": suite.faults}
    assert fault_lines(machine)[0] == "– none was not measured: it is not installed"
    assert fault_lines(machine)[1].startswith("✗ broken: failed: KeyError")


async def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "figures.jsonl"
    kept: list[int] = []

    def keep() -> None:
        write_lines(file, lines_of({"faults": suite.faults}, suite.figures(), []))
        kept.append(len(read_lines(file)[1]))

    async def second(found: SmallSuite) -> None:
        found.add("second: per s", 1.0)

    suite = suite_of(tmp_path, good=good, broken=in_a_group, second=second)
    await suite.run(["good", "broken", "second"], 1, tell=lambda _name: None, keep=keep)
    assert kept == [1, 1, 2]
    assert [each.name for each in file.parent.iterdir()] == ["figures.jsonl"]


async def test_a_measurement_that_lost_flows_meets_no_target(tmp_path: Path) -> None:
    async def losing(suite: SmallSuite) -> None:
        suite.add_costs("one instance", lost=2, refused=1)

    suite = suite_of(tmp_path, one_instance=losing)
    await suite.run(["one instance"], 1, tell=lambda _name: None)
    assert suite.faults == {"one instance": "lost flows: 2; refused requests: 1"}
    file = tmp_path / "figures.jsonl"
    write_lines(file, lines_of({"faults": suite.faults}, suite.figures(), []))
    _, read = read_lines(file)
    found = next(each for each in target_results(read) if each.name == "commits per flow")
    assert (found.value, found.met) == (4.0, False)
    page = markdown_of({**FACTS, "faults": suite.faults}, read, target_results(read))
    assert "| commits per flow | 4 | ≤ 12 | ✗ not met: lost flows: 2; refused requests: 1 |" in page
    assert "✗ one instance: lost flows: 2; refused requests: 1" in page


def test_which_run_of_fairness_is_first_changes_with_the_seed() -> None:
    assert [is_alone_first(seed) for seed in (1, 2, 3)] == [False, True, False]


def test_the_orders_of_a_heavy_user_are_counted_in_those_of_one_other() -> None:
    assert OthersFigures(flow_ms=NO_TIMES, flows=360, lost=0, refused=0, heavy_orders=300).times == 50.0
    assert OthersFigures(flow_ms=NO_TIMES, flows=360, lost=0, refused=0, heavy_orders=36).times < LEAST_TIMES


def test_a_run_names_the_versions_of_the_engines_that_are_installed(tmp_path: Path) -> None:
    assert engine_versions(prefix=tmp_path) == {}
    for environment, installed, version in (("peers", "awa_pg", "0.7.1"), ("oban", "oban", "1.2")):
        folder = tmp_path / "bench" / environment / "lib" / "python3.12" / "site-packages"
        facts = folder / f"{installed}-{version}.dist-info" / "METADATA"
        facts.parent.mkdir(parents=True)
        facts.write_text(f"Metadata-Version: 2.1\nName: {installed.replace('_', '-')}\nVersion: {version}\n")
    found = engine_versions(prefix=tmp_path)
    assert found == {"awa": "0.7.1", "oban": "1.2"}
    assert machine_lines({**FACTS, "engines": found}).splitlines()[-1] == "Other engines: awa 0.7.1, oban 1.2"
    assert "engines" not in machine_lines({**FACTS, "engines": {}})


async def test_every_second_round_is_backwards_with_a_seed_of_its_own_and_each_step_is_told(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, good=good, none=absent, broken=in_a_group)
    told: list[str] = []
    await suite.run(["good", "none", "broken"], 3, tell=told.append)
    assert told == ["good", "none", "broken", "broken", "none", "good", "good", "none", "broken"]
    without_the_absent = [
        ("good", 5),
        ("none", 5),
        ("broken", 5),
        ("broken", 6),
        ("good", 6),
        ("good", 7),
        ("broken", 7),
    ]
    assert suite.seeds == without_the_absent


async def test_what_has_no_time_left_is_told_and_named(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, good=good, broken=in_a_group)
    suite.limit_s = 0.0
    told: list[str] = []
    await suite.run(["good", "broken"], 1, tell=told.append)
    assert told == ["good", "broken"]
    assert suite.skipped == dict.fromkeys(told, "no time was left for it")
    assert suite.figures() == []


def test_every_measurement_by_name_has_a_function(tmp_path: Path) -> None:
    server = BenchServer(dsn="postgresql:///none", pid=1, folder=tmp_path)
    suite = Suite(
        server=server,
        databases=NoDatabases(server=server),
        lengths=SHORT,
        seed=1,
        previous=None,
        baseline=None,
    )
    assert sorted(suite.measurements()) == sorted(MEASUREMENTS)
    assert set(MEASUREMENTS) >= LONG_ONLY | WITHOUT_SCHEMA


def test_the_progress_counts_what_is_over() -> None:
    bars = Progress(disable=True)
    bar = bars.add_task("starting", total=2)
    tell = counter(bars, bar)
    shown = []
    for name in ("echo", "floor"):
        tell(name)
        shown.append((bars.tasks[0].description, bars.tasks[0].completed))
    assert shown == [("echo", 0), ("floor", 1)]


def test_the_page_names_every_measurement() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    listed = page.partition("## What is measured")[2].partition("## Figures")[0]
    cells = [line.split("|")[1] for line in listed.splitlines() if line.startswith("|")]
    names = {name.strip() for cell in cells for name in cell.split(",")}
    spelled = {
        "with slow vendors": ("one instance with slow vendors", "two instances with slow vendors"),
        "on a history": ("one instance on a history",),
        "beside an open transaction": ("one instance beside an open transaction",),
        "by the menu": ("one instance by the menu",),
    }
    assert set(MEASUREMENTS) <= names | {full for short, each in spelled.items() if short in names for full in each}


@pytest.mark.parametrize("name", PEERS)
def test_an_adapter_has_what_the_bare_bot_calls(name: str) -> None:
    """Its engine is not installed here, so its source is read."""
    tree = ast.parse((instances.PEERS / f"{name}_engine.py").read_text(encoding="utf-8"))
    (engine,) = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "PeerEngine"]
    arguments = {
        each.name: [argument.arg for argument in each.args.args]
        for each in engine.body
        if isinstance(each, ast.AsyncFunctionDef)
    }
    assert arguments == {"start": ["self", "dsn", "perform", "concurrency"], "enqueue": ["self", "stage"]}
    locked = (ROOT / "requirements" / f"{'oban' if name == 'oban' else 'bench'}.txt").read_text(encoding="utf-8")
    assert f"\n{DISTRIBUTIONS[name]}==" in locked


def test_the_bare_bot_makes_a_stage_of_each_update() -> None:
    flow = Flow(user_id=7, due=0.0)
    stages = [
        bare_bot.stage_of_update(each) for each in (message_update(flow, "a cat"), tap_update(flow, 12, "create"))
    ]
    assert [(each["stage"], each["chat"], each.get("card")) for each in stages] == [
        ("message", 7, None),
        ("tap", 7, 12),
    ]
    assert (bare_bot.TOKEN, bare_bot.RUNNING) == (vendors.TOKEN, instances.RUNNING)
