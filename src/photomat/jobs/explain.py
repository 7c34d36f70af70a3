"""Explain in one sentence why a job is not delivered yet, from its row and the live instances. Pure.

It states the status, who works on the job or what it waits for, when the next attempt comes, and what an operator can do where
nothing happens automatically.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, assert_never

from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The job's columns of these names, and the database's `now`."""

    now: datetime
    job_id: JobId
    status: JobStatus
    external_task_id: str | None
    fail_code: str | None
    fail_reason: str | None
    gift: bool
    last_error: str | None
    created_at: datetime
    intent_at: datetime | None
    overdue_at: datetime | None
    empty_since: datetime | None
    offered_at: datetime | None
    stopped_at: datetime | None
    due_at: datetime | None
    leased_by: str | None
    leased_until: datetime | None
    card_wanted: int
    card_shown: int
    deliver_at: datetime
    delivering_at: datetime | None
    delivering_by: str | None
    delivery_attempts: int
    delivery_error: str | None
    delivery_failing_since: datetime | None
    delivered_at: datetime | None
    undeliverable_at: datetime | None
    parked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the row does not hold: live instances and settings; `submits_blocked`: why nothing is submitted now."""

    alive: frozenset[str]
    delivery_lease: timedelta
    timeout: timedelta
    submits_blocked: str | None = None


def facts_of(row: Mapping[str, Any]) -> Facts:
    """The facts of a job's row, which also has `now`."""
    values = {name: row[name] for name in Facts.__dataclass_fields__}
    return Facts(**values | {"status": JobStatus(row["status"])})


def why_not_delivered(job: Facts, around: Surroundings) -> str:
    if job.stopped_at is not None and job.status in {JobStatus.PENDING, JobStatus.SUBMITTING, JobStatus.RUNNING}:
        return (
            f"Not delivered: a rule of our own broke {_ago(job, job.stopped_at)} ({_error(job.last_error)}), so it is stopped"
            f" with its money held; `jobs retry {job.job_id}` goes on, `jobs cancel {job.job_id}` gives the money back."
        )
    match job.status:
        case JobStatus.PENDING:
            return _pending(job, around)
        case JobStatus.SUBMITTING:
            return _submitting(job, around)
        case JobStatus.RUNNING:
            return _running(job, around)
        case JobStatus.DONE:
            return _done(job, around)
        case JobStatus.FAILED:
            reason = ": ".join(part for part in (job.fail_code, job.fail_reason) if part) or "no reason given"
            return f"Nothing to deliver: it failed ({reason}) and the money went back; {_card(job, around)}."
        case JobStatus.CANCELED:
            late = "a late result is offered for its price" if job.offered_at else "the money went back"
            return f"Nothing to deliver: it was canceled and {late}; {_card(job, around)}."
        case _:
            assert_never(job.status)


def _pending(job: Facts, around: Surroundings) -> str:
    if _leased(job):
        return f"Not delivered yet: {_worker(job.leased_by, around)} is submitting it right now."
    if job.due_at is not None and job.due_at > job.now:
        next_try = _span(job.due_at - job.now)
        return f"Not delivered yet: it waits to be submitted ({_error(job.last_error)}), next try in {next_try}."
    if not around.alive:
        return f"Not delivered yet: {_due(job, 'its submit', job.due_at, around)}."
    waited = f"Not delivered yet: its submit has been due for {_since(job, job.due_at or job.now)}"
    if around.submits_blocked is not None:
        return f"{waited} and nothing is submitted at the moment: {around.submits_blocked}."
    return f"{waited}; it leaves in its turn, within Kie's limit (KIE_CREATES_PER_10S)."


def _submitting(job: Facts, around: Surroundings) -> str:
    left = _ago(job, job.intent_at or job.created_at)
    if _leased(job) and job.external_task_id is None:
        return f"Not delivered yet: its request left for Kie {left} and {_worker(job.leased_by, around)} waits for the answer."
    return (
        f"Not delivered yet: its request left for Kie {left} and the outcome is unknown ({_error(job.last_error)}); it is never"
        f" sent again, its callback finds it or the money goes back {_given_up(job, around)}."
    )


