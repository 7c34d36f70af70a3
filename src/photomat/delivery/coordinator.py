"""EXACTLY ONCE: the one place that edits a bought card. card = render(row), under the delivery lock.

Whatever crashes, a customer sees one result, on the card they paid on, for three reasons. The way from payment to result
contains no send: the card is a message whose id came with the customer's tap, and repeating an edit has one visible effect.
Only the holder of the lock edits, and every write tests its fence. "Shown" is recorded after the edit, never before.

Killed …
    after the lock      the lease expires, and the same row is rendered again
    before the edit     likewise
    after the edit      the same edit again: "not modified", or the same result in the same place
    after the mark      done; the ring is due by its own row
An edit whose answer was lost may arrive after a newer one: the final edit is then repeated two minutes later. The lease is
renewed during an edit; an instance that has lost the lock is interrupted and writes nothing.

Errors: user blocked the bot or is gone → undeliverable until they return; message deleted or group moved → a short text takes
its place, once per revision (at worst an extra line, never a second result); chat limit → all cards of the chat wait; timeout →
released with backoff; bad token → retried every minute, no card is given up; database unreachable → not counted; media refused
for an unknown reason → after a few attempts a text with a link, and an alert; a text refused like that, and errors of our own →
parked for the operator; an end that could not be shown for days → parked.

The ring: «✅ Генерация завершена», or what went wrong, as a reply to the card, so that the phone rings. At most once.

An edit makes no phone ring, so something must be sent, and a send cannot be repeated safely. A ring that a crash loses is
harmless: the result is on the card.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from photomat.catalog.model import Model
from photomat.db.pool import Pool, is_unavailable, transaction
from photomat.db.rows import Row
from photomat.delivery import lock, outputs
from photomat.delivery.render import CardView, LockedCard, render
from photomat.delivery.sender import EditOutcome, Exhausted, FileUnavailable, Sender
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL
from photomat.jobs.timeline import Tag
from photomat.kernel.clock import backoff_s
from photomat.kernel.error_report import describe
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, JobId, MessageId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.metrics import TAP_TO_PICTURE_S
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.pacing import unimportant
from photomat.telegram.port import (
    CallRefused,
    Card,
    CardGone,
    CardIsMedia,
    ChatBusy,
    ChatMoved,
    Messenger,
    Superseded,
    Unauthorized,
    Unreachable,
)
from photomat.texts.load import Texts
from photomat.users.user import mark_blocked
from photomat.work.loop import ClaimLost, while_renewing

MOST_REFUSALS: Final = 8
TRIES_BEFORE_TEXT: Final = 4
MOST_RETRY_S: Final = 3600.0
UNAUTHORIZED_RETRY_S: Final = 60.0
LEAST_RETRY_S: Final = 5.0
MOST_WAIT_FOR_OTHERS_S: Final = 300.0
"""While Telegram or the database is unreachable, asking costs nothing and a customer waits."""
GIVE_UP_AFTER: Final = timedelta(days=3)
"""An end that could not be shown for so long is parked for the operator."""
log = get_logger()
RETRY_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinator:
    pool: Pool
    messenger: Messenger
    sender: Sender
    texts: Texts
    model_of: Callable[[str], Model | None]
    wake: Callable[[str], None]
    lease: timedelta

    async def deliver_result_atomic(self, card: LockedCard) -> None:
        """Render a locked card, edit its message, record what it shows; or release the lock with the reason."""
        with correlated(card.corr, job_id=card.job_id):
            if card.first_result:
                log.info("DELIVER_LOCK_WIN", fence=card.fence, via=_via(card))
            if card.attempts > 1:
                log.info("DELIVERY_RETRY", attempt=card.attempts)
            failpoint("deliver.after_lock")
            await self._try(card)

    async def _try(self, card: LockedCard) -> None:
        try:
            view = await self._render(card)
            shown = await self._show(card, view)
        except ClaimLost as error:
            log.warning("DELIVER_LOCK_SKIP", reason=str(error), fence=card.fence)
        except asyncio.CancelledError:
            await self._release(card, 0, "the instance stopped", unknown=True)
            raise
        except Exception as trouble:  # noqa: BLE001  whatever it was, the lock is released and the error recorded
            await self._after_trouble(card, trouble)
        else:
            failpoint("deliver.after_edit")
            await self._mark(card, view, shown)

    async def _after_trouble(self, card: LockedCard, trouble: Exception) -> None:
        """Choose what comes next by the family of the error; an unexpected one is parked after a few attempts."""
        match trouble:
            case Unreachable():
                await self._undeliverable(card)
            case Unauthorized():
                log.error("BOT_UNAUTHORIZED", error=str(trouble))
                await self._release(card, UNAUTHORIZED_RETRY_S, str(trouble), counted=False, blameless=True)
            case _ if card.status in TERMINAL and card.failing_for >= GIVE_UP_AFTER:
                await self._park(card, describe(trouble))
            case FileUnavailable() | Superseded() | CardGone() | CardIsMedia() | ChatMoved():
                await self._release(card, _backoff(card), str(trouble))
            case Transient():
                wait_s = trouble.retry_after_s or _wait_for_others(card)
                await self._release(card, wait_s, str(trouble), counted=False, chat_waits=isinstance(trouble, ChatBusy))
            case OutcomeUnknown():
                await self._release(card, _backoff(card), str(trouble), unknown=True)
            case _ if is_unavailable(trouble):
                await self._release(card, _wait_for_others(card), describe(trouble), counted=False)
            case _:
                await self._refused(card, str(trouble) if isinstance(trouble, CallRefused) else describe(trouble))

    async def _render(self, card: LockedCard) -> CardView:
        found = await outputs.outputs_of(self.pool, card.job_id) if card.shows_result else []
        if card.first_result:
            log.info("DELIVER_START", chat_id=card.chat_id, urls=len(found), via=_via(card))
        return render(card, found, model=self.model_of(card.model), texts=self.texts)

    async def _show(self, card: LockedCard, view: CardView) -> EditOutcome:
        return await while_renewing(
            lambda: self._edit_card(card, view), renew=lambda: lock.renew(self.pool, card), lease=self.lease
        )

    async def _edit_card(self, card: LockedCard, view: CardView) -> EditOutcome:
        place = Card(chat_id=card.chat_id, message_id=card.message_id)
        try:
            return await self._edit(card, place, view)
        except Superseded:
            if not await lock.still_ours(self.pool, card):
                raise
            return await self._edit(card, place, view)
        except CardIsMedia:
            if not await lock.still_ours(self.pool, card):
                raise
            await self.messenger.edit_keyboard(place, view.keyboard)
            return EditOutcome("text")
        except CardGone:
            return await self._edit_slot(card, card.chat_id, view)
        except ChatMoved as moved:
            return await self._edit_slot(card, moved.chat_id, view)

    async def _edit_slot(self, card: LockedCard, chat_id: ChatId, view: CardView) -> EditOutcome:
        """Show the card in a new message; if that cannot be edited either, there is no third one."""
        if card.slot_for == card.wanted:
            raise CallRefused("the slot sent for this revision cannot be edited")
        try:
            return await self._edit(card, await self._new_slot(card, chat_id), view)
        except CardGone as gone:
            raise CallRefused("the slot sent just now cannot be edited") from gone

    async def _edit(self, card: LockedCard, place: Card, view: CardView) -> EditOutcome:
        exhausted = Exhausted(file=card.attempts >= TRIES_BEFORE_TEXT, media=card.attempts >= MOST_REFUSALS)
        if card.status in TERMINAL:
            return await self.sender.show(place, view, language=card.language, exhausted=exhausted)
        with unimportant():
            return await self.sender.show(place, view, language=card.language, exhausted=exhausted)

    async def _new_slot(self, card: LockedCard, chat_id: ChatId) -> Card:
        """Send a short text in place of the lost message, and commit its id with the fence."""
        text = self.texts.say(card.language, "card-slot")
        message_id = await self.messenger.send_text(chat_id, text, reply_to=None)
        failpoint("deliver.after_slot")
        async with transaction(self.pool) as tx:
            ours = await lock.move_card(tx, card, message_id, chat_id=chat_id)
            if ours:
                await timeline.record(tx, card.job_id, Tag.MOVED, message_id=message_id)
        if not ours:
            raise ClaimLost("the lock was taken over before the new slot was recorded")
        log.warning("CARD_MOVED", chat_id=chat_id, message_id=message_id)
        return Card(chat_id=chat_id, message_id=message_id)

    async def _mark(self, card: LockedCard, view: CardView, shown: EditOutcome) -> None:
        once_more = card.status in TERMINAL and card.doubtful
        if card.first_result:
            log.info("DELIVER_OK", level=shown.level, via=_via(card))
        if shown.refused is not None:
            log.error("DELIVER_MEDIA_REFUSED", attempts=card.attempts, error=shown.refused)
        async with transaction(self.pool) as tx:
            ours = await lock.mark_delivered(tx, card, ring_kind=view.ring_kind, once_more=once_more)
            if ours:
                facts = {"status": card.status, "fence": card.fence, "level": shown.level, "refused": shown.refused}
                await timeline.record(tx, card.job_id, Tag.SHOWN, **facts)
            if ours and shown.refused is not None:
                await lock.note_refused_media(tx, card.job_id)
            failpoint("deliver.before_commit")
        failpoint("deliver.after_mark")
        if not ours:
            log.warning("DELIVER_LOCK_SKIP", reason="the lock was taken over", fence=card.fence)
        elif card.first_result:
            TAP_TO_PICTURE_S.observe((card.locked_at - card.created_at).total_seconds())
            log.info("MARK_DELIVERED", fence=card.fence)
        else:
            log.info("CARD_SHOWN", status=card.status, revision=card.wanted)
        self.wake("rings")
        self.wake("deliveries")

    async def _release(
        self,
        card: LockedCard,
        after_s: float,
        error: str,
        *,
        counted: bool = True,
        unknown: bool = False,
        blameless: bool = False,
        chat_waits: bool = False,
    ) -> None:
        after = timedelta(seconds=after_s)
        async with transaction(self.pool) as tx:
            ours = await lock.release(
                tx, card, after=after, error=error, counted=counted, unknown=unknown, blameless=blameless
            )
            if ours:
                retry_s = round(after_s, 1)
                await timeline.record(tx, card.job_id, Tag.RELEASED, fence=card.fence, retry_s=retry_s, error=error)
            if ours and chat_waits:
                await lock.put_off_chat(tx, bot_id=card.bot_id, chat_id=card.chat_id, after=after)
        if ours:
            log.warning("DELIVER_FAIL_RELEASED", retry_s=round(after_s, 1), unknown=unknown, error=error)
        else:
            log.warning("DELIVER_LOCK_SKIP", reason="the lock was taken over", fence=card.fence)

    async def _refused(self, card: LockedCard, error: str) -> None:
        """Park after a few attempts; never progress, for a parked card would hold back its result."""
        if card.attempts < MOST_REFUSALS or card.status not in TERMINAL:
            await self._release(card, _backoff(card), error)
        else:
            await self._park(card, error)

    async def _park(self, card: LockedCard, error: str) -> None:
        async with transaction(self.pool) as tx:
            ours = await lock.park(tx, card, error=error)
            if ours:
                await timeline.record(tx, card.job_id, Tag.PARKED, fence=card.fence, error=error)
        if ours:
            failing_h = round(card.failing_for.total_seconds() / 3600, 1)
            log.error("DELIVERY_PARKED", error=error, attempts=card.attempts, failing_h=failing_h)
        else:
            log.warning("DELIVER_LOCK_SKIP", reason="the lock was taken over", fence=card.fence)

    async def _undeliverable(self, card: LockedCard) -> None:
        async with transaction(self.pool) as tx:
            if await lock.mark_undeliverable(tx, card, error="the user cannot be reached"):
                await timeline.record(tx, card.job_id, Tag.UNDELIVERABLE, fence=card.fence)
                if card.is_private:
                    await mark_blocked(tx, user_id=card.user_id)
        log.warning("UNDELIVERABLE", chat_id=card.chat_id)


def _backoff(card: LockedCard) -> float:
    return backoff_s(card.attempts - 1, most_s=MOST_RETRY_S)


def _wait_for_others(card: LockedCard) -> float:
    """A quarter of the time it has been failing: seconds at first, minutes in a long outage."""
    return min(MOST_WAIT_FOR_OTHERS_S, max(LEAST_RETRY_S, card.failing_for.total_seconds() / 4))


def _via(card: LockedCard) -> str:
    return "retry" if card.attempts > 1 else card.found_via or "poll"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionNotice:
    """A ring recorded as rung, about to be sent."""

    job_id: JobId
    corr: str
    chat_id: ChatId
    card_message_id: MessageId
    language: str
    kind: str
    rung_at: datetime
    attempts: int = 1
    """The table does not count them: a ring that never left is tried without end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionNotifier(MessageKind[CompletionNotice]):
    """Sends rings; the timeline of the job tells of each."""

    pool: Pool
    messenger: Messenger
    texts: Texts

    DUE: ClassVar = "SELECT 1 FROM generation_jobs WHERE ring_due_at <= photomat_now()"
    CLAIM: ClassVar = f"""
        WITH due AS MATERIALIZED (
            SELECT job_id FROM generation_jobs WHERE ring_due_at <= photomat_now() AND bot_id = (SELECT photomat_our_bot($2))
             ORDER BY ring_due_at LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE generation_jobs AS job SET ring_due_at = NULL, rung_at = photomat_now()
              FROM due
             WHERE job.job_id = due.job_id
            RETURNING job.job_id, job.corr, job.chat_id, job.card_message_id, job.language, job.ring_kind AS kind, job.rung_at),
        told AS ({timeline.TELL_RUNG})
        SELECT * FROM changed
        """  # noqa: S608  a constant statement of the timeline
    RETRIES: ClassVar = RetryPolicy(pause_s=lambda _attempts: RETRY_S)

    def read(self, row: Row) -> CompletionNotice:
        return CompletionNotice(**dict(row))

    def log_context(self, message: CompletionNotice) -> AbstractContextManager[object]:
        return correlated(message.corr, job_id=message.job_id)

    async def send(self, message: CompletionNotice) -> MessageId:
        failpoint("ring.after_record")
        text = self.texts.say(message.language, f"ring-{message.kind}")
        message_id = await self.messenger.send_text(message.chat_id, text, reply_to=message.card_message_id)
        failpoint("ring.after_send")
        return message_id

    async def put_back(self, message: CompletionNotice, again: PutBack) -> None:
        async with transaction(self.pool) as tx:
            is_ours = await tx.fetchval(
                """
                UPDATE generation_jobs SET ring_due_at = photomat_now() + $4::interval
                 WHERE job_id = $1 AND ring_kind = $2 AND rung_at = $3 AND ring_due_at IS NULL
                RETURNING true
                """,
                message.job_id,
                message.kind,
                message.rung_at,
                again.after,
            )
            if is_ours:
                await timeline.record(tx, message.job_id, Tag.RING_PUT_BACK, retry_s=round(again.after_s, 1))
        log.info("RING_RETRY", error=str(again.error))

    async def record(self, message: CompletionNotice, ending: Ending) -> None:
        """Log it: the claim has recorded all that is kept of a ring."""
        if ending.outcome is Outcome.SENT:
            log.info("RING", kind=message.kind, sent=True)
        elif ending.outcome is Outcome.UNKNOWN:
            log.warning("RING", kind=message.kind, sent="unknown", error=ending.reason)
        else:
            log.warning("RING", kind=message.kind, sent=False, error=type(ending.error).__name__)
