"""Broadcasts as rows: drafts, their states, what became of them.

    draft → ready → sending → done
                       ↕
                    stopped

A draft is `ready` once a preview of exactly this content was shown in an operator's chat; a change makes it a draft again.
Every change of state is one guarded UPDATE, and a claim of a message locks the row of its broadcast (FOR SHARE), so after the
commit of a stop no message is claimed.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.broadcasts.content import BroadcastContent, BroadcastMedia, button_from_json
from photomat.broadcasts.segment import Segment, segment_from_json
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row, row_as
from photomat.kernel.ids import ChatId, UserId
from photomat.work.retention import Batch

COLUMNS: Final = """
    broadcast_id, text_ru, text_en, media_kind, media_file_id, media_upload IS NOT NULL AS has_upload, button, segment, state,
    created_by, created_at, reach, recipients, known_blocked, filled_at, started_at, ended_at, counts,
    preview_to, preview_due_at, preview_left_at, preview_outcome, preview_error
"""

COUNT: Final = """
    SELECT count(*) FILTER (WHERE outcome = 'sent') AS sent,
           count(*) FILTER (WHERE outcome = 'unknown') AS unknown,
           count(*) FILTER (WHERE outcome = 'blocked') AS blocked,
           count(*) FILTER (WHERE outcome = 'refused') AS refused,
           count(*) FILTER (WHERE due_at IS NOT NULL) AS waiting,
           count(*) FILTER (WHERE left_at IS NOT NULL AND outcome IS NULL) AS flying,
           count(tapped_at) AS tapped
      FROM broadcast_sends WHERE broadcast_id = $1
    """


class BroadcastState(StrEnum):
    DRAFT = "draft"
    READY = "ready"
    SENDING = "sending"
    STOPPED = "stopped"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastCounts:
    """What became of the recipients: they add up to all of them. `flying` have left and are not answered yet."""

    sent: int = 0
    unknown: int = 0
    blocked: int = 0
    refused: int = 0
    waiting: int = 0
    flying: int = 0
    tapped: int = 0

    @property
    def recipients(self) -> int:
        return self.sent + self.unknown + self.blocked + self.refused + self.waiting + self.flying

    @property
    def ended(self) -> int:
        return self.recipients - self.waiting - self.flying


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The last preview: to whom, when it left, and how it ended; `is_due` until it leaves."""

    chat_id: ChatId
    is_due: bool
    left_at: datetime | None
    outcome: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Broadcast:
    """`reach` is what the operator saw when they started it, `recipients` who there really were."""

    broadcast_id: int
    content: BroadcastContent
    has_upload: bool
    segment: Segment
    state: BroadcastState
    created_by: str
    created_at: datetime
    reach: int | None
    recipients: int
    known_blocked: int
    filled_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    counts: BroadcastCounts | None
    preview: Preview | None

    @property
    def is_open(self) -> bool:
        """Whether it may still be changed."""
        return self.state in {BroadcastState.DRAFT, BroadcastState.READY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """What became of one recipient."""

    user_id: UserId
    first_name: str
    username: str | None
    outcome: str
    error: str | None
    left_at: datetime | None
    attempts: int


async def add_draft(tx: Transaction, content: BroadcastContent, segment: Segment, *, operator: str) -> int:
    media, button = content.media, content.button
    return int(
        await tx.fetchval(
            """
            INSERT INTO broadcasts (text_ru, text_en, media_kind, media_file_id, media_upload, button, segment, created_by)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING broadcast_id
            """,
            content.text_ru,
            content.text_en,
            media and media.kind,
            media and media.file_id,
            media and media.upload,
            button and button.as_json(),
            segment.as_json(),
            operator,
        )
    )


async def change_draft(tx: Transaction, broadcast_id: int, content: BroadcastContent, segment: Segment) -> bool:
    """Replace what a draft says and whom it is for; its preview counts no more. False if it was started."""
    media, button = content.media, content.button
    changed = await tx.fetchval(
        """
        UPDATE broadcasts
           SET text_ru = $2, text_en = $3, button = $7, segment = $8,
               media_kind = CASE WHEN $9 THEN media_kind ELSE $4 END,
               media_file_id = CASE WHEN $9 THEN media_file_id ELSE $5 END,
               media_upload = CASE WHEN $9 THEN media_upload ELSE $6 END,
               state = 'draft', preview_due_at = NULL, preview_left_at = NULL, preview_outcome = NULL, preview_error = NULL
         WHERE broadcast_id = $1 AND state IN ('draft', 'ready')
        RETURNING true
        """,
        broadcast_id,
        content.text_ru,
        content.text_en,
        media and media.kind,
        media and media.file_id,
        media and media.upload,
        button and button.as_json(),
        segment.as_json(),
        media is not None and media.is_kept,
    )
    return changed is not None


async def change_segment(tx: Transaction, broadcast_id: int, segment: Segment) -> bool:
    """Aim a broadcast at others; what it says was looked at and stays. False if it was started."""
    changed = await tx.fetchval(
        """
        UPDATE broadcasts SET segment = $2 WHERE broadcast_id = $1 AND state IN ('draft', 'ready') RETURNING true
        """,
        broadcast_id,
        segment.as_json(),
    )
    return changed is not None


async def delete_draft(tx: Transaction, broadcast_id: int) -> bool:
    """Forget a draft that was never started."""
    gone = await tx.fetchval(
        "DELETE FROM broadcasts WHERE broadcast_id = $1 AND state IN ('draft', 'ready') RETURNING true", broadcast_id
    )
    return gone is not None


async def ask_preview(tx: Transaction, broadcast_id: int, *, chat_id: ChatId) -> bool:
    """Make a preview due to this chat; also again, also of one that was started."""
    asked = await tx.fetchval(
        """
        UPDATE broadcasts
           SET preview_to = $2, preview_due_at = photomat_now(), preview_left_at = NULL, preview_attempts = 0,
               preview_outcome = NULL, preview_error = NULL
         WHERE broadcast_id = $1
        RETURNING true
        """,
        broadcast_id,
        chat_id,
    )
    return asked is not None


async def start(tx: Transaction, broadcast_id: int, *, reach: int) -> bool:
    """Begin to fix the recipients of a ready broadcast; False if it is not ready."""
    begun = await tx.fetchval(
        """
        UPDATE broadcasts SET state = 'sending', started_at = photomat_now(), due_at = photomat_now(), reach = $2
         WHERE broadcast_id = $1 AND state = 'ready'
        RETURNING true
        """,
        broadcast_id,
        reach,
    )
    return begun is not None


async def stop(tx: Transaction, broadcast_id: int) -> bool:
    """No message is claimed after this commit; what has left is answered. False if it is not being sent."""
    stopped = await tx.fetchval(
        """
        UPDATE broadcasts SET state = 'stopped', ended_at = photomat_now(), due_at = photomat_now()
         WHERE broadcast_id = $1 AND state = 'sending'
        RETURNING true
        """,
        broadcast_id,
    )
    return stopped is not None


async def drop_broadcasts(tx: Transaction) -> int:
    """A restored database: stop what is being sent; its recipients may have got it since. Return how many they are."""
    rows = await tx.fetch(
        """
        UPDATE broadcast_sends SET due_at = NULL, left_at = coalesce(left_at, photomat_now()), outcome = 'unknown',
                                   error = 'restored from a backup'
         WHERE outcome IS NULL RETURNING user_id
        """
    )
    await tx.execute(
        """
        UPDATE broadcasts SET state = 'stopped', ended_at = photomat_now(), due_at = photomat_now(),
                              filled_at = coalesce(filled_at, photomat_now())
         WHERE state = 'sending'
        """
    )
    await tx.execute(
        """
        UPDATE broadcasts SET preview_due_at = NULL, preview_left_at = photomat_now(), preview_outcome = 'unknown'
         WHERE preview_due_at IS NOT NULL
        """
    )
    return len(rows)


async def resume(tx: Transaction, broadcast_id: int) -> bool:
    """Go on with a stopped broadcast; False if it is not stopped, or no recipient is left."""
    resumed = await tx.fetchval(
        """
        UPDATE broadcasts AS broadcast
           SET state = 'sending', ended_at = NULL, counts = NULL, due_at = photomat_now()
         WHERE broadcast_id = $1 AND state = 'stopped'
           AND (filled_at IS NULL
                OR EXISTS (SELECT FROM broadcast_sends AS send
                            WHERE send.broadcast_id = broadcast.broadcast_id AND send.due_at IS NOT NULL))
        RETURNING true
        """,
        broadcast_id,
    )
    return resumed is not None


async def find_broadcast(pool: Pool, broadcast_id: int) -> Broadcast | None:
    row = await pool.fetchrow(f"SELECT {COLUMNS} FROM broadcasts WHERE broadcast_id = $1", broadcast_id)  # noqa: S608  a constant
    return None if row is None else _broadcast(row)


async def lock_broadcast(tx: Transaction, broadcast_id: int) -> Broadcast | None:
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM broadcasts WHERE broadcast_id = $1 FOR UPDATE",  # noqa: S608  a constant
        broadcast_id,
    )
    return None if row is None else _broadcast(row)


