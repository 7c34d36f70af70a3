"""Notices: a text of ours to one chat, with facts, buttons and a file. Written once by key, sent at most once.

`notify` writes the row in the transaction of its cause, unique by its key, so one event causes one notice. A user who blocked
the bot gets the waiting notices on their return. Everything a notice says is also in the wallet, on the card or in the
operators' lists, because a notice may be lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, row_as
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import PhotomatError
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, MessageId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram import callback_data
from photomat.telegram.port import Button, Card, Keyboard, Media, MediaKind, Messenger
from photomat.texts.load import Texts
from photomat.users.user import DEFAULT_LANGUAGE, mark_blocked
from photomat.work.retention import OldRows

Facts: TypeAlias = Mapping[str, str | int | Money]
FileKind: TypeAlias = Literal["photo", "video", "animation", "audio", "voice", "document"]
FIRST_RETRY_S: Final = 2.0
MAX_TRIES: Final = 10
ENDED_NOTICES: Final = OldRows(table="notices", age="created_at", only="due_at IS NULL")
"""What may be deleted: also what waits for a user who never came back."""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeButton:
    """A button under a notice: the key of its text, and what it calls back with or opens."""

    text_key: str
    data: str | None = None
    url: str | None = None
    facts: Facts = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"text_key": self.text_key, "data": self.data, "url": self.url, "facts": facts_as_json(self.facts)}


TO_BALANCE: Final = NoticeButton(text_key="menu-balance", data=callback_data.OPEN_BALANCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFile:
    kind: FileKind
    file_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedMessage:
    """A message of ours that a notice makes obsolete: it gets this text, with the facts of the notice, and no buttons."""

    chat_id: int
    message_id: int
    text_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One notice recorded as having left, about to be sent."""

    notice_id: int
    key: str
    chat_id: ChatId
    language: str
    text_key: str
    facts: Facts
    buttons: Sequence[Sequence[NoticeButton]]
    file: NoticeFile | None
    ends: EndedMessage | None
    left_at: datetime
    attempts: int


def facts_as_json(facts: Facts) -> dict[str, Any]:
    return {
        name: {"minor": fact.minor, "currency": fact.currency} if isinstance(fact, Money) else fact
        for name, fact in facts.items()
    }


def facts_from_json(stored: Mapping[str, Any]) -> Facts:
    return {
        name: Money(int(fact["minor"]), str(fact["currency"])) if isinstance(fact, dict) else fact
        for name, fact in stored.items()
    }


def buttons_from_json(stored: Sequence[Sequence[Mapping[str, Any]]]) -> list[list[NoticeButton]]:
    return [[NoticeButton(**{**button, "facts": facts_from_json(button["facts"])}) for button in row] for row in stored]


async def notify(
    tx: Transaction,
    *,
    key: str,
    chat_id: ChatId,
    text_key: str,
    facts: Facts | None = None,
    buttons: Sequence[Sequence[NoticeButton]] = (),
    file: NoticeFile | None = None,
    ends: EndedMessage | None = None,
) -> bool:
    """Add a notice; False if its key was used before. What a user wrote must be escaped for HTML."""
    made = await tx.fetchval(
        """
        INSERT INTO notices (key, chat_id, text_key, facts, buttons, file_kind, file_id, ends)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (key) DO NOTHING
        RETURNING notice_id
        """,
        key,
        chat_id,
        text_key,
        facts_as_json(facts or {}),
        [[button.as_json() for button in row] for row in buttons],
        file.kind if file else None,
        file.file_id if file else None,
        asdict(ends) if ends else None,
    )
    return made is not None


async def retry_blocked_notices(tx: Transaction, *, chat_id: ChatId) -> None:
    """The user can be reached again: make their waiting notices due."""
    await tx.execute(
        """
        UPDATE notices SET due_at = photomat_now(), left_at = NULL, outcome = NULL, attempts = 0
         WHERE chat_id = $1 AND outcome = 'blocked'
        """,
        chat_id,
    )


