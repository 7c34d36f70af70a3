"""Gives a database to another bot, with the journal; refused while the current bot has anything under way.

A shop that moves to another bot keeps its customers and their money. Jobs, holds, receipts and refunds are ended by the bot
that began them, because only its token reaches their cards, files and payments; so are updates it has received and results it
has not shown, unless the operator abandons them. Play money never becomes a real shop's: a sandbox's database cannot be
adopted, nor can the sandbox adopt one.
"""

from collections.abc import Mapping
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.installation import SANDBOX_BOT, Owner, give_to, name_of, read_owner
from photomat.db.pool import Pool, Transaction
from photomat.db.rows import require_row
from photomat.delivery.lock import give_up_cards_of_others
from photomat.jobs.refunds import refund_given_up
from photomat.kernel.ids import BotId
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence

THEIRS: Final = f"bot_id IS DISTINCT FROM $1::bigint AND ($1 IS NULL OR bot_id <> {SANDBOX_BOT})"
"""Begun by another bot that could still end it: no sandbox can be started on this database any more."""

CHARGE: Final = "body #>> '{message,successful_payment,telegram_payment_charge_id}'"
OPEN: Final = f"""
    SELECT (SELECT count(*) FROM generation_jobs WHERE settled_at IS NULL AND bot_id IS DISTINCT FROM $1) AS jobs,
           (SELECT count(*) FROM wallets JOIN holds USING (user_id) LEFT JOIN hold_closings USING (reference)
              LEFT JOIN generation_jobs AS job USING (job_id)
             WHERE held > 0 AND closed_as IS NULL AND job.bot_id IS DISTINCT FROM $1) AS holds,
           (SELECT count(*) FROM receipts WHERE state = 'waiting' AND bot_id IS DISTINCT FROM $1) AS receipts,
           (SELECT count(*) FROM payment_refunds AS refund JOIN payments USING (payment_id) LEFT JOIN topups USING (topup_id)
             WHERE refund.state = 'wanted' AND coalesce(topups.bot_id, $3) IS DISTINCT FROM $1
               AND ($1 IS NULL OR topups.bot_id IS DISTINCT FROM {SANDBOX_BOT})) AS refunds,
           (SELECT count(*) FROM inbox
             WHERE handled_at IS NULL AND {THEIRS}
               AND (parked_at IS NULL OR {CHARGE} IS NOT NULL
                    AND NOT EXISTS (SELECT FROM payments WHERE external_id = {CHARGE}))) AS updates,
           (SELECT count(*) FROM generation_jobs
             WHERE status = 'done' AND delivered_at IS NULL AND card_shown < card_wanted
               AND undeliverable_at IS NULL AND parked_at IS NULL AND {THEIRS}) AS results,
           (SELECT count(*) FROM generation_jobs WHERE ring_due_at IS NOT NULL AND {THEIRS}) AS rings,
           (SELECT count(*) FROM result_sends AS send JOIN generation_jobs USING (job_id)
             WHERE send.due_at IS NOT NULL AND {THEIRS}) AS resends,
           (SELECT count(*) FROM instances WHERE seen_at > photomat_now() - $2::interval) AS instances"""  # noqa: S608  constants of this module
"""What is under way that bot `$1` did not begin. A payment without an offer was made to bot `$3`.

A parked result is not counted: it is refunded after days by any bot. A parked update is counted only if it is a payment that
was never credited. The card of a failed job is not counted: its money is back.
"""

WAYS_OUT: Final[Mapping[str, str]] = {
    "instances": "stop every running instance first",
    "jobs": "let them end, or end them with `photomat jobs cancel`",
    "holds": "release them with `photomat wallet release`",
    "receipts": "decide them with `photomat receipts`",
    "refunds": "let the bot they were paid to finish them",
    "updates": (
        "they may be payments: start the bot they were sent to and let it handle them (`photomat payments reconcile` with its"
        " token credits a payment that was parked), or leave them with --abandon"
    ),
    "results": "their customers have paid: start the bot that shows them again, or refund them with --abandon",
    "rings": "start the bot that sends them again, or leave them with --abandon",
    "resends": "start the bot that sends them again, or leave them with --abandon",
}
ABANDONABLE: Final = frozenset({"updates", "results", "rings", "resends"})
"""What only the other bot's token can end; a shop whose old bot is gone must be able to leave it behind."""

FROM_SANDBOX: Final = """
    WITH known (user_id, bot_id) AS (
        SELECT user_id, bot_id FROM conversations UNION SELECT user_id, bot_id FROM drafts
         UNION SELECT user_id, bot_id FROM generation_jobs UNION SELECT user_id, bot_id FROM topups)
    SELECT user_id, bool_and(bot_id = $1) AS is_play_money
      FROM wallets JOIN known USING (user_id)
     WHERE posted > 0
     GROUP BY user_id HAVING bool_or(bot_id = $1)
     ORDER BY user_id"""
