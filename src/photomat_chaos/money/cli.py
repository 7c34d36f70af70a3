"""`photomat chaos money`: what may be chosen, how it goes while it blows, and what came of it."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from photomat_chaos.money.plan import Plan
from photomat_chaos.money.storm import MoneyStorm, Report, rage
from photomat_chaos.terminal import be_quiet, console


def money(
    *,
    seed: Annotated[int, typer.Option(help="The same seed plans the same again.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long it blows.")] = 1.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances stand in it.")] = 2,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people pay and spend meanwhile.")] = 8,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report there too.")] = None,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and database, kept afterwards.")] = None,
) -> None:
    """Money comes and goes in every way while everything breaks; then everybody's books are held against ours."""
    be_quiet()
    plan = Plan(seed=seed, seconds=minutes * 60, instances=instances, customers=customers)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="photomat-money-") as folder, _progress(plan) as tell:
        report = asyncio.run(rage(plan, (keep or Path(folder)).resolve(), tell=tell))
    _show(report)
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(report), ensure_ascii=False, indent=1), encoding="utf-8")
    if report.violations:
        raise typer.Exit(1)


@contextmanager
def _progress(plan: Plan) -> Iterator[Callable[[MoneyStorm], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[news]}"))
    with Progress(*columns, console=console, transient=True) as bars:
        bar = bars.add_task("storm", total=plan.seconds, news="")

        def tell(storm: MoneyStorm) -> None:
            left = "calm" if storm.square.over.is_set() else f"storm, {storm.left_s:.0f} s left"
            paid = len(storm.shop.arena.telegram.stars.charges) + len(storm.square.bills)
            news = f"{paid} paid, {storm.square.done['instances killed']} killed"
            bars.update(bar, completed=plan.seconds - storm.left_s, description=left, news=news)

        yield tell


def _show(report: Report) -> None:
    title = f"storm of money, seed {report.plan.seed}, {report.plan.seconds:g} s"
    table = Table("figure", "", title=title, title_justify="left")
    for name, figure in report.figures.items():
        table.add_row(name, f"{figure:,}")
    console.print(table)
    for difference in report.explained:
        console.print(f"· explained: {difference}", markup=False, emoji=False)
    for violation in report.violations:
        console.print(f"✗ {violation.check}: {violation.sentence}", markup=False, emoji=False, soft_wrap=True)
    for job_id, story in report.stories.items():
        console.print(f"\n[bold]job {job_id}[/bold]")
        console.print(story, markup=False, soft_wrap=True)
    console.print(f"{len(report.violations)} violations")
