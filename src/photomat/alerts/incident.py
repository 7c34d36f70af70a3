"""The types of this slice: kinds of incidents, alert rules and their checks, and notices to operators."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from photomat.db.pool import Pool
from photomat.kernel.ids import ChatId, Fence
from photomat.kie.port import Account
from photomat.work.disk import Disk

Figures = Mapping[str, int | str]
"""What was found, without prompts, URLs or secrets."""


class IncidentKind(StrEnum):
    """At most one incident of a kind is open at a time."""

    NO_ACTIVE = "no-active"
    TWO_ACTIVE = "two-active"
    AUDIT = "audit"
    PROOF_MISSING = "proof-missing"
    STOPPED_JOBS = "stopped-jobs"
    UNDELIVERED = "undelivered"
    PARKED_DELIVERIES = "parked-deliveries"
    REFUSED_MEDIA = "refused-media"
    UNREAD_RESULTS = "unread-results"
    PARKED_UPDATES = "parked-updates"
    ORPHANS = "orphans"
    KIE_KEY = "kie-key"
    KIE_CREDITS = "kie-credits"
    KIE_PAUSED = "kie-paused"
    OLD_TRANSACTION = "old-transaction"
    RECEIPTS_WAITING = "receipts-waiting"
    TICKETS_WAITING = "tickets-waiting"
    FISCAL_RECEIPTS = "fiscal-receipts"
    TAX_SERVICE = "tax-service"
    APPEALS_WAITING = "appeals-waiting"
    SHOP_RECEIPTS = "shop-receipts"
    DISK = "disk"
    DATABASE_SIZE = "database-size"
    BACKUP = "backup"
    RESULTS_STORE = "results-store"
    PARTITIONS = "partitions"


def known_kind(name: str) -> IncidentKind | None:
    """The kind of this name; None for one of another version, which rows may name."""
    return next((kind for kind in IncidentKind if kind.value == name), None)


class IncidentPhase(StrEnum):
    """What a notice says of its incident."""

    OPEN = "open"
    OVER = "over"


class AlertAction(StrEnum):
    """What a button under an alert does."""

    REDELIVER = "show"
    RETRY = "retry"
    RECONCILE = "match"
    SUBMIT = "send"
    UNPARK = "unpark"
    CHECK = "check"
    JOBS = "jobs"
    RECEIPTS = "bills"
    TICKETS = "tickets"
    STATE = "state"
    SESSION = "sess"
    TAKE = "take"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeContext:
    """What a condition can read: the database, our account at Kie, the disk, and the operator's thresholds (0: none)."""

    pool: Pool
    account: Account
    disk: Disk | None = None
    disk_alert_bytes: int = 0
    database_alert_bytes: int = 0
    ticket_alert: timedelta = timedelta(0)
    backup_every: timedelta = timedelta(0)


Condition = Callable[[ProbeContext], Awaitable[Figures | None]]
"""One cheap query: figures while the condition holds, None while it does not; `Transient` if it cannot be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """A condition checked `every` so often; an incident opens after `patience` of it and ends after `calm` without it.

    `checked_alone`: the condition takes long or waits for more than the database, so it is not checked inside a transaction.
    """

    kind: IncidentKind
    condition: Condition
    every: timedelta
    patience: timedelta
    calm: timedelta
    checked_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """A claimed check of a rule; `next_at` is also the fence: a check that returns after it writes nothing.

    `asked_by` are the chats of operators who want to know what it finds.
    """

    kind: IncidentKind
    next_at: datetime
    asked_by: Sequence[ChatId] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentNotice:
    """A claimed message to one operator, ours until its lease expires."""

    incident_id: int
    admin_id: ChatId
    about: IncidentPhase
    fence: Fence
    attempts: int
    kind: str
    figures: Figures
    opened_at: datetime
    lasted: timedelta | None
    language: str
