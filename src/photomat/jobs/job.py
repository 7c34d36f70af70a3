"""A job: its statuses, the transitions between them, and what a step needs to know. Pure.

    pending ──intent──▶ submitting ──task id──▶ running ──settle──▶ done | failed
       │                    │                      │
       └────── cancel ──────┴── cancel (overdue) ──┴──────────────▶ canceled

`failed → done` is a gift (a result after we gave up), `canceled → done` an accepted offer. All transitions: `TRANSITIONS`;
docs/lifecycle.md draws them.

The request to Kie is frozen at purchase, so a later change of the catalogue does not affect it. It may contain references to
files and earlier jobs (`catalog/reference.py`), which `jobs/inputs.py` replaces just before the request is sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from photomat.catalog.model import Model
from photomat.catalog.order import body_of
from photomat.catalog.pricing import Quote
from photomat.catalog.reference import FileRef, references
from photomat.kernel.ids import BotId, ChatId, DraftId, Fence, JobId, MessageId, TaskId, UserId
from photomat.kernel.money import Money
from photomat.kie.protocol import JOBS
from photomat.kie.state_parser import KieState, normalize_state

ANSWER_URL: Final = "photomat:answer"
"""Marks the output that is the job's result object, written to a file of our own."""
ANSWER_TITLE: Final = "answer-file"
_OVERDUE: Final = {
    "image": timedelta(minutes=5),
    "audio": timedelta(minutes=10),
    "video": timedelta(minutes=20),
}
_OVERDUE_OTHERWISE: Final = timedelta(minutes=15)


class JobStatus(StrEnum):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    lease: timedelta
    poll_first: timedelta
    empty_result_grace: timedelta
    overdue: timedelta | None
    timeout: timedelta

    def overdue_of(self, kind: str) -> timedelta:
        """How long a job of this kind may take before its customer may cancel it."""
        return self.overdue if self.overdue is not None else _OVERDUE.get(kind, _OVERDUE_OTHERWISE)


@dataclass(frozen=True, slots=True, kw_only=True)
class KieRequest:
    """The body of an order and its protocol (a name of `kie/protocol.py`)."""

    protocol: str
    body: Mapping[str, Any]

    @property
    def is_complete(self) -> bool:
        return next(references(self.body), None) is None

    @property
    def needs_files(self) -> bool:
        return any(isinstance(ref, FileRef) for ref in references(self.body))

    def as_json(self) -> dict[str, Any]:
        return {"protocol": self.protocol, "body": dict(self.body)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to buy, at the price of its quote. `request` None: the inputs as they are; `job_id` None: the next number."""

    draft_id: DraftId
    corr: str
    user_id: UserId
    language: str
    bot_id: BotId
    chat_id: ChatId
    card_message_id: MessageId
    model: str
    kind: str
    inputs: Mapping[str, Any]
    quote: Quote
    request: KieRequest | None = None
    title: str | None = None
    job_id: JobId | None = None

    @property
    def needs_files(self) -> bool:
        return (self.request or plain_request(self.inputs)).needs_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A claimed job; `fence` is the claim's, and every later write tests it."""

    job_id: JobId
    corr: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    card_message_id: MessageId
    model: str
    kind: str
    inputs: Mapping[str, Any]
    request: KieRequest
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
    slow_at: datetime | None
    empty_since: datetime | None
    claimed_at: datetime

    @property
    def age(self) -> timedelta:
        """Its age at the claim, by the database's clock."""
        return self.claimed_at - self.created_at

    @property
    def age_at_kie(self) -> timedelta:
        """How long before the claim its request was sent to Kie."""
        return self.claimed_at - (self.intent_at or self.created_at)


def may_become(before: JobStatus, after: JobStatus) -> bool:
    return after in TRANSITIONS[before]


def normalize_job_status(raw: object) -> JobStatus:
    """Translate any word for a status to ours (success → done, fail → failed); an unknown word means running.

    A public name of the original system, for scripts that bring its words; the product reads its own column.
    """
    known = _WORDS.get(raw.strip().lower()) if isinstance(raw, str) else None
    return known or _OF_KIE[normalize_state(raw)]


def idempotency_key(draft_id: DraftId) -> str:
    """The key that is unique to the job of a draft."""
    return f"draft:{draft_id}"


def hold_reference(job_id: JobId) -> str:
    return f"job:{job_id}"


def offer_reference(job_id: JobId) -> str:
    """The ledger reference of the hold an accepted offer is paid with."""
    return f"offer:{job_id}"


def frozen_request(model: Model, inputs: Mapping[str, Any], *, checks: bool | None = None) -> KieRequest | None:
    """The request of an order; None when it equals the one made from the inputs alone.

    `checks` switches the model's own checkers on or off; None leaves them as Kie sets them.
    """
    checkers = {} if checks is None else dict.fromkeys(model.checkers, checks)
    request = KieRequest(protocol=model.protocol, body={**checkers, **body_of(model, inputs)})
    return None if request == plain_request(inputs) else request


def plain_request(inputs: Mapping[str, Any]) -> KieRequest:
    """The request of a job that stores none: its inputs as they are."""
    return KieRequest(protocol=JOBS, body=dict(inputs))


def request_from_json(stored: Mapping[str, Any] | None, inputs: Mapping[str, Any]) -> KieRequest:
    return (
        plain_request(inputs) if stored is None else KieRequest(protocol=str(stored["protocol"]), body=stored["body"])
    )
