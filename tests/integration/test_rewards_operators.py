"""What was given away belongs to its row: an operator cannot turn it round and reads what to do instead."""

import pytest

from photomat.db.pool import transaction
from photomat.operators.money import correct_move
from support.books import ANNA, BORIS, honest_books
from support.database import connection_of, pool_of
from support.jobs import money_of

VERBS = {
    "gift-out:1": "its giver takes it back",
    "gift-in:2": "wallet debit",
    "gift-back:3": "wallet debit",
    "promo:1": "wallet debit",
    "promo:2": "payments refund",
    "promo-back:2:1": "payments refund",
    "referral:45:inviter": "wallet refund",
    "referral:payment:1": "payments refund",
}


@pytest.mark.parametrize(("reference", "verb"), VERBS.items())
async def test_a_move_that_a_row_owns_is_not_turned_round(database: str, reference: str, verb: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
    async with pool_of(database) as pool:
        before = [await money_of(pool, user) for user in (ANNA, BORIS)]
        refused = await correct_move(pool, reference, operator="olga", reason="test")
        assert (refused.done, verb in refused.sentence) == (False, True), refused.sentence
        assert [await money_of(pool, user) for user in (ANNA, BORIS)] == before


async def test_every_reason_is_an_operators_own_or_says_why_not(database: str) -> None:
    """A correction is for what an operator moved, and for the welcome."""
    async with connection_of(database) as connection:
        await honest_books(connection)
    async with pool_of(database) as pool:
        rows = await pool.fetch(
            "SELECT DISTINCT ON (reason) reason, reference FROM ledger_transactions ORDER BY reason, reference"
        )
        done = {
            row["reason"]
            for row in rows
            if (await correct_move(pool, row["reference"], operator="olga", reason="test")).done
        }
        async with transaction(pool) as tx:
            assert (
                await tx.fetchval("SELECT count(*) FROM ledger_transactions WHERE reference LIKE 'correction:%'") == 3
            )
    assert done == {"operator", "welcome"}
