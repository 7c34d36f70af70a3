"""Every statement on `inbox` and `lanes`. Locks are taken in one order: a lane, then its inbox rows.

The counter `pending` of a lane changes only with the inbox row it counts, in one transaction, under the lane's row lock.
"""

from collections.abc import Sequence
from datetime import timedelta

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.inbox.update import PRE_CHECKOUT_LANES, Claimed
from photomat.kernel.ids import BotId, Fence, InstanceId, MessageId, ReceivedId


async def add_received(
    tx: Transaction, *, bot_id: BotId, update_ids: Sequence[int], lanes: Sequence[str], bodies: Sequence[str]
) -> list[tuple[int, str]]:
    """Store what is new, in order of update_id, and give its (update_id, lane)."""
    rows = await tx.fetch(
        """
        INSERT INTO inbox (bot_id, update_id, lane, body)
        SELECT $1, update_id, lane, body::jsonb
          FROM unnest($2::bigint[], $3::text[], $4::text[]) AS received (update_id, lane, body)
         ORDER BY update_id
            ON CONFLICT (bot_id, update_id) DO NOTHING
        RETURNING update_id, lane
        """,
        bot_id,
        update_ids,
        lanes,
        bodies,
    )
    return [(row["update_id"], row["lane"]) for row in rows]


async def raise_pending(tx: Transaction, *, bot_id: BotId, lanes: Sequence[str], added: Sequence[int]) -> None:
    """Count new updates into their lanes, locking the lanes in sorted order; a lane that slept is due now."""
    await tx.execute(
        """
        INSERT INTO lanes AS lane (bot_id, lane, pending)
        SELECT $1, name, added
          FROM unnest($2::text[], $3::int[]) AS news (name, added)
         ORDER BY name
            ON CONFLICT (bot_id, lane) DO UPDATE
           SET pending = lane.pending + excluded.pending,
               due_at = CASE WHEN lane.pending = 0 THEN photomat_now() ELSE lane.due_at END
        """,
        bot_id,
        lanes,
        added,
    )


async def lease_lane(
    tx: Transaction, *, bot_id: BotId, instance: InstanceId, lease_s: float, pre_checkout: bool
) -> tuple[str, Fence] | None:
    """Lock one due lane nobody holds, raise its fence and lease it."""
    row = await tx.fetchrow(
        """
        WITH due AS MATERIALIZED (
            SELECT lane
              FROM lanes
             WHERE bot_id = (SELECT photomat_our_bot($1))
               AND pending > 0
               AND due_at <= photomat_now()
               AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND starts_with(lane, $5) = $4
             ORDER BY due_at
             LIMIT 1
               FOR UPDATE SKIP LOCKED
        )
        UPDATE lanes
           SET fence = fence + 1, leased_until = photomat_now() + make_interval(secs => $3), leased_by = $2
          FROM due
         WHERE lanes.bot_id = $1 AND lanes.lane = due.lane
        RETURNING lanes.lane, lanes.fence
        """,
        bot_id,
        instance,
        lease_s,
        pre_checkout,
        PRE_CHECKOUT_LANES,
    )
    return (row["lane"], Fence(row["fence"])) if row else None


async def take_head(tx: Transaction, *, bot_id: BotId, lane: str, fence: Fence) -> Claimed | None:
    """Lock the oldest waiting update of a lane we have just leased, and count the attempt."""
    row = await tx.fetchrow(
        """
        WITH head AS MATERIALIZED (
            SELECT received_id
              FROM inbox
             WHERE bot_id = $1 AND lane = $2 AND handled_at IS NULL AND parked_at IS NULL
             ORDER BY received_id
             LIMIT 1
               FOR UPDATE
        )
        UPDATE inbox
           SET attempts = attempts + 1
          FROM head
         WHERE inbox.received_id = head.received_id
        RETURNING inbox.received_id, update_id, body, attempts, failures,
                  extract(epoch FROM photomat_now() - received_at)::float8 AS age_s
        """,
        bot_id,
        lane,
    )
    return _claimed(row, bot_id=bot_id, lane=lane, fence=fence) if row else None


async def reset_empty_lane(tx: Transaction, *, bot_id: BotId, lane: str) -> None:
    """Set the counter of a lane, locked by us and found empty, to what is true."""
    await tx.execute(
        "UPDATE lanes SET pending = 0, leased_until = NULL, leased_by = NULL WHERE bot_id = $1 AND lane = $2",
        bot_id,
        lane,
    )


