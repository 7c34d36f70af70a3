"""The history checker: what customers saw, what Kie was asked and what the database says must agree.

It trusts neither the program's log nor its own books alone: the screens are Telegram's, the tasks and callbacks are Kie's,
the rows are PostgreSQL's. Every check yields sentences; none means that it holds.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

RING: Final = "✅ Генерация завершена"
SAD_RING: Final = "❌ Генерация не удалась."
OFFER_RING: Final = "🎉 Результат отменённого заказа готов"
RINGS: Final = {"done": RING, "failed": SAD_RING, "offer": OFFER_RING}
A_LINK: Final = "Скачать по ссылке"
ONCE_MORE: Final = "ещё раз, бесплатно"
GALLERY: Final = "🗂"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job in the database, with how its hold was closed."""

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
class ShownMessage:
    """One message of the bot as its customer sees it at the end."""

    chat_id: int
    message_id: int
    is_media: bool
    text: str
    reply_to: int | None

    @property
    def is_result(self) -> bool:
        """Whether it shows a result; a link where Telegram refused the file. A page of the history is no result."""
        return (self.is_media or A_LINK in self.text) and not self.text.startswith(GALLERY)

    @property
    def is_sent_again(self) -> bool:
        """Whether the customer requested this result again."""
        return ONCE_MORE in self.text

    @property
    def ring(self) -> str | None:
        """The kind of ring, if it is one."""
        return next((kind for kind, words in RINGS.items() if self.text.startswith(words)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAgain:
    """A result the customer requested again; without an outcome it is unknown whether it was sent."""

    job_id: int
    chat_id: int
    is_due: bool
    outcome: str | None
    message_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgedCallback:
    """A callback Kie never sent, and the status of its answer (0: none)."""

    kind: str
    task_id: str
    status: int
    must_be_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledUpdate:
    """One update of a lane, in order of arrival."""

    lane: str
    kind: str
    update_id: int
    received_at: float
    handled_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    jobs: tuple[JobRow, ...] = ()
    sent_again: tuple[SentAgain, ...] = ()
    screens: tuple[ShownMessage, ...] = ()
    orders: Mapping[str, int | None] = field(default_factory=dict)
    """Every task at Kie, with the job its callback URL names."""
    answered_200: frozenset[tuple[str, str]] = frozenset()
    """Task and body of every callback that was answered 200."""
    stored_callbacks: Mapping[str, int] = field(default_factory=dict)
    """How many different callbacks of a task are stored, those of orphans among them."""
    lanes: tuple[HandledUpdate, ...] = ()
    spent: Mapping[int, int] = field(default_factory=dict)
    """What every user has paid, by the entries of the ledger."""
    credit: int = 0
    """What every user was given at the start."""
    balances: Mapping[int, int] = field(default_factory=dict)
    """What the bot said to /balance when everything was over."""
    deleted: frozenset[tuple[int, int]] = frozenset()
    """Chat and message of everything customers deleted."""
    forged: tuple[ForgedCallback, ...] = ()
    orphans: frozenset[str] = frozenset()
    """The tasks of orphan callbacks."""
    parked: tuple[str, ...] = ()
    """The updates that were put aside for the operator, with the reason. A storm sends no bad one."""
    old_version_parks: bool = False
    """Whether a version took part that gave up on updates more easily."""
    audit: tuple[str, ...] = ()


MONEY_IS_BACK: Final = "вернулись на баланс"
FREE_ONE_IS_BACK: Final = "Бесплатная генерация снова ваша"
"""What a card says instead where nothing was paid."""
OFFERED: Final = "Хотите забрать его"
STILL_WORKING: Final = (
    "Отправляю в работу",
    "Генерация идёт",
    "ольше обычного",
    "В очереди:",
    "впереди больше",
    "не принимает заказы",
)
A_SLOT: Final = "Карточка удалена"
OK: Final = 200
ANY_KIND: Final = "any"
CROSSING_S: Final = 15.0
"""Two updates that arrive within so long may have been stored at once by two instances; which came first is unknown."""

SETTLED: Final = frozenset({"done", "failed", "canceled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryViolation:
    """One broken guarantee."""

    check: str
    sentence: str

    @property
    def job_id(self) -> int | None:
        """The job it is about, where the sentence names one."""
        found = re.search(r"\bjob (\d+)\b", self.sentence)
        return int(found[1]) if found else None


def violations(evidence: Evidence) -> list[HistoryViolation]:
    return [
        HistoryViolation(check=name, sentence=sentence)
        for name, check in CHECKS.items()
        for sentence in check(evidence)
    ]


def _settled(evidence: Evidence) -> Iterator[str]:
    for job in evidence.jobs:
        if job.status not in SETTLED:
            yield f"job {job.job_id} is still {job.status}"
        elif not job.shown:
            yield f"the card of job {job.job_id} ({job.status}) does not show its end"


def _shown_once_or_refunded_once(evidence: Evidence) -> Iterator[str]:
    results = Counter(
        (shown.chat_id, shown.message_id) for shown in evidence.screens if shown.is_result and not shown.is_sent_again
    )
    for job in evidence.jobs:
        seen = results.pop((job.chat_id, job.card), 0)
        if job.status == "done" and seen != 1 and (job.chat_id, job.card) not in evidence.deleted:
            yield f"job {job.job_id} is done and its card shows {seen} results"
        if job.status != "done" and seen:
            yield f"job {job.job_id} is {job.status} and its card shows a result"
        if job.price and job.status in SETTLED:
            wanted = ("release",) if job.gift or job.status != "done" else ("charge",)
            if wanted != job.closings and not _took_an_offer(job):
                yield f"the money of job {job.job_id} ({job.status}) ended as {job.closings or 'nothing'}"
    for chat_id, message_id in results:
        yield f"chat {chat_id} shows a result that was not ordered, message {message_id}"


def _sent_again_once(evidence: Evidence) -> Iterator[str]:
    """Each recorded send is on the screen once; each unrecorded one belongs to a send without an answer."""
    seen = {(shown.chat_id, shown.message_id) for shown in evidence.screens if shown.is_sent_again}
    known: set[tuple[int, int]] = set()
    unanswered: Counter[int] = Counter()
    for sent in evidence.sent_again:
        place = (sent.chat_id, sent.message_id or 0)
        if sent.is_due:
            yield f"a result of job {sent.job_id} asked for again is still to be sent"
        elif sent.outcome is None:
            unanswered[sent.chat_id] += 1
        elif sent.outcome == "sent":
            if place not in seen or place in known:
                yield f"job {sent.job_id} was sent again as message {sent.message_id}, which is not there"
            known.add(place)
    for chat_id, count in Counter(chat_id for chat_id, _ in seen - known).items():
        if count > unanswered[chat_id]:
            yield f"chat {chat_id} shows {count} unrecorded results sent again, {unanswered[chat_id]} had no answer"


def _took_an_offer(job: JobRow) -> bool:
    return job.status == "done" and sorted(job.closings) == ["charge", "release"]


def _owed(evidence: Evidence) -> Counter[int]:
    """The price of the results each user has got."""
    owed: Counter[int] = Counter()
    for job in evidence.jobs:
        if job.status == "done" and not job.gift:
            owed[job.chat_id] += job.price
    return owed


def _charged_once(evidence: Evidence) -> Iterator[str]:
    owed = _owed(evidence)
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
    for job in evidence.jobs:
        if job.task_id is not None and evidence.orders.get(job.task_id) != job.job_id:
            yield f"job {job.job_id} believes in task {job.task_id}, which was not ordered for it"


def _every_200_had_an_effect(evidence: Evidence) -> Iterator[str]:
    answered = Counter(task_id for task_id, _body in evidence.answered_200)
    for task_id, count in sorted(answered.items()):
        stored = evidence.stored_callbacks.get(task_id, 0)
        if stored < count:
            yield f"{count} callbacks of task {task_id} were answered 200 and only {stored} left something behind"


def _one_ring(evidence: Evidence) -> Iterator[str]:
    """One for the same news of a job. A card that was deleted or moved cannot be answered: its rings are counted by chat.

    Two for a deleted card: the sad news, and a gift after it.
    """
    cards = {(job.chat_id, job.card): job for job in evidence.jobs}
    gone = Counter({chat_id: 2 * count for chat_id, count in Counter(chat for chat, _ in evidence.deleted).items()})
    rings = [(shown, shown.ring) for shown in evidence.screens if shown.ring]
    for (chat_id, card, kind), count in Counter((ring.chat_id, ring.reply_to, kind) for ring, kind in rings).items():
        job = cards.get((chat_id, card or 0))
        if job is None:
            gone[chat_id] -= count
            if gone[chat_id] < 0:
                yield f"chat {chat_id} was rung for message {card}, which is no card"
        elif count > 1 or not _may_ring(job, str(kind)):
            yield f"job {job.job_id} ({job.status}) rang {count} times: {kind}"
    yield from (
        f"the ring {ring.message_id} stands before its card"
        for ring, _ in rings
        if ring.message_id < (ring.reply_to or 0)
    )


def _may_ring(job: JobRow, kind: str) -> bool:
    """A gift or an accepted offer rang before its result; a failed job has no success ring."""
    late = job.status == "done" and (job.gift or _took_an_offer(job))
    return kind == job.status or late or (job.status == "canceled" and kind == "offer")


def _cards_say_it(evidence: Evidence) -> Iterator[str]:
    """The card of an ended job names a refund where there was one, once, and is never in progress."""
    screens = {(shown.chat_id, shown.message_id): shown for shown in evidence.screens}
    for job in evidence.jobs:
        card = screens.get((job.chat_id, job.card))
        if job.status not in SETTLED or (job.chat_id, job.card) in evidence.deleted:
            continue
        if card is None:
            yield f"the card of job {job.job_id} ({job.status}) is gone, and its customer did not delete it"
            continue
        if any(words in card.text for words in STILL_WORKING):
            yield f"the card of job {job.job_id} ({job.status}) still says that it is being made"
        offered = job.status == "canceled" and OFFERED in card.text
        wanted = int((job.status != "done" and not offered) or job.gift)
        times = card.text.count(MONEY_IS_BACK) + card.text.count(FREE_ONE_IS_BACK)
        if times != wanted:
            yield f"the card of job {job.job_id} ({job.status}) says {times} times that the money is back"


def _stray_slots(evidence: Evidence) -> Iterator[str]:
    """A slot that is no longer edited is the price of a deleted card: at most one for each."""
    cards = {(job.chat_id, job.card) for job in evidence.jobs}
    gone = Counter(chat_id for chat_id, _ in evidence.deleted)
    strays = Counter(
        shown.chat_id
        for shown in evidence.screens
        if A_SLOT in shown.text and (shown.chat_id, shown.message_id) not in cards
    )
    for chat_id, count in strays.items():
        if count > gone[chat_id]:
            yield f"chat {chat_id} has {count} stray slots for {gone[chat_id]} deleted messages"


def _balances(evidence: Evidence) -> Iterator[str]:
    owed = _owed(evidence)
    for user_id, available in sorted(evidence.balances.items()):
        if available != evidence.credit - owed[user_id]:
            wanted = evidence.credit - owed[user_id]
            yield f"user {user_id} reads a balance of {available}, and should have {wanted}"


def _forgeries(evidence: Evidence) -> Iterator[str]:
    for forged in evidence.forged:
        if forged.must_be_refused and forged.status == OK:
            yield f"a forged callback ({forged.kind}) was answered 200"
        if not forged.must_be_refused and forged.status == OK and forged.task_id not in evidence.orphans:
            yield f"a forged callback ({forged.kind}) was answered 200 and is no orphan"


def _order_of_a_chat(evidence: Evidence) -> Iterator[str]:
    """Telegram sends the next update of a kind when the one before was answered; a tap and a message may cross."""
    latest: dict[tuple[str, str], float] = {}
    crossing: defaultdict[str, deque[HandledUpdate]] = defaultdict(deque)
    for update in evidence.lanes:
        if update.handled_at is None:
            yield f"update {update.update_id} of lane {update.lane} was never handled"
            continue
        waiting = crossing[update.lane]
        while waiting and waiting[0].received_at < update.received_at - CROSSING_S:
            _note_latest(latest, (update.lane, ANY_KIND), waiting.popleft())
        before = (latest.get((update.lane, kind), update.handled_at) for kind in (update.kind, ANY_KIND))
        if update.handled_at < max(before):
            yield f"update {update.update_id} of lane {update.lane} was handled before an earlier one"
        _note_latest(latest, (update.lane, update.kind), update)
        waiting.append(update)


def _note_latest(latest: dict[tuple[str, str], float], place: tuple[str, str], update: HandledUpdate) -> None:
    handled_at = update.handled_at or 0.0
    latest[place] = max(handled_at, latest.get(place, handled_at))


def _nothing_put_aside(evidence: Evidence) -> Iterator[str]:
    if not evidence.old_version_parks:
        yield from evidence.parked


def _books(evidence: Evidence) -> Iterator[str]:
    yield from evidence.audit


CHECKS: Final[Mapping[str, Callable[[Evidence], Iterator[str]]]] = {
    "every job has ended and its card says so": _settled,
    "a paid job is shown once or refunded once": _shown_once_or_refunded_once,
    "a result asked for again comes once": _sent_again_once,
    "no customer is charged twice": _charged_once,
    "a job is ordered from Kie once": _ordered_once,
    "a callback answered 200 had an effect": _every_200_had_an_effect,
    "a forged callback is refused or orphaned": _forgeries,
    "a phone rings once at most for the same news": _one_ring,
    "a card at rest says what became of its job": _cards_say_it,
    "a stray slot is the price of a deleted card": _stray_slots,
    "the balance in the chat is what it should be": _balances,
    "a chat is handled in order": _order_of_a_chat,
    "an update is handled, not put aside": _nothing_put_aside,
    "the books are in order": _books,
}
