"""Explain in one sentence why a job is not delivered yet, from its row and the live instances. Pure.

It states the status, who works on the job or what it waits for, when the next attempt comes, and what an operator can do where
nothing happens automatically.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, assert_never

from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.texts.sentence import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The job's columns of these names, and the database's `now`."""

    now: datetime
    job_id: JobId
    model: str
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
    """What the row does not hold: live instances and settings; `submits_blocked`: why nothing is submitted now.

    `paused_models` are those an operator has paused, with the reason.
    """

    alive: frozenset[str]
    delivery_lease: timedelta
    timeout: timedelta
    submits_blocked: str | Sentence | None = None
    paused_models: Mapping[str, Sentence] = field(default_factory=dict)


def facts_of(row: Mapping[str, Any]) -> Facts:
    """The facts of a job's row, which also has `now`."""
    values = {name: row[name] for name in Facts.__dataclass_fields__}
    return Facts(**values | {"status": JobStatus(row["status"])})


def why_not_delivered(job: Facts, around: Surroundings) -> Sentence:
    if job.stopped_at is not None and job.status in {JobStatus.PENDING, JobStatus.SUBMITTING, JobStatus.RUNNING}:
        broke = _since(job, job.stopped_at)
        return Sentence("explain-stopped", ago=broke, error=_error(job.last_error), job=job.job_id)
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
            given = ": ".join(part for part in (job.fail_code, job.fail_reason) if part)
            reason = given or Sentence("explain-no-reason")
            return Sentence("explain-failed", reason=reason, card=_card(job, around))
        case JobStatus.CANCELED:
            late = "offered" if job.offered_at else "no"
            return Sentence("explain-canceled", late=late, card=_card(job, around))
        case _:
            assert_never(job.status)


def _pending(job: Facts, around: Surroundings) -> Sentence:
    if _leased(job):
        return Sentence("explain-submitting-now", worker=_worker(job.leased_by, around))
    if job.due_at is not None and job.due_at > job.now:
        return Sentence("explain-submit-later", error=_error(job.last_error), wait=_span(job.due_at - job.now))
    if not around.alive:
        return Sentence("explain-not-yet", why=_due(job, "submit", job.due_at, around))
    waited = _since(job, job.due_at or job.now)
    blocked = around.submits_blocked or around.paused_models.get(job.model)
    if blocked is not None:
        return Sentence("explain-submits-blocked", waited=waited, why=blocked)
    return Sentence("explain-submit-due", waited=waited)


def _submitting(job: Facts, around: Surroundings) -> Sentence:
    left = _since(job, job.intent_at or job.created_at)
    if _leased(job) and job.external_task_id is None:
        return Sentence("explain-waits-for-answer", ago=left, worker=_worker(job.leased_by, around))
    given_up = _given_up(job, around)
    return Sentence("explain-unknown", ago=left, error=_error(job.last_error), given_up=given_up)


def _running(job: Facts, around: Surroundings) -> Sentence:
    at_kie = _at_kie(job, around)
    if _leased(job):
        return Sentence("explain-looking-now", kie=at_kie, worker=_worker(job.leased_by, around))
    if job.due_at is None:
        return Sentence("explain-not-polled", kie=at_kie, job=job.job_id)
    if job.due_at > job.now:
        return Sentence("explain-look-later", kie=at_kie, wait=_span(job.due_at - job.now))
    return Sentence("explain-look-due", kie=at_kie, due=_due(job, "look", job.due_at, around))


def _at_kie(job: Facts, around: Surroundings) -> Sentence:
    had = _span(job.now - (job.intent_at or job.created_at))
    at_kie = Sentence("explain-at-kie", task=job.external_task_id or "", had=had)
    if job.last_error is not None:
        at_kie = Sentence("explain-at-kie-error", kie=at_kie, error=job.last_error)
    if job.empty_since is not None:
        at_kie = Sentence("explain-at-kie-empty", kie=at_kie, empty=_since(job, job.empty_since))
    if job.overdue_at is not None:
        at_kie = Sentence("explain-at-kie-overdue", kie=at_kie, given_up=_given_up(job, around))
    return at_kie