async def lower_pending(tx: Transaction, claimed: Claimed) -> bool:
    """Take one update off its lane and give the lease back; False when the lane is no longer ours."""
    return bool(
        await tx.fetchval(
            """
            UPDATE lanes
               SET pending = pending - 1, due_at = photomat_now(), leased_until = NULL, leased_by = NULL
             WHERE bot_id = $1 AND lane = $2 AND fence = $3 AND leased_by IS NOT NULL
            RETURNING true
            """,
            claimed.bot_id,
            claimed.lane,
            claimed.fence,
        )
    )


async def put_off_lane(tx: Transaction, claimed: Claimed, *, wait_s: float) -> bool:
    """Give the lease back and let the lane rest; False when the lane is no longer ours."""
    return bool(
        await tx.fetchval(
            """
            UPDATE lanes
               SET due_at = photomat_now() + make_interval(secs => $4), leased_until = NULL, leased_by = NULL
             WHERE bot_id = $1 AND lane = $2 AND fence = $3 AND leased_by IS NOT NULL
            RETURNING true
            """,
            claimed.bot_id,
            claimed.lane,
            claimed.fence,
            wait_s,
        )
    )


async def free_lanes(pool: Pool, *, dead_after: timedelta) -> int:
    """End the leases of instances not seen for so long; until somebody claims anew, a late finish still counts."""
    rows = await pool.fetch(
        """
        UPDATE lanes
           SET leased_until = NULL
         WHERE pending > 0
           AND leased_until > photomat_now()
           AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING lane
        """,
        dead_after,
    )
    return len(rows)


async def forget_lane_of_one(tx: Transaction, claimed: Claimed) -> None:
    """Delete the lane of an ended pre-checkout query; it was made for that one update."""
    await tx.execute(
        "DELETE FROM lanes WHERE bot_id = $1 AND lane = $2 AND pending = 0 AND starts_with(lane, $3)",
        claimed.bot_id,
        claimed.lane,
        PRE_CHECKOUT_LANES,
    )


async def mark_handled(tx: Transaction, received_id: ReceivedId) -> bool:
    """Mark a waiting update as handled."""
    return bool(
        await tx.fetchval(
            """
            UPDATE inbox
               SET handled_at = photomat_now(), error = NULL
             WHERE received_id = $1 AND handled_at IS NULL AND parked_at IS NULL
            RETURNING true
            """,
            received_id,
        )
    )


async def mark_parked(tx: Transaction, received_id: ReceivedId, *, error: str) -> bool:
    """Put a waiting update aside for the operator."""
    return bool(
        await tx.fetchval(
            """
            UPDATE inbox
               SET parked_at = photomat_now(), error = $2
             WHERE received_id = $1 AND handled_at IS NULL AND parked_at IS NULL
            RETURNING true
            """,
            received_id,
            error,
        )
    )


async def note_trouble(tx: Transaction, received_id: ReceivedId, *, error: str, counted: bool) -> None:
    """Keep what went wrong, and count the failure; what does not count takes its attempt back."""
    await tx.execute(
        "UPDATE inbox SET error = $2, failures = failures + $3, attempts = attempts - $4 WHERE received_id = $1",
        received_id,
        error,
        int(counted),
        int(not counted),
    )


async def was_handled(pool: Pool, *, bot_id: BotId, update_id: int) -> bool:
    """Say whether an update was handled to its end."""
    return bool(
        await pool.fetchval(
            "SELECT handled_at IS NOT NULL FROM inbox WHERE bot_id = $1 AND update_id = $2", bot_id, update_id
        )
    )


async def count_waiting(pool: Pool) -> int:
    """Count the updates nobody has handled yet."""
    return int(await pool.fetchval("SELECT coalesce(sum(pending), 0) FROM lanes WHERE pending > 0"))


async def read_taps(
    pool: Pool, *, bot_id: BotId, lane: str, message_id: MessageId, since: ReceivedId, within: int, most: int
) -> list[Row]:
    """The updates of a lane that tapped this message, oldest first, among the `within` rows from `since` on."""
    return await pool.fetch(
        """
        SELECT update_id, received_at, handled_at, parked_at, attempts, error
          FROM inbox
         WHERE received_id BETWEEN $4 AND $4::bigint + $5 AND bot_id = $1 AND lane = $2
           AND (body #>> '{callback_query,message,message_id}')::bigint = $3
         ORDER BY received_id LIMIT $6
        """,
        bot_id,
        lane,
        message_id,
        since,
        within,
        most,
    )


def _claimed(row: Row, *, bot_id: BotId, lane: str, fence: Fence) -> Claimed:
    return Claimed(
        received_id=ReceivedId(row["received_id"]),
        bot_id=bot_id,
        update_id=row["update_id"],
        update=row["body"],
        lane=lane,
        fence=fence,
        attempts=row["attempts"],
        failures=row["failures"],
        age_s=row["age_s"],
    )
