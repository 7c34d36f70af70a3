"""The statements that store, claim and end updates. Locks are taken in one order: a lane, then its inbox rows.

The counter `pending` of a lane changes only with the inbox row it counts, in one transaction, under the lane's row lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from photomat.db.floors import Floor
from photomat.db.pool import Transaction
from photomat.db.rows import row_as
from photomat.inbox.update import PRE_CHECKOUT_LANES, Claimed
from photomat.kernel.ids import BotId, InstanceId, ReceivedId

COUNTED_FOR: Final = timedelta(minutes=1)
SKIPPED: Final = "skipped: more updates than a minute may have"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An update to be stored; one that is `limited` counts towards the limit of a minute."""

    update_id: int
    lane: str
    body: str
    is_limited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUpdate:
    """An update that was stored now; how many limited ones its lane got in its minute, and what remains of the minute."""

    received_id: ReceivedId
    update_id: int
    lane: str
    counted: int
    counted_from: datetime
    remaining: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedClaim:
    """A claim that was still ours: how many updates wait in its lane, and whether its update was not ended before."""

    waiting: int
    is_handled: bool


async def add_received(tx: Transaction, *, bot_id: BotId, updates: Sequence[Received]) -> list[NewUpdate]:
    """Store updates and add them to the counters of their lanes, both in sorted order; an empty lane is due now.

    Nothing is stored in a database of another bot. The count of a minute begins again with the first update after its end.
    """
    rows = await tx.fetch(
        """
        WITH given AS (
            SELECT DISTINCT ON (update_id) *
              FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bool[]) AS received (update_id, lane, body, is_limited)
             ORDER BY update_id
        ), new AS (
            INSERT INTO inbox (bot_id, update_id, lane, body)
            SELECT $1, update_id, lane, body::jsonb FROM given WHERE (SELECT photomat_our_bot($1)) IS NOT NULL
             ORDER BY update_id
                ON CONFLICT (bot_id, update_id) DO NOTHING
            RETURNING received_id, update_id, lane
        ), counts AS (
            INSERT INTO lanes AS lane (bot_id, lane, pending, counted, counted_from)
            SELECT $1, new.lane, count(*), count(*) FILTER (WHERE is_limited), photomat_now()
              FROM new JOIN given USING (update_id)
             GROUP BY new.lane ORDER BY new.lane
                ON CONFLICT (bot_id, lane) DO UPDATE
               SET pending = lane.pending + excluded.pending,
                   due_at = CASE WHEN lane.pending = 0 THEN photomat_now() ELSE lane.due_at END,
                   counted = excluded.counted
                       + CASE WHEN lane.counted_from > photomat_now() - $6::interval THEN lane.counted ELSE 0 END,
                   counted_from = CASE WHEN lane.counted_from > photomat_now() - $6::interval
                                       THEN lane.counted_from ELSE photomat_now() END
            RETURNING lane, counted, counted_from, counted_from + $6::interval - photomat_now() AS remaining
        )
        SELECT received_id, update_id, lane, counted, counted_from, remaining
          FROM new JOIN counts USING (lane)
         ORDER BY lane, update_id
        """,
        bot_id,
        [each.update_id for each in updates],
        [each.lane for each in updates],
        [each.body for each in updates],
        [each.is_limited for each in updates],
        COUNTED_FOR,
    )
    return [NewUpdate(**dict(row)) for row in rows]


async def add_pending(tx: Transaction, *, bot_id: BotId, lane: str, added: int) -> None:
    """Correct the counter of a lane by updates that were stored before; an empty lane is due now."""
    await tx.execute(
        """
        INSERT INTO lanes AS lane (bot_id, lane, pending) VALUES ($1, $2, $3)
            ON CONFLICT (bot_id, lane) DO UPDATE
           SET pending = lane.pending + excluded.pending,
               due_at = CASE WHEN lane.pending = 0 THEN photomat_now() ELSE lane.due_at END
        """,
        bot_id,
        lane,
        added,
    )


async def skip_received(tx: Transaction, *, bot_id: BotId, lane: str, received_ids: Sequence[ReceivedId]) -> None:
    """End updates that were just added, without a handler, unless one was claimed in between."""
    await lock_lanes(tx, bot_id=bot_id, lanes=[lane])
    await tx.execute(
        """
        WITH skipped AS (
            UPDATE inbox SET handled_at = photomat_now(), error = $4
             WHERE received_id = ANY($3::bigint[]) AND attempts = 0 AND num_nulls(handled_at, parked_at) = 2
            RETURNING received_id
        )
        UPDATE lanes SET pending = pending - (SELECT count(*) FROM skipped) WHERE bot_id = $1 AND lane = $2
        """,
        bot_id,
        lane,
        received_ids,
        SKIPPED,
    )


class ClaimedLanes(NamedTuple):
    """The updates claimed, and the lanes in which the statement saw none."""

    claims: list[Claimed]
    empty: list[str]