def _done(job: Facts, around: Surroundings) -> Sentence:
    gift = "yes" if job.gift else "no"
    if job.delivered_at is not None:
        shown = _since(job, job.delivered_at)
        if job.card_shown >= job.card_wanted:
            return Sentence("explain-delivered", gift=gift, shown=shown)
        return Sentence("explain-delivered-card", gift=gift, shown=shown, card=_card(job, around))
    is_stuck = job.card_shown < job.card_wanted and (job.undeliverable_at or job.parked_at) is not None
    return Sentence("explain-result-there", gift=gift, stuck="yes" if is_stuck else "no", card=_card(job, around))


def _card(job: Facts, around: Surroundings) -> Sentence:
    if job.card_shown >= job.card_wanted:
        return Sentence("explain-card-says-so")
    error = _error(job.delivery_error)
    if job.undeliverable_at is not None:
        since = _since(job, job.undeliverable_at)
        return Sentence("explain-card-unreachable", since=since, error=error, job=job.job_id)
    if job.parked_at is not None:
        tried, parked = _tried_in_vain(job, job.parked_at), _since(job, job.parked_at)
        return Sentence("explain-card-parked", tried=tried, parked=parked, error=error, job=job.job_id)
    if job.delivering_at is not None:
        return _locked(job, job.delivering_at, around)
    if job.deliver_at > job.now:
        return Sentence("explain-card-later", last=_last_try(job), wait=_span(job.deliver_at - job.now))
    return _due(job, "card", job.deliver_at, around)


def _tried_in_vain(job: Facts, parked_at: datetime) -> Sentence:
    failing_since = job.delivery_failing_since
    if failing_since is not None and parked_at - failing_since >= timedelta(days=1):
        return Sentence("explain-card-failed-long", span=_span(parked_at - failing_since))
    return Sentence("explain-card-refused")


def _last_try(job: Facts) -> Sentence:
    if not job.delivery_error:
        return Sentence("explain-card-again") if job.delivered_at else Sentence("explain-card-in-turn")
    failing_since = job.delivery_failing_since
    if failing_since is None or job.now - failing_since < timedelta(minutes=2):
        return Sentence("explain-card-failed", error=job.delivery_error)
    return Sentence("explain-card-failing", error=job.delivery_error, since=_since(job, failing_since))


def _locked(job: Facts, since: datetime, around: Surroundings) -> Sentence:
    if since < job.created_at:
        return Sentence("explain-card-lock-died", due=_due(job, "card", job.deliver_at, around))
    who = _worker(job.delivering_by, around)
    if job.now - since < around.delivery_lease:
        return Sentence("explain-card-editing", worker=who, since=_since(job, since), attempt=job.delivery_attempts)
    return Sentence("explain-card-lock-stale", worker=who, due=_due(job, "card", since + around.delivery_lease, around))


def _leased(job: Facts) -> bool:
    return job.leased_until is not None and job.leased_until > job.now


def _worker(name: str | None, around: Surroundings) -> Sentence:
    alive = "yes" if name in around.alive else "no"
    return Sentence("explain-worker", name=str(name), alive=alive)


def _due(job: Facts, what: Literal["submit", "look", "card"], since: datetime | None, around: Surroundings) -> Sentence:
    return Sentence(
        "explain-due", what=what, waited=_since(job, since or job.now), alive="yes" if around.alive else "no"
    )


def _given_up(job: Facts, around: Surroundings) -> Sentence:
    left = job.created_at + around.timeout - job.now
    if left > timedelta(0):
        return Sentence("explain-in-span", span=_span(left))
    return Sentence("explain-next-look" if around.alive else "explain-start-one")


def _error(error: str | None) -> str | Sentence:
    return error or Sentence("explain-no-error")


def _since(job: Facts, at: datetime) -> Sentence:
    return _span(job.now - at)


def _span(span: timedelta) -> Sentence:
    """`4 s`, `3 min`, `2 h`, `5 days`."""
    seconds = max(span.total_seconds(), 0)
    for unit, size_s in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size_s:
            return Sentence("explain-span", count=int(seconds // size_s), unit=unit)
    return Sentence("explain-span", count=int(seconds), unit="seconds")