async def drop_notices(tx: Transaction, *, about: Sequence[str] = ("",)) -> int:
    """A restored database: notices that wait, by the beginning of their keys, may have been sent before: they are not sent."""
    rows = await tx.fetch(
        """
        UPDATE notices SET due_at = NULL, left_at = photomat_now(), outcome = 'unknown', error = 'restored from a backup'
         WHERE due_at IS NOT NULL AND EXISTS (SELECT FROM unnest($1::text[]) AS prefix WHERE starts_with(key, prefix))
        RETURNING notice_id
        """,
        list(about),
    )
    return len(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSender(MessageKind[Notice]):
    """Sends notices, each in the language of its reader at that moment."""

    pool: Pool
    messenger: Messenger
    texts: Texts

    DUE: ClassVar = "SELECT 1 FROM notices WHERE due_at <= photomat_now()"
    CLAIM: ClassVar = """
        WITH due AS MATERIALIZED (
            SELECT notice_id FROM notices WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($2)) IS NOT NULL
               AND NOT (SELECT photomat_paused('restore'))
             ORDER BY due_at, notice_id LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE notices AS notice SET due_at = NULL, left_at = photomat_now(), attempts = notice.attempts + 1
              FROM due
             WHERE notice.notice_id = due.notice_id
            RETURNING notice.*)
        SELECT changed.*, coalesce(language, $3) AS language
          FROM changed LEFT JOIN users ON users.user_id = changed.chat_id
         ORDER BY notice_id
        """
    RETRIES: ClassVar = RetryPolicy(
        pause_s=partial(backoff_s, first_s=FIRST_RETRY_S), most_attempts=MAX_TRIES, waits_for_token=True
    )

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (DEFAULT_LANGUAGE,)

    def read(self, row: Row) -> Notice:
        return row_as(
            Notice,
            row,
            facts=facts_from_json(row["facts"]),
            buttons=buttons_from_json(row["buttons"]),
            file=None if row["file_id"] is None else NoticeFile(kind=row["file_kind"], file_id=row["file_id"]),
            ends=None if row["ends"] is None else EndedMessage(**row["ends"]),
        )

    async def send(self, message: Notice) -> MessageId:
        failpoint("notice.after_record")
        say = self.texts.speaker(message.language)
        text = say(message.text_key, **message.facts)
        if message.ends is not None:
            await self._end(message.ends, say(message.ends.text_key, **message.facts))
        keyboard: Keyboard = tuple(
            tuple(Button(text=say(one.text_key, **one.facts), data=one.data, url=one.url) for one in row)
            for row in message.buttons
        )
        if message.file is None:
            message_id = await self.messenger.send_text(message.chat_id, text, reply_to=None, keyboard=keyboard)
        else:
            media = Media(kind=MediaKind(message.file.kind), source=message.file.file_id, name="")
            message_id = (await self.messenger.send_media(message.chat_id, media, text, keyboard=keyboard)).message_id
        failpoint("notice.after_send")
        return message_id

    async def _end(self, ended: EndedMessage, text: str) -> None:
        """Best effort: a message that is gone or cannot be edited now stays as it is."""
        card = Card(chat_id=ChatId(ended.chat_id), message_id=MessageId(ended.message_id))
        try:
            await self.messenger.edit_text(card, text, ())
        except PhotomatError as error:
            log.info("MESSAGE_NOT_ENDED", chat_id=card.chat_id, message_id=card.message_id, error=str(error))

    async def put_back(self, message: Notice, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE notices
               SET due_at = photomat_now() + $3::interval, left_at = NULL, attempts = attempts - CASE WHEN $4 THEN 0 ELSE 1 END
             WHERE notice_id = $1 AND left_at = $2 AND outcome IS NULL
            """,
            message.notice_id,
            message.left_at,
            again.after,
            again.is_counted,
        )
        log.info("NOTICE_RETRY", key=message.key, attempt=message.attempts, error=str(again.error))

    async def record(self, message: Notice, ending: Ending) -> None:
        """Record the outcome; a notice to an unreachable user waits as blocked, and the user is marked as having blocked us."""
        is_blocked = ending.outcome is Outcome.UNREACHABLE
        outcome = "blocked" if is_blocked else ending.outcome.value
        error = None if is_blocked else ending.reason
        async with transaction(self.pool) as tx:
            if is_blocked and message.chat_id > 0:
                await mark_blocked(tx, user_id=UserId(message.chat_id))
            await tx.execute(
                "UPDATE notices SET outcome = $3, message_id = $4, error = $5 WHERE notice_id = $1 AND left_at = $2",
                message.notice_id,
                message.left_at,
                outcome,
                ending.message_id,
                error,
            )
        log.info("NOTICE", key=message.key, text=message.text_key, outcome=outcome, error=error)


async def forget_notices(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take the words out of a batch of what was sent to a user, and drop what is still to be sent.

    The rows stay until retention deletes them: their keys make sure that nothing is said twice.
    """
    return len(
        await tx.fetch(
            """
            UPDATE notices
               SET facts = '{}', buttons = '[]', file_kind = NULL, file_id = NULL, ends = NULL, error = NULL, due_at = NULL
             WHERE notice_id = ANY (ARRAY(
                   SELECT notice_id FROM notices
                    WHERE chat_id = $1 AND (facts <> '{}' OR buttons <> '[]' OR file_id IS NOT NULL OR ends IS NOT NULL
                                            OR error IS NOT NULL OR due_at IS NOT NULL)
                    ORDER BY notice_id LIMIT $2 FOR UPDATE))
            RETURNING notice_id
            """,
            user_id,
            limit,
        )
    )


async def blank_notices(tx: Transaction, beginnings: Sequence[str]) -> None:
    """Take the words out of notices to any chat whose keys begin like this: they are about a user who is forgotten."""
    await tx.execute(
        """
        UPDATE notices
           SET facts = '{}', buttons = '[]', file_kind = NULL, file_id = NULL, ends = NULL, error = NULL, due_at = NULL
          FROM unnest($1::text[]) AS beginning
         WHERE key >= beginning COLLATE "C" AND key < (beginning || '~') COLLATE "C"
        """,
        list(beginnings),
    )