async def lease_lanes(
    tx: Transaction,
    *,
    bot_id: BotId,
    instance: InstanceId,
    lease_s: float,
    pre_checkout: bool,
    limit: int,
    floor: Floor = None,
) -> ClaimedLanes:
    """Lease up to `limit` due lanes, those due longest first; lock the oldest waiting update of each and count the attempt.

    A lane in which no update is seen is not leased. The head of a lane is ordered by its lane, too: only the index of waiting
    updates has that order. Where most updates wait in one lane, the planner would look for the others among all of them.
    """
    rows = await tx.fetch(
        """
        WITH due AS MATERIALIZED (
            SELECT lane
              FROM lanes
             WHERE bot_id = (SELECT photomat_our_bot($1))
               AND pending > 0
               AND due_at <= photomat_now()
               AND due_at >= coalesce($7, '-infinity'::timestamptz)
               AND (leased_until IS NULL OR leased_until <= photomat_now())
               AND starts_with(lane, $5) = $4
             ORDER BY due_at
             LIMIT $6
               FOR UPDATE SKIP LOCKED
        ), heads AS MATERIALIZED (
            SELECT due.lane, head.received_id
              FROM due
              LEFT JOIN LATERAL (
                   SELECT received_id
                     FROM inbox
                    WHERE bot_id = $1 AND inbox.lane BETWEEN due.lane AND due.lane AND handled_at IS NULL AND parked_at IS NULL
                    ORDER BY inbox.lane, received_id
                    LIMIT 1
                      FOR UPDATE
                   ) AS head ON true
        ), leased AS (
            UPDATE lanes
               SET fence = fence + 1, leased_until = photomat_now() + make_interval(secs => $3), leased_by = $2
              FROM heads
             WHERE lanes.bot_id = $1 AND lanes.lane = heads.lane AND heads.received_id IS NOT NULL
            RETURNING lanes.lane, fence
        ), taken AS (
            UPDATE inbox
               SET attempts = attempts + 1
              FROM heads
             WHERE inbox.received_id = heads.received_id
            RETURNING inbox.received_id, update_id, inbox.lane, body, attempts, failures,
                      extract(epoch FROM photomat_now() - received_at)::float8 AS age_s
        )
        SELECT heads.lane, fence, taken.received_id, update_id, body, attempts, failures, age_s
          FROM heads LEFT JOIN leased USING (lane) LEFT JOIN taken USING (lane)
         ORDER BY taken.received_id
        """,
        bot_id,
        instance,
        lease_s,
        pre_checkout,
        PRE_CHECKOUT_LANES,
        limit,
        floor,
    )
    return ClaimedLanes(
        claims=[row_as(Claimed, row, bot_id=bot_id, update=row["body"]) for row in rows if row["fence"] is not None],
        empty=[row["lane"] for row in rows if row["fence"] is None],
    )


async def lock_lanes(tx: Transaction, *, bot_id: BotId, lanes: Sequence[str]) -> None:
    await tx.execute(
        "SELECT FROM lanes WHERE bot_id = $1 AND lane = ANY($2::text[]) ORDER BY lane FOR UPDATE", bot_id, list(lanes)
    )


async def count_locked(tx: Transaction, *, bot_id: BotId, lanes: Sequence[str]) -> None:
    """Set the counters of lanes whose rows are locked to what waits in them; their leases stay."""
    await tx.execute(
        """
        UPDATE lanes
           SET pending = (SELECT count(*) FROM inbox
                           WHERE inbox.bot_id = lanes.bot_id AND inbox.lane = lanes.lane
                             AND handled_at IS NULL AND parked_at IS NULL)
         WHERE bot_id = $1 AND lane = ANY($2::text[])
        """,
        bot_id,
        list(lanes),
    )


async def end_claims(tx: Transaction, claims: Sequence[Claimed]) -> dict[ReceivedId, EndedClaim]:
    """Mark updates as handled and end the leases of their lanes. Those whose lane was lost are left out.

    Lanes are locked in one order: two instances may hold claims of the same lanes, one of them lost. `num_nulls` is no
    condition of an index, so updates are found by their number, not searched for among all that ever waited.
    """
    rows = await tx.fetch(
        """
        WITH held AS MATERIALIZED (
            SELECT lanes.bot_id, lanes.lane, claimed.received_id
              FROM lanes
              JOIN unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS claimed (bot_id, lane, fence, received_id)
                ON lanes.bot_id = claimed.bot_id AND lanes.lane = claimed.lane AND lanes.fence = claimed.fence
             WHERE leased_by IS NOT NULL
             ORDER BY lanes.lane
               FOR UPDATE OF lanes
        ), lowered AS (
            UPDATE lanes
               SET pending = pending - 1, due_at = photomat_now(), leased_until = NULL, leased_by = NULL
              FROM held
             WHERE lanes.bot_id = held.bot_id AND lanes.lane = held.lane
            RETURNING held.received_id, pending
        ), handled AS (
            UPDATE inbox
               SET handled_at = photomat_now(), error = NULL
              FROM held
             WHERE inbox.received_id = held.received_id AND num_nulls(handled_at, parked_at) = 2
            RETURNING inbox.received_id
        )
        SELECT received_id, pending AS waiting, handled.received_id IS NOT NULL AS is_handled
          FROM lowered LEFT JOIN handled USING (received_id)
        """,
        [claimed.bot_id for claimed in claims],
        [claimed.lane for claimed in claims],
        [claimed.fence for claimed in claims],
        [claimed.received_id for claimed in claims],
    )
    return {row["received_id"]: EndedClaim(waiting=row["waiting"], is_handled=row["is_handled"]) for row in rows}


