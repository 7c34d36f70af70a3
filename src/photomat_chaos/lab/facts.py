"""What is known about a run when it is over: plain data, from three sides that do not know each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

RING: Final = "✅ Генерация завершена"
SAD_RING: Final = "❌ Генерация не удалась."
OFFER_RING: Final = "🎉 Результат отменённого заказа готов"
RINGS: Final = {"done": RING, "failed": SAD_RING, "offer": OFFER_RING}
A_LINK: Final = "Скачать по ссылке"
ONCE_MORE: Final = "ещё раз, бесплатно"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """What the database says about a job, its money included."""

    job_id: int
    chat_id: int
    card: int
    status: str
    price: int
    gift: bool
    shown: bool
    closings: tuple[str, ...]
    task_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One message of the bot as its customer sees it at the end."""

    chat_id: int
    message_id: int
    is_media: bool
    text: str
    reply_to: int | None

    @property
    def is_result(self) -> bool:
        """Whether it shows what was ordered; a link where Telegram would not take the file."""
        return self.is_media or A_LINK in self.text

    @property
    def is_sent_again(self) -> bool:
        """Whether it came because its customer asked for a result once more."""
        return ONCE_MORE in self.text

    @property
    def ring(self) -> str | None:
        """Which news it rings, if it is a ring."""
        return next((kind for kind, words in RINGS.items() if self.text.startswith(words)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAgain:
    """What the database says about a file a customer asked for once more; without an outcome nobody knows whether it left."""

    job_id: int
    chat_id: int
    is_due: bool
    outcome: str | None
    message_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forged:
    """A callback Kie never sent, and the answer it got (0: none)."""

    kind: str
    task_id: str
    status: int
    must_be_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """One update of a lane, in the order they arrived."""

    lane: str
    kind: str
    update_id: int
    received_at: float
    handled_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known about a run when it is over."""

    jobs: tuple[JobRow, ...] = ()
    sent_again: tuple[SentAgain, ...] = ()
    screens: tuple[Shown, ...] = ()
    orders: Mapping[str, int | None] = field(default_factory=dict)
    """Every task at Kie, with the job its callback address names."""
    answered_200: frozenset[tuple[str, str]] = frozenset()
    """Task and body of every callback that was answered 200."""
    stored_callbacks: Mapping[str, int] = field(default_factory=dict)
    """How many different callbacks of a task are stored, those of orphans among them."""
    lanes: tuple[Handled, ...] = ()
    spent: Mapping[int, int] = field(default_factory=dict)
    """What every user has paid, by the entries of the ledger."""
    credit: int = 0
    """What every user was given at the start."""
    balances: Mapping[int, int] = field(default_factory=dict)
    """What the bot said to /balance when everything was over."""
    deleted: frozenset[tuple[int, int]] = frozenset()
    """Chat and message of everything customers deleted."""
    forged: tuple[Forged, ...] = ()
    orphans: frozenset[str] = frozenset()
    """The tasks of orphan callbacks."""
    parked: tuple[str, ...] = ()
    """The updates that were put aside for the operator, with the reason. Nobody in a storm sends a bad one."""
    old_version_parks: bool = False
    """Whether a version took part that gave up on updates more easily."""
    audit: tuple[str, ...] = ()
