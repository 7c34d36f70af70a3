"""The matrix of failpoints: a few cells of it here, a blow of each kind among them; all of it by `photomat chaos matrix`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from photomat import __version__
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.matrix.cell import ACTIONS, WAYS, Cell, Place
from photomat_chaos.matrix.matrix import Matrix, Notebook, places_of
from photomat_chaos.matrix.report import MatrixReport, page_of

PLACES = [
    Place(action="kill", failpoint="settle.after_commit", way="both at once"),
    Place(action="stop", failpoint="deliver.after_lock", way="both at once"),
    Place(action="cut", failpoint="deliver.before_edit", way="both at once"),
    Place(action="cut", failpoint="submit.before_unknown", way="both at once"),
]


@pytest.mark.time_limit(1800)
async def test_struck_there_nothing_is_lost_and_it_is_written_down(tmp_path: Path) -> None:
    notebook, told = Notebook(file=tmp_path / "notes.jsonl", seed=1), dict[Place, Cell]()
    matrix = Matrix(folder=tmp_path, notebook=notebook, at_once=2, tell=lambda cell: told.update({cell.place: cell}))
    cells = await matrix.run(PLACES)
    assert [cell.broken for cell in cells] == [(), (), (), ()]
    assert [cell.sign for cell in cells] == ["✓", "✓", "✓", "·"], "an answer that comes is never unknown"
    assert notebook.read() == ({cell.place: cell for cell in cells}, 0)
    assert told == {cell.place: cell for cell in cells}
    page = page_of(MatrixReport(cells=cells, version=__version__, seed=1, finished="today"))
    assert "No promise was broken" in page


def test_the_shards_together_are_everything_and_share_nothing() -> None:
    shards = [places_of(part, 4) for part in (1, 2, 3, 4)]
    every = [place for shard in shards for place in shard]
    assert len(every) == len(set(every)) == len(FAILPOINTS) * len(WAYS) * len(ACTIONS)
    assert max(len(shard) for shard in shards) - min(len(shard) for shard in shards) <= 1


async def test_what_is_written_down_is_not_done_again(tmp_path: Path) -> None:
    known = [Cell(place=place, struck=True, seconds=2.5) for place in PLACES]
    notebook, told = Notebook(file=tmp_path / "var" / "notes.jsonl", seed=1), list[Cell]()
    for cell in known:
        notebook.add(cell)
    assert await Matrix(folder=tmp_path, notebook=notebook, at_once=1, tell=told.append).run(PLACES) == told == known
    assert not (tmp_path / "postgres").exists()


def test_notes_of_another_version_or_seed_say_nothing_about_this_run(tmp_path: Path) -> None:
    notebook = Notebook(file=tmp_path / "notes.jsonl", seed=1)
    cell = Cell(place=PLACES[0], struck=True, broken=("a promise: broken",))
    notebook.add(cell)
    replace(notebook, seed=2).add(cell)
    line = json.loads(notebook.file.read_text(encoding="utf-8").splitlines()[0]) | {"version": "0.0.1"}
    with notebook.file.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    assert notebook.read() == ({PLACES[0]: cell}, 2)