async def end_lease(tx: Transaction, claimed: Claimed) -> bool:
    """End the lease of a claim whose update is set aside; False when the lane was lost."""
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
    """Release the lease and delay the lane; False when the lane was lost."""
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


async def forget_lanes_of_one(tx: Transaction, claims: Sequence[Claimed]) -> None:
    """Delete the lanes of ended pre-checkout queries; each was made for one update."""
    lanes = [claimed.lane for claimed in claims if claimed.lane.startswith(PRE_CHECKOUT_LANES)]
    if lanes:
        await tx.execute(
            "DELETE FROM lanes WHERE bot_id = ANY($1::bigint[]) AND lane = ANY($2::text[]) AND pending = 0",
            [claimed.bot_id for claimed in claims],
            lanes,
        )


async def mark_parked(tx: Transaction, received_id: ReceivedId, *, error: str) -> bool:
    return bool(
        await tx.fetchval(
            """
            UPDATE inbox
               SET parked_at = photomat_now(), error = $2
             WHERE received_id = $1 AND num_nulls(handled_at, parked_at) = 2
            RETURNING true
            """,
            received_id,
            error,
        )
    )


async def end_waiting(tx: Transaction, *, error: str) -> int:
    """End every waiting update without a handler, except payments; return how many."""
    rows = await tx.fetch(
        """
        UPDATE inbox SET handled_at = photomat_now(), error = $1
         WHERE handled_at IS NULL AND parked_at IS NULL
           AND body #> '{message,successful_payment}' IS NULL AND body #> '{message,refunded_payment}' IS NULL
        RETURNING received_id
        """,
        error,
    )
    return len(rows)


async def count_again(tx: Transaction) -> None:
    """Set every lane's counter to what waits in it, and free it; no worker runs."""
    await tx.execute(
        """
        UPDATE lanes SET leased_until = NULL, leased_by = NULL, fence = fence + 1,
               pending = (SELECT count(*) FROM inbox
                           WHERE inbox.bot_id = lanes.bot_id AND inbox.lane = lanes.lane
                             AND handled_at IS NULL AND parked_at IS NULL)
        """
    )


async def find_parked(tx: Transaction, received_id: ReceivedId) -> tuple[BotId, str] | None:
    row = await tx.fetchrow(
        "SELECT bot_id, lane FROM inbox WHERE received_id = $1 AND parked_at IS NOT NULL", received_id
    )
    return (BotId(row["bot_id"]), row["lane"]) if row else None


async def list_parked(tx: Transaction, *, within: timedelta, limit: int) -> list[ReceivedId]:
    rows = await tx.fetch(
        """
        SELECT received_id FROM inbox WHERE parked_at > photomat_now() - $1::interval ORDER BY received_id LIMIT $2
        """,
        within,
        limit,
    )
    return [ReceivedId(row["received_id"]) for row in rows]


async def mark_unparked(tx: Transaction, received_id: ReceivedId) -> bool:
    return bool(
        await tx.fetchval(
            """
            UPDATE inbox SET parked_at = NULL, attempts = 0, failures = 0
             WHERE received_id = $1 AND handled_at IS NULL AND parked_at IS NOT NULL
            RETURNING true
            """,
            received_id,
        )
    )


async def record_failure(tx: Transaction, received_id: ReceivedId, *, error: str, counted: bool) -> None:
    """Record an error and count the failure; with `counted=False` the attempt is taken back instead."""
    await tx.execute(
        "UPDATE inbox SET error = $2, failures = failures + $3, attempts = attempts - $4 WHERE received_id = $1",
        received_id,
        error,
        int(counted),
        int(not counted),
    )


async def mark_unhandled(tx: Transaction, received_id: ReceivedId, *, lane: str) -> list[BotId]:
    """Make a handled update of this lane due again, and what belongs to the same album; the bot of each of them."""
    rows = await tx.fetch(
        """
        UPDATE inbox SET handled_at = NULL, attempts = 0, failures = 0
         WHERE lane = $2 AND handled_at IS NOT NULL
           AND (received_id = $1 OR received_id > $1 AND body #>> '{message,media_group_id}' =
                (SELECT body #>> '{message,media_group_id}' FROM inbox WHERE received_id = $1))
        RETURNING bot_id
        """,
        received_id,
        lane,
    )
    return [BotId(row["bot_id"]) for row in rows]
