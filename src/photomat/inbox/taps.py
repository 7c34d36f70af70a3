"""Which stored updates tapped a card: how a job's story begins. For people; decides nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Pool
from photomat.inbox import store
from photomat.kernel.ids import BotId, MessageId, ReceivedId, UserId

SEARCHED: Final = 100_000
"""How many updates after the one that made the draft are searched at most: a busy bot's inbox is never read whole."""

MOST_TAPS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TapUpdate:
    """One stored update that pressed a button of a card."""

    update_id: int
    received_at: datetime
    handled_at: datetime | None
    parked_at: datetime | None
    attempts: int
    error: str | None


async def taps_on(
    pool: Pool, *, bot_id: BotId, user_id: UserId, message_id: MessageId, since: ReceivedId
) -> list[TapUpdate]:
    """The first taps of a user on a message, oldest first; the search starts at the row `since`."""
    rows = await store.read_taps(
        pool,
        bot_id=bot_id,
        lane=f"u{user_id}",
        message_id=message_id,
        since=since,
        within=SEARCHED,
        most=MOST_TAPS,
    )
    return [TapUpdate(**dict(row)) for row in rows]
