"""The commands of the benchmark."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Final

import typer
import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from photomat.db.migrate import migrate
from photomat_bench.figures import TARGETS, Figure, changes, lines_of, read_lines, target_results, unmet, write_lines
from photomat_bench.flow_run import FlowFigures, FlowPlan, run_flows
from photomat_bench.report import caveats, change_table, markdown_of, print_run
from photomat_bench.server import (
    BenchServer,
    ScratchDatabases,
    bench_server,
    count_statements,
    forget_statements,
    statement_table,
)
from photomat_bench.suite import (
    HISTORY_JOBS,
    LONG,
    LONG_ONLY,
    MEASUREMENTS,
    PEERS,
    SHORT,
    SHORT_LIMIT_S,
    Lengths,
    Suite,
    machine_facts,
)

console: Final = Console(highlight=False)
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    *,
    short: Annotated[
        bool, typer.Option(help="Five minutes at most (unless --only): fewer seconds, no other engines.")
    ] = False,
    rounds: Annotated[int | None, typer.Option(min=1, max=20, help="How often each is measured (3; short: 1).")] = None,
    only: Annotated[str, typer.Option(help=f"Only these, by comma: {', '.join(MEASUREMENTS)}.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed, the same load.")] = 1,
    previous: Annotated[Path | None, typer.Option(help="The zip file of a release to measure beside this one.")] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="The zip file of the source that the targets were set for.")
    ] = None,
    history_jobs: Annotated[
        int, typer.Option(min=1000, help="Finished jobs of the history; fewer where the disk is short.")
    ] = HISTORY_JOBS,
    open_transaction: Annotated[
        float | None, typer.Option(min=0, help="Seconds for which a transaction is open before flows beside it (30).")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option(help="Exit with 1 unless this target is met, by its name in the table.")
    ] = None,
    figures_file: Annotated[Path, typer.Option("--figures", help="The committed figures to compare with.")] = Path(
        "bench/figures.jsonl"
    ),
    save: Annotated[
        Path | None, typer.Option(help="Write this run there as JSON lines, anew after each measurement.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of tables.")] = False,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for database and logs, kept afterwards.")] = None,
) -> None:
    """Measure the product in one run beside a bare echo, pgbench, the floor and other job engines.

    Prints figures (medians and spread), targets, and what changed since the committed figures beyond the spread. The floor is
    the same calls without bookkeeping. Everything runs on loopback; the load has a fixed seed.
    """
    if context.invoked_subcommand is not None:
        return
    unknown = set(require or ()) - {target.name for target in TARGETS}
    if unknown:
        raise typer.BadParameter(f"{', '.join(sorted(unknown))} is none of {', '.join(each.name for each in TARGETS)}")
    names, lengths = _chosen(only, short=short), SHORT if short else LONG
    committed = read_lines(figures_file)
    machine, figures = _measured(
        names,
        rounds or (1 if short else 3),
        lengths if open_transaction is None else replace(lengths, open=open_transaction),
        seed=seed,
        previous=previous,
        baseline=baseline,
        history_jobs=history_jobs,
        keep=keep,
        limit_s=SHORT_LIMIT_S if short and not only else None,
        short=short,
        save=save,
        as_json=as_json,
    )
    results = target_results(figures)
    if as_json:
        typer.echo(lines_of(machine, figures, results), nl=False)
    else:
        print_run(console, machine, figures, results)
        _compare(figures_file, committed, machine, figures)
    if missed := unmet(require or (), results):
        typer.echo(f"Required and not met: {', '.join(missed)}", err=True)
        raise typer.Exit(1)


def _chosen(only: str, *, short: bool) -> list[str]:
    if not only:
        return [name for name in MEASUREMENTS if not (short and (name in PEERS or name in LONG_ONLY))]
    asked = [word.strip() for word in only.split(",")]
    unknown = [word for word in asked if word not in MEASUREMENTS]
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)} is none of {', '.join(MEASUREMENTS)}")
    return asked


def _measured(
    names: list[str],
    rounds: int,
    lengths: Lengths,
    *,
    seed: int,
    previous: Path | None,
    baseline: Path | None,
    history_jobs: int,
    keep: Path | None,
    limit_s: float | None,
    short: bool,
    save: Path | None,
    as_json: bool,
) -> tuple[Mapping[str, object], list[Figure]]:
    """The machine with what went wrong, and the figures."""
    with _stopped_by_sigterm(), bench_server(keep) as server, _bar(as_json=as_json) as bars:
        bar = bars.add_task("starting", total=len(names) * rounds)
        suite = Suite(
            server=server,
            databases=ScratchDatabases(server=server),
            lengths=lengths,
            seed=seed,
            previous=previous,
            baseline=baseline,
            limit_s=limit_s,
            history_jobs=history_jobs,
        )
        facts = {**uvloop.run(machine_facts(server)), "seed": seed, "short": short}
        machine = {**facts, "skipped": suite.skipped, "faults": suite.faults}

        def write() -> None:
            if save is not None:
                write_lines(save, lines_of(machine, suite.figures(), target_results(suite.figures())))

        try:
            uvloop.run(suite.run(names, rounds, tell=counter(bars, bar), keep=write))
        except KeyboardInterrupt:
            suite.skipped["the rest"] = "stopped"
        write()
        return machine, suite.figures()


@contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """SIGTERM ends a run as Ctrl-C does, and instances and PostgreSQL with it."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def counter(bars: Progress, bar: TaskID) -> Callable[[str], None]:
    """A function that gets each measurement before it begins, and shows how many are over."""
    done = -1

    def tell(name: str) -> None:
        nonlocal done
        done += 1
        bars.update(bar, description=name, completed=done)

    return tell


