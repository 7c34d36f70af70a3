"""The commands of the crash lab: `explore`, `mutants`, `storm`, `matrix`. Each prints figures, and exits 1 on a violation."""

import asyncio
import io
import logging
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from photomat.kernel import logs
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.explorer import ALL_RULES, SWITCHES, Proof, explore
from photomat_chaos.matrix import WAYS, Cell, cells_of, run_cells
from photomat_chaos.model import Law
from photomat_chaos.mutants import Trial, Verdict, try_all
from photomat_chaos.mutations import MUTATIONS
from photomat_chaos.storm import Plan, Report, rage

app = typer.Typer(help="The crash lab: the promise, proved.", no_args_is_help=True, add_completion=False)
console = Console(highlight=False)


@app.command("explore")
def explore_command(
    without: Annotated[str, typer.Option(help=f"Only with this taken away: {', '.join(SWITCHES)}.")] = "",
) -> None:
    """Visit every state of the model; then take away what protects it, one by one, and show what goes wrong."""
    if without and without not in SWITCHES:
        raise typer.BadParameter(f"{without} is none of {', '.join(SWITCHES)}")
    proof = None if without else _prove()
    found = {name: explore(law) for name, law in SWITCHES.items() if without in {"", name}}
    for name, broken in found.items():
        _tell(name, broken)
    if (proof is not None and proof.story is not None) or any(each.story is None for each in found.values()):
        raise typer.Exit(1)


def _prove() -> Proof:
    proof = explore(Law())
    if proof.story is not None:
        _tell("nothing", proof)
        return proof
    console.print(f"✓ {proof.states:,} states, {proof.moves:,} moves, {proof.seconds:.1f} s. In every one of them:")
    for rule in ALL_RULES:
        console.print(f"  ✓ {rule}")
    return proof


def _tell(name: str, proof: Proof) -> None:
    if proof.story is None:
        console.print(f"✗ without {name} nothing was found in {proof.states:,} states: the model is blind to it")
        return
    console.print(f"\nWithout [bold]{name}[/bold], broken after {len(proof.story.steps)} steps: {proof.story.rule}")
    for number, step in enumerate(proof.story.steps, 1):
        console.print(f"  {number:2}  {step}")


@app.command("mutants")
def mutants_command(names: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None) -> None:
    """Make each seeded mistake in a copy of the source and see whether the tests notice."""
    chosen = [mutation for mutation in MUTATIONS if not names or mutation.name in names]
    if not chosen:
        raise typer.BadParameter(f"there is no such mutant; there are {', '.join(each.name for each in MUTATIONS)}")
    with _progress() as progress:
        bar = progress.add_task("mutants", total=len(chosen))
        trials = try_all(chosen, lambda _trial: progress.advance(bar))
    console.print(_table_of(trials))
    killed = sum(trial.verdict is Verdict.KILLED for trial in trials)
    console.print(f"{killed} of {len(trials)} killed")
    if killed < len(trials):
        raise typer.Exit(1)


def _table_of(trials: list[Trial]) -> Table:
    table = Table("", "mutant", "the mistake", "noticed by")
    for trial in trials:
        sign = "✓" if trial.verdict is Verdict.KILLED else "✗"
        table.add_row(sign, trial.mutation.name, trial.mutation.mistake, trial.by or trial.verdict)
    return table


@app.command("storm")
def storm_command(
    seed: Annotated[int, typer.Option(help="The same seed blows the same way again.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long it blows.")] = 1.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances stand in it.")] = 2,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people buy meanwhile.")] = 5,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and database, kept afterwards.")] = None,
) -> None:
    """Customers buy while instances are killed and frozen, sessions cut, answers lost; then the history is checked."""
    _be_quiet()
    plan = Plan(seed=seed, seconds=minutes * 60, instances=instances, customers=customers)
    with tempfile.TemporaryDirectory(prefix="photomat-storm-") as folder:
        report = asyncio.run(rage(plan, keep or Path(folder)))
    _show(report)
    if report.violations:
        raise typer.Exit(1)


def _show(report: Report) -> None:
    table = Table(
        "figure", "", title=f"storm of seed {report.plan.seed}, {report.plan.seconds:g} s", title_justify="left"
    )
    for name, figure in report.figures.items():
        table.add_row(name, f"{figure:,}")
    console.print(table)
    for violation in report.violations:
        console.print(f"✗ {violation.check}: {violation.sentence}")
    console.print(f"{len(report.violations)} violations")


@app.command("matrix")
def matrix_command(
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
    at_once: Annotated[int, typer.Option(min=1, max=16, help="How many cells at a time.")] = 2,
    points: Annotated[str, typer.Option(help="Only failpoints whose names begin so.")] = "",
    notes: Annotated[
        Path, typer.Option(help="Where results are written as they come; a later run goes on from there.")
    ] = (Path("var/matrix.jsonl")),
) -> None:
    """Kill the process at every failpoint of every way a job can go; fresh ones go on, then the history is checked."""
    _be_quiet()
    part, parts = _shard(shard)
    chosen = cells_of(part, parts, [point for point in FAILPOINTS if point.startswith(points)])
    notes.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="photomat-matrix-") as folder, _progress() as progress:
        bar = progress.add_task("cells", total=len(chosen))
        run = run_cells(chosen, Path(folder), notes=notes, at_once=at_once, tell=lambda _cell: progress.advance(bar))
        cells = asyncio.run(run)
    console.print(_table_of_cells(cells))
    for cell in cells:
        for sentence in cell.broken:
            console.print(f"✗ {cell.failpoint}, {cell.way}: {sentence}")
    survived = sum(cell.passed and not cell.broken for cell in cells)
    console.print(f"{survived} died and lost nothing, {sum(cell.sign == '·' for cell in cells)} never came there")
    if any(cell.broken for cell in cells):
        raise typer.Exit(1)


def _shard(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise typer.BadParameter(f"{text} is no shard; 2/4 is the second of four")
    return int(part), int(parts)


def _table_of_cells(cells: list[Cell]) -> Table:
    table = Table(Column("failpoint", no_wrap=True), *WAYS)
    signs = {(cell.failpoint, cell.way): cell.sign for cell in cells}
    for point in dict.fromkeys(cell.failpoint for cell in cells):
        table.add_row(point, *(signs.get((point, way), "") for way in WAYS))
    return table


def _be_quiet() -> None:
    """The program's events go to the instances' own logs; what a cut connection does to a simulator is no news."""
    logs.configure("text", io.StringIO())
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)
