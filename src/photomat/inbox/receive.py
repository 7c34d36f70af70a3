"""Receive updates: stored and counted in one transaction, and only then confirmed to Telegram.

Killed before the commit: nothing is stored and Telegram repeats. Killed after it: Telegram repeats and the row is there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from photomat.db.installation import require_still_ours
from photomat.db.pool import Pool, transaction
from photomat.inbox import store
from photomat.inbox.update import body_of, lane_of, update_id_of
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId
from photomat.kernel.logs import get_logger

UPDATES_DUE: Final = """
    SELECT 1 FROM lanes
     WHERE pending > 0 AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
       AND NOT starts_with(lane, 'p')"""
PRE_CHECKOUTS_DUE: Final = """
    SELECT 1 FROM lanes
     WHERE pending > 0 AND due_at <= photomat_now() AND (leased_until IS NULL OR leased_until <= photomat_now())
       AND starts_with(lane, 'p')"""
log = get_logger()


async def receive(pool: Pool, *, bot_id: BotId, updates: Sequence[Mapping[str, Any]]) -> list[int]:
    """Store the updates; return the ids of the new ones. Raises Rejected when one of them is not an update."""
    update_ids = [update_id_of(update) for update in updates]
    lanes = [lane_of(update) for update in updates]
    bodies = [body_of(update) for update in updates]
    failpoint("inbox.before_store")
    async with transaction(pool) as tx:
        await require_still_ours(tx, bot_id)
        new = await store.add_received(tx, bot_id=bot_id, update_ids=update_ids, lanes=lanes, bodies=bodies)
        added = Counter(lane for _, lane in new)
        if added:
            await store.raise_pending(tx, bot_id=bot_id, lanes=list(added), added=list(added.values()))
        failpoint("inbox.before_commit")
    failpoint("inbox.after_store")
    if new:
        log.info("UPDATE_RECEIVED", count=len(new), update_ids=",".join(str(update_id) for update_id, _ in new))
    return [update_id for update_id, _ in new]


async def queue_depth(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT coalesce(sum(pending), 0) FROM lanes WHERE pending > 0"))


async def is_handled(pool: Pool, *, bot_id: BotId, update_id: int) -> bool:
    return bool(
        await pool.fetchval(
            "SELECT handled_at IS NOT NULL FROM inbox WHERE bot_id = $1 AND update_id = $2", bot_id, update_id
        )
    )
