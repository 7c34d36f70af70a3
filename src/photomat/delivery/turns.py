"""Whose turn it is: cards are taken fairly between chats, and a chat that must wait waits as a whole.

Of what is due and free only the oldest of each rank are looked at, so a claim costs the same whatever the backlog and however
many others are at work. A chat has so many cards in hand at most, whoever holds them, and a chat with fewer goes first. Should
one chat fill all that is looked at, its surplus is put off to the pace Telegram allows a chat anyway, and the others come into
sight.
"""

from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import BotId, ChatId

MOST_OF_A_CHAT: Final = 4
LOOKED_AT: Final = 64

IS_DUE: Final = (
    "card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at <= photomat_now()"
)
IS_FREE: Final = "(delivering_at IS NULL OR delivering_at <= photomat_now() - $2::interval)"
"""Nobody holds its lock any more; `$2` is how long a lock lasts, here and below."""

OURS: Final = "bot_id = (SELECT photomat_our_bot($3))"
"""The card is one of our bot's; `$3` is the bot of the pool, here and below."""

RANKS: Final = ("status = 'done'", "status IN ('failed', 'canceled')", "status IN ('pending', 'submitting', 'running')")
"""Results before other ends before progress. Each has an index of its own, so the statuses are written out."""

OLDEST: Final = " UNION ALL ".join(
    f"(SELECT {rank} AS rank, job_id, bot_id, chat_id, deliver_at AS since FROM generation_jobs"  # noqa: S608  constants of this module
    f" WHERE {statuses} AND {IS_DUE} AND {IS_FREE} AND {OURS} ORDER BY deliver_at LIMIT {LOOKED_AT})"
    for rank, statuses in enumerate(RANKS)
)
IN_HAND: Final = (
    "SELECT bot_id, chat_id, count(*) AS held FROM generation_jobs"
    " WHERE delivering_at IS NOT NULL AND delivering_at > photomat_now() - $2::interval GROUP BY bot_id, chat_id"
)
IN_TURN: Final = f"""
    SELECT job_id, rank, since,
           coalesce(held, 0) + row_number() OVER (PARTITION BY bot_id, chat_id ORDER BY rank, since, job_id) AS turn,
           count(*) OVER (PARTITION BY rank) >= {LOOKED_AT} AS is_crowded
      FROM ({OLDEST}) AS oldest LEFT JOIN ({IN_HAND}) AS in_hand USING (bot_id, chat_id)"""  # noqa: S608  constants of this module
"""The oldest due and free cards of each rank with their turn in their chat, after those in hand."""


async def put_off_surplus(pool: Pool, *, lease: timedelta) -> int:
    """Where one rank fills all that is looked at: let the surplus of each chat wait, a second a card; say how many."""
    rows = await pool.fetch(
        f"""
        WITH in_turn AS MATERIALIZED ({IN_TURN}),
        surplus AS MATERIALIZED (
            SELECT job_id, turn FROM generation_jobs JOIN in_turn USING (job_id)
             WHERE is_crowded AND turn > $1 AND {IS_DUE} AND delivering_at IS NULL
               FOR UPDATE OF generation_jobs SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now() + (turn - $1) * interval '1 second'
          FROM surplus
         WHERE job.job_id = surplus.job_id
        RETURNING true
        """,  # noqa: S608  constants of this module
        MOST_OF_A_CHAT,
        lease,
        pool.bot_id,
    )
    return len(rows)


async def put_off_chat(tx: Transaction, *, bot_id: BotId, chat_id: ChatId, after: timedelta) -> int:
    """Telegram takes nothing more for this chat so long: its other cards wait too, without a try each; say how many."""
    rows = await tx.fetch(
        f"""
        WITH waiting AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE bot_id = $1 AND chat_id = $2 AND {IS_DUE} AND delivering_at IS NULL
               FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now() + $3::interval
          FROM waiting
         WHERE job.job_id = waiting.job_id
        RETURNING true
        """,  # noqa: S608  a constant of this module
        bot_id,
        chat_id,
        after,
    )
    return len(rows)
