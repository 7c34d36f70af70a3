"""Sends notices. At most once: recorded as having left before it leaves, put back only when it surely never did.

Whoever cannot be reached hears it when they are back. Killed in between, or its answer lost: nobody repeats it. So a notice
never is the only way to learn a thing; what it tells is in the wallet, on the card, in the lists an operator reads.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, MessageId, UserId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import Notice, NoticeFile, buttons_from_json, facts_from_json
from photomat.telegram.port import Button, ChatBusy, Keyboard, Media, MediaKind, Messenger, Unauthorized, Unreachable
from photomat.texts.load import Texts
from photomat.users.user import DEFAULT_LANGUAGE, mark_blocked
from photomat.work.retention import OldRows

FIRST_RETRY_S: Final = 2.0
MOST_TRIES: Final = 10
ENDED_NOTICES: Final = OldRows(table="notices", age="created_at", only="due_at IS NULL")
"""What may be deleted: also what a reader never came back for."""
MESSAGES_DUE: Final = "SELECT 1 FROM notices WHERE due_at <= photomat_now()"
log = get_logger()


async def claim_notices(pool: Pool, *, limit: int) -> list[Notice]:
    """Record notices as having left and hand them out, each once."""
    rows = await pool.fetch(
        """
        WITH due AS MATERIALIZED (
            SELECT notice_id FROM notices WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($3)) IS NOT NULL
             ORDER BY due_at, notice_id LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE notices AS notice SET due_at = NULL, left_at = photomat_now(), attempts = notice.attempts + 1
              FROM due
             WHERE notice.notice_id = due.notice_id
            RETURNING notice.*)
        SELECT changed.*, coalesce(language, $2) AS language
          FROM changed LEFT JOIN users ON users.user_id = changed.chat_id
         ORDER BY notice_id
        """,
        limit,
        DEFAULT_LANGUAGE,
        pool.bot_id,
    )
    return [_notice(row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier:
    """Sends recorded notices."""

    pool: Pool
    messenger: Messenger
    texts: Texts

    async def claim(self, limit: int) -> list[Notice]:
        """Take the notices that are due."""
        return await claim_notices(self.pool, limit=limit)

    async def send(self, notice: Notice) -> None:
        """Send one notice; put it back only when it surely never left."""
        failpoint("notice.after_record")
        try:
            message_id = await self._send(notice)
        except (Transient, Unauthorized) as error:
            await self._later(notice, error)
        except OutcomeUnknown as error:
            await self._end(notice, outcome="unknown", error=str(error))
        except Unreachable:
            await self._keep(notice)
        except PhotomatError as error:
            await self._end(notice, outcome="refused", error=str(error))
        else:
            failpoint("notice.after_send")
            await self._end(notice, outcome="sent", message_id=message_id)

    async def _send(self, notice: Notice) -> MessageId:
        say = self.texts.speaker(notice.language)
        text = say(notice.text_key, **notice.facts)
        keyboard: Keyboard = tuple(
            tuple(Button(text=say(one.text_key, **one.facts), data=one.data, url=one.url) for one in row)
            for row in notice.buttons
        )
        if notice.file is None:
            return await self.messenger.send_text(notice.chat_id, text, reply_to=None, keyboard=keyboard)
        media = Media(kind=MediaKind(notice.file.kind), source=notice.file.file_id, name="")
        return (await self.messenger.send_media(notice.chat_id, media, text, keyboard=keyboard)).message_id

    async def _later(self, notice: Notice, error: Transient | Unauthorized) -> None:
        """It surely never left: once more, later each time; the pace of a chat is no failure."""
        is_pace = isinstance(error, ChatBusy)
        if notice.attempts >= MOST_TRIES and not is_pace:
            await self._end(notice, outcome="refused", error=str(error))
            return
        asked_s = error.retry_after_s if isinstance(error, Transient) else None
        wait_s = asked_s or backoff_s(notice.attempts - 1, first_s=FIRST_RETRY_S)
        await self.pool.execute(
            """
            UPDATE notices
               SET due_at = photomat_now() + $3::interval, left_at = NULL, attempts = attempts - CASE WHEN $4 THEN 1 ELSE 0 END
             WHERE notice_id = $1 AND left_at = $2 AND outcome IS NULL
            """,
            notice.notice_id,
            notice.left_at,
            timedelta(seconds=wait_s),
            is_pace,
        )
        log.info("NOTICE_RETRY", key=notice.key, attempt=notice.attempts, error=str(error))

    async def _keep(self, notice: Notice) -> None:
        """It waits until its reader is back; from now on the reader is known to be away."""
        async with transaction(self.pool) as tx:
            if notice.chat_id > 0:
                await mark_blocked(tx, user_id=UserId(notice.chat_id))
            await tx.execute("UPDATE notices SET outcome = 'blocked' WHERE notice_id = $1", notice.notice_id)
        log.info("NOTICE", key=notice.key, text=notice.text_key, outcome="blocked")

    async def _end(
        self, notice: Notice, *, outcome: str, message_id: MessageId | None = None, error: str | None = None
    ) -> None:
        await self.pool.execute(
            "UPDATE notices SET outcome = $2, message_id = $3, error = $4 WHERE notice_id = $1",
            notice.notice_id,
            outcome,
            message_id,
            error,
        )
        log.info("NOTICE", key=notice.key, text=notice.text_key, outcome=outcome, error=error)


async def tell_what_was_missed(tx: Transaction, *, chat_id: ChatId) -> None:
    """Somebody who could not be reached is back: what was kept for them is due."""
    await tx.execute(
        """
        UPDATE notices SET due_at = photomat_now(), left_at = NULL, outcome = NULL, attempts = 0
         WHERE chat_id = $1 AND outcome = 'blocked'
        """,
        chat_id,
    )


def _notice(row: Row) -> Notice:
    file = None if row["file_id"] is None else NoticeFile(kind=row["file_kind"], file_id=row["file_id"])
    return Notice(
        notice_id=row["notice_id"],
        key=row["key"],
        chat_id=ChatId(row["chat_id"]),
        language=row["language"],
        text_key=row["text_key"],
        facts=facts_from_json(row["facts"]),
        buttons=buttons_from_json(row["buttons"]),
        file=file,
        left_at=row["left_at"],
        attempts=row["attempts"],
    )
