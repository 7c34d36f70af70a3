"""One update at a time per lane, in order of arrival, by lease and fence.

`claim_lanes` is committed before anything is handled. What ends the claim (`finish`, `release`, `park`) tests the fence in the
statement that releases the lease: False, or an id that `finish` leaves out, means that another worker took the lane over, and
nothing is written for it. The claim counts the attempt, so a handler that kills the process is counted as well; a failure is
counted when it is reported.

Handled updates and lanes without waiting updates may be deleted; parked updates stay, until an operator has them handled again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, Transaction, one_statement, transaction
from photomat.inbox import store
from photomat.inbox.update import PRE_CHECKOUT_LANES, USER_LANES, Claimed
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, InstanceId, MessageId, ReceivedId, UserId
from photomat.work.retention import OldRows

SEARCHED: Final = 100_000
"""How many updates after the one that made the draft are searched for taps."""
MAX_TAPS: Final = 5
HANDLED: Final = OldRows(table="inbox", age="handled_at")
QUIET_LANES: Final = OldRows(table="lanes", age="due_at", only="pending = 0 AND leased_until IS NULL")
"""The next update makes a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TapUpdate:
    update_id: int
    received_at: datetime
    handled_at: datetime | None
    parked_at: datetime | None
    attempts: int
    error: str | None


async def claim_lanes(
    pool: Pool, *, bot_id: BotId, instance: InstanceId, lease_s: float, pre_checkout: bool, limit: int = 1
) -> list[Claimed]:
    """Lease up to `limit` due lanes and take the oldest update of each, in one statement.

    An update stored while the statement waited for its lane is counted there and not seen. Lanes in which none is seen are
    counted again under their locks, and claimed again.
    """
    claim = partial(
        store.lease_lanes,
        bot_id=bot_id,
        instance=instance,
        lease_s=lease_s,
        pre_checkout=pre_checkout,
        floor=None if pre_checkout else pool.floors.of("updates"),
    )
    claims, empty = await claim(one_statement(pool), limit=limit)
    if empty:
        async with transaction(pool) as tx:
            await count_anew(tx, bot_id=bot_id, lanes=empty)
        more, _ = await claim(one_statement(pool), limit=limit - len(claims))
        claims += more
    return claims


async def count_anew(tx: Transaction, *, bot_id: BotId, lanes: Sequence[str]) -> None:
    """Correct the counters of lanes. Two statements: the second sees every update stored before the lanes were locked."""
    await store.lock_lanes(tx, bot_id=bot_id, lanes=lanes)
    await store.count_locked(tx, bot_id=bot_id, lanes=lanes)


async def drop_waiting(tx: Transaction) -> int:
    """A restored database: what waited may have been handled since the backup, so only payments are, which are booked once."""
    dropped = await store.end_waiting(tx, error="restored from a backup: it may have been handled before")
    await store.count_again(tx)
    return dropped


async def finish(tx: Transaction, claims: Sequence[Claimed]) -> dict[ReceivedId, int]:
    """Mark updates as handled and end their leases; how many more wait in the lane of each.

    Those whose lane was lost are left out: nothing may be written for them.
    """
    ended = await store.end_claims(tx, claims)
    twice = [received_id for received_id, claim in ended.items() if not claim.is_handled]
    if twice:
        raise Corrupt(f"{twice} was ended while we held its lane")
    await store.forget_lanes_of_one(tx, [claimed for claimed in claims if claimed.received_id in ended])
    return {received_id: claim.waiting for received_id, claim in ended.items()}


async def release(tx: Transaction, claimed: Claimed, *, error: str, retry_after_s: float, counted: bool = True) -> bool:
    """Release the lane for a later attempt and count a failure; with `counted=False` neither failure nor attempt counts."""
    if not await store.put_off_lane(tx, claimed, wait_s=retry_after_s):
        return False
    await store.record_failure(tx, claimed.received_id, error=error, counted=counted)
    return True


