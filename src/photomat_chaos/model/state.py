"""The product in small: one job, its card, its money, Kie and Telegram, and two workers who may die, hang or come back.

Everything that could grow for ever is cut down to what decides. A fence is not a number but "still ours", lost when another
worker claims. Time is not a clock but "may happen now": a lease runs out whenever it likes, so every worker may become a
zombie. Revisions of the card are "due" and "newest". What is left is finite, and `explorer` visits all of it.

Where the model and the product differ, the model allows more: a customer may cancel at any time, Kie may turn a failure into a
success, any edit may overwrite any card. One thing it assumes of Telegram and of frozen machines (`Safeguards.in_time`): an
edit that got no answer, or a worker that hangs before its edit, has landed or given up by the time the final edit is rendered
again (`delivery.marks.REPEAT_AFTER`), or by the time a later edit was answered and the card is locked for another one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from photomat.jobs.job import TERMINAL, TRANSITIONS, JobStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Safeguards:
    """What the product checks before it acts; each can be taken away to see what it prevents."""

    fence: bool = True
    """A write about the job tests that the claim is still the writer's."""
    card_fence: bool = True
    """A write about the card tests that the lock is still the writer's."""
    guard: bool = True
    """Settling tests that the job is not settled yet."""
    order: bool = True
    """The card is edited first and marked as shown afterwards."""
    intent: bool = True
    """That a request is about to leave is committed before it leaves."""
    lock: bool = True
    """One worker at a time changes a card."""
    rescue: bool = True
    """What a dead worker had sent is never freed for another try."""
    once_more: bool = True
    """After an unknown outcome the final edit is rendered again."""
    in_time: bool = True
    """Not a test but a belief: see above. Without it the explorer shows the window that remains."""


class CardContent(IntEnum):
    PROGRESS = 0
    FAILED = 1
    CANCELED = 2
    OFFER = 3
    RESULT = 4


class CardDue(IntEnum):
    """Whether a card is due: no, now, or again in two minutes."""

    NO = 0
    NOW = 1
    LATER = 2


class TaskOutcome(IntEnum):
    NOTHING = 0
    MAKING = 1
    SUCCESS = 2
    FAIL = 3


class HoldOutcome(IntEnum):
    HELD = 0
    CHARGED = 1
    RELEASED = 2
    OFFER_PAID = 3
    BROKEN = 4


class WorkerStep(IntEnum):
    """Where in its work a worker is."""

    IDLE = 0
    SUBMIT_CLAIMED = 1
    SUBMIT_LEAVING = 2
    SUBMIT_ANSWERED = 3
    SUBMIT_UNKNOWN = 4
    SUBMIT_BUSY = 5
    SUBMIT_REFUSED = 6
    LOOK_CLAIMED = 7
    LOOK_SUCCESS = 8
    LOOK_FAIL = 9
    LOOK_NOT_YET = 10
    LOOK_GIVE_UP = 11
    CARD_LOCKED = 12
    CARD_EDITED = 13
    CARD_UNKNOWN = 14
    CARD_MARKED_FIRST = 15
    RING_RECORDED = 16


ON_THE_CARD: Final = frozenset(
    {WorkerStep.CARD_LOCKED, WorkerStep.CARD_EDITED, WorkerStep.CARD_UNKNOWN, WorkerStep.CARD_MARKED_FIRST}
)
FACES: Final[Mapping[JobStatus, CardContent]] = {
    JobStatus.PENDING: CardContent.PROGRESS,
    JobStatus.SUBMITTING: CardContent.PROGRESS,
    JobStatus.RUNNING: CardContent.PROGRESS,
    JobStatus.DONE: CardContent.RESULT,
    JobStatus.FAILED: CardContent.FAILED,
    JobStatus.CANCELED: CardContent.CANCELED,
}
RINGING: Final = frozenset({CardContent.FAILED, CardContent.OFFER, CardContent.RESULT})


class Worker(NamedTuple):
    """A worker and what it has read: its claim, the row, the card it is to show."""

    at: WorkerStep = WorkerStep.IDLE
    ours: bool = False
    face: CardContent = CardContent.PROGRESS
    newest: bool = False
    once_more: bool = False
    settled: bool = False
    known: bool = False


IDLE: Final = Worker()


class ModelState(NamedTuple):
    """The row of the job, both vendors, the workers."""

    status: JobStatus = JobStatus.PENDING
    intent: bool = False
    known: bool = False
    leased: bool = False
    due: bool = True
    woken: bool = False
    offered: bool = False
    money: HoldOutcome = HoldOutcome.HELD
    card_due: CardDue = CardDue.NOW
    locked: bool = False
    lapsed: bool = False
    doubt: bool = False
    delivered: bool = False
    ring: CardContent | None = None
    ring_due: bool = False
    kie: TaskOutcome = TaskOutcome.NOTHING
    orders: int = 0
    card: CardContent = CardContent.PROGRESS
    late: CardContent | None = None
    rung: tuple[CardContent, ...] = ()
    workers: tuple[Worker, Worker] = (IDLE, IDLE)


START: Final = ModelState()
Transition = tuple[str, ModelState]
NAMES: Final = ("first", "second")


def face_of(state: ModelState) -> CardContent:
    return CardContent.OFFER if state.offered and state.status is JobStatus.CANCELED else FACES[state.status]


def may(state: ModelState, status: JobStatus) -> bool:
    """Whether the product's own table allows this transition."""
    return status in TRANSITIONS[state.status]


def idle(state: ModelState) -> Iterator[int]:
    """The first idle worker; both are alike."""
    for number, worker in enumerate(state.workers):
        if worker.at is WorkerStep.IDLE:
            yield number
            return


def put(state: ModelState, number: int, worker: Worker) -> ModelState:
    """The same state with this worker replaced."""
    first, second = state.workers
    return state._replace(workers=(worker, second) if number == 0 else (first, worker))


def claimed(state: ModelState, number: int, worker: Worker) -> ModelState:
    """Raise the fence of the job: every earlier claim on it is lost."""
    others = tuple(_dispossessed(each) if each.at not in ON_THE_CARD else each for each in state.workers)
    return put(state._replace(workers=(others[0], others[1]), leased=True), number, worker)


def card_raised(state: ModelState) -> ModelState:
    """The card must change: a worker that shows it now no longer shows the newest."""
    first, second = (each._replace(newest=False) if each.at in ON_THE_CARD else each for each in state.workers)
    return state._replace(card_due=CardDue.NOW, workers=(first, second))


def settled(state: ModelState) -> bool:
    return state.status in TERMINAL


def _dispossessed(worker: Worker) -> Worker:
    return worker._replace(ours=False) if worker.ours and worker.at is not WorkerStep.RING_RECORDED else worker
