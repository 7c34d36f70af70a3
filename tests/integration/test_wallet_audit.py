"""The audit is content with honest books and goes red when anything in them is changed by hand."""

import asyncio

import pytest

from photomat.audit.invariant import Invariant
from photomat.audit.run import INVARIANTS, violations
from photomat.wallet import ledger
from support.books import ANNA, by_hand, honest_books, names, undone, unnoticed
from support.database import connection_of
from support.money import make_user, rub
from support.sessions import until_done_or_blocked


async def test_honest_books_pass_and_every_invariant_ran(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        assert await violations(connection) == []
    assert len({invariant.name for invariant in INVARIANTS}) == len(INVARIANTS)


CHANGES = (
    ("entries", "DELETE FROM entries WHERE account = 'income'", "transaction-balances"),
    ("entries", "DELETE FROM entries", "wallet-is-its-entries"),
    ("holds", "UPDATE holds SET user_id = 43 WHERE user_id = 42", "hold-is-what-was-asked"),
    ("holds", "UPDATE holds SET job_id = job_id + 1", "hold-is-of-its-job"),
    ("hold_closings", "DELETE FROM hold_closings WHERE closed_as = 'charge'", "held-is-open-holds"),
    ("hold_closings", "DELETE FROM hold_closings WHERE closed_as = 'release'", "open-hold-has-a-live-job"),
    ("hold_closings", "UPDATE hold_closings SET closed_as = 'charge'", "charge-is-its-hold"),
    ("hold_closings", "UPDATE hold_closings SET closed_as = 'charge'", "one-charge-per-job"),
    ("hold_closings", "UPDATE hold_closings SET closed_as = 'release'", "done-job-is-charged"),
    ("hold_closings", "UPDATE hold_closings SET closed_as = 'charge'", "offer-follows-a-release"),
    ("ledger_transactions", "UPDATE ledger_transactions SET digest = sha256('')", "transaction-is-what-was-asked"),
    ("generation_jobs", "UPDATE generation_jobs SET gift = true WHERE price = 65", "charge-is-for-a-done-job"),
    ("generation_jobs", "UPDATE generation_jobs SET gift = true WHERE price = 65", "unsold-job-is-released"),
    (
        "generation_jobs",
        "UPDATE generation_jobs SET status = 'pending', settled_at = NULL WHERE price = 66",
        "live-job-holds-its-price",
    ),
    ("generation_jobs", "UPDATE generation_jobs SET price = 1 WHERE price = 0", "paid-job-was-held"),
    ("generation_jobs", "UPDATE generation_jobs SET price = 0 WHERE price = 65", "paid-job-was-held"),
    ("job_outputs", "DELETE FROM job_outputs", "done-job-has-a-result"),
    ("inbox", "UPDATE inbox SET handled_at = photomat_now()", "lane-counts-what-waits"),
    ("lanes", "DELETE FROM lanes", "lane-counts-what-waits"),
    ("wallets", "ALTER TABLE wallets DROP CONSTRAINT wallets_available_not_negative", "keys-stand"),
    ("holds", "DROP TRIGGER holds_append_only ON holds", "protections-stand"),
    ("entries", "DROP TRIGGER entries_balance ON entries", "protections-stand"),
)


async def test_other_changes_are_found_by_name(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        assert await names(connection) == set()
        assert await unnoticed(connection, CHANGES) == []


UNPROTECTED = (
    (
        "ALTER TABLE ledger_transactions DROP CONSTRAINT ledger_transactions_reference_once",
        "INSERT INTO ledger_transactions (reference, reason, digest) SELECT 'welcome:42', 'welcome', sha256('')",
        "reference-once",
    ),
    (
        "ALTER TABLE wallets DROP CONSTRAINT wallets_available_not_negative",
        "UPDATE wallets SET posted = -1",
        "no-negative-money",
    ),
    (
        "ALTER TABLE generation_jobs DROP CONSTRAINT generation_jobs_delivered_only_results",
        "UPDATE generation_jobs SET delivered_at = photomat_now()",
        "delivered-is-done",
    ),
    (
        "DROP INDEX generation_jobs_card_once",
        "UPDATE generation_jobs SET card_message_id = 1, chat_id = 1",
        "one-job-per-card",
    ),
    (
        """
        INSERT INTO drafts (bot_id, user_id, chat_id, origin, model, inputs, price, currency, expires_at)
        SELECT bot_id, 42, 42, 'second', 'z-image', '{}', 64, 'RUB', photomat_now() FROM installation
        """,
        "UPDATE generation_jobs SET draft_id = (SELECT draft_id FROM drafts WHERE origin = 'second')",
        "one-job-per-draft",
    ),
    (
        "ALTER TABLE entries DISABLE TRIGGER entries_balance",
        "INSERT INTO entries SELECT transaction_id, 9, 'income', NULL, 'RUB', 5 FROM ledger_transactions",
        "ledger-balances",
    ),
)


async def test_the_audit_does_not_lean_on_the_protections(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        for protection, change, found in UNPROTECTED:
            async with undone(connection):
                await connection.execute(protection)
                await connection.execute("SET session_replication_role = replica")
                await connection.execute(change)
                await connection.execute("SET session_replication_role = origin")
                assert found in await names(connection), change


@pytest.mark.breaks_invariants
async def test_a_forgery_that_adds_up_is_given_away_by_its_digest(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        await by_hand(
            connection,
            "entries",
            "UPDATE entries SET amount = amount + sign(amount) * 500 WHERE transaction_id = pg_temp.number_of('welcome:42')",
        )
        await connection.execute("UPDATE wallets SET posted = posted + 500 WHERE user_id = 42")
        found = await names(connection)
    assert "transaction-is-what-was-asked" in found
    assert not found & {"transaction-balances", "ledger-balances", "wallet-is-its-entries"}


async def test_no_rule_of_the_audit_keeps_an_old_snapshot_for_the_next(database: str) -> None:
    look = Invariant(name="look", sentence="", sql="SELECT posted FROM wallets")
    wait = Invariant(name="wait", sentence="", sql="SELECT pg_advisory_xact_lock(1)::text AS waited")
    async with connection_of(database) as auditor, connection_of(database) as customer:
        await make_user(customer, ANNA, balance=100)
        await customer.execute("SELECT pg_advisory_lock(1)")
        async with asyncio.TaskGroup() as group:
            audit = group.create_task(violations(auditor, [look, wait, look]))
            await until_done_or_blocked(customer, audit, auditor)
            await ledger.credit(customer, user_id=ANNA, amount=rub(5), reference="stars:1", reason="operator")
            await customer.execute("SELECT pg_advisory_unlock(1)")
        before, _, after = audit.result()
    assert before.offenders == ("posted=100",)
    assert after.offenders == ("posted=105",)
