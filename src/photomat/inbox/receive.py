"""Receive updates: stored and counted in one statement, and only then confirmed to Telegram.

A user who sends more in a minute than `UpdateLimit` allows: the rest is ended at once, no handler sees it, and it costs no more
than its row. The count is part of the lane's row, which is written for every update anyway. Payments are never skipped.

Killed before the commit: nothing is stored and Telegram repeats. Killed after it, or an error: Telegram repeats and the row is
there; what was beyond the limit is handled then.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Any, Final

from photomat.db.floors import Queue
from photomat.db.installation import require_still_ours
from photomat.db.pool import Pool, Transaction, one_statement, transaction
from photomat.inbox import store
from photomat.inbox.store import NewUpdate, Received
from photomat.inbox.update import body_of, is_limited, lane_of, update_id_of
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId
from photomat.kernel.logs import get_logger

UPDATES: Final = Queue(
    due="""
    SELECT 1 FROM lanes
     WHERE pending > 0 AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
       AND due_at >= coalesce({floor}, '-infinity'::timestamptz) AND NOT starts_with(lane, 'p')""",
    oldest="""
    SELECT least(min(due_at), photomat_now()) - interval '1 second' FROM lanes
     WHERE pending > 0 AND due_at <= photomat_now() AND due_at >= coalesce({floor}, '-infinity'::timestamptz)""",
)
PRE_CHECKOUTS_DUE: Final = """
    SELECT 1 FROM lanes
     WHERE pending > 0 AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
       AND starts_with(lane, 'p')"""
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """The first update beyond the limit of a minute that began at `key`, and how long the rest is skipped."""

    key: str
    update: Mapping[str, Any]
    limit: int
    remaining: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateLimit:
    """How many updates one user may send in a minute (0: no limit); `tell` writes, once a minute, what the user reads."""

    a_minute: int
    tell: Callable[[Transaction, Flood], Awaitable[object]]


async def receive(
    pool: Pool, *, bot_id: BotId, updates: Sequence[Mapping[str, Any]], limit: UpdateLimit | None = None
) -> list[int]:
    """Store the updates; return the ids of the new ones. Raises Rejected when one of them is not an update."""
    given = [
        Received(update_id=update_id_of(one), lane=lane_of(one), body=body_of(one), is_limited=is_limited(one))
        for one in updates
    ]
    failpoint("inbox.before_store")
    failpoint("inbox.before_commit")
    new = await store.add_received(one_statement(pool), bot_id=bot_id, updates=given)
    failpoint("inbox.after_store")
    if not new:
        await require_still_ours(one_statement(pool), bot_id)
    if limit is not None and limit.a_minute:
        await _skip_rest(pool, new, {update_id_of(one): one for one in updates}, bot_id=bot_id, limit=limit)
    if new:
        log.info("UPDATE_RECEIVED", count=len(new), update_ids=",".join(str(one.update_id) for one in new))
    return [one.update_id for one in new]


async def _skip_rest(
    pool: Pool,
    new: Sequence[NewUpdate],
    updates: Mapping[int, Mapping[str, Any]],
    *,
    bot_id: BotId,
    limit: UpdateLimit,
) -> None:
    """End what is beyond the limit."""
    beyond = [one for one in new if one.counted > limit.a_minute and is_limited(updates[one.update_id])]
    for _, of_lane in groupby(beyond, key=lambda one: one.lane):
        async with transaction(pool) as tx:
            await _skip(tx, list(of_lane), updates, bot_id=bot_id, limit=limit)


async def _skip(
    tx: Transaction,
    limited: Sequence[NewUpdate],
    updates: Mapping[int, Mapping[str, Any]],
    *,
    bot_id: BotId,
    limit: UpdateLimit,
) -> None:
    """End the newest of these limited updates of one lane, so that no more than the limit is handled."""
    count = limited[0]
    before = count.counted - len(limited)
    skipped = limited[max(0, limit.a_minute - before) :]
    ids = [one.received_id for one in skipped]
    await store.skip_received(tx, bot_id=bot_id, lane=count.lane, received_ids=ids)
    if before <= limit.a_minute:
        log.warning("UPDATES_SKIPPED", lane=count.lane, limit=limit.a_minute)
        flood = Flood(
            key=f"{bot_id}:{count.lane}:{int(count.counted_from.timestamp())}",
            update=updates[skipped[0].update_id],
            limit=limit.a_minute,
            remaining=count.remaining,
        )
        await limit.tell(tx, flood)


async def queue_depth(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT coalesce(sum(pending), 0) FROM lanes WHERE pending > 0"))


async def is_handled(pool: Pool, *, bot_id: BotId, update_id: int) -> bool:
    return bool(
        await pool.fetchval(
            "SELECT handled_at IS NOT NULL FROM inbox WHERE bot_id = $1 AND update_id = $2", bot_id, update_id
        )
    )
