"""EXACTLY ONCE: the one place that edits a bought card. card = render(row), under the delivery lock.

Whatever crashes, a customer sees one result, on the card they paid on, for three reasons. The way from payment to result
contains no send: the card is a message whose id came with the customer's tap, and repeating an edit has one visible effect.
Only the holder of the lock edits, and every write tests its fence. "Shown" is recorded after the edit, never before.

Killed …
    before the edit     the lease expires, and the same row is rendered again
    after the edit      the same edit again: "not modified", or the same result in the same place
    after the mark      done; the mark has recorded the ring (`completion.py`), which may be lost here and is never repeated
An edit whose answer was lost may arrive after a newer one: the final edit is then repeated two minutes later. The lease is
renewed during an edit; an instance that has lost the lock is interrupted and writes nothing.

Errors: user blocked the bot or is gone → undeliverable until they return; message deleted or group moved → a short text takes
its place, once per revision (at worst an extra line, never a second result); chat limit → all cards of the chat wait; timeout →
released with backoff; bad token → retried every minute, no card is given up; database unreachable → not counted; media refused
for an unknown reason → after a few attempts a text with a link, and an alert; a text refused like that, and errors of our own →
parked for the operator; an end that could not be shown for days → parked.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Final

from photomat.catalog.model import Model
from photomat.catalog.storefront import Storefront
from photomat.db.pool import Pool, is_unavailable, one_statement, transaction
from photomat.delivery import lock
from photomat.delivery.marks import Mark, record_marks
from photomat.delivery.next_steps import NOTHING_SOLD, NextSteps
from photomat.delivery.outputs import Output, outputs_of_jobs
from photomat.delivery.render import CardView, LockedCard, render
from photomat.delivery.sender import EditOutcome, Exhausted, FileUnavailable, OwnCopy, Sender
from photomat.jobs import timeline
from photomat.jobs.job import TERMINAL
from photomat.jobs.timeline import Tag
from photomat.kernel.clock import backoff_s, monotonic
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.metrics import DELIVERY_S, TAP_TO_PICTURE_S
from photomat.kernel.trace import span
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
from photomat.work.batch_writer import BatchWriter
from photomat.work.loop import ClaimLost, while_renewing

MAX_REFUSALS: Final = 8
TRIES_BEFORE_TEXT: Final = 4
MAX_RETRY_S: Final = 3600.0
UNAUTHORIZED_RETRY_S: Final = 60.0
MIN_RETRY_S: Final = 5.0
MAX_OUTAGE_PAUSE_S: Final = 300.0
"""While Telegram or the database is unreachable, asking costs nothing and a customer waits."""
GIVE_UP_AFTER: Final = timedelta(days=3)
"""An end that could not be shown for so long is parked for the operator."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinator:
    pool: Pool
    messenger: Messenger
    sender: Sender
    texts: Texts
    model_of: Callable[[str], Model | None]
    wake: Callable[[str], None]
    lease: timedelta
    storefront: Callable[[], Awaitable[Storefront]] | None = None
    mark: str = ""
    _marks: BatchWriter[Mark, bool | None] = field(init=False)
    _outputs: BatchWriter[JobId, list[Output]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_marks", BatchWriter(self._record_marks))
        object.__setattr__(self, "_outputs", BatchWriter(partial(outputs_of_jobs, self.pool), rests=0))

    async def deliver_result_atomic(self, card: LockedCard) -> None:
        """Render a locked card, edit its message, record what it shows; or release the lock with the reason."""
        with correlated(card.corr, job_id=card.job_id), span("job.deliver", attempt=card.attempts):
            if card.first_result:
                log.info("DELIVER_LOCK_WIN", fence=card.fence, via=_via(card))
            if card.attempts > 1:
                log.info("DELIVERY_RETRY", attempt=card.attempts)
            failpoint("deliver.after_lock")
            await self._try(card)

    async def _try(self, card: LockedCard) -> None:
        began = monotonic()
        try:
            view, shown = await while_renewing(
                lambda: self._show(card), renew=lambda: lock.renew(self.pool, card), lease=self.lease
            )
        except ClaimLost as error:
            log.warning("DELIVER_LOCK_SKIP", reason=str(error), fence=card.fence)
        except asyncio.CancelledError:
            await self._release(card, 0, "the instance stopped", unknown=True)
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, the lock is released and the error recorded
            await self._after_error(card, error)
        else:
            failpoint("deliver.after_edit")
            if await self._mark(card, view, shown) and card.first_result:
                DELIVERY_S.labels(rung=shown.level).observe(monotonic() - began)

    async def _after_error(self, card: LockedCard, error: Exception) -> None:
        """Choose what comes next by the family of the error; an unexpected one is parked after a few attempts."""
        match error:
            case Unreachable():
                await self._undeliverable(card)
            case Unauthorized():
                log.error("BOT_UNAUTHORIZED", error=str(error))
                await self._release(card, UNAUTHORIZED_RETRY_S, str(error), counted=False, blameless=True)
            case _ if card.status in TERMINAL and card.failing_for >= GIVE_UP_AFTER:
                await self._park(card, describe(error))
            case FileUnavailable() | Superseded() | CardGone() | CardIsMedia() | ChatMoved():
                await self._release(card, _backoff(card), str(error))
            case Transient():
                wait_s = error.retry_after_s or _outage_pause_s(card)
                await self._release(card, wait_s, str(error), counted=False, chat_waits=isinstance(error, ChatBusy))
            case OutcomeUnknown():
                await self._release(card, _backoff(card), str(error), unknown=True)
            case _ if is_unavailable(error):
                await self._release(card, _outage_pause_s(card), describe(error), counted=False)
            case _:
                if not isinstance(error, CallRefused):
                    report_crash(error, "DELIVER_FAIL_RELEASED")
                await self._refused(card, str(error) if isinstance(error, CallRefused) else describe(error))

    async def _show(self, card: LockedCard) -> tuple[CardView, EditOutcome]:
        """Copy the output that is shown, so that its bytes say what it is; render, and edit the card."""
        found = await self._outputs.add(card.job_id) if card.shows_result else []
        if card.first_result:
            log.info("DELIVER_START", chat_id=card.chat_id, urls=len(found), via=_via(card))
        own = OwnCopy()
        if found:
            page = min(card.page, len(found) - 1)
            found[page], own = await self.sender.copied(found[page])
        sold = await self._next_steps() if card.shows_result else NOTHING_SOLD
        view = render(card, found, model=self.model_of(card.model), texts=self.texts, next_steps=sold, mark=self.mark)
        if found:
            view = replace(view, copy=own.file, missing=own.missing)
        return view, await self._edit_card(card, view)

    async def _next_steps(self) -> NextSteps:
        return NextSteps(storefront=await self.storefront()) if self.storefront is not None else NOTHING_SOLD

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
        exhausted = Exhausted(file=card.attempts >= TRIES_BEFORE_TEXT, media=card.attempts >= MAX_REFUSALS)
        with nullcontext() if card.status in TERMINAL else unimportant():
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

    async def _mark(self, card: LockedCard, view: CardView, shown: EditOutcome) -> bool:
        """Record what the card shows, together with others; False if the lock was taken over."""
        if card.first_result:
            log.info("DELIVER_OK", level=shown.level, via=_via(card))
        if shown.refused is not None:
            log.error("DELIVER_MEDIA_REFUSED", attempts=card.attempts, error=shown.refused)
        is_due = await self._marks.add(self._mark_of(card, view, shown))
        failpoint("deliver.after_mark")
        if is_due is None:
            _log_lost(card)
            return False
        if card.first_result:
            TAP_TO_PICTURE_S.observe((card.locked_at - card.created_at).total_seconds())
            log.info("MARK_DELIVERED", fence=card.fence)
        else:
            log.info("CARD_SHOWN", status=card.status, revision=card.wanted)
        if is_due or card.others_wait:
            self.wake("deliveries")
        if view.ring_kind is not None:
            self.wake("rings")
        return True

    def _mark_of(self, card: LockedCard, view: CardView, shown: EditOutcome) -> Mark:
        return Mark(
            card=card,
            ring_kind=view.ring_kind,
            repeat_later=card.status in TERMINAL and card.doubtful,
            file=shown.file,
            event={"status": card.status, "fence": card.fence, "level": shown.level, "refused": shown.refused},
            media_refused=shown.refused is not None,
        )

    async def _record_marks(self, marks: Sequence[Mark]) -> list[bool | None]:
        failpoint("deliver.before_commit")
        marked = await record_marks(one_statement(self.pool), marks)
        return [marked.get(mark.card.job_id) for mark in marks]

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
            _log_lost(card)

    async def _refused(self, card: LockedCard, error: str) -> None:
        """Park after a few attempts; never progress, for a parked card would hold back its result."""
        if card.attempts < MAX_REFUSALS or card.status not in TERMINAL:
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
            _log_lost(card)

    async def _undeliverable(self, card: LockedCard) -> None:
        async with transaction(self.pool) as tx:
            if await lock.mark_undeliverable(tx, card, error="the user cannot be reached"):
                await timeline.record(tx, card.job_id, Tag.UNDELIVERABLE, fence=card.fence)
                if card.is_private:
                    await mark_blocked(tx, user_id=card.user_id)
        log.warning("UNDELIVERABLE", chat_id=card.chat_id)


def _log_lost(card: LockedCard) -> None:
    log.warning("DELIVER_LOCK_SKIP", reason="the lock was taken over", fence=card.fence)


def _backoff(card: LockedCard) -> float:
    return backoff_s(card.attempts - 1, most_s=MAX_RETRY_S)


def _outage_pause_s(card: LockedCard) -> float:
    """A quarter of the time it has been failing: seconds at first, minutes in a long outage."""
    return min(MAX_OUTAGE_PAUSE_S, max(MIN_RETRY_S, card.failing_for.total_seconds() / 4))


def _via(card: LockedCard) -> str:
    return "retry" if card.attempts > 1 else card.found_via or "poll"
