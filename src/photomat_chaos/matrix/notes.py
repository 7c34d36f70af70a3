"""What a run of the matrix writes down as it goes, so that it can be stopped, resumed and put together from shards.

A line a cell. Lines of another version of the program, or of another seed, say nothing about this run: they are left alone
and counted.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from photomat import __version__
from photomat_chaos.matrix.cell import Cell, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """The notes of one seed in a file."""

    file: Path
    seed: int

    def read(self) -> tuple[dict[Place, Cell], int]:
        """What was found out before, and how many lines are another run's."""
        lines = [json.loads(line) for line in self._lines()]
        ours = [line for line in lines if (line.get("version"), line.get("seed")) == (__version__, self.seed)]
        cells = [_cell(line["cell"]) for line in ours]
        return {cell.place: cell for cell in cells}, len(lines) - len(ours)

    def add(self, cell: Cell) -> None:
        """Write one down."""
        line = {"version": __version__, "seed": self.seed, "cell": asdict(cell)}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _lines(self) -> Iterable[str]:
        return self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else ()


def _cell(read: dict[str, Any]) -> Cell:
    return Cell(**read | {"place": Place(**read["place"]), "broken": tuple(read["broken"])})