def _running(job: Facts, around: Surroundings) -> str:
    at_kie = f"Kie has had task {job.external_task_id} for {_span(job.now - (job.intent_at or job.created_at))}"
    if job.last_error is not None:
        at_kie += f" ({job.last_error})"
    if job.empty_since is not None:
        at_kie += f" and says success without a result for {_since(job, job.empty_since)}"
    if job.overdue_at is not None:
        at_kie += f", longer than usual (it is given up {_given_up(job, around)}, the customer may cancel)"
    if _leased(job):
        return f"Not delivered yet: {at_kie}; {_worker(job.leased_by, around)} is asking Kie right now."
    if job.due_at is None:
        return f"Not delivered: {at_kie}, and it is no longer polled; `jobs retry {job.job_id}` polls it now."
    if job.due_at > job.now:
        return f"Not delivered yet: {at_kie}; the next look comes in {_span(job.due_at - job.now)}."
    return f"Not delivered yet: {at_kie}; {_due(job, 'the next look', job.due_at, around)}."


def _done(job: Facts, around: Surroundings) -> str:
    gift = " as a gift" if job.gift else ""
    if job.delivered_at is not None:
        shown = f"Delivered{gift}: the card has shown the result for {_since(job, job.delivered_at)}"
        return f"{shown}." if job.card_shown >= job.card_wanted else f"{shown}; {_card(job, around)}."
    is_stuck = job.card_shown < job.card_wanted and (job.undeliverable_at or job.parked_at) is not None
    return f"Not delivered{'' if is_stuck else ' yet'}: the result{gift} is there; {_card(job, around)}."


def _card(job: Facts, around: Surroundings) -> str:
    if job.card_shown >= job.card_wanted:
        return "the card says so"
    if job.undeliverable_at is not None:
        return (
            f"the customer has not been reachable for {_since(job, job.undeliverable_at)} ({_error(job.delivery_error)});"
            f" it is shown when they return, or now by `jobs redeliver {job.job_id}`"
        )
    if job.parked_at is not None:
        return (
            f"{_tried_in_vain(job, job.parked_at)}, it has been parked for {_since(job, job.parked_at)}"
            f" ({_error(job.delivery_error)}); `jobs redeliver {job.job_id}` tries again"
        )
    if job.delivering_at is not None:
        return _locked(job, job.delivering_at, around)
    if job.deliver_at > job.now:
        return f"{_last_try(job)}, next try in {_span(job.deliver_at - job.now)}"
    return _due(job, "the card", job.deliver_at, around)


def _tried_in_vain(job: Facts, parked_at: datetime) -> str:
    failing_since = job.delivery_failing_since
    if failing_since is not None and parked_at - failing_since >= timedelta(days=1):
        return f"the card could not be shown for {_span(parked_at - failing_since)}"
    return "Telegram refused the card too often"


def _last_try(job: Facts) -> str:
    if not job.delivery_error:
        return "the card is rendered again" if job.delivered_at else "the card waits for its turn in the chat"
    failing_since = job.delivery_failing_since
    lately = failing_since is None or job.now - failing_since < timedelta(minutes=2)
    lasting = "" if lately else f", it has been failing for {_since(job, failing_since or job.now)}"
    return f"the last try failed ({job.delivery_error}){lasting}"


def _locked(job: Facts, since: datetime, around: Surroundings) -> str:
    if since < job.created_at:
        return "the instance that had locked the card died; " + _due(job, "the card", job.deliver_at, around)
    who = _worker(job.delivering_by, around)
    if job.now - since < around.delivery_lease:
        return f"{who} has been editing the card for {_since(job, since)}, attempt {job.delivery_attempts}"
    return (
        f"{who} locked the card and did not come back; {_due(job, 'the card', since + around.delivery_lease, around)}"
    )


def _leased(job: Facts) -> bool:
    return job.leased_until is not None and job.leased_until > job.now


def _worker(name: str | None, around: Surroundings) -> str:
    return f"instance {name}" if name in around.alive else f"instance {name}, which is no longer alive,"


def _due(job: Facts, what: str, since: datetime | None, around: Surroundings) -> str:
    waited = f"{what} has been due for {_since(job, since or job.now)}"
    if not around.alive:
        return f"{waited} and no instance is running: start one"
    return f"{waited}, an instance takes it within a second"


def _given_up(job: Facts, around: Surroundings) -> str:
    left = job.created_at + around.timeout - job.now
    if left > timedelta(0):
        return f"in {_span(left)}"
    return "at the next look" if around.alive else "once an instance runs: start one"


def _error(error: str | None) -> str:
    return error or "no error recorded"


def _since(job: Facts, at: datetime) -> str:
    return _span(job.now - at)


def _ago(job: Facts, at: datetime) -> str:
    return f"{_span(job.now - at)} ago"


def _span(span: timedelta) -> str:
    """`4 s`, `3 min`, `2 h`, `5 days`."""
    seconds = max(span.total_seconds(), 0)
    for unit, size_s in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size_s:
            return f"{int(seconds // size_s)} {unit}"
    return f"{int(seconds)} s"
