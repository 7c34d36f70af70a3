"""Visits every reachable state of the model and proves its rules, or tells the shortest story in which one breaks.

Breadth first, so the first story found is a shortest one. Afterwards it walks back from the good ends: a state from which
none can be reached is a job that is stuck for ever.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from photomat_chaos.model.cards import card_moves
from photomat_chaos.model.jobs import job_moves
from photomat_chaos.model.rules import A_GOOD_END, A_KNOWN_MOVE, RULES, broken_rule, is_good_end, is_known_move
from photomat_chaos.model.state import IDLE, START, At, Law, Move, State, Worker

ALL_RULES: Final = (*RULES, A_KNOWN_MOVE, A_GOOD_END)
SWITCHES: Final[Mapping[str, Law]] = {field.name: Law(**{field.name: False}) for field in fields(Law)}
"""The law with one of its parts taken away, by the name of the part."""

ACTS_WITHOUT_A_CLAIM: Final = frozenset(
    {At.SUBMIT_LEAVING, At.SUBMIT_ANSWERED, At.CARD_LOCKED, At.CARD_MARKED_FIRST, At.RING_RECORDED}
)
"""Where a worker can still do something though it lost its claim: in the worlds outside, or by a write that needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """How a rule is broken, step by step."""

    rule: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a visit found: no story means that every rule holds."""

    states: int
    moves: int
    seconds: float
    story: Story | None


def explore(law: Law, start: State = START) -> Proof:
    """Visit everything reachable from the start."""
    begun = time.perf_counter()
    visit = _Visit(law, start)
    story = visit.breadth_first() or visit.stuck_for_ever()
    return Proof(states=len(visit.places), moves=visit.moves, seconds=time.perf_counter() - begun, story=story)


def moves_of(state: State, law: Law) -> Iterator[Move]:
    """Every step that may come next."""
    yield from job_moves(state, law)
    yield from card_moves(state, law)


def _folded(state: State, law: Law) -> State:
    """The same without differences that make none: who is first, and what a worker holds that will be refused anyway."""
    first, second = state.workers
    if law.fence and law.card_fence and law.lock:
        first, second = _as_good_as(first), _as_good_as(second)
    folded = (first, second) if first >= second else (second, first)
    return state if folded == state.workers else state._replace(workers=folded)


def _as_good_as(worker: Worker) -> Worker:
    """A zombie with nothing but refused writes ahead of it might as well be idle."""
    return worker if worker.ours or worker.at in ACTS_WITHOUT_A_CLAIM else IDLE


class _Visit:
    """The states found so far, in the order they were found, each with where it came from."""

    def __init__(self, law: Law, start: State) -> None:
        self._law = law
        self.places: dict[State, int] = {start: 0}
        self._came: list[int] = [-1]
        self._into: list[list[int]] = [[]]
        self.moves = 0

    def breadth_first(self) -> Story | None:
        """Go on until nothing is new; stop at the first broken rule."""
        waiting = list(self.places)
        for place, state in enumerate(waiting):
            for _, moved in moves_of(state, self._law):
                self.moves += 1
                after = _folded(moved, self._law)
                found = self.places.get(after)
                rule = None if is_known_move(state, after) else A_KNOWN_MOVE
                if found is None:
                    found = self.places[after] = len(waiting)
                    waiting.append(after)
                    self._came.append(place)
                    self._into.append([])
                    rule = broken_rule(after) or rule
                self._into[found].append(place)
                if rule is not None:
                    return Story(rule=rule, steps=self._told([*self._way_to(place), found]))
        return None

    def stuck_for_ever(self) -> Story | None:
        """The nearest state from which no good end can be reached."""
        hopeful = {place for state, place in self.places.items() if is_good_end(state)}
        waiting = list(hopeful)
        for place in waiting:
            fresh = [before for before in self._into[place] if before not in hopeful]
            hopeful.update(fresh)
            waiting.extend(fresh)
        stuck = next((place for place in range(len(self._into)) if place not in hopeful), None)
        return None if stuck is None else Story(rule=A_GOOD_END, steps=self._told(self._way_to(stuck)))

    def _way_to(self, place: int) -> list[int]:
        way = []
        while place > 0:
            way.append(place)
            place = self._came[place]
        return way[::-1]

    def _told(self, way: list[int]) -> tuple[str, ...]:
        """Walk the way again with workers that keep their names."""
        states = list(self.places)
        state, steps = states[0], []
        for place in way:
            label, state = next(
                move for move in moves_of(state, self._law) if _folded(move[1], self._law) == states[place]
            )
            steps.append(label)
        return tuple(steps)
