"""Every failpoint × every way a job can go: the process kills itself right there, fresh ones go on, the history is checked.

Each cell is a world of its own: its database, its simulators, its processes. A point that a way never passes is told apart
from one that was passed and survived. Results are written down as they come, so a run can be stopped, resumed and split.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import connect
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos import calm, history
from photomat_chaos.arena import FAST_AND_FORGETFUL, Arena, open_worlds, until_true
from photomat_chaos.customers import Customer
from photomat_chaos.weather import Trouble
from photomat_sandbox.faults import FOR_EVER

CELL_LIMIT_S: Final = 180.0
DEATH_LIMIT_S: Final = 90.0
PLAIN: Final = ("кот-космонавт",)
TEMPLATE: Final = "matrix_template"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way a job can go: what is set, what goes wrong outside, what is ordered."""

    settings: Mapping[str, str]
    troubles: tuple[Trouble, ...] = ()
    prompts: tuple[str, ...] = PLAIN


QUICK_POLLS: Final = {"POLL_FIRST_S": "0.2"}
RARE_POLLS: Final = {"POLL_FIRST_S": "20"}
WAYS: Final[Mapping[str, Way]] = {
    "callback first": Way(settings=RARE_POLLS),
    "poll first": Way(
        settings=QUICK_POLLS, troubles=(Trouble(world="kie", method="callback", action="never", times=FOR_EVER),)
    ),
    "both at once": Way(
        settings={"POLL_FIRST_S": "0.8"},
        troubles=(Trouble(world="kie", method="callback", action="duplicate", times=9),),
    ),
    "late callback": Way(
        settings=QUICK_POLLS, troubles=(Trouble(world="kie", method="callback", action="delay", delay_s=3.0, times=9),)
    ),
    "lost create answer": Way(
        settings=QUICK_POLLS, troubles=(Trouble(world="kie", method="createTask", action="drop_after"),)
    ),
    "failed task": Way(settings=QUICK_POLLS, prompts=("маяк [fail]",)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """How one cell ended; `passed` says whether the process died there at all."""

    failpoint: str
    way: str
    passed: bool
    broken: tuple[str, ...]

    @property
    def sign(self) -> str:
        """For the table: ✓ survived, · never passed, ✗ broken."""
        return "✗" if self.broken else "✓" if self.passed else "·"


def cells_of(shard: int, shards: int, failpoints: Sequence[str] = FAILPOINTS) -> list[tuple[str, str]]:
    """The cells of one shard, counted from 1."""
    every = [(point, way) for point in failpoints for way in WAYS]
    return [cell for place, cell in enumerate(every) if place % shards == shard - 1]


def read_notes(notes: Path) -> list[Cell]:
    """What an earlier run wrote down."""
    if not notes.exists():
        return []
    lines = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    return [Cell(**line | {"broken": tuple(line["broken"])}) for line in lines]


async def run_cells(
    cells: Sequence[tuple[str, str]], folder: Path, *, notes: Path, at_once: int, tell: Callable[[Cell], None]
) -> list[Cell]:
    """Run the cells that are not in the notes yet, a few at a time."""
    known = {(cell.failpoint, cell.way): cell for cell in read_notes(notes)}
    for found in (known[cell] for cell in cells if cell in known):
        tell(found)
    places = asyncio.Semaphore(at_once)
    async with _databases(folder) as new_database, asyncio.TaskGroup() as group:

        async def run(point: str, way: str) -> None:
            async with places:
                cell = await _run_bounded(point, way, folder / f"{point}-{way}".replace(" ", "-"), await new_database())
            known[point, way] = cell
            with notes.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(cell), ensure_ascii=False) + "\n")
            tell(cell)

        for cell in [cell for cell in cells if cell not in known]:
            group.create_task(run(*cell))
    return [known[cell] for cell in cells]


async def _run_bounded(point: str, way: str, folder: Path, dsn: str) -> Cell:
    await asyncio.to_thread(folder.mkdir)
    try:
        async with asyncio.timeout(CELL_LIMIT_S), open_worlds(folder, dsn) as arena:
            passed = await _purchase(arena, point, WAYS[way])
            await calm.bring_to_rest(arena, instances=1)
            found = history.violations(await calm.evidence_of(arena))
    except (TimeoutError, RuntimeError, ExceptionGroup) as trouble:
        return Cell(failpoint=point, way=way, passed=True, broken=(f"{type(trouble).__name__}: {trouble}",))
    broken = tuple(f"{each.check}: {each.sentence}" for each in found)
    return Cell(failpoint=point, way=way, passed=passed, broken=broken)


async def _purchase(arena: Arena, point: str, way: Way) -> bool:
    """One customer buys; the first instance dies at the point, a second takes over. False when it never came there."""
    for trouble in way.troubles:
        arena.faults.arm(
            world=trouble.world,
            method=trouble.method,
            action=trouble.action,
            times=trouble.times,
            delay_s=trouble.delay_s,
        )
    first = arena.start(FAILPOINT=point, **way.settings)
    person = arena.telegram.add_person(first_name="Анна", started=True)
    chance = random.Random(point)  # noqa: S311  repeatable on purpose
    customer = Customer(world=arena.telegram, person=person, chance=chance, prompts=way.prompts)

    async def dead_or_through() -> bool:
        return not first.alive or await _is_through(arena)

    async with asyncio.TaskGroup() as group:
        group.create_task(customer.buy_until(asyncio.Event(), times=1))
        if not await until_true(dead_or_through, within_s=DEATH_LIMIT_S):
            raise TimeoutError("the first instance neither died nor came through")
        died = not first.alive
        if died:
            arena.start(**way.settings)
    return died


async def _is_through(arena: Arena) -> bool:
    """Whether a job was bought and nothing is left to do for it."""
    async with arena.sql() as connection:
        bought = await connection.fetchval("SELECT count(*) FROM generation_jobs WHERE rung_at IS NOT NULL")
        return bool(bought) and not await connection.fetchval(calm.BUSY)


@asynccontextmanager
async def _databases(folder: Path) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """One PostgreSQL with a migrated template; what it gives makes a database of its own for a cell."""
    server = await asyncio.to_thread(Embedded.start, folder / "postgres", settings=FAST_AND_FORGETFUL)
    numbers = iter(range(1, 1_000_000))
    try:
        await _execute(server.dsn, f'CREATE DATABASE "{TEMPLATE}"')
        await migrate(_other(server.dsn, TEMPLATE))

        async def new() -> str:
            name = f"cell_{next(numbers)}"
            await _execute(server.dsn, f'CREATE DATABASE "{name}" TEMPLATE "{TEMPLATE}" STRATEGY file_copy')
            return _other(server.dsn, name)

        yield new
    finally:
        await asyncio.to_thread(server.stop)


async def _execute(dsn: str, statement: str) -> None:
    connection = await connect(dsn, name="matrix")
    try:
        await connection.execute(statement)
    finally:
        await connection.close(timeout=5)


def _other(dsn: str, database: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{database}"))
