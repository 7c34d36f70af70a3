"""`photomat chaos storm`: what may be chosen, how it goes while it blows, and what came of it."""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from photomat_chaos.storm.storm import Plan, Report, Storm, rage
from photomat_chaos.terminal import be_quiet, console


def storm(
    *,
    seed: Annotated[int, typer.Option(help="The same seed blows the same way again.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long it blows.")] = 1.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances stand in it.")] = 3,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people buy meanwhile.")] = 8,
    old: Annotated[
        Path | None,
        typer.Option(
            exists=True, help="A folder with another version's package `photomat`, deployed in turn with ours."
        ),
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and database, kept afterwards.")] = None,
) -> None:
    """Customers buy while processes, connections, PostgreSQL and both vendors break; then the history is checked."""
    be_quiet()
    plan = Plan(seed=seed, seconds=minutes * 60, instances=instances, customers=customers, old=old)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="photomat-storm-") as folder, _progress(plan) as tell:
        report = asyncio.run(rage(plan, (keep or Path(folder)).resolve(), tell=tell))
    _show(report)
    if report.violations:
        raise typer.Exit(1)


@contextmanager
def _progress(plan: Plan) -> Iterator[Callable[[Storm], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[news]}"))
    with Progress(*columns, console=console, transient=True) as bars:
        bar = bars.add_task("storm", total=plan.seconds, news="")

        def tell(storm: Storm) -> None:
            left = "calm" if storm.over.is_set() else f"storm, {storm.left_s:.0f} s left"
            news = (
                f"{storm.bought} bought, {storm.done['instances killed']} killed,"
                f" {storm.done['PostgreSQL restarts']} restarts of PostgreSQL"
            )
            bars.update(bar, completed=plan.seconds - storm.left_s, description=left, news=news)

        yield tell


def _show(report: Report) -> None:
    title = f"storm of seed {report.plan.seed}, {report.plan.seconds:g} s"
    table = Table("figure", "", title=title, title_justify="left")
    for name, figure in report.figures.items():
        table.add_row(name, f"{figure:,}")
    console.print(table)
    for violation in report.violations:
        console.print(f"✗ {violation.check}: {violation.sentence}")
    for job_id, story in report.stories.items():
        console.print(f"\n[bold]job {job_id}[/bold]")
        console.print(story, markup=False, soft_wrap=True)
    console.print(f"{len(report.violations)} violations")
