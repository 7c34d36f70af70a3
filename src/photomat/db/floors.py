"""Where claims begin to read a queue: at the oldest row that may still be in it.

A queue is an index over what is due. What was claimed leaves a dead entry there, which PostgreSQL removes soon, but not while
any transaction is older than it: a report, a dump, a forgotten session. Then every claim would pass over all that was claimed
since it began. So the due poller reads the oldest live row of each queue (`Queue.oldest`), and claims begin there.

A floor is a hint, not the truth. A row below it, such as one whose transaction took longer than `Queue.oldest` allows for, is
found by the next poll that reads everything (`work/due_poller.py`), which lowers the floor.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

Floor: TypeAlias = datetime | int | None
"""A value of the column a queue is ordered by; None: from the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Two literal SELECTs, each with the place `{floor}`, where NULL means from the beginning.

    `due` finds a row if anything is due. `oldest` is the next floor: the place of the oldest row that is due, or else of the
    next one, minus the time a transaction may need to commit (a second; a few dozen rounds in the queue of submits). What makes
    a row due sets its place to now.
    """

    due: str
    oldest: str


class Floors:
    """The floors one process knows, by the names of loops. A queue that tells no floor keeps its last one."""

    def __init__(self) -> None:
        self._floors: dict[str, Floor] = {}

    def of(self, name: str) -> Floor:
        return self._floors.get(name)

    def lower(self, name: str, place: int) -> None:
        """A row is put back into a queue at its old place."""
        floor = self._floors.get(name)
        if isinstance(floor, int) and place < floor:
            self._floors[name] = place

    def set(self, floors: Mapping[str, Floor]) -> None:
        self._floors.update({name: floor for name, floor in floors.items() if floor is not None})