async def list_broadcasts(
    pool: Pool, *, limit: int, before: int | None = None, state: BroadcastState | None = None
) -> list[Broadcast]:
    """The newest first; `before` is the id of the last one seen."""
    rows = await pool.fetch(
        f"""
        SELECT {COLUMNS} FROM broadcasts
         WHERE ($2::bigint IS NULL OR broadcast_id < $2) AND ($3::text IS NULL OR state = $3)
         ORDER BY broadcast_id DESC LIMIT $1
        """,  # noqa: S608  a constant
        limit,
        before,
        state,
    )
    return [_broadcast(row) for row in rows]


async def counts_of(pool: Pool, broadcast: Broadcast) -> BroadcastCounts:
    """The outcomes so far; counted from the rows while something can still happen to them."""
    if broadcast.counts is not None:
        return broadcast.counts
    if broadcast.is_open:
        return BroadcastCounts()
    return row_as(BroadcastCounts, await require_row(pool, COUNT, broadcast.broadcast_id))


async def count_in(tx: Transaction, broadcast_id: int) -> BroadcastCounts:
    return row_as(BroadcastCounts, await require_row(tx, COUNT, broadcast_id))


async def list_sends(pool: Pool, broadcast_id: int, *, outcome: str, limit: int, after: int = 0) -> list[Send]:
    """Recipients with this outcome (`unknown`, `refused` or `blocked`), by id; `after` is the last one seen."""
    rows = await pool.fetch(
        """
        SELECT send.user_id, users.first_name, users.username, send.outcome, send.error, send.left_at, send.attempts
          FROM broadcast_sends AS send JOIN users USING (user_id)
         WHERE send.broadcast_id = $1 AND send.outcome = $2 AND send.outcome IN ('unknown', 'refused', 'blocked')
           AND send.user_id > $4
         ORDER BY send.user_id LIMIT $3
        """,
        broadcast_id,
        outcome,
        limit,
        after,
    )
    return [Send(**dict(row)) for row in rows]


