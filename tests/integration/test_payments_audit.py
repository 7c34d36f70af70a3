"""Payments = credits: whatever is changed by hand on either side makes the audit red, under the name of the rule it breaks."""

import pytest

from photomat.db.pool import transaction
from photomat.payments.refunds import ask_refund
from support.books import by_hand, names, undone, unnoticed
from support.database import connection_of, pool_of, shift_clock
from support.every_payment import every_payment, payment_called
from support.money import make_user
from support.payments import ANNA, asks_refund, pays, people

AMOUNTS = [
    *("topups.asked_amount", "topups.credit", "payments.paid_amount", "payments.credit"),
    *("payment_refunds.amount", "payment_refunds.paid_amount", "receipts.credited"),
]


CHANGES = (
    ("payments", "DELETE FROM payments WHERE external_id = 'unknown'", "credit-has-its-payment"),
    ("payments", "DELETE FROM payments WHERE external_id = 'month'", "credit-has-its-payment"),
    ("payments", "UPDATE payments SET user_id = 43 WHERE external_id = 'unknown'", "payment-is-credited"),
    ("payments", "UPDATE payments SET credit = credit + 1 WHERE external_id = 'unknown'", "payment-is-credited"),
    ("payments", "UPDATE payments SET paid_amount = 1 WHERE external_id = 'unknown'", "payment-is-credited"),
    ("payments", "UPDATE payments SET reason = 'topup'", "payment-is-credited"),
    ("payments", "UPDATE payments SET external_id = 'x' WHERE external_id = 'month'", "payment-is-credited"),
    ("topups", "UPDATE topups SET credit = credit + 100", "payment-is-worth-its-offer"),
    ("topups", "UPDATE topups SET state = 'closed'", "paid-offer-has-its-payment"),
    ("payments", "UPDATE payments SET topup_id = NULL", "paid-offer-has-its-payment"),
    ("payment_refunds", "UPDATE payment_refunds SET amount = amount - 1", "refund-is-taken-back"),
    ("payment_refunds", "UPDATE payment_refunds SET paid_amount = 7", "refund-is-taken-back"),
    ("payment_refunds", "UPDATE payment_refunds SET payment_id = payment_id + 1", "refund-is-taken-back"),
    ("payment_refunds", "UPDATE payment_refunds SET reference = key || '!'", "refund-is-taken-back"),
    ("payment_refunds", "DELETE FROM payment_refunds WHERE state = 'done'", "take-back-has-its-refund"),
    ("payment_refunds", "DELETE FROM payment_refunds WHERE state = 'refused'", "credit-has-its-payment"),
    (
        "payment_refunds",
        "UPDATE payment_refunds SET state = 'done' WHERE state = 'refused'",
        "refused-refund-is-put-back",
    ),
    (
        "payment_refunds",
        "UPDATE payment_refunds SET state = 'refused' WHERE state = 'done'",
        "refused-refund-is-put-back",
    ),
    (
        "payment_refunds",
        "UPDATE payment_refunds SET amount = amount * 2 WHERE state = 'done'",
        "refunds-within-their-payment",
    ),
    ("receipts", "UPDATE receipts SET credited = 901", "approved-receipt-is-paid"),
    ("receipts", "DELETE FROM receipts", "approved-receipt-is-paid"),
    (
        "receipts",
        "UPDATE receipts SET state = 'waiting', credited = NULL, decided_at = NULL, decided_by = NULL",
        "approved-receipt-is-paid",
    ),
    ("payments", "DROP TRIGGER payments_append_only ON payments", "protections-stand"),
    ("payments", "ALTER TABLE payments DROP CONSTRAINT payments_once", "keys-stand"),
    (
        "payments",
        "ALTER TABLE payment_refunds DROP CONSTRAINT payment_refunds_key_once",
        "keys-stand",
    ),
)


async def test_a_change_by_hand_is_found_by_name(database: str) -> None:
    async with connection_of(database) as connection:
        await every_payment(connection, await make_user(connection, ANNA))
        await make_user(connection, 43)
        assert await names(connection) == set()
        assert await unnoticed(connection, CHANGES) == []


async def test_one_amount_changed_by_one_is_found(database: str) -> None:
    keys = {"topups": "topup_id", "payments": "payment_id", "payment_refunds": "refund_id", "receipts": "receipt_id"}
    async with connection_of(database) as connection:
        await every_payment(connection, await make_user(connection, ANNA))
        for amount in AMOUNTS:
            table, _, column = amount.partition(".")
            change = f"UPDATE {table} SET {column} = {column} + 1 WHERE {keys[table]} = $1"  # noqa: S608  names of our own
            rows = await connection.fetch(f"SELECT {keys[table]} FROM {table}")  # noqa: S608  likewise
            assert rows, f"no row of {table}"
            for (row,) in rows:
                async with undone(connection):
                    await by_hand(connection, table, change, row)
                    assert await names(connection), f"{amount} of {row} changed unnoticed"


@pytest.mark.breaks_invariants
async def test_the_same_payment_twice_is_found_without_its_key(database: str) -> None:
    async with connection_of(database) as connection:
        await every_payment(connection, await make_user(connection, ANNA))
        await connection.execute("ALTER TABLE payments DROP CONSTRAINT payments_once")
        await by_hand(connection, "payments", "UPDATE payments SET external_id = 'whole' WHERE external_id = 'part'")
        assert "payment-once" in await names(connection)


@pytest.mark.breaks_invariants
async def test_a_refund_wanted_for_longer_than_a_day_is_seen(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        async with pool.acquire() as connection:
            await shift_clock(connection, 86_000)
            assert await names(connection) == set()
            await shift_clock(connection, 1_000)
            assert await names(connection) == {"no-refund-is-forgotten"}


@pytest.mark.breaks_invariants
async def test_a_second_refund_of_the_same_money_cannot_be_booked_and_is_found(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        async with transaction(pool) as tx:
            await every_payment(tx, await make_user(tx, ANNA))
        payment_id = await payment_called(connection, "unknown")
        async with transaction(pool) as tx:
            await ask_refund(tx, payment_id=payment_id, asked_by="olga", owing=False, by_hand=True)
        await by_hand(
            connection,
            "payment_refunds",
            """
            INSERT INTO payment_refunds (payment_id, key, amount, paid_amount, reference, asked_by, state, closed_at)
            SELECT payment_id, 'twice', amount, paid_amount, 'twice', 'x', 'done', photomat_now()
              FROM payment_refunds WHERE payment_id = $1
            """,
            payment_id,
        )
        assert {"refund-is-taken-back", "refunds-within-their-payment"} <= await names(connection)
