"""A started broadcast from outside its messages: recipients are fixed, lost messages become unknown, the end is recorded.

Recipients are written in batches over the ids of users, a batch and how far it came in one transaction. Killed between two
batches, any instance goes on from there; nothing is sent before the last one. A message whose instance died before it was
recorded may have been sent or not: it is `unknown`, and never repeated.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.broadcasts.broadcast import BroadcastState, count_in, counts_as_json
from photomat.broadcasts.segment import CAN_BE_REACHED, MATCHES, segment_from_json
from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger

AUDIENCES_DUE: Final = "SELECT 1 FROM broadcasts WHERE due_at <= photomat_now()"
LOOK_EVERY: Final = timedelta(seconds=2)
BATCH: Final = 2000
"""So many users are looked at in one transaction."""
UNANSWERED_AFTER: Final = timedelta(minutes=10)
"""Longer than any call to Telegram lasts: a message that left before that and is not recorded never will be."""
FILL: Final = f"""
    WITH matching AS MATERIALIZED (
        SELECT users.user_id, {CAN_BE_REACHED} AS can_be_reached FROM users
         WHERE users.user_id > $11 AND users.user_id <= $12 AND {MATCHES}),
    added AS (
        INSERT INTO broadcast_sends (broadcast_id, user_id)
        SELECT $10, user_id FROM matching WHERE can_be_reached
            ON CONFLICT ON CONSTRAINT broadcast_sends_pkey DO NOTHING
        RETURNING user_id)
    UPDATE broadcasts
       SET filled_to = $12, recipients = recipients + (SELECT count(*) FROM added),
           known_blocked = known_blocked + (SELECT count(*) FROM matching WHERE NOT can_be_reached)
     WHERE broadcast_id = $10
    """  # noqa: S608  constants of ours
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audiences:
    """The loop that looks after started broadcasts, on every instance."""

    pool: Pool
    batch: int = BATCH

    async def claim(self, limit: int) -> list[int]:
        """Broadcasts to look after now; each is due again a little later, whatever happens to it here."""
        rows = await self.pool.fetch(
            """
            UPDATE broadcasts SET due_at = photomat_now() + $2::interval
             WHERE broadcast_id IN (
                   SELECT broadcast_id FROM broadcasts
                    WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($3)) IS NOT NULL
                    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            RETURNING broadcast_id
            """,
            limit,
            LOOK_EVERY,
            self.pool.bot_id,
        )
        return [row["broadcast_id"] for row in rows]

    async def look_after(self, broadcast_id: int) -> None:
        while await self._fill(broadcast_id):
            failpoint("broadcast.after_fill")
        await self._lose(broadcast_id)
        async with transaction(self.pool) as tx:
            await _end(tx, broadcast_id)

    async def _fill(self, broadcast_id: int) -> bool:
        """Write one batch of recipients; False when there is no more to do, also because it was stopped."""
        async with transaction(self.pool) as tx:
            row = await tx.fetchrow(
                """
                SELECT segment, filled_to FROM broadcasts
                 WHERE broadcast_id = $1 AND state = 'sending' AND filled_at IS NULL FOR NO KEY UPDATE
                """,
                broadcast_id,
            )
            if row is None:
                return False
            until = await tx.fetchval(
                """
                SELECT max(user_id) FROM (
                       SELECT user_id FROM users WHERE user_id > $1 ORDER BY user_id LIMIT $2) AS next
                """,
                row["filled_to"],
                self.batch,
            )
            if until is None:
                await _filled(tx, broadcast_id)
                return False
            arguments = segment_from_json(row["segment"]).arguments
            await tx.execute(FILL, *arguments, broadcast_id, row["filled_to"], until)
        return True

    async def _lose(self, broadcast_id: int) -> None:
        """Record as unknown what left with an instance that is dead, or was not answered for very long."""
        rows = await self.pool.fetch(
            """
            UPDATE broadcast_sends SET outcome = 'unknown', error = 'the instance that sent it died'
             WHERE broadcast_id = $1 AND left_at IS NOT NULL AND outcome IS NULL
               AND (left_at < photomat_now() - $2::interval
                    OR left_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $3::interval))
            RETURNING user_id
            """,
            broadcast_id,
            UNANSWERED_AFTER,
            DEAD_AFTER,
        )
        if rows:
            log.warning("BROADCAST_UNKNOWN", broadcast_id=broadcast_id, count=len(rows))


async def _filled(tx: Transaction, broadcast_id: int) -> None:
    row = await require_row(
        tx,
        """
        UPDATE broadcasts SET filled_at = photomat_now() WHERE broadcast_id = $1
        RETURNING reach, recipients, known_blocked
        """,
        broadcast_id,
    )
    log.info("BROADCAST_FILLED", broadcast_id=broadcast_id, **dict(row))


async def _end(tx: Transaction, broadcast_id: int) -> None:
    """Record the counts once nothing is on its way; a broadcast without recipients left is done."""
    row = await tx.fetchrow("SELECT state, filled_at FROM broadcasts WHERE broadcast_id = $1 FOR UPDATE", broadcast_id)
    if row is None or await _is_busy(tx, broadcast_id, state=row["state"], is_filled=row["filled_at"] is not None):
        return
    counts = await count_in(tx, broadcast_id)
    state = await tx.fetchval(
        """
        UPDATE broadcasts
           SET counts = $2, due_at = NULL, ended_at = coalesce(ended_at, photomat_now()),
               state = CASE state WHEN 'sending' THEN 'done' ELSE state END
         WHERE broadcast_id = $1
        RETURNING state
        """,
        broadcast_id,
        counts_as_json(counts),
    )
    log.info("BROADCAST_ENDED", broadcast_id=broadcast_id, state=state, **counts_as_json(counts))


async def _is_busy(tx: Transaction, broadcast_id: int, *, state: str, is_filled: bool) -> bool:
    """Whether a message is on its way, or waits to be sent."""
    found = await tx.fetchval(
        """
        SELECT EXISTS (SELECT FROM broadcast_sends
                        WHERE broadcast_id = $1 AND left_at IS NOT NULL AND outcome IS NULL)
            OR $2 AND EXISTS (SELECT FROM broadcast_sends WHERE broadcast_id = $1 AND due_at IS NOT NULL)
        """,
        broadcast_id,
        state == BroadcastState.SENDING,
    )
    return bool(found) or (state == BroadcastState.SENDING and not is_filled)


async def forget_recipient(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take Telegram's words out of a user's messages of broadcasts; that they were sent stays."""
    return len(
        await tx.fetch(
            """
            UPDATE broadcast_sends SET error = NULL
             WHERE user_id = $1 AND error IS NOT NULL
               AND broadcast_id IN (SELECT broadcast_id FROM broadcast_sends WHERE user_id = $1 AND error IS NOT NULL LIMIT $2)
            RETURNING broadcast_id
            """,
            user_id,
            limit,
        )
    )
