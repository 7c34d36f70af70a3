"""The matrix of failpoints: two cells of it here, all of it by `photomat chaos matrix`."""

from pathlib import Path

import pytest

from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.matrix import WAYS, Cell, cells_of, read_notes, run_cells

CELLS = [("settle.after_commit", "both at once"), ("submit.after_create", "lost create answer")]


@pytest.mark.time_limit(300)
async def test_killed_there_nothing_is_lost_and_it_is_written_down(tmp_path: Path) -> None:
    notes, told = tmp_path / "notes.jsonl", list[Cell]()
    cells = await run_cells(CELLS, tmp_path, notes=notes, at_once=2, tell=told.append)
    assert [cell.broken for cell in cells] == [(), ()]
    assert [cell.sign for cell in cells] == ["✓", "·"], "a lost answer never comes to where an answer is"
    assert sorted(read_notes(notes), key=lambda cell: cell.failpoint) == cells
    assert sorted(told, key=lambda cell: cell.failpoint) == cells


def test_the_shards_together_are_everything_and_share_nothing() -> None:
    shards = [cells_of(part, 4) for part in (1, 2, 3, 4)]
    every = [cell for shard in shards for cell in shard]
    assert len(every) == len(set(every)) == len(FAILPOINTS) * len(WAYS)


async def test_what_is_written_down_is_not_done_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"failpoint": "ring.after_send", "way": "poll first", "passed": true, "broken": []}\n')
    cells = await run_cells(
        [("ring.after_send", "poll first")], tmp_path, notes=notes, at_once=1, tell=lambda _cell: None
    )
    assert [cell.sign for cell in cells] == ["✓"]
