"""Visit every reachable state of the model and prove its rules, or find the shortest counterexample.

Breadth first, so the first counterexample found is a shortest one. Afterwards it walks back from the good ends: a state from
which none can be reached is a job that is stuck for ever.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final

from photomat.jobs.job import TRANSITIONS, JobStatus
from photomat_chaos.model.cards import card_moves
from photomat_chaos.model.jobs import job_moves
from photomat_chaos.model.state import (
    IDLE,
    START,
    CardDue,
    HoldOutcome,
    ModelState,
    Safeguards,
    Transition,
    Worker,
    WorkerStep,
    face_of,
    settled,
)

GOOD_MONEY: Final[Mapping[JobStatus, frozenset[HoldOutcome]]] = {
    JobStatus.PENDING: frozenset({HoldOutcome.HELD}),
    JobStatus.SUBMITTING: frozenset({HoldOutcome.HELD}),
    JobStatus.RUNNING: frozenset({HoldOutcome.HELD}),
    JobStatus.DONE: frozenset({HoldOutcome.CHARGED, HoldOutcome.OFFER_PAID, HoldOutcome.RELEASED}),
    JobStatus.FAILED: frozenset({HoldOutcome.RELEASED}),
    JobStatus.CANCELED: frozenset({HoldOutcome.RELEASED}),
}
"""A done job whose money went back is a gift."""

RULES: Final[Mapping[str, Callable[[ModelState], bool]]] = {
    "the money of a job is charged or released once, never both": lambda state: state.money is not HoldOutcome.BROKEN,
    "nothing is charged without a result, nothing kept without one": lambda state: (
        state.money in GOOD_MONEY[state.status]
    ),
    "a job is ordered from Kie once at most": lambda state: state.orders <= 1,
    "a card that wants nothing more shows what its row says": lambda state: (
        state.card_due is not CardDue.NO or state.card is face_of(state)
    ),
    "a phone rings once at most for the same news": lambda state: len(set(state.rung)) == len(state.rung),
    "only a result counts as delivered": lambda state: not state.delivered or state.status is JobStatus.DONE,
}

A_KNOWN_MOVE: Final = "a job moves only as the product's table allows; a settled one never runs again"
A_GOOD_END: Final = "from every state a good end can be reached"


def broken_rule(state: ModelState) -> str | None:
    return next((rule for rule, holds in RULES.items() if not holds(state)), None)


def is_known_move(before: ModelState, after: ModelState) -> bool:
    """Whether the job moved as it may, or not at all."""
    return before.status is after.status or after.status in TRANSITIONS[before.status]


def is_good_end(state: ModelState) -> bool:
    """Settled, shown, rung, and both workers idle."""
    return (
        settled(state)
        and state.card_due is CardDue.NO
        and not state.ring_due
        and state.late is None
        and all(worker.at is WorkerStep.IDLE for worker in state.workers)
    )


ALL_RULES: Final = (*RULES, A_KNOWN_MOVE, A_GOOD_END)
SWITCHES: Final[Mapping[str, Safeguards]] = {
    field.name: Safeguards(**{field.name: False}) for field in fields(Safeguards)
}
"""The safeguards with one of its parts taken away, by the name of the part."""

ACTS_WITHOUT_A_CLAIM: Final = frozenset(
    {
        WorkerStep.SUBMIT_LEAVING,
        WorkerStep.SUBMIT_ANSWERED,
        WorkerStep.CARD_LOCKED,
        WorkerStep.CARD_MARKED_FIRST,
        WorkerStep.RING_RECORDED,
    }
)
"""Where a worker can still do something though it lost its claim: in the worlds outside, or by a write that needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    rule: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """The outcome of a visit; without a story every rule holds."""

    states: int
    moves: int
    seconds: float
    story: Counterexample | None


def explore(safeguards: Safeguards, start: ModelState = START) -> Exploration:
    begun = time.perf_counter()
    visit = _Visit(safeguards, start)
    story = visit.breadth_first() or visit.stuck_for_ever()
    return Exploration(states=len(visit.places), moves=visit.moves, seconds=time.perf_counter() - begun, story=story)


def moves_of(state: ModelState, safeguards: Safeguards) -> Iterator[Transition]:
    yield from job_moves(state, safeguards)
    yield from card_moves(state, safeguards)


def _folded(state: ModelState, safeguards: Safeguards) -> ModelState:
    """The same state without irrelevant differences: the order of the workers, and claims that will be refused anyway."""
    first, second = state.workers
    if safeguards.fence and safeguards.card_fence and safeguards.lock:
        first, second = _as_good_as(first), _as_good_as(second)
    folded = (first, second) if first >= second else (second, first)
    return state if folded == state.workers else state._replace(workers=folded)


def _as_good_as(worker: Worker) -> Worker:
    """A worker that lost its claim and can only make refused writes is as good as idle."""
    return worker if worker.ours or worker.at in ACTS_WITHOUT_A_CLAIM else IDLE


class _Visit:
    """The states found so far, in order, each with its predecessor."""

    def __init__(self, safeguards: Safeguards, start: ModelState) -> None:
        self._safeguards = safeguards
        self.places: dict[ModelState, int] = {start: 0}
        self._came: list[int] = [-1]
        self._into: list[list[int]] = [[]]
        self.moves = 0

    def breadth_first(self) -> Counterexample | None:
        """Visit until nothing is new; stop at the first broken rule."""
        waiting = list(self.places)
        for place, state in enumerate(waiting):
            for _, moved in moves_of(state, self._safeguards):
                self.moves += 1
                after = _folded(moved, self._safeguards)
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
                    return Counterexample(rule=rule, steps=self._told([*self._way_to(place), found]))
        return None

    def stuck_for_ever(self) -> Counterexample | None:
        """The nearest state from which no good end can be reached."""
        hopeful = {place for state, place in self.places.items() if is_good_end(state)}
        waiting = list(hopeful)
        for place in waiting:
            fresh = [before for before in self._into[place] if before not in hopeful]
            hopeful.update(fresh)
            waiting.extend(fresh)
        stuck = next((place for place in range(len(self._into)) if place not in hopeful), None)
        return None if stuck is None else Counterexample(rule=A_GOOD_END, steps=self._told(self._way_to(stuck)))

    def _way_to(self, place: int) -> list[int]:
        way = []
        while place > 0:
            way.append(place)
            place = self._came[place]
        return way[::-1]

    def _told(self, way: list[int]) -> tuple[str, ...]:
        """Replay the path with workers that keep their names."""
        states = list(self.places)
        state, steps = states[0], []
        for place in way:
            label, state = next(
                move
                for move in moves_of(state, self._safeguards)
                if _folded(move[1], self._safeguards) == states[place]
            )
            steps.append(label)
        return tuple(steps)