async def park(tx: Transaction, claimed: Claimed, *, error: str) -> bool:
    """Set the update aside for the operator, so that the lane continues."""
    if not await store.end_lease(tx, claimed):
        return False
    if not await store.mark_parked(tx, claimed.received_id, error=error):
        raise Corrupt(f"received_id={claimed.received_id} was ended by another worker while we held its lane")
    await store.forget_lanes_of_one(tx, [claimed])
    return True


async def unpark(tx: Transaction, received_id: ReceivedId) -> bool:
    """Have a parked update handled again from the first attempt; False if it is not parked any more."""
    found = await store.find_parked(tx, received_id)
    if found is None:
        return False
    bot_id, lane = found
    await store.add_pending(tx, bot_id=bot_id, lane=lane, added=1)
    if await store.mark_unparked(tx, received_id):
        return True
    await store.add_pending(tx, bot_id=bot_id, lane=lane, added=-1)
    return False


async def parked_updates(tx: Transaction, *, within: timedelta, limit: int) -> list[ReceivedId]:
    """The updates parked lately, oldest first."""
    return await store.list_parked(tx, within=within, limit=limit)


async def free_lanes_of_dead_instances(pool: Pool) -> int:
    """Free the lanes of dead instances; return how many. Until the next claim a late finish still counts."""
    rows = await pool.fetch(
        """
        UPDATE lanes
           SET leased_until = NULL
         WHERE pending > 0
           AND leased_until > photomat_now()
           AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING lane
        """,
        DEAD_AFTER,
    )
    return len(rows)


async def taps_on(
    pool: Pool, *, bot_id: BotId, user_id: UserId, message_id: MessageId, since: ReceivedId
) -> list[TapUpdate]:
    """The first taps of a user on a message, oldest first; the search starts at the row `since`."""
    rows = await pool.fetch(
        """
        SELECT update_id, received_at, handled_at, parked_at, attempts, error
          FROM inbox
         WHERE received_id BETWEEN $4 AND $4::bigint + $5 AND bot_id = $1 AND lane = $2
           AND (body #>> '{callback_query,message,message_id}')::bigint = $3
         ORDER BY received_id LIMIT $6
        """,
        bot_id,
        f"u{user_id}",
        message_id,
        since,
        SEARCHED,
        MAX_TAPS,
    )
    return [TapUpdate(**dict(row)) for row in rows]


async def forget_updates(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Empty the bodies of a user's updates that were handled, and end those that were parked.

    The rows stay until retention deletes them: an update that Telegram repeats must not be handled again.
    """
    return len(
        await tx.fetch(
            """
            UPDATE inbox
               SET body = jsonb_build_object('update_id', update_id), error = NULL, parked_at = NULL,
                   handled_at = coalesce(handled_at, photomat_now())
             WHERE received_id = ANY (ARRAY(
                   SELECT received_id FROM inbox
                    WHERE (lane = $2 OR starts_with(lane, $3) AND body #>> '{pre_checkout_query,from,id}' = $1::bigint::text)
                      AND (handled_at IS NOT NULL OR parked_at IS NOT NULL)
                      AND body <> jsonb_build_object('update_id', update_id)
                    ORDER BY received_id LIMIT $4 FOR UPDATE))
            RETURNING received_id
            """,
            user_id,
            f"{USER_LANES}{user_id}",
            PRE_CHECKOUT_LANES,
            limit,
        )
    )


async def handle_again(tx: Transaction, received_id: ReceivedId, *, user_id: UserId) -> bool:
    """Have a handled update of this user handled again, with the rest of its album; False if it is gone or not theirs."""
    lane = f"{USER_LANES}{user_id}"
    again = await store.mark_unhandled(tx, received_id, lane=lane)
    for bot_id in again:
        await store.add_pending(tx, bot_id=bot_id, lane=lane, added=1)
    return bool(again)
