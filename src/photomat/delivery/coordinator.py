"""EXACTLY ONCE. One place alone edits a bought card: card = render(row), under the delivery lock.

The promise: whatever crashes, a customer sees one result, on the one card they paid on. It rests on three things. The path
from paying to picture contains no send: the card is a message whose id the customer's own tap gave us, and an edit can be
repeated for ever with one visible effect. Only the holder of the lock edits, and its fence is tested by every write. And
"shown" is recorded after the edit, never before.

Killed …
    after the lock      the lease runs out, somebody renders the same row
    before the edit     likewise
    after the edit      the same edit again: "not modified", or the same picture in the same place
    after the mark      done; the ring is due by its own row
An edit whose answer was lost may land late, after a newer one: then the final edit is rendered once more two minutes later.

While an edit is under way its lease is renewed; whoever lost the lock meanwhile is stopped and writes nothing.

Troubles: blocked or gone → undeliverable until the user returns; the card's message deleted, or its group moved → a short text
slot takes its place, one for each revision (at worst a stray line, never a second picture); a chat's limit → all its cards
wait; time-outs → released with the next try, later each time; a bad token → nothing is condemned, tried again every minute; a
database that is away → not counted; media refused for a reason nobody planned for → a text with a link after a few tries, and
the operator is alerted; such a refusal of a text, and our own faults → parked for the operator after as many; an end that could
not be shown for days → parked too.

The delivery lock kept alive while a long edit is under way, and what is raised by whoever lost it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from photomat.catalog.model import Model
from photomat.db.pool import Pool, database_is_away, transaction
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
from photomat.kernel.ids import ChatId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.metrics import TAP_TO_PICTURE_S
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
from photomat.users.user import user_blocked_us
from photomat.work import lease as work_lease
from photomat.work.lease import ClaimLost

__all__ = ["ClaimLost", "renew_lock", "while_renewing"]
T = TypeVar("T")
MOST_REFUSALS: Final = 8
TRIES_BEFORE_TEXT: Final = 4
MOST_RETRY_S: Final = 3600.0
UNAUTHORIZED_RETRY_S: Final = 60.0
LEAST_RETRY_S: Final = 5.0
MOST_WAIT_FOR_OTHERS_S: Final = 300.0
"""While Telegram or the database cannot be reached at all nothing is lost by asking, and a customer waits."""
GIVE_UP_AFTER: Final = timedelta(days=3)
"""An end that could not be shown for so long is the operator's."""
log = get_logger()


async def while_renewing(pool: Pool, card: LockedCard, *, lease: timedelta, work: Callable[[], Awaitable[T]]) -> T:
    """Do the work with the card's lock kept alive; raises ClaimLost, and ends the work, when it was taken over.

    The new holder renders the same card again.
    """
    return await work_lease.while_renewing(work, renew=lambda: renew_lock(pool, card), lease=lease)


async def renew_lock(pool: Pool, card: LockedCard) -> bool:
    """Begin the lease anew; False when the lock is no longer ours."""
    return bool(
        await pool.fetchval(
            """
            UPDATE generation_jobs SET delivering_at = photomat_now()
             WHERE job_id = $1 AND delivery_fence = $2 AND delivering_at IS NOT NULL
            RETURNING true
            """,
            card.job_id,
            card.fence,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinator:
    """Brings locked cards up to date."""

    pool: Pool
    messenger: Messenger
    sender: Sender
    texts: Texts
    model_of: Callable[[str], Model | None]
    wake: Callable[[str], None]
    lease: timedelta

    async def deliver_result_atomic(self, card: LockedCard) -> None:
        """Render a locked card, edit its message, record what it shows; or give the lock back with the reason."""
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
        except Exception as trouble:  # noqa: BLE001  whatever it was, the lock is given back and somebody hears of it
            await self._after_trouble(card, trouble)
        else:
            failpoint("deliver.after_edit")
            await self._mark(card, view, shown)

    async def _after_trouble(self, card: LockedCard, trouble: Exception) -> None:
        """Each family says what comes next; a refusal nobody planned for, or a fault of ours, is parked after a few."""
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
            case _ if database_is_away(trouble):
                await self._release(card, _wait_for_others(card), describe(trouble), counted=False)
            case _:
                await self._refused(card, str(trouble) if isinstance(trouble, CallRefused) else describe(trouble))

    async def _render(self, card: LockedCard) -> CardView:
        found = await outputs.outputs_of(self.pool, card.job_id) if card.shows_result else []
        if card.first_result:
            log.info("DELIVER_START", chat_id=card.chat_id, urls=len(found), via=_via(card))
        return render(card, found, model=self.model_of(card.model), texts=self.texts)

    async def _show(self, card: LockedCard, view: CardView) -> EditOutcome:
        return await while_renewing(self.pool, card, lease=self.lease, work=lambda: self._climb(card, view))

    async def _climb(self, card: LockedCard, view: CardView) -> EditOutcome:
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
        """Show the face in a new place; whoever cannot edit that either gets no third one."""
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
        """The card's message is gone: a short text takes its place, its id committed with the fence."""
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
        """Parked after a few; progress never is, for a parked card would keep its result back."""
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
                    await user_blocked_us(tx, user_id=card.user_id)
        log.warning("UNDELIVERABLE", chat_id=card.chat_id)


def _backoff(card: LockedCard) -> float:
    return backoff_s(card.attempts - 1, most_s=MOST_RETRY_S)


def _wait_for_others(card: LockedCard) -> float:
    """A quarter of the time it has been failing: seconds at first, minutes in a long outage."""
    return min(MOST_WAIT_FOR_OTHERS_S, max(LEAST_RETRY_S, card.failing_for.total_seconds() / 4))


def _via(card: LockedCard) -> str:
    return "retry" if card.attempts > 1 else card.found_via or "poll"
