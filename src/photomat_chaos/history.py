"""The history checker: what customers saw, what Kie was asked and what the books say must tell the same story.

It trusts neither the program's log nor its own books alone: the screens are Telegram's, the tasks and callbacks are Kie's,
the rows are PostgreSQL's. Every check gives sentences; none is the good answer.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

RING: Final = "✅ Генерация завершена"
SETTLED: Final = frozenset({"done", "failed", "canceled"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One message of the bot as its customer sees it at the end."""

    chat_id: int
    message_id: int
    is_media: bool
    text: str
    reply_to: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """One update of a lane, in the order they arrived."""

    lane: str
    update_id: int
    handled_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known about a run when it is over."""

    jobs: tuple[JobRow, ...] = ()
    screens: tuple[Shown, ...] = ()
    orders: Mapping[str, int | None] = field(default_factory=dict)
    """Every task at Kie, with the job its callback address names."""
    answered_200: tuple[str, ...] = ()
    """The task of every callback that was answered 200."""
    stored_callbacks: frozenset[str] = frozenset()
    """The tasks of which a callback or an orphan is stored."""
    lanes: tuple[Handled, ...] = ()
    spent: Mapping[int, int] = field(default_factory=dict)
    """What every user has paid, by the entries of the ledger."""
    audit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One broken promise."""

    check: str
    sentence: str


def violations(evidence: Evidence) -> list[Violation]:
    """Every broken promise, in the order of the checks."""
    return [Violation(check=name, sentence=sentence) for name, check in CHECKS.items() for sentence in check(evidence)]


def _settled(evidence: Evidence) -> Iterator[str]:
    for job in evidence.jobs:
        if job.status not in SETTLED:
            yield f"job {job.job_id} is still {job.status}"
        elif not job.shown:
            yield f"the card of job {job.job_id} ({job.status}) does not show its end"


def _shown_once_or_refunded_once(evidence: Evidence) -> Iterator[str]:
    media = Counter((shown.chat_id, shown.message_id) for shown in evidence.screens if shown.is_media)
    for job in evidence.jobs:
        seen = media.pop((job.chat_id, job.card), 0)
        if job.status == "done" and seen != 1:
            yield f"job {job.job_id} is done and its card shows {seen} results"
        if job.status != "done" and seen:
            yield f"job {job.job_id} is {job.status} and its card shows a result"
        if job.price and job.status in SETTLED:
            wanted = ("release",) if job.gift or job.status != "done" else ("charge",)
            if wanted != job.closings and not _took_an_offer(job):
                yield f"the money of job {job.job_id} ({job.status}) ended as {job.closings or 'nothing'}"
    for chat_id, message_id in media:
        yield f"chat {chat_id} shows a result nobody ordered, message {message_id}"


def _took_an_offer(job: JobRow) -> bool:
    return job.status == "done" and sorted(job.closings) == ["charge", "release"]


def _nobody_paid_twice(evidence: Evidence) -> Iterator[str]:
    owed: Counter[int] = Counter()
    for job in evidence.jobs:
        if job.status == "done" and not job.gift:
            owed[job.chat_id] += job.price
    for user_id in sorted(owed.keys() | evidence.spent.keys()):
        if owed[user_id] != evidence.spent.get(user_id, 0):
            yield f"user {user_id} paid {evidence.spent.get(user_id, 0)} for results worth {owed[user_id]}"


def _ordered_once(evidence: Evidence) -> Iterator[str]:
    orders = Counter(job_id for job_id in evidence.orders.values() if job_id is not None)
    known = {job.job_id for job in evidence.jobs}
    for job_id, count in sorted(orders.items()):
        if count > 1:
            yield f"job {job_id} was ordered from Kie {count} times"
        if job_id not in known:
            yield f"Kie was asked for job {job_id}, which does not exist"
    yield from (f"task {task} names no job" for task, job_id in evidence.orders.items() if job_id is None)


def _every_200_had_an_effect(evidence: Evidence) -> Iterator[str]:
    for task_id in sorted(set(evidence.answered_200) - evidence.stored_callbacks):
        yield f"a callback of task {task_id} was answered 200 and left nothing behind"


def _one_ring(evidence: Evidence) -> Iterator[str]:
    cards = {(job.chat_id, job.card): job for job in evidence.jobs}
    rings = [shown for shown in evidence.screens if shown.text == RING]
    for place, count in Counter((ring.chat_id, ring.reply_to) for ring in rings).items():
        job = cards.get((place[0], place[1] or 0))
        if job is None:
            yield f"chat {place[0]} was rung for message {place[1]}, which is no card"
        elif count > 1 or job.status != "done":
            yield f"job {job.job_id} ({job.status}) rang {count} times"
    yield from (
        f"the ring {ring.message_id} stands before its card" for ring in rings if ring.message_id < (ring.reply_to or 0)
    )


def _order_of_a_chat(evidence: Evidence) -> Iterator[str]:
    last: dict[str, float] = {}
    for update in evidence.lanes:
        if update.handled_at is None:
            yield f"update {update.update_id} of lane {update.lane} was never handled"
        elif update.handled_at < last.get(update.lane, update.handled_at):
            yield f"update {update.update_id} of lane {update.lane} was handled before an earlier one"
        else:
            last[update.lane] = update.handled_at


def _books(evidence: Evidence) -> Iterator[str]:
    yield from evidence.audit


CHECKS: Final[Mapping[str, Callable[[Evidence], Iterator[str]]]] = {
    "every job has ended and its card says so": _settled,
    "a paid job is shown once or refunded once": _shown_once_or_refunded_once,
    "nobody is charged twice": _nobody_paid_twice,
    "a job is ordered from Kie once": _ordered_once,
    "a callback answered 200 had an effect": _every_200_had_an_effect,
    "a phone rings once at most": _one_ring,
    "a chat is handled in order": _order_of_a_chat,
    "the books are in order": _books,
}
