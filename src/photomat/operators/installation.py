"""Gives a database to another bot: refused while the bot it belonged to has anything under way, journaled like every act.

A shop that moves to another bot keeps its customers and their money. Jobs, holds, receipts and refunds are ended by the bot
that began them, because only its token reaches their cards, files and payments. Play money never becomes a real shop's: a
sandbox's database cannot be adopted, nor can the sandbox adopt one.
"""

from collections.abc import Mapping
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.installation import SANDBOX_BOT, Owner, give_to, name_of, read_owner
from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import BotId
from photomat.operators.actions import Answer, journaled

OPEN: Final = """
    SELECT (SELECT count(*) FROM generation_jobs WHERE settled_at IS NULL AND bot_id IS DISTINCT FROM $1) AS jobs,
           (SELECT count(*) FROM wallets JOIN holds USING (user_id) LEFT JOIN hold_closings USING (reference)
              LEFT JOIN generation_jobs AS job USING (job_id)
             WHERE held > 0 AND closed_as IS NULL AND job.bot_id IS DISTINCT FROM $1) AS holds,
           (SELECT count(*) FROM receipts WHERE state = 'waiting' AND bot_id IS DISTINCT FROM $1) AS receipts,
           (SELECT count(*) FROM payment_refunds WHERE state = 'wanted') AS refunds,
           (SELECT count(*) FROM instances WHERE seen_at > photomat_now() - $2::interval) AS instances"""
WAYS_OUT: Final[Mapping[str, str]] = {
    "instances": "stop every running instance first",
    "jobs": "let them end, or end them with `photomat jobs cancel`",
    "holds": "release them with `photomat wallet release`",
    "receipts": "decide them with `photomat receipts`",
    "refunds": "let the bot they were paid to finish them",
}
PLAY_MONEY: Final = """
    WITH known (user_id, bot_id) AS (
        SELECT user_id, bot_id FROM conversations UNION SELECT user_id, bot_id FROM drafts
         UNION SELECT user_id, bot_id FROM generation_jobs UNION SELECT user_id, bot_id FROM topups)
    SELECT user_id FROM wallets
     WHERE posted > 0 AND user_id IN (SELECT user_id FROM known WHERE bot_id = $1)
       AND user_id NOT IN (SELECT user_id FROM known WHERE bot_id <> $1)
     ORDER BY user_id"""


async def open_of_others(source: Pool | Transaction, bot_id: BotId | None) -> dict[str, int]:
    """How much is under way that this bot did not begin; without a bot: how much is under way at all."""
    return dict(await source.fetchrow(OPEN, bot_id, DEAD_AFTER))


async def adopt(pool: Pool, *, bot_id: BotId, currency: str, operator: str, reason: str) -> Answer:
    """Make the database this bot's."""

    async def act(tx: Transaction) -> Answer:
        await tx.execute("LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE")
        owner = await read_owner(tx)
        if owner.stamped and owner.bots == (bot_id,):
            return Answer(done=True, sentence=f"This database belongs to {name_of(bot_id)} already.")
        problem = _never(owner, bot_id) or await _not_yet(tx, owner, bot_id)
        if problem is not None:
            return Answer(done=False, sentence=problem)
        await give_to(tx, bot_id=bot_id, currency=currency)
        return Answer(
            done=True, sentence=f"This database belonged to {owner.name} and belongs to {name_of(bot_id)} now."
        )

    return await journaled(pool, act, action="adopt", operator=operator, reason=reason)


def _never(owner: Owner, bot_id: BotId) -> str | None:
    if bot_id == SANDBOX_BOT:
        return "The sandbox adopts no database: it has its own."
    if owner.is_sandbox:
        return (
            "This database belongs to the sandbox and its money is play money: a real shop starts on a database of its own"
            " (DATABASE_URL, or another DATA_DIR)."
        )
    return None


async def _not_yet(tx: Transaction, owner: Owner, bot_id: BotId) -> str | None:
    found = await open_of_others(tx, bot_id)
    if owner.bots == (bot_id,):
        found["refunds"] = 0
    for what, way_out in WAYS_OUT.items():
        if found[what]:
            return f"Not yet: {found[what]} {what} of {owner.name} are open; {way_out}, then adopt."
    if SANDBOX_BOT in owner.bots:
        people = [row["user_id"] for row in await tx.fetch(PLAY_MONEY, SANDBOX_BOT)]
        if people:
            return (
                f"Not yet: the users {', '.join(map(str, people[:20]))} came from the sandbox and hold play money;"
                " take it with `photomat wallet debit`, then adopt."
            )
    return None