"""Users of the sandbox who hold money; it is certainly play money if no other bot knows them."""

CODES: Final = """
    SELECT count(*) FROM promo_codes WHERE stopped_at IS NULL AND coalesce(expires_at > photomat_now(), true)"""
SHOWN: Final = 20


async def open_of_others(tx: Transaction, bot_id: BotId | None, *, paid_to: int = 0) -> dict[str, int]:
    """Count what is under way that this bot did not begin; without a bot: what is under way at all.

    `paid_to` is the bot of payments whose row does not name one.
    """
    return dict(await require_row(tx, OPEN, bot_id, DEAD_AFTER, paid_to))


async def adopt(
    pool: Pool, *, bot_id: BotId, currency: str, operator: str, reason: str, abandon: bool = False
) -> ActionResult:
    """Make the database this bot's; with `abandon` although messages of the other bot are left undelivered.

    Results that were paid for and are left behind are refunded; updates stay in the inbox for a person to read.
    """

    async def act(tx: Transaction) -> ActionResult:
        await tx.execute("LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE")
        owner = await read_owner(tx)
        if owner.stamped and owner.bots == (bot_id,):
            return ActionResult(done=True, says=_words(f"This database belongs to {name_of(bot_id)} already."))
        found = await open_of_others(tx, bot_id, paid_to=owner.bots[0] if len(owner.bots) == 1 else bot_id)
        left = {what: found[what] for what in WAYS_OUT if abandon and what in ABANDONABLE and found[what]}
        problem = (
            never(owner, bot_id)
            or _not_yet(owner, {what: count for what, count in found.items() if what not in left})
            or await _play_money(tx, owner)
        )
        if problem is not None:
            return ActionResult(done=False, says=_words(problem))
        await refund_given_up(tx, await give_up_cards_of_others(tx, bot_id=bot_id), by=operator)
        await give_to(tx, bot_id=bot_id, currency=currency)
        sentence = f"This database belonged to {owner.name} and belongs to {name_of(bot_id)} now."
        return ActionResult(done=True, says=_words(sentence + _left(left) + await _doubtful(tx, owner)))

    return await journaled(pool, act, action="adopt", operator=operator, reason=reason)


def _words(sentence: str) -> Sentence:
    """A database changes hands from a terminal only, in English."""
    return Sentence("action-plain", words=sentence)


def never(owner: Owner, bot_id: BotId) -> str | None:
    """Why this bot can never own the database; None where it may."""
    if bot_id == SANDBOX_BOT:
        return "The sandbox adopts no database: it has its own."
    if owner.is_sandbox:
        return (
            "This database belongs to the sandbox and its money is play money: a real shop starts on a database of its own"
            " (DATABASE_URL, or another DATA_DIR)."
        )
    return None


def _not_yet(owner: Owner, found: Mapping[str, int]) -> str | None:
    for what, way_out in WAYS_OUT.items():
        if found.get(what):
            return f"Not yet: {found[what]} {what} of {owner.name} are open; {way_out}, then adopt."
    return None


async def _play_money(tx: Transaction, owner: Owner) -> str | None:
    people = await _from_sandbox(tx, owner, is_play_money=True)
    if not people:
        return None
    return (
        f"Not yet: the users {people} came from the sandbox and hold play money;"
        " take it with `photomat wallet debit`, then adopt."
    )


def _left(left: Mapping[str, int]) -> str:
    counts = ", ".join(f"{count} {what}" for what, count in left.items())
    return f" Left behind: {counts}." if counts else ""


async def _doubtful(tx: Transaction, owner: Owner) -> str:
    """What may be play money and an operator has to check."""
    people = await _from_sandbox(tx, owner, is_play_money=False)
    codes = await tx.fetchval(CODES) if SANDBOX_BOT in owner.bots else 0
    sentence = ""
    if people:
        sentence += (
            f" The users {people} used the sandbox too and may hold play money: look with `photomat wallet show`,"
            " take it with `photomat wallet debit`."
        )
    if codes:
        sentence += (
            f" {codes} promo codes are valid: stop those that were made in the sandbox with `photomat promo stop`."
        )
    return sentence


async def _from_sandbox(tx: Transaction, owner: Owner, *, is_play_money: bool) -> str:
    if SANDBOX_BOT not in owner.bots:
        return ""
    rows = await tx.fetch(FROM_SANDBOX, SANDBOX_BOT)
    people = [str(row["user_id"]) for row in rows if row["is_play_money"] == is_play_money]
    return ", ".join(people[:SHOWN]) + (f" and {len(people) - SHOWN} more" if len(people) > SHOWN else "")
