"""The messages of broadcasts, each at most once, and previews to operators.

    claimed, not sent         the message is lost and becomes unknown when its instance is found dead
    sent, not recorded        likewise: unknown, never repeated
    429 from Telegram         nothing left: put back, and the whole broadcast waits as long as Telegram asks

Broadcasts are the least urgent messages. They use at most a third of Telegram's limit, leave the rest of it a reserve, and are
not claimed while results, completion messages or notices wait to be sent. A message is claimed together with its place in the
budget, so many instances together keep the share of one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ClassVar, Final

from photomat.broadcasts.content import BroadcastButton, button_from_json
from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, InstanceId, MessageId, UserId
from photomat.kernel.logs import get_logger
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.callback_data import open_broadcast
from photomat.telegram.pacing import unimportant
from photomat.telegram.port import Button, ChatBusy, Keyboard, Media, MediaKind, Messenger, Sent
from photomat.users.user import DEFAULT_LANGUAGE, LANGUAGES, mark_blocked
from photomat.work import budget
from photomat.work.budget import Budget, NoRoom

SHARE: Final = 3
"""One in so many of the calls Telegram allows."""
WAIT_FOR_URGENT_S: Final = 0.25
FIRST_RETRY_S: Final = 2.0
MOST_RETRY_S: Final = 60.0
MOST_PREVIEWS: Final = 3
log = get_logger()


def broadcast_budget(calls_per_s: int) -> Budget:
    return Budget(name="telegram:broadcasts", limit=max(1, calls_per_s // SHARE), window_s=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastMessage:
    """One message recorded as having left, about to be sent."""

    broadcast_id: int
    user_id: UserId
    language: str
    text: str
    media_kind: str | None
    media_file_id: str | None
    button: BroadcastButton | None
    left_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastSender(MessageKind[BroadcastMessage]):
    """`urgent` are statements that select a row while something more important is due."""

    pool: Pool
    messenger: Messenger
    instance: InstanceId
    budget: Budget
    urgent: Sequence[str]

    DUE: ClassVar = """
        SELECT 1 FROM broadcasts AS broadcast
         WHERE state = 'sending' AND filled_at IS NOT NULL
           AND EXISTS (SELECT FROM broadcast_sends AS send
                        WHERE send.broadcast_id = broadcast.broadcast_id AND send.due_at <= photomat_now())"""
    CLAIM: ClassVar = """
        WITH broadcast AS MATERIALIZED (
            SELECT broadcast_id, text_ru, text_en, media_kind, media_file_id, button FROM broadcasts AS one
             WHERE state = 'sending' AND filled_at IS NOT NULL AND (SELECT photomat_our_bot($2)) IS NOT NULL
               AND EXISTS (SELECT FROM broadcast_sends AS send
                            WHERE send.broadcast_id = one.broadcast_id AND send.due_at <= photomat_now())
             ORDER BY broadcast_id LIMIT 1 FOR SHARE),
        due AS MATERIALIZED (
            SELECT send.broadcast_id, send.user_id FROM broadcast_sends AS send
             WHERE send.broadcast_id = (SELECT broadcast_id FROM broadcast) AND send.due_at <= photomat_now()
             ORDER BY send.due_at LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE broadcast_sends AS send
               SET due_at = NULL, attempts = send.attempts + 1,
                   left_at = CASE WHEN users.blocked_at IS NULL THEN photomat_now() END,
                   left_by = CASE WHEN users.blocked_at IS NULL THEN $3 END,
                   outcome = CASE WHEN users.blocked_at IS NULL THEN NULL ELSE 'blocked' END
              FROM due JOIN users USING (user_id)
             WHERE send.broadcast_id = due.broadcast_id AND send.user_id = due.user_id AND send.due_at IS NOT NULL
            RETURNING send.broadcast_id, send.user_id, send.left_at, send.attempts, users.language)
        SELECT changed.*, CASE language WHEN 'en' THEN coalesce(text_en, text_ru) ELSE text_ru END AS text,
               media_kind, media_file_id, button
          FROM changed JOIN broadcast USING (broadcast_id) WHERE left_at IS NOT NULL
        """
    RETRIES: ClassVar = RetryPolicy(
        pause_s=partial(backoff_s, first_s=FIRST_RETRY_S, most_s=MOST_RETRY_S), waits_for_token=True
    )

    async def claim(self, limit: int) -> list[BroadcastMessage]:
        """Claim messages with their places in the budget; NoRoom while there is none, or something is more urgent."""
        if not await self.pool.fetchval(
            f"SELECT EXISTS ({self.DUE} AND (SELECT photomat_our_bot($1)) IS NOT NULL)", self.pool.bot_id
        ):
            return []
        if await self._is_something_urgent():
            raise NoRoom("results and notices go first", retry_after_s=WAIT_FOR_URGENT_S)
        free = await budget.room(self.pool, self.budget)
        if not free.calls:
            raise NoRoom(f"no room in {self.budget.name}", retry_after_s=free.wait_s)
        async with transaction(self.pool) as tx:
            places = min(limit, await budget.lock(tx, self.budget))
            rows = await tx.fetch(self.CLAIM, places, self.pool.bot_id, self.instance) if places else []
            if rows:
                await budget.spend(tx, self.budget, calls=len(rows))
        return [self.read(row) for row in rows]

    async def _is_something_urgent(self) -> bool:
        waiting = " OR ".join(f"EXISTS ({select})" for select in self.urgent)
        return bool(waiting) and bool(await self.pool.fetchval(f"SELECT {waiting}"))

    def read(self, row: Row) -> BroadcastMessage:
        return BroadcastMessage(**{**dict(row), "button": button_from_json(row["button"])})

    async def send(self, message: BroadcastMessage) -> MessageId:
        failpoint("broadcast.after_record")
        media = _media(message.media_kind, message.media_file_id)
        keyboard = keyboard_of(message.broadcast_id, message.button, message.language)
        try:
            with unimportant():
                sent = await _send(self.messenger, ChatId(message.user_id), message.text, media, keyboard)
        except ChatBusy as error:  # our own pace is never `ChatBusy` for unimportant calls, so Telegram asked for it
            await budget.block(
                self.pool, self.budget.name, seconds=error.retry_after_s or FIRST_RETRY_S, reason="429 from Telegram"
            )
            raise
        failpoint("broadcast.after_send")
        return sent.message_id

    async def put_back(self, message: BroadcastMessage, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE broadcast_sends
               SET due_at = photomat_now() + $4::interval, left_at = NULL, left_by = NULL,
                   attempts = attempts - CASE WHEN $5 THEN 0 ELSE 1 END
             WHERE broadcast_id = $1 AND user_id = $2 AND left_at = $3 AND outcome IS NULL
            """,
            message.broadcast_id,
            message.user_id,
            message.left_at,
            again.after,
            again.is_counted,
        )
        log.info("BROADCAST_RETRY", broadcast_id=message.broadcast_id, user_id=message.user_id, error=str(again.error))

    async def record(self, message: BroadcastMessage, ending: Ending) -> None:
        """Record the outcome, also of a message taken for lost; the counts of an ended broadcast are computed again."""
        is_blocked = ending.outcome is Outcome.UNREACHABLE
        outcome = "blocked" if is_blocked else ending.outcome.value
        async with transaction(self.pool) as tx:
            if is_blocked:
                await mark_blocked(tx, user_id=message.user_id)
            await tx.execute(
                """
                WITH recorded AS (
                    UPDATE broadcast_sends SET outcome = $4, message_id = $5, error = $6
                     WHERE broadcast_id = $1 AND user_id = $2 AND left_at = $3
                       AND (outcome IS NULL OR outcome = 'unknown')
                    RETURNING broadcast_id)
                UPDATE broadcasts SET due_at = photomat_now() FROM recorded
                 WHERE broadcasts.broadcast_id = recorded.broadcast_id AND counts IS NOT NULL AND due_at IS NULL
                """,
                message.broadcast_id,
                message.user_id,
                message.left_at,
                outcome,
                ending.message_id,
                None if is_blocked else ending.reason,
            )
        log.info(
            "BROADCAST_SEND",
            broadcast_id=message.broadcast_id,
            user_id=message.user_id,
            outcome=outcome,
            error=ending.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewMessage:
    """A preview recorded as having left; it shows every text there is."""

    broadcast_id: int
    chat_id: ChatId
    text_ru: str
    text_en: str | None
    media_kind: str | None
    media_file_id: str | None
    media_upload: bytes | None
    button: BroadcastButton | None
    left_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSender(MessageKind[PreviewMessage]):
    """Shows a broadcast in an operator's own chat exactly as customers will see it; once shown, it may be started.

    A file that was uploaded gets its id of Telegram's here, and its bytes are dropped.
    """

    pool: Pool
    messenger: Messenger

    DUE: ClassVar = "SELECT 1 FROM broadcasts WHERE preview_due_at <= photomat_now()"
    CLAIM: ClassVar = """
        UPDATE broadcasts
           SET preview_due_at = NULL, preview_left_at = photomat_now(), preview_attempts = preview_attempts + 1
         WHERE broadcast_id IN (
               SELECT broadcast_id FROM broadcasts
                WHERE preview_due_at <= photomat_now() AND (SELECT photomat_our_bot($2)) IS NOT NULL
                ORDER BY preview_due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING broadcast_id, preview_to AS chat_id, text_ru, text_en, media_kind, media_file_id, media_upload, button,
                  preview_left_at AS left_at, preview_attempts AS attempts
        """
    RETRIES: ClassVar = RetryPolicy(pause_s=partial(backoff_s, first_s=FIRST_RETRY_S), most_attempts=MOST_PREVIEWS)

    def read(self, row: Row) -> PreviewMessage:
        return PreviewMessage(**{**dict(row), "button": button_from_json(row["button"])})

    async def send(self, message: PreviewMessage) -> MessageId:
        texts = {DEFAULT_LANGUAGE: message.text_ru, **({"en": message.text_en} if message.text_en else {})}
        media = _media(message.media_kind, message.media_file_id or message.media_upload)
        for language in (each for each in LANGUAGES if each in texts):
            keyboard = keyboard_of(message.broadcast_id, message.button, language)
            sent = await _send(self.messenger, message.chat_id, texts[language], media, keyboard)
            if media is not None and media.is_upload and sent.file_id is not None:
                await self._keep_file_id(message, sent.file_id)
                media = _media(message.media_kind, sent.file_id)
        return sent.message_id

    async def _keep_file_id(self, message: PreviewMessage, file_id: str) -> None:
        await self.pool.execute(
            """
            UPDATE broadcasts SET media_file_id = $3, media_upload = NULL
             WHERE broadcast_id = $1 AND preview_left_at = $2 AND media_file_id IS NULL
            """,
            message.broadcast_id,
            message.left_at,
            file_id,
        )

    async def put_back(self, message: PreviewMessage, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE broadcasts SET preview_due_at = photomat_now() + $3::interval, preview_left_at = NULL
             WHERE broadcast_id = $1 AND preview_left_at = $2 AND preview_outcome IS NULL
            """,
            message.broadcast_id,
            message.left_at,
            again.after,
        )

    async def record(self, message: PreviewMessage, ending: Ending) -> None:
        """Record the outcome, if the content was not changed meanwhile; a draft that was shown is ready."""
        await self.pool.execute(
            """
            UPDATE broadcasts
               SET preview_outcome = $3, preview_error = $4,
                   state = CASE WHEN state = 'draft' AND $3 = 'sent' AND (media_kind IS NULL OR media_file_id IS NOT NULL)
                                THEN 'ready' ELSE state END
             WHERE broadcast_id = $1 AND preview_left_at = $2
            """,
            message.broadcast_id,
            message.left_at,
            ending.outcome.value,
            ending.reason,
        )
        log.info("BROADCAST_PREVIEW", broadcast_id=message.broadcast_id, outcome=ending.outcome, error=ending.reason)


def keyboard_of(broadcast_id: int, button: BroadcastButton | None, language: str) -> Keyboard:
    if button is None:
        return ()
    data = None if button.opens is None else open_broadcast(broadcast_id)
    return ((Button(text=button.title_in(language), data=data, url=button.url),),)


def _media(kind: str | None, source: str | bytes | None) -> Media | None:
    if kind is None or source is None:
        return None
    return Media(kind=MediaKind(kind), source=source, name=f"{kind}.{'jpg' if kind == 'photo' else 'mp4'}")


async def _send(messenger: Messenger, chat_id: ChatId, text: str, media: Media | None, keyboard: Keyboard) -> Sent:
    if media is not None:
        return await messenger.send_media(chat_id, media, text, keyboard=keyboard)
    message_id = await messenger.send_text(chat_id, text, reply_to=None, keyboard=keyboard)
    return Sent(message_id=message_id, file_id=None)
