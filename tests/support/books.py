"""Books with every kind of move in them, and the hand of somebody who can switch the triggers off."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from photomat.audit import differences
from photomat.audit.by_day import new_violations
from photomat.audit.cuts import FIRST, WIDTHS, parts
from photomat.audit.proofs import seal_days
from photomat.audit.run import INVARIANTS, violations
from photomat.audit.slices import CheckedSlice, check_slice
from photomat.db.pool import Connection, Transaction
from photomat.kernel.ids import UserId
from photomat.wallet import ledger, refunds
from photomat.wallet.postings import Posting, PostingLine
from support.audit import broken
from support.database import shift_clock
from support.every_payment import every_payment
from support.money import accept_offer, buy, give_back, make_job, make_user, mark, rub, sell
from support.rewards import a_promo_sum, an_invited_friend, gifts_every_way

ANNA, BORIS = UserId(42), UserId(43)
EVER: Final = datetime(2000, 1, 1, tzinfo=UTC)
NARROW: Final = dict.fromkeys(WIDTHS, 3)
"""Slices of a few rows, so that most of what belongs together is cut."""
CHECKED_AT_NIGHT: Final = {"sealed-days-are-unchanged"}
"""Invariants about all history: a new row cannot break them alone."""
QUOTE: Final = {"price": 65, "currency": "RUB", "usd_rate": "80"}
NUMBER_OF: Final = """
    CREATE FUNCTION pg_temp.number_of(text) RETURNS bigint LANGUAGE sql AS
    'SELECT transaction_id FROM ledger_transactions WHERE reference = $1'
