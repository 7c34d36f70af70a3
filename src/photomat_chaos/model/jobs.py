"""The moves around the job: submit, look, settle, callback, cancel, and time. Each mirrors one statement of `photomat.jobs`."""

from collections.abc import Iterator

from photomat.jobs.job import JobStatus
from photomat_chaos.model.state import (
    IDLE,
    NAMES,
    HoldOutcome,
    ModelState,
    Safeguards,
    TaskOutcome,
    Transition,
    Worker,
    WorkerStep,
    card_raised,
    claimed,
    idle,
    may,
    put,
    settled,
)

LIVE = frozenset({JobStatus.PENDING, JobStatus.SUBMITTING, JobStatus.RUNNING})
NOT_LEFT_YET = frozenset({JobStatus.PENDING, JobStatus.SUBMITTING})


def job_moves(state: ModelState, safeguards: Safeguards) -> Iterator[Transition]:
    yield from _claims(state)
    yield from _world(state, safeguards)
    for number, worker in enumerate(state.workers):
        if WorkerStep.SUBMIT_CLAIMED <= worker.at <= WorkerStep.SUBMIT_REFUSED:
            yield from _submit(state, safeguards, number, worker)
        elif WorkerStep.LOOK_CLAIMED <= worker.at <= WorkerStep.LOOK_GIVE_UP:
            yield from _look(state, safeguards, number, worker)


def _claims(state: ModelState) -> Iterator[Transition]:
    if not state.due or state.leased:
        return
    for number in idle(state):
        who = NAMES[number]
        if state.status is JobStatus.PENDING:
            yield (
                f"the {who} worker claims the submit",
                claimed(state, number, Worker(WorkerStep.SUBMIT_CLAIMED, ours=True)),
            )
        else:
            looker = Worker(WorkerStep.LOOK_CLAIMED, ours=True, settled=settled(state), known=state.known)
            yield f"the {who} worker claims the look", claimed(state._replace(woken=False), number, looker)


def _world(state: ModelState, safeguards: Safeguards) -> Iterator[Transition]:
    """Kie, the customer and the clock."""
    if state.leased:
        yield "the lease of the job runs out", state._replace(leased=False)
    if state.kie is TaskOutcome.MAKING:
        yield "Kie finishes the task", state._replace(kie=TaskOutcome.SUCCESS)
        yield "Kie fails the task", state._replace(kie=TaskOutcome.FAIL)
    if state.kie is TaskOutcome.FAIL:
        yield "Kie changes its mind: success after all", state._replace(kie=TaskOutcome.SUCCESS)
    if state.kie in {TaskOutcome.SUCCESS, TaskOutcome.FAIL} and state.status is not JobStatus.DONE:
        yield "Kie calls back", _called_back(state)
    if state.status in LIVE:
        yield "the customer cancels", _canceled(state)
    if state.status is JobStatus.CANCELED and state.offered:
        paid = state._replace(status=JobStatus.DONE, money=HoldOutcome.OFFER_PAID)
        yield "the customer takes the offer and pays", card_raised(paid)
    if not safeguards.rescue and not state.leased and state.status is JobStatus.SUBMITTING and not state.known:
        yield "the sweep puts a dead worker's submit back", state._replace(status=JobStatus.PENDING, intent=False)


def _called_back(state: ModelState) -> ModelState:
    woken = state._replace(known=True, intent=True, due=True, woken=True)
    if state.status in NOT_LEFT_YET:
        return woken._replace(status=JobStatus.RUNNING, leased=False)
    return woken


def _canceled(state: ModelState) -> ModelState:
    due = state.due and state.status is not JobStatus.PENDING
    money = HoldOutcome.RELEASED if state.money is HoldOutcome.HELD else HoldOutcome.BROKEN
    return card_raised(state._replace(status=JobStatus.CANCELED, money=money, due=due))


def _submit(state: ModelState, safeguards: Safeguards, number: int, worker: Worker) -> Iterator[Transition]:
    who, done = NAMES[number], put(state, number, IDLE)
    ours = worker.ours or not safeguards.fence
    match worker.at:
        case WorkerStep.SUBMIT_CLAIMED:
            yield f"the {who} worker must wait for the rate limit and puts the job back", _put_back(done, ours=ours)
            yield from _intent(state, safeguards, number, worker, ours=ours)
        case WorkerStep.SUBMIT_LEAVING:
            sent = state._replace(orders=min(2, state.orders + 1), kie=max(state.kie, TaskOutcome.MAKING))
            yield (
                f"the {who} worker's createTask is answered",
                put(sent, number, worker._replace(at=WorkerStep.SUBMIT_ANSWERED)),
            )
            yield (
                f"the {who} worker's createTask loses its answer",
                put(sent, number, worker._replace(at=WorkerStep.SUBMIT_UNKNOWN)),
            )
            yield (
                f"Kie is too busy for the {who} worker",
                put(state, number, worker._replace(at=WorkerStep.SUBMIT_BUSY)),
            )
            yield (
                f"Kie refuses the {who} worker's task",
                put(state, number, worker._replace(at=WorkerStep.SUBMIT_REFUSED)),
            )
        case WorkerStep.SUBMIT_ANSWERED:
            yield f"the {who} worker stores the task id", _task_stored(done, safeguards)
        case WorkerStep.SUBMIT_UNKNOWN:
            frees = ours and state.status is JobStatus.SUBMITTING
            yield (
                f"the {who} worker records that the outcome is unknown",
                done._replace(leased=False) if frees else done,
            )
        case WorkerStep.SUBMIT_BUSY:
            yield f"the {who} worker puts the job back", _put_back(done, ours=ours)
        case _:
            yield f"the {who} worker settles the refusal", _settle(done, safeguards, success=False, ours=ours)