async def note_tap(tx: Transaction, broadcast_id: int, *, user_id: UserId) -> str | None:
    """Count the first tap of a recipient on the button; return what the button opens."""
    await tx.execute(
        """
        WITH first AS (
            UPDATE broadcast_sends SET tapped_at = photomat_now()
             WHERE broadcast_id = $1 AND user_id = $2 AND tapped_at IS NULL
            RETURNING broadcast_id)
        UPDATE broadcasts SET counts = jsonb_set(counts, '{tapped}', to_jsonb((counts ->> 'tapped')::integer + 1))
          FROM first WHERE broadcasts.broadcast_id = first.broadcast_id AND counts IS NOT NULL
        """,
        broadcast_id,
        user_id,
    )
    opens: str | None = await tx.fetchval(
        "SELECT button ->> 'opens' FROM broadcasts WHERE broadcast_id = $1", broadcast_id
    )
    return opens


async def count_old_sends(pool: Pool, older_than: timedelta) -> int:
    return int(
        await pool.fetchval(
            """
            SELECT count(*) FROM broadcasts JOIN broadcast_sends USING (broadcast_id)
             WHERE ended_at < photomat_now() - $1::interval AND counts IS NOT NULL
            """,
            older_than,
        )
    )


async def delete_old_sends(pool: Pool, older_than: timedelta, limit: int) -> Batch:
    """Delete recipients of broadcasts that ended long ago; their counts stay on the broadcast."""
    done = await pool.execute(
        """
        DELETE FROM broadcast_sends
         WHERE ctid = ANY (ARRAY(
               SELECT old.ctid FROM broadcasts AS ended
                CROSS JOIN LATERAL (SELECT send.ctid FROM broadcast_sends AS send
                                     WHERE send.broadcast_id = ended.broadcast_id
                                     LIMIT $2 FOR UPDATE SKIP LOCKED) AS old
                WHERE ended.ended_at < photomat_now() - $1::interval AND ended.counts IS NOT NULL
                LIMIT $2))
        """,
        older_than,
        limit,
    )
    deleted = int(done.rpartition(" ")[2])
    return Batch(deleted, more=deleted == limit)


def counts_as_json(counts: BroadcastCounts) -> dict[str, int]:
    return asdict(counts)


def _broadcast(row: Row) -> Broadcast:
    media = None if row["media_kind"] is None else BroadcastMedia(kind=row["media_kind"], file_id=row["media_file_id"])
    content = BroadcastContent(
        text_ru=row["text_ru"], text_en=row["text_en"], media=media, button=button_from_json(row["button"])
    )
    return Broadcast(
        broadcast_id=row["broadcast_id"],
        content=content,
        has_upload=row["has_upload"],
        segment=segment_from_json(row["segment"]),
        state=BroadcastState(row["state"]),
        created_by=row["created_by"],
        created_at=row["created_at"],
        reach=row["reach"],
        recipients=row["recipients"],
        known_blocked=row["known_blocked"],
        filled_at=row["filled_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        counts=None if row["counts"] is None else BroadcastCounts(**row["counts"]),
        preview=_preview(row),
    )


def _preview(row: Row) -> Preview | None:
    if row["preview_due_at"] is None and row["preview_left_at"] is None:
        return None
    return Preview(
        chat_id=ChatId(row["preview_to"]),
        is_due=row["preview_due_at"] is not None,
        left_at=row["preview_left_at"],
        outcome=row["preview_outcome"],
        error=row["preview_error"],
    )
