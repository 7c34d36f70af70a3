"""Exports that users asked for: built by the worker that claims the row, then sent to their chat, at most once.

    claimed    a lease and a fence; killed while it is built, the row is claimed again and the export is built again
    left       committed just before the file is sent; killed after it, it is never sent again, and the user may ask again
    recorded   with its size, or why it was not sent

The file has no name (`files/conversion.py`), so nothing of it remains, however the process ends.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, ClassVar, Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, row_as
from photomat.files.conversion import temporary_file
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, Fence, MessageId, UserId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import notify
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.privacy.export import ExportBuilder, ExportTooLarge, export_name
from photomat.telegram.limits import CLOUD, MIB, BotApiLimits
from photomat.telegram.port import Media, MediaKind, Messenger
from photomat.work.retention import OldRows

LEASE: Final = timedelta(minutes=10)
"""Longer than the largest export takes to build and to send."""
EVERY: Final = timedelta(days=1)
REST_BYTES: Final = MIB
"""Room for the rest of the request."""
OLD_EXPORTS: Final = OldRows(table="export_requests", age="asked_at", only="due_at IS NULL")
log = get_logger()


class ExportClaimLost(Rejected):
    """Another worker took the request over, or it has left already."""

    def __init__(self) -> None:
        super().__init__("export-claim-lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportAnswer:
    """`wait`: the export of another request is under way or was sent within a day; how long until the next may be asked for."""

    is_new: bool
    wait: timedelta | None = None


async def ask_for_export(
    tx: Transaction, *, user_id: UserId, chat_id: ChatId, language: str, origin: str
) -> ExportAnswer:
    """Queue an export, once a day; `origin` names the update, which may be handled twice. The caller has locked the user.

    One whose sender died after the file had left is over with the sender's lease: it may not have arrived.
    """
    wait = await tx.fetchval(
        """
        SELECT until - photomat_now()
          FROM export_requests, LATERAL (SELECT CASE WHEN outcome IS NULL AND left_at IS NOT NULL THEN left_at + $4::interval
                                                     ELSE asked_at + $2::interval END AS until) AS next
         WHERE user_id = $1 AND asked_at > photomat_now() - $2::interval AND origin <> $3
           AND (outcome IS NULL OR outcome IN ('sent', 'unknown')) AND until > photomat_now()
         ORDER BY until DESC LIMIT 1
        """,
        user_id,
        EVERY,
        origin,
        LEASE,
    )
    if wait is not None:
        return ExportAnswer(is_new=False, wait=wait)
    made = await tx.fetchval(
        """
        INSERT INTO export_requests (user_id, chat_id, language, origin) VALUES ($1, $2, $3, $4)
            ON CONFLICT (origin) DO NOTHING
        RETURNING request_id
        """,
        user_id,
        chat_id,
        language,
        origin,
    )
    return ExportAnswer(is_new=made is not None)


async def forget_exports(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete the requests of a user; one whose file is being built loses its claim."""
    return len(
        await tx.fetch(
            """
            DELETE FROM export_requests
             WHERE request_id = ANY (ARRAY(SELECT request_id FROM export_requests WHERE user_id = $1 LIMIT $2))
            RETURNING request_id
            """,
            user_id,
            limit,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    request_id: int
    user_id: UserId
    chat_id: ChatId
    language: str
    fence: Fence
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSender(MessageKind[Export]):
    pool: Pool
    messenger: Messenger
    builder: ExportBuilder
    tmp: Path
    limits: BotApiLimits = CLOUD

    DUE: ClassVar = "SELECT 1 FROM export_requests WHERE due_at <= photomat_now()"
    CLAIM: ClassVar = """
        WITH due AS MATERIALIZED (
            SELECT request_id FROM export_requests
             WHERE due_at <= photomat_now() AND left_at IS NULL AND (SELECT photomat_our_bot($2)) IS NOT NULL
             ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        UPDATE export_requests AS request
           SET due_at = photomat_now() + $3::interval, fence = request.fence + 1, attempts = request.attempts + 1
          FROM due
         WHERE request.request_id = due.request_id
        RETURNING request.request_id, user_id, chat_id, language, fence, attempts
        """
    RETRIES: ClassVar = RetryPolicy(pause_s=partial(backoff_s, first_s=5.0), most_attempts=8, waits_for_token=True)

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (LEASE,)

    def read(self, row: Row) -> Export:
        return row_as(Export, row)

    async def send(self, message: Export) -> MessageId:
        with temporary_file(self.tmp) as file:
            most = self.limits.upload_bytes - REST_BYTES
            found = await self.builder.build(message.user_id, file, language=message.language, most_bytes=most)
            file.flush()
            await self._leave(message, size_bytes=file.tell())
            failpoint("export.after_record")
            media = Media(kind=MediaKind.DOCUMENT, source=_path_of(file), name=export_name(message.user_id), as_is=True)
            say = self.builder.texts.speaker(message.language)
            caption = say("export-caption", inside=len(found.inside), listed=len(found.listed))
            sent = await self.messenger.send_media(message.chat_id, media, caption)
        failpoint("export.after_send")
        return sent.message_id

    async def put_back(self, message: Export, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE export_requests
               SET due_at = photomat_now() + $3::interval, left_at = NULL,
                   attempts = attempts - CASE WHEN $4 THEN 0 ELSE 1 END
             WHERE request_id = $1 AND fence = $2 AND outcome IS NULL
            """,
            message.request_id,
            message.fence,
            again.after,
            again.is_counted,
        )
        log.info("EXPORT_RETRY", request_id=message.request_id, attempt=message.attempts, error=str(again.error))

    async def record(self, message: Export, ending: Ending) -> None:
        if isinstance(ending.error, ExportClaimLost):
            log.warning("EXPORT_CLAIM_LOST", request_id=message.request_id)
            return
        outcome = "blocked" if ending.outcome is Outcome.UNREACHABLE else ending.outcome.value
        async with transaction(self.pool) as tx:
            ours = await _end(tx, message, outcome=outcome, ending=ending)
            if ours and ending.outcome is Outcome.REFUSED:
                await _tell_why_not(tx, message, is_too_large=isinstance(ending.error, ExportTooLarge))
        log.info("EXPORT", request_id=message.request_id, user_id=message.user_id, outcome=outcome, error=ending.reason)

    async def _leave(self, message: Export, *, size_bytes: int) -> None:
        """Commit that the file leaves now; raise ExportClaimLost when it is not ours to send any more."""
        left = await self.pool.fetchval(
            """
            UPDATE export_requests SET left_at = photomat_now(), due_at = NULL, size_bytes = $3
             WHERE request_id = $1 AND fence = $2 AND left_at IS NULL
            RETURNING true
            """,
            message.request_id,
            message.fence,
            size_bytes,
        )
        if not left:
            raise ExportClaimLost


async def _tell_why_not(tx: Transaction, message: Export, *, is_too_large: bool) -> None:
    key, chat_id = f"export:{message.request_id}", message.chat_id
    if is_too_large:
        await notify(tx, key=key, chat_id=chat_id, text_key="export-too-large")
    else:
        await notify(tx, key=key, chat_id=chat_id, text_key="export-failed")


async def _end(tx: Transaction, message: Export, *, outcome: str, ending: Ending) -> bool:
    return bool(
        await tx.fetchval(
            """
            UPDATE export_requests
               SET outcome = $3, message_id = $4, error = $5, due_at = NULL, left_at = coalesce(left_at, photomat_now())
             WHERE request_id = $1 AND fence = $2
            RETURNING true
            """,
            message.request_id,
            message.fence,
            outcome,
            ending.message_id,
            ending.reason,
        )
    )


def _path_of(file: BinaryIO) -> Path:
    """The path under which a file without a name can be opened again, while it is open."""
    folder = "/proc/self/fd" if Path("/proc/self/fd").is_dir() else "/dev/fd"
    return Path(folder) / str(file.fileno())


async def drop_exports(tx: Transaction) -> int:
    """A restored database: an export that was asked for may have been sent since the backup; the user may ask again."""
    rows = await tx.fetch(
        """
        UPDATE export_requests SET due_at = NULL, left_at = photomat_now(), outcome = 'unknown', fence = fence + 1,
                                   error = 'restored from a backup'
         WHERE due_at IS NOT NULL RETURNING request_id
        """
    )
    return len(rows)
