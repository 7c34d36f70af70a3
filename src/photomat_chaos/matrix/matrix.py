"""Every failpoint × every action × every way a job can go, on real processes and a real PostgreSQL.

Each cell has its own database, simulators and processes. Points that a way never passes are learnt once, from a purchase
without a fault, and skipped. Results are appended to a file as they come, a line a cell, so that a run can be stopped, resumed
and combined from shards; lines of another version or seed are ignored and counted. The logs of a broken cell are kept.
"""

import asyncio
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from photomat import __version__
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.lab.arena import Arena, Databases, open_databases
from photomat_chaos.matrix.cell import ACTIONS, WAYS, Action, Cell, Place, passes_of, play


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """The results of one seed in a file."""

    file: Path
    seed: int

    def read(self) -> tuple[dict[Place, Cell], int]:
        """The known cells, and how many lines belong to another run."""
        lines = [json.loads(line) for line in self._lines()]
        ours = [line for line in lines if (line.get("version"), line.get("seed")) == (__version__, self.seed)]
        cells = [_cell(line["cell"]) for line in ours]
        return {cell.place: cell for cell in cells}, len(lines) - len(ours)

    def add(self, cell: Cell) -> None:
        line = {"version": __version__, "seed": self.seed, "cell": asdict(cell)}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _lines(self) -> Iterable[str]:
        return self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else ()


def _cell(read: dict[str, Any]) -> Cell:
    return Cell(**read | {"place": Place(**read["place"]), "broken": tuple(read["broken"])})


CELL_LIMIT_S: Final = 120.0
TRIES: Final = 2
Tell: TypeAlias = Callable[[Cell], None]


def places_of(
    shard: int = 1, shards: int = 1, *, points: Sequence[str] = FAILPOINTS, actions: Iterable[Action] = ACTIONS
) -> list[Place]:
    """The cells of one shard, counted from 1."""
    every = [Place(action=action, failpoint=point, way=way) for action in actions for point in points for way in WAYS]
    return [place for number, place in enumerate(every) if number % shards == shard - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A run of some cells in a folder, a few at a time; `tell` is called for each result."""

    folder: Path
    notebook: Notebook
    at_once: int
    tell: Tell
    passes: dict[str, Counter[str]] = field(default_factory=dict)
    """How often each way passes each failpoint, once that was learnt."""

    async def run(self, places: Sequence[Place]) -> list[Cell]:
        """Run the cells that are not in the notes yet; return all of them."""
        known, _ = self.notebook.read()
        for place in places:
            if place in known:
                self.tell(known[place])
        missing = [place for place in places if place not in known]
        if missing:
            async with open_databases(self.folder) as databases:
                await self._learn(databases, missing)
                known |= await self._try_all(databases, missing)
        return [known[place] for place in places]

    async def _learn(self, databases: Databases, places: Sequence[Place]) -> None:
        turns = asyncio.Semaphore(self.at_once)

        async def learn(way: str) -> None:
            async with turns, databases.world(way.replace(" ", "-")) as arena:
                self.passes[way] = await passes_of(arena, WAYS[way])

        async with asyncio.TaskGroup() as group:
            for way in dict.fromkeys(place.way for place in places):
                group.create_task(learn(way))

    async def _try_all(self, databases: Databases, places: Sequence[Place]) -> dict[Place, Cell]:
        turns = asyncio.Semaphore(self.at_once)
        cells: dict[Place, Cell] = {}

        async def try_one(place: Place) -> None:
            async with turns:
                cells[place] = await self._try(databases, place)
            self.notebook.add(cells[place])
            self.tell(cells[place])

        async with asyncio.TaskGroup() as group:
            for place in places:
                group.create_task(try_one(place))
        return cells

    async def _try(self, databases: Databases, place: Place) -> Cell:
        """Strike at the last pass, at the result and not the first screen; the last pass may be one earlier here."""
        last = self.passes[place.way][place.failpoint]
        cell = Cell(place=place, struck=False)
        for nth in range(last, max(0, last - TRIES), -1):
            cell = await self._try_at(databases, place, nth)
            if cell.struck or cell.broken:
                break
        return cell

    async def _try_at(self, databases: Databases, place: Place, nth: int) -> Cell:
        begun = time.monotonic()
        async with databases.world(f"{place.name}-{nth}") as arena:
            struck, broken = await self._bounded(arena, place, nth)
            if broken:
                await asyncio.to_thread(self._keep_the_logs, arena, place)
        return Cell(place=place, struck=struck, nth=nth, broken=broken, seconds=round(time.monotonic() - begun, 2))

    async def _bounded(self, arena: Arena, place: Place, nth: int) -> tuple[bool, tuple[str, ...]]:
        try:
            async with asyncio.timeout(CELL_LIMIT_S):
                return await play(arena, place, nth=nth, seed=self.notebook.seed)
        except (TimeoutError, RuntimeError, ExceptionGroup) as trouble:
            return True, (f"it did not come to an end: {type(trouble).__name__}: {trouble}",)

    def _keep_the_logs(self, arena: Arena, place: Place) -> None:
        kept = self.notebook.file.with_suffix("") / place.name
        kept.mkdir(parents=True, exist_ok=True)
        for log in arena.folder.glob("*.log"):
            shutil.copy(log, kept)