"""


async def honest_books(tx: Transaction) -> None:
    """Users with a job in every state and every move there is, two days old and sealed, and an update waiting."""
    await tx.execute(NUMBER_OF)
    for user in (ANNA, BORIS):
        await make_user(tx, user, balance=1000)
        await buy(tx, user, price=64)
        await sell(tx, await buy(tx, user, price=65))
        await give_back(tx, await buy(tx, user, price=66), "failed")
        await give_back(tx, await buy(tx, user, price=67), "canceled")
        offered = await buy(tx, user, price=68)
        await give_back(tx, offered, "canceled")
        await accept_offer(tx, user, offered, price=68)
        late = await buy(tx, user, price=69)
        await give_back(tx, late)
        await mark(tx, late, "done", gift=True)
        await mark(tx, await make_job(tx, user, price=0), "done")
    await every_other_move(tx)
    await an_invited_friend(tx, ANNA, 45)
    await a_quoted_job(tx)
    await every_payment(tx, await make_user(tx, 46))
    await shift_clock(tx, 2 * 86_400)
    await seal_days(tx)
    await differences.report(tx, kind="stars", reference="stars:9", expected="5", found="nothing")
    await tx.execute(
        "INSERT INTO inbox (bot_id, update_id, lane, body) SELECT bot_id, 1, 'u42', '{}' FROM installation"
    )
    await tx.execute("INSERT INTO lanes (bot_id, lane, pending) SELECT bot_id, 'u42', 1 FROM installation")


async def every_other_move(tx: Transaction) -> None:
    """Debits, gifts, refunds, corrections, and a debt paid in each of the ways there are."""
    await ledger.credit(tx, user_id=ANNA, amount=rub(300), reference="stars:1", reason="operator")
    await ledger.debit(tx, user_id=ANNA, amount=rub(7), reference="operator:1", reason="operator")
    await gift_in_one_posting(tx, ANNA, BORIS, 11, reference="gift:1")
    await gift_in_one_posting(tx, BORIS, ANNA, 12, reference="gift:2")
    await refunds.correct(tx, of="gift:2", reference="correction:gift:2")
    await gifts_every_way(tx, ANNA, BORIS)
    sold = await buy(tx, ANNA, price=70)
    await sell(tx, sold)
    await refunds.refund_charge(tx, job_id=sold, amount=rub(21), reference="refund:1")
    carol = await make_user(tx, 44)
    await ledger.credit(tx, user_id=carol, amount=rub(500), reference="stars:2", reason="operator")
    late = await buy(tx, carol, price=300)
    await refunds.take_back(tx, user_id=carol, amount=rub(450), reference="stars-refund:2", of="stars:2")
    await a_promo_sum(tx, carol, 30)
    await give_back(tx, late)
    await refunds.take_back(tx, user_id=carol, amount=rub(110), reference="referral-back:1", reason="referral")
    await ledger.credit(tx, user_id=carol, amount=rub(60), reference="operator:2", reason="operator")


async def gift_in_one_posting(tx: Transaction, giver: UserId, taker: UserId, amount: int, *, reference: str) -> None:
    """A transaction of two users. Nothing books one today; the audit judges it nevertheless."""
    await ledger.lock_wallets(tx, giver, taker)
    posting = Posting(
        reference=reference,
        reason="gift",
        asked=f"gift from={giver} to={taker} amount={amount} currency=RUB",
        currency="RUB",
        lines=(PostingLine("wallet", giver, -amount), PostingLine("wallet", taker, amount)),
    )
    assert await ledger.book_once(tx, posting)


async def a_quoted_job(tx: Transaction) -> None:
    """A job with a draft, a quote and what Kie took."""
    await tx.execute(
        """
        INSERT INTO drafts (bot_id, user_id, chat_id, origin, model, inputs, price, currency, expires_at)
        SELECT bot_id, 42, 42, 'first', 'z-image', '{}', 65, 'RUB', photomat_now() FROM installation
        """
    )
    await tx.execute(
        """
        UPDATE generation_jobs
           SET draft_id = (SELECT draft_id FROM drafts), quote = $1, credits_consumed = 0.8, cost = 32
         WHERE price = 65 AND user_id = 42
        """,
        QUOTE,
    )


async def by_hand(connection: Connection, table: str, change: str, *arguments: object) -> None:
    """A superuser who knows how to switch the triggers off, foreign keys as well, and back on."""
    async with connection.transaction():
        await connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
        await connection.execute(change, *arguments)
        await connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL")


@asynccontextmanager
async def undone(connection: Connection) -> AsyncIterator[None]:
    """Whatever is done inside has not been done at its end."""
    inside = connection.transaction()
    await inside.start()
    try:
        yield
    finally:
        await inside.rollback()


async def unnoticed(connection: Connection, changes: Sequence[tuple[str, str, str]]) -> list[str]:
    """Make each change of a table alone; those that the audit does not complain of by the name given."""
    missed = []
    for table, change, found in changes:
        async with undone(connection):
            await by_hand(connection, table, change)
            if found not in (complaints := await names(connection)):
                missed.append(f"{found} is not in {complaints} after: {change}")
    return missed


async def names(connection: Connection) -> set[str]:
    """What the audit complains of; the short one, which every test ends with, and those by day and in slices agree."""
    found = {violation.name for violation in await violations(connection)}
    assert await broken(connection) == found
    assert await names_by_day(connection) == found - CHECKED_AT_NIGHT
    assert await names_in_slices(connection) == found
    return found


async def names_in_slices(connection: Connection) -> set[str]:
    """What the audit of a night complains of."""
    checked = [each for part in parts() async for each in every_slice(connection, part)]
    return {violation.name for each in checked for violation in each.violations}


async def every_slice(connection: Connection, part: str) -> AsyncIterator[CheckedSlice]:
    """The slices of a part from the first key to the last."""
    starts: int | None = FIRST
    while starts is not None:
        checked = await check_slice(connection, part, starts=starts, widths=NARROW)
        yield checked
        starts = checked.ends


async def names_by_day(connection: Connection, *, since: datetime = EVER, first_transaction: int = 0) -> set[str]:
    """What the audit of new rows complains of; all rows are new unless told otherwise."""
    found = await new_violations(connection, INVARIANTS, since=since, first_transaction=first_transaction)
    return {violation.name for violation in found}