def _compare(
    file: Path,
    committed: tuple[Mapping[str, object], list[Figure]],
    machine: Mapping[str, object],
    figures: list[Figure],
) -> None:
    before_machine, before = committed
    if not before:
        console.print(f"There are no figures to compare with in {file}.")
        return
    changed = [change for change in changes(before, figures) if change.verdict != "same"]
    console.print(change_table(changed) if changed else "Nothing changed beyond the spread.")
    for line in caveats(before_machine, machine, before, figures):
        console.print(line)


@app.command("table")
def table_command(
    figures_file: Annotated[Path, typer.Argument(help="A run as JSON lines.")] = Path("bench/figures.jsonl"),
) -> None:
    """Print a saved run as Markdown, for docs/performance.md."""
    machine, figures = read_lines(figures_file)
    if not figures:
        raise typer.BadParameter(f"there are no figures in {figures_file}")
    typer.echo(markdown_of(machine, figures, target_results(figures)), nl=False)


@app.command("flows")
def flows_command(
    *,
    instances: Annotated[int, typer.Option(min=1, max=8, help="Instances of the product on one database.")] = 1,
    rate: Annotated[float | None, typer.Option(min=0.1, help="Flows begun per second, at random instants.")] = None,
    at_most: Annotated[bool, typer.Option("--max", help="As many flows as possible (the default).")] = False,
    at_once: Annotated[int, typer.Option(min=1, max=1000, help="Flows open at a time with --max.")] = 48,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long the load lasts.")] = 15.0,
    kie_ms: Annotated[int, typer.Option(min=0, help="How long a task takes at Kie.")] = 100,
    vendors_ms: Annotated[int, typer.Option(min=0, help="How long the vendors take to answer a call.")] = 0,
    by_menu: Annotated[bool, typer.Option(help="Customers take the way through the menu, not one sentence.")] = False,
    open_transaction: Annotated[
        float, typer.Option(min=0, help="Seconds for which another session's transaction is open before the load.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="The same seed, the same instants.")] = 1,
    setting: Annotated[list[str] | None, typer.Option(help="A setting of the instances, as NAME=value.")] = None,
    profile: Annotated[
        Path | None, typer.Option(help="Write a cProfile file of the first instance under load.")
    ] = None,
    statements: Annotated[Path | None, typer.Option(help="Write every SQL statement with its calls per flow.")] = None,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for database and logs, kept afterwards.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON instead of the table.")] = False,
) -> None:
    """Load the product with whole flows: message, card, tap, task, callback, picture, completion message.

    Starts an embedded PostgreSQL, lean vendors on loopback and real instances, all of them for this run only. The figures are
    per flow: commits, WAL, processor time of the product, of PostgreSQL, and of the vendors with the driver.

    Where the product's time goes:  photomat bench flows --rate 16 --seconds 15 --profile /tmp/flow.prof, and then
    python -m pstats /tmp/flow.prof (sort tottime, stats 40); the profiler itself doubles the processor time.

    Where PostgreSQL's goes:  photomat bench flows --rate 16 --statements /tmp/statements.tsv
    """
    if at_most and rate is not None:
        raise typer.BadParameter("--rate and --max exclude each other")
    settings = dict(one.partition("=")[::2] for one in setting or ())
    plan = FlowPlan(
        seconds=seconds,
        rate=rate,
        at_once=at_once,
        instances=instances,
        kie_ms=kie_ms,
        vendors_ms=vendors_ms,
        by_menu=by_menu,
        open_transaction_s=open_transaction,
        seed=seed,
        settings=settings,
        profile=profile,
    )
    with (
        _stopped_by_sigterm(),
        bench_server(keep, statements=statements is not None) as server,
        _bar(as_json=as_json) as bars,
    ):
        bar = bars.add_task("flows", total=100)
        work = _run(
            plan,
            server,
            lambda share: bars.update(bar, completed=round(share * 100)),
            statements=statements is not None,
        )
        figures, counted = uvloop.run(work)
    if statements is not None:
        statements.write_text(counted, encoding="utf-8")
    if as_json:
        typer.echo(json.dumps({"bench": "flows", "plan": _plain(plan), **asdict(figures)}, ensure_ascii=False))
    else:
        console.print(_flow_table(plan, figures))


async def _run(
    plan: FlowPlan, server: BenchServer, tell: Callable[[float], None], *, statements: bool
) -> tuple[FlowFigures, str]:
    await migrate(server.dsn)
    if statements:
        await count_statements(server.dsn)

    async def begin() -> None:
        if statements:
            await forget_statements(server.dsn)

    figures = await run_flows(
        plan, dsn=server.dsn, postgres_pid=server.pid, folder=server.folder, tell=tell, begin=begin
    )
    return figures, await statement_table(server.dsn, figures.flows) if statements else ""


def _bar(*, as_json: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = Console(file=sys.stderr) if as_json else console
    return Progress(*columns, console=shown, transient=True, refresh_per_second=2)


def _plain(plan: FlowPlan) -> dict[str, object]:
    return {**asdict(plan), "profile": str(plan.profile) if plan.profile else None}


def _flow_table(plan: FlowPlan, figures: FlowFigures) -> Table:
    load = f"{plan.rate:g} flows/s" if plan.rate is not None else f"{plan.at_once} flows at once"
    table = Table("per flow", "", title=f"{load}, instances: {plan.instances}, seed {plan.seed}", title_justify="left")
    for name, figure in asdict(figures).items():
        words = (
            ", ".join(f"{key} {value:g}" for key, value in figure.items())
            if isinstance(figure, dict)
            else f"{figure:,}"
        )
        table.add_row(name.replace("_", " "), words)
    return table
