"""`photomat chaos fuzz`: hostile callbacks, webhooks and answers; figures, offences with the input that caused them, exit 1."""

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from photomat_chaos.fuzz.rounds import Offence, Plan, RoundReport, figures_of, offences_of, run
from photomat_chaos.terminal import be_quiet, console, progress


def fuzz(
    count: Annotated[int, typer.Option(min=1, help="How many cases there are.")] = 200_000,
    seed: Annotated[int, typer.Option(help="The same seed and number is the same case.")] = 1,
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
    notes: Annotated[
        Path, typer.Option(help="Where rounds are written down as they end; a later run goes on from there.")
    ] = Path("var/fuzz.jsonl"),
) -> None:
    """Send hostile callbacks and webhooks to running processes, let Kie lie to the product; nothing may break or move."""
    part, _, parts = shard.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise typer.BadParameter(f"{shard} is no shard; 2/4 is the second of four")
    plan = Plan(seed=seed, count=count, shard=int(part), shards=int(parts))
    notes.parent.mkdir(parents=True, exist_ok=True)
    be_quiet()
    with tempfile.TemporaryDirectory(prefix="photomat-fuzz-") as folder, progress() as bars:
        bar = bars.add_task("cases", total=sum(len(cases) for _, cases in plan.rounds()))
        work = run(plan, Path(folder), notes=notes, tell=lambda report: bars.advance(bar, report.cases))
        reports = asyncio.run(work)
    _show(plan, reports)
    offences = offences_of(reports)
    _save(offences, notes.with_suffix(".offences"), plan)
    if offences:
        raise typer.Exit(1)


def _show(plan: Plan, reports: list[RoundReport]) -> None:
    cases, seconds = sum(report.cases for report in reports), sum(report.seconds for report in reports)
    table = Table(
        "figure", "", title=f"fuzz of seed {plan.seed}, shard {plan.shard}/{plan.shards}", title_justify="left"
    )
    for name, figure in sorted(figures_of(reports).items()):
        table.add_row(name, f"{figure:,}")
    table.add_row("memory of a process after the first round, after the last, at most (MB)", _memory(reports))
    table.add_row("cases a second", f"{cases / max(seconds, 0.1):,.0f}")
    console.print(table)
    console.print(f"{cases:,} cases in {seconds:,.0f} s, {len(offences_of(reports))} offences")


def _memory(reports: list[RoundReport]) -> str:
    return f"{reports[0].memory_mb[0]}, {reports[-1].memory_mb[0]}, {max(report.memory_mb[1] for report in reports)}"


def _save(offences: list[Offence], folder: Path, plan: Plan) -> None:
    """Name each offence, and keep the input that did it."""
    for place, offence in enumerate(offences):
        console.print(f"✗ seed {plan.seed}, number {offence.number}: {offence.sentence}")
        if offence.sent:
            folder.mkdir(parents=True, exist_ok=True)
            kept = folder / f"{place}-{offence.number}.bin"
            kept.write_bytes(offence.sent.encode("latin-1", "replace"))
            console.print(f"  what was sent: {kept}")
