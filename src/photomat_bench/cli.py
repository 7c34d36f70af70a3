"""The commands of the benchmark."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
import uvloop
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from photomat.db.migrate import migrate
from photomat_bench.flow_run import FlowFigures, FlowPlan, run_flows
from photomat_bench.server import BenchServer, bench_server, count_statements, forget_statements, statement_table

console: Final = Console(highlight=False)
app = typer.Typer(help="The benchmark.", add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def bench() -> None:
    """Measure the product beside baselines."""


@app.command("flows")
def flows_command(
    *,
    instances: Annotated[int, typer.Option(min=1, max=8, help="Instances of the product on one database.")] = 1,
    rate: Annotated[float | None, typer.Option(min=0.1, help="Flows begun per second, at random instants.")] = None,
    at_most: Annotated[bool, typer.Option("--max", help="As many flows as possible (the default).")] = False,
    at_once: Annotated[int, typer.Option(min=1, max=1000, help="Flows open at a time with --max.")] = 48,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long the load lasts.")] = 15.0,
    kie_ms: Annotated[int, typer.Option(min=0, help="How long a task takes at Kie.")] = 100,
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
        seed=seed,
        settings=settings,
        profile=profile,
    )
    with bench_server(keep, statements=statements is not None) as server, _bar(as_json=as_json) as bars:
        bar = bars.add_task("flows", total=1.0)
        work = _run(plan, server, lambda share: bars.update(bar, completed=share), statements=statements is not None)
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
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    shown = Console(file=sys.stderr) if as_json else console
    return Progress(*columns, console=shown, transient=True)


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
