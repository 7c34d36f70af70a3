"""The moves around the card: lock, edit, mark, release, ring, and Telegram's late answers. Each mirrors `photomat.delivery`."""

from collections.abc import Iterator

from photomat_chaos.model.state import (
    IDLE,
    NAMES,
    ON_THE_CARD,
    RINGING,
    CardContent,
    CardDue,
    ModelState,
    Safeguards,
    Transition,
    Worker,
    WorkerStep,
    face_of,
    idle,
    put,
    settled,
)


def card_moves(state: ModelState, safeguards: Safeguards) -> Iterator[Transition]:
    yield from _world(state)
    yield from _locks(state, safeguards)
    for number, worker in enumerate(state.workers):
        if worker.at is WorkerStep.RING_RECORDED:
            yield from _ring(state, number, worker)
        elif worker.at in ON_THE_CARD:
            yield from _show(state, safeguards, number, worker)
        if worker.at is not WorkerStep.IDLE:
            yield f"the {NAMES[number]} worker dies", put(state, number, IDLE)


def _world(state: ModelState) -> Iterator[Transition]:
    if state.locked and not state.lapsed:
        yield "the lease of the card runs out", state._replace(lapsed=True)
    if state.late is not None:
        landed = state._replace(card=state.late, late=None)
        yield f"an edit without an answer lands late: {state.late.name}", landed
        yield "an edit without an answer never lands", state._replace(late=None)
    if state.ring_due:
        for number in idle(state):
            ringer = Worker(WorkerStep.RING_RECORDED, face=state.ring or face_of(state))
            yield f"the {NAMES[number]} worker records the ring", put(state._replace(ring_due=False), number, ringer)


def _locks(state: ModelState, safeguards: Safeguards) -> Iterator[Transition]:
    if state.card_due is CardDue.NO or (state.card_due is CardDue.LATER and _something_may_still_land(state)):
        return
    unsure = state.locked or state.doubt
    if safeguards.lock and state.locked and not state.lapsed:
        return
    if safeguards.in_time and safeguards.lock and not unsure and _something_may_still_land(state):
        return
    for number in idle(state):
        worker = Worker(
            WorkerStep.CARD_LOCKED,
            ours=True,
            face=face_of(state),
            newest=True,
            once_more=unsure and settled(state) and not state.delivered and safeguards.once_more,
        )
        first, second = (
            each._replace(ours=not safeguards.lock) if each.at in ON_THE_CARD else each for each in state.workers
        )
        taken = state._replace(
            workers=(first, second), locked=safeguards.lock, lapsed=False, doubt=True, card_due=CardDue.NOW
        )
        yield f"the {NAMES[number]} worker locks the card to show {worker.face.name}", put(taken, number, worker)


def _something_may_still_land(state: ModelState) -> bool:
    """What the two minutes before the last edit are for."""
    return state.late is not None or any(each.at is WorkerStep.CARD_LOCKED and not each.ours for each in state.workers)


def _show(state: ModelState, safeguards: Safeguards, number: int, worker: Worker) -> Iterator[Transition]:
    who, done = NAMES[number], put(state, number, IDLE)
    ours = (worker.ours or not safeguards.card_fence) and (state.locked or not safeguards.lock)
    match worker.at:
        case WorkerStep.CARD_LOCKED if safeguards.order:
            yield from _edit(state, number, worker, then=WorkerStep.CARD_EDITED)
            yield f"Telegram asks the {who} worker to slow down", _released(done, ours=ours)
        case WorkerStep.CARD_LOCKED:
            marked = _marked(state, worker, ours=ours)
            yield (
                f"the {who} worker marks the card before the edit",
                put(marked, number, worker._replace(at=WorkerStep.CARD_MARKED_FIRST)),
            )
        case WorkerStep.CARD_MARKED_FIRST:
            yield from _edit(state, number, worker, then=WorkerStep.IDLE)
        case WorkerStep.CARD_EDITED:
            word = "marks the card" if ours else "is refused the mark"
            yield f"the {who} worker {word}", _marked(done, worker, ours=ours)
        case _:
            yield f"the {who} worker releases the card", _released(done, ours=ours)


def _edit(state: ModelState, number: int, worker: Worker, *, then: WorkerStep) -> Iterator[Transition]:
    who, face = NAMES[number], worker.face
    after = worker._replace(at=then) if then is not WorkerStep.IDLE else IDLE
    yield f"the {who} worker's edit shows {face.name}", put(state._replace(card=face), number, after)
    unknown = put(state, number, worker._replace(at=WorkerStep.CARD_UNKNOWN))
    yield f"the {who} worker's edit shows {face.name}, the answer is lost", unknown._replace(card=face)
    if state.late is None:
        yield (
            f"the {who} worker's edit to {face.name} gets no answer and is still under way",
            unknown._replace(late=face),
        )


def _marked(state: ModelState, worker: Worker, *, ours: bool) -> ModelState:
    if not ours:
        return state
    shown = state._replace(locked=False, lapsed=False, doubt=False)
    if worker.face is CardContent.RESULT:
        shown = shown._replace(delivered=True)
    if worker.face in RINGING and state.ring is not worker.face:
        shown = shown._replace(ring=worker.face, ring_due=True)
    if not worker.newest:
        return shown
    return shown._replace(card_due=CardDue.LATER if worker.once_more else CardDue.NO)


def _released(state: ModelState, *, ours: bool) -> ModelState:
    return state._replace(locked=False, lapsed=False) if ours else state


def _ring(state: ModelState, number: int, worker: Worker) -> Iterator[Transition]:
    who, done = NAMES[number], put(state, number, IDLE)
    yield f"the {who} worker rings: {worker.face.name}", done._replace(rung=tuple(sorted((*state.rung, worker.face))))
    if state.ring is worker.face and not state.ring_due:
        yield f"Telegram refuses the {who} worker's ring, it is put back", done._replace(ring_due=True)
