"""The ring: «✅ Генерация завершена» (or the sad news) as a reply to the card, so that the phone rings. At most once.

An edit rings no phone, so something must be sent, and a send cannot be repeated safely. It is recorded before it is sent
and sent again only when it surely never left. Killed in between: the ring is lost, which is harmless, for the picture is there.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, JobId, MessageId
from photomat.kernel.logs import correlated, get_logger
from photomat.telegram.port import Messenger
from photomat.texts.load import Texts

RETRY_S: Final = 5.0
RINGS_DUE: Final = "SELECT 1 FROM generation_jobs WHERE ring_due_at <= photomat_now()"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A ring recorded as rung, about to be sent."""

    job_id: JobId
    corr: str
    chat_id: ChatId
    card_message_id: MessageId
    language: str
    kind: str
    rung_at: datetime


async def claim_rings(pool: Pool, *, limit: int) -> list[Ring]:
    """Record rings as rung and hand them out, each once."""
    rows = await pool.fetch(
        f"""
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
        """,  # noqa: S608  a constant statement of the timeline
        limit,
        pool.bot_id,
    )
    return [_ring(row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ringer:
    """Sends recorded rings."""

    pool: Pool
    messenger: Messenger
    texts: Texts

    async def ring(self, ring: Ring) -> None:
        """Send one ring; put it back only when it surely never left."""
        with correlated(ring.corr, job_id=ring.job_id):
            failpoint("ring.after_record")
            text = self.texts.say(ring.language, f"ring-{ring.kind}")
            try:
                await self.messenger.send_text(ring.chat_id, text, reply_to=ring.card_message_id)
            except Transient as error:
                await _put_back(self.pool, ring, after_s=error.retry_after_s or RETRY_S)
                log.info("RING_RETRY", error=str(error))
            except OutcomeUnknown as error:
                log.warning("RING", kind=ring.kind, sent="unknown", error=str(error))
            except PhotomatError as error:
                log.warning("RING", kind=ring.kind, sent=False, error=type(error).__name__)
            else:
                failpoint("ring.after_send")
                log.info("RING", kind=ring.kind, sent=True)


async def _put_back(pool: Pool, ring: Ring, *, after_s: float) -> None:
    async with transaction(pool) as tx:
        put_back = await tx.fetchval(
            """
            UPDATE generation_jobs SET ring_due_at = photomat_now() + $4::interval
             WHERE job_id = $1 AND ring_kind = $2 AND rung_at = $3 AND ring_due_at IS NULL
            RETURNING true
            """,
            ring.job_id,
            ring.kind,
            ring.rung_at,
            timedelta(seconds=after_s),
        )
        if put_back:
            await timeline.record(tx, ring.job_id, Tag.RING_PUT_BACK, retry_s=round(after_s, 1))


def _ring(row: Row) -> Ring:
    return Ring(
        job_id=JobId(row["job_id"]),
        corr=row["corr"],
        chat_id=ChatId(row["chat_id"]),
        card_message_id=MessageId(row["card_message_id"]),
        language=row["language"],
        kind=row["kind"],
        rung_at=row["rung_at"],
    )
