"""The completion message, a reply to the card so that the phone rings: «✅ Генерация завершена», or what went wrong.

At most once. An edit makes no phone ring, so something must be sent, and a send cannot be repeated safely. The claim records
the ring before it is sent; one that a crash loses is harmless, because the result is on the card.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from photomat.db.floors import Queue
from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, JobId, MessageId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trace import span
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.port import Messenger
from photomat.texts.load import Texts

RETRY_S: Final = 5.0
IS_DUE: Final = "ring_due_at <= photomat_now() AND ring_due_at >= coalesce({floor}, '-infinity'::timestamptz)"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionNotice:
    """A completion message recorded as sent (`rung_at`), about to be sent."""

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
    pool: Pool
    messenger: Messenger
    texts: Texts

    DUE: ClassVar = "SELECT 1 FROM generation_jobs WHERE ring_due_at <= photomat_now()"
    QUEUE: ClassVar = Queue(
        due=f"SELECT 1 FROM generation_jobs WHERE {IS_DUE}",  # noqa: S608  a constant of ours
        oldest=f"SELECT least(min(ring_due_at), photomat_now()) - interval '1 second' FROM generation_jobs WHERE {IS_DUE}",  # noqa: S608  likewise
    )
    CLAIM: ClassVar = f"""
        WITH due AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE {IS_DUE.format(floor="$3")} AND bot_id = (SELECT photomat_our_bot($2))
             ORDER BY ring_due_at LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE generation_jobs AS job SET ring_due_at = NULL, rung_at = photomat_now()
              FROM due
             WHERE job.job_id = due.job_id
            RETURNING job.job_id, job.corr, job.chat_id, job.card_message_id, job.language, job.ring_kind AS kind, job.rung_at),
        event AS ({timeline.RECORD_RUNG})
        SELECT * FROM changed
        """  # noqa: S608  a constant statement of the timeline
    RETRIES: ClassVar = RetryPolicy(pause_s=lambda _attempts: RETRY_S)

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (self.pool.floors.of("rings"),)

    def read(self, row: Row) -> CompletionNotice:
        return CompletionNotice(**dict(row))

    def log_context(self, message: CompletionNotice) -> AbstractContextManager[object]:
        return correlated(message.corr, job_id=message.job_id)

    async def send(self, message: CompletionNotice) -> MessageId:
        failpoint("ring.after_record")
        text = self.texts.say(message.language, f"ring-{message.kind}")
        with span("job.ring"):
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