def _intent(
    state: ModelState, safeguards: Safeguards, number: int, worker: Worker, *, ours: bool
) -> Iterator[Transition]:
    who = NAMES[number]
    if not (ours and state.status is JobStatus.PENDING and state.leased):
        yield f"the {who} worker is refused the intent", put(state, number, IDLE)
        return
    leaving = put(state, number, worker._replace(at=WorkerStep.SUBMIT_LEAVING))
    if safeguards.intent:
        yield f"the {who} worker commits the intent", leaving._replace(status=JobStatus.SUBMITTING, intent=True)
    else:
        yield f"the {who} worker goes on without an intent", leaving


def _put_back(state: ModelState, *, ours: bool) -> ModelState:
    if not ours or state.status not in NOT_LEFT_YET or state.known:
        return state
    back = state._replace(status=JobStatus.PENDING, intent=False, leased=False)
    return card_raised(back) if state.status is JobStatus.SUBMITTING else back


def _task_stored(state: ModelState, safeguards: Safeguards) -> ModelState:
    if safeguards.intent and not state.intent:
        return state
    at_kie = state.status is JobStatus.SUBMITTING or (not safeguards.intent and state.status is JobStatus.PENDING)
    wants_a_look = at_kie or state.status in {JobStatus.FAILED, JobStatus.CANCELED}
    stored = state._replace(known=True, due=state.due or wants_a_look)
    return card_raised(stored._replace(status=JobStatus.RUNNING, leased=False)) if at_kie else stored


def _look(state: ModelState, safeguards: Safeguards, number: int, worker: Worker) -> Iterator[Transition]:
    who, done = NAMES[number], put(state, number, IDLE)
    ours = worker.ours or not safeguards.fence
    match worker.at:
        case WorkerStep.LOOK_CLAIMED:
            yield from _read(state, number, worker)
        case WorkerStep.LOOK_SUCCESS:
            yield f"the {who} worker settles the success", _settle(done, safeguards, success=True, ours=ours)
        case WorkerStep.LOOK_FAIL | WorkerStep.LOOK_GIVE_UP if not worker.settled:
            yield f"the {who} worker settles the failure", _settle(done, safeguards, success=False, ours=ours)
        case _:
            hopeful = not worker.settled or state.status is JobStatus.CANCELED
            yield f"the {who} worker will look again", _again(done, ours=ours, later=hopeful)


def _read(state: ModelState, number: int, worker: Worker) -> Iterator[Transition]:
    who = NAMES[number]
    found = {TaskOutcome.SUCCESS: WorkerStep.LOOK_SUCCESS, TaskOutcome.FAIL: WorkerStep.LOOK_FAIL}.get(
        state.kie, WorkerStep.LOOK_NOT_YET
    )
    reading = found if worker.known else WorkerStep.LOOK_NOT_YET
    yield (
        f"the {who} worker reads {reading.name.removeprefix('LOOK_')}",
        put(state, number, worker._replace(at=reading, known=False)),
    )
    if reading is WorkerStep.LOOK_NOT_YET and not worker.settled:
        yield (
            f"the {who} worker finds it is time to give up",
            put(state, number, worker._replace(at=WorkerStep.LOOK_GIVE_UP, known=False)),
        )


def _again(state: ModelState, *, ours: bool, later: bool) -> ModelState:
    return state._replace(due=state.woken or later, leased=False) if ours else state


def _settle(state: ModelState, safeguards: Safeguards, *, success: bool, ours: bool) -> ModelState:
    """Outcome, money and card in one transaction; the state as it was when there is nothing to settle."""
    if not ours:
        return state
    to = JobStatus.DONE if success else JobStatus.FAILED
    if safeguards.guard and not may(state, to):
        return _again(state, ours=ours, later=False)
    if safeguards.guard and success and state.status is JobStatus.CANCELED:
        return _offered(state)
    ended = state._replace(status=to, due=False, leased=False)
    gift = safeguards.guard and success and state.status is JobStatus.FAILED
    return card_raised(ended if gift else ended._replace(money=_closed(state.money, charge=success)))


def _offered(state: ModelState) -> ModelState:
    if state.offered:
        return _again(state, ours=True, later=False)
    return card_raised(state._replace(offered=True, due=False, leased=False))


def _closed(money: HoldOutcome, *, charge: bool) -> HoldOutcome:
    if money is not HoldOutcome.HELD:
        return HoldOutcome.BROKEN
    return HoldOutcome.CHARGED if charge else HoldOutcome.RELEASED
