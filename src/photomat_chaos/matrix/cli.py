"""`photomat chaos matrix`: the command, its bar, its tables and its page."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.table import Column, Table

from photomat import __version__
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.lab.databases import fastest_place
from photomat_chaos.matrix.cell import ACTIONS, Action, Cell, Place
from photomat_chaos.matrix.matrix import Matrix, places_of
from photomat_chaos.matrix.notes import Notebook
from photomat_chaos.matrix.report import Report, page_of
from photomat_chaos.matrix.ways import WAYS
from photomat_chaos.terminal import be_quiet, console, end_in_order, progress

INTERRUPTED: Final = 130
WIDEST_WORD: Final = len("callback")


def matrix(
    *,
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
    at_once: Annotated[int, typer.Option(min=1, max=16, help="How many cells at a time.")] = 2,
    points: Annotated[str, typer.Option(help="Only failpoints whose names begin so.")] = "",
    actions: Annotated[str, typer.Option(help="Which blows, with commas between.")] = ",".join(ACTIONS),
    seed: Annotated[int, typer.Option(help="How the customers behave; the same seed, the same customers.")] = 1,
    notes: Annotated[Path, typer.Option(help="Where results are written; a later run goes on from there.")] = (
        Path("var/matrix.jsonl")
    ),
    html: Annotated[Path | None, typer.Option(help="Write the report there, as a page of its own.")] = None,
) -> None:
    """Strike the process at every failpoint of every way a job can go; then the history is checked, cell by cell."""
    be_quiet()
    end_in_order()
    part, parts = _shard(shard)
    chosen = places_of(
        part, parts, points=[point for point in FAILPOINTS if point.startswith(points)], actions=_actions(actions)
    )
    notebook = Notebook(file=notes, seed=seed)
    _, others = notebook.read()
    if others:
        console.print(f"{others} lines of {notes} are of another version or seed and say nothing about this run.")
    cells = _run(chosen, notebook, at_once)
    finished = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    report = Report(cells=cells, version=__version__, seed=seed, finished=finished)
    _show(report)
    if html is not None:
        html.write_text(page_of(report), encoding="utf-8")
        console.print(f"the report is {html}")
    if report.broken:
        console.print(f"what the instances of the broken cells said is in {notes.with_suffix('')}")
        raise typer.Exit(1)


def _run(places: list[Place], notebook: Notebook, at_once: int) -> list[Cell]:
    try:
        with tempfile.TemporaryDirectory(prefix="photomat-matrix-", dir=fastest_place()) as folder, progress() as bars:
            bar = bars.add_task("cells", total=len(places))
            run = Matrix(folder=Path(folder), notebook=notebook, at_once=at_once, tell=lambda _cell: bars.advance(bar))
            return asyncio.run(run.run(places))
    except KeyboardInterrupt:
        console.print(f"Stopped. The same command goes on from {notebook.file}.")
        raise typer.Exit(INTERRUPTED) from None


def _shard(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise typer.BadParameter(f"{text} is no shard; 2/4 is the second of four")
    return int(part), int(parts)


def _actions(text: str) -> list[Action]:
    asked = [word.strip() for word in text.split(",")]
    unknown = [word for word in asked if word not in ACTIONS]
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)} is none of {', '.join(ACTIONS)}")
    return [action for action in ACTIONS if action in asked]


def _show(report: Report) -> None:
    for action, words in ACTIONS.items():
        cells = [cell for cell in report.cells if cell.place.action == action]
        if cells:
            console.print(_table(words, cells))
    for cell in report.broken:
        for sentence in cell.broken:
            console.print(f"✗ {cell.place.action} at {cell.place.failpoint}, {cell.place.way}: {sentence}")
    console.print(", ".join(f"{name}: {figure:,}" for name, figure in report.figures().items()))


def _table(title: str, cells: Sequence[Cell]) -> Table:
    columns = (Column("failpoint", no_wrap=True), *(Column(way, min_width=WIDEST_WORD) for way in WAYS))
    table = Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    signs = {(cell.place.failpoint, cell.place.way): cell.sign for cell in cells}
    for point in dict.fromkeys(cell.place.failpoint for cell in cells):
        table.add_row(point, *(signs.get((point, way), "") for way in WAYS))
    return table
