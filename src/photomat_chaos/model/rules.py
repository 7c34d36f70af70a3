"""What must be true in every state of the model, and what a good end is."""

from collections.abc import Callable, Mapping
from typing import Final

from photomat.jobs.job import TRANSITIONS, JobStatus
from photomat_chaos.model.state import At, Due, Money, State, face_of, settled

GOOD_MONEY: Final[Mapping[JobStatus, frozenset[Money]]] = {
    JobStatus.PENDING: frozenset({Money.HELD}),
    JobStatus.SUBMITTING: frozenset({Money.HELD}),
    JobStatus.RUNNING: frozenset({Money.HELD}),
    JobStatus.DONE: frozenset({Money.CHARGED, Money.OFFER_PAID, Money.RELEASED}),
    JobStatus.FAILED: frozenset({Money.RELEASED}),
    JobStatus.CANCELED: frozenset({Money.RELEASED}),
}
"""A done job whose money went back is a gift."""

RULES: Final[Mapping[str, Callable[[State], bool]]] = {
    "the money of a job is charged or released once, never both": lambda state: state.money is not Money.BROKEN,
    "nothing is charged without a result, nothing kept without one": lambda state: (
        state.money in GOOD_MONEY[state.status]
    ),
    "a job is ordered from Kie once at most": lambda state: state.orders <= 1,
    "a card that wants nothing more shows what its row says": lambda state: (
        state.card_due is not Due.NO or state.card is face_of(state)
    ),
    "a phone rings once at most for the same news": lambda state: len(set(state.rung)) == len(state.rung),
    "only a result counts as delivered": lambda state: not state.delivered or state.status is JobStatus.DONE,
}

A_KNOWN_MOVE: Final = "a job moves only as the product's table allows; a settled one never runs again"
A_GOOD_END: Final = "from every state a good end can be reached"


def broken_rule(state: State) -> str | None:
    """The rule that does not hold here, if any."""
    return next((rule for rule, holds in RULES.items() if not holds(state)), None)


def is_known_move(before: State, after: State) -> bool:
    """Whether the job moved as it may, or not at all."""
    return before.status is after.status or after.status in TRANSITIONS[before.status]


def is_good_end(state: State) -> bool:
    """Settled, shown, rung, and nobody at work."""
    return (
        settled(state)
        and state.card_due is Due.NO
        and not state.ring_due
        and state.late is None
        and all(worker.at is At.IDLE for worker in state.workers)
    )
