"""A job: its states, the moves between them, and the facts a step needs. Pure.

    pending ──intent──▶ submitting ──task id──▶ running ──settle──▶ done | failed
       │                    │                      │
       └────── cancel ──────┴── cancel (overdue) ──┴──────────────▶ canceled

`failed → done` is a gift (a result after we gave up), `canceled → done` an accepted offer; both are decided by people or by
Kie's own success, never by time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from photomat.jobs.request import Request
from photomat.kernel.ids import BotId, ChatId, Fence, JobId, MessageId, TaskId, UserId
from photomat.kernel.money import Money
from photomat.kie.states import KieState, normalize_state


class JobStatus(StrEnum):
    """Where a job stands."""

    PENDING = "pending"
    SUBMITTING = "submitting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


TRANSITIONS: Final[Mapping[JobStatus, frozenset[JobStatus]]] = {
    JobStatus.PENDING: frozenset({JobStatus.SUBMITTING, JobStatus.RUNNING, JobStatus.FAILED, JobStatus.CANCELED}),
    JobStatus.SUBMITTING: frozenset(
        {JobStatus.PENDING, JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELED}
    ),
    JobStatus.RUNNING: frozenset({JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELED}),
    JobStatus.DONE: frozenset(),
    JobStatus.FAILED: frozenset({JobStatus.DONE}),
    JobStatus.CANCELED: frozenset({JobStatus.DONE}),
}
ANSWER_URL: Final = "photomat:answer"
"""The output that is no file of Kie's: the job's result object, written to a file of our own."""

ANSWER_TITLE: Final = "answer-file"
TERMINAL: Final = frozenset({JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELED})

_WORDS: Final = {
    **{status.value: status for status in JobStatus},
    "queued": JobStatus.PENDING,
    "cancelled": JobStatus.CANCELED,
}
_OF_KIE: Final = {
    KieState.SUCCESS: JobStatus.DONE,
    KieState.FAIL: JobStatus.FAILED,
    KieState.RUNNING: JobStatus.RUNNING,
}
_OVERDUE: Final = {
    "image": timedelta(minutes=5),
    "audio": timedelta(minutes=10),
    "video": timedelta(minutes=20),
}
_OVERDUE_OTHERWISE: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The operator's settings about time."""

    lease: timedelta
    poll_first: timedelta
    empty_result_grace: timedelta
    overdue: timedelta | None
    timeout: timedelta

    def overdue_of(self, kind: str) -> timedelta:
        """How long a job of this kind may take before its customer may cancel it."""
        return self.overdue if self.overdue is not None else _OVERDUE.get(kind, _OVERDUE_OTHERWISE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as a claim hands it out; `fence` is the claim's, every later write tests it."""

    job_id: JobId
    corr: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    card_message_id: MessageId
    model: str
    kind: str
    inputs: Mapping[str, Any]
    request: Request
    price: Money
    status: JobStatus
    task_id: TaskId | None
    fence: Fence
    attempts: int
    turn: int
    troubles: int
    woken_via: str | None
    created_at: datetime
    intent_at: datetime | None
    overdue_at: datetime | None
    empty_since: datetime | None
    claimed_at: datetime

    @property
    def age(self) -> timedelta:
        """How old the job was when it was claimed, by the database's clock."""
        return self.claimed_at - self.created_at

    @property
    def age_at_kie(self) -> timedelta:
        """How long ago its request left for Kie."""
        return self.claimed_at - (self.intent_at or self.created_at)

    @property
    def hold_reference(self) -> str:
        """Names the hold made when it was bought."""
        return hold_reference(self.job_id)


def hold_reference(job_id: JobId) -> str:
    """Names the hold a job was bought with."""
    return f"job:{job_id}"


def offer_reference(job_id: JobId) -> str:
    """Names the hold an accepted offer is paid with."""
    return f"offer:{job_id}"


def normalize_job_status(raw: object) -> JobStatus:
    """Translate any word for a status to ours (success → done, fail → failed); what nobody knows is running."""
    known = _WORDS.get(raw.strip().lower()) if isinstance(raw, str) else None
    return known or _OF_KIE[normalize_state(raw)]
