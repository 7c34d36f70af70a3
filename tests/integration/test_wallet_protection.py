"""The database keeps the books in order by itself, whoever writes to it."""

import asyncpg
import pytest

from photomat.db.pool import Transaction, transaction
from photomat.kernel.ids import UserId
from support.database import pool_of
from support.money import buy, give_back, make_user, sell

ANNA = UserId(42)
LEDGER_TABLES = ("ledger_transactions", "entries", "holds", "hold_closings")


async def add_transaction(tx: Transaction, *amounts: int, currencies: tuple[str, ...] = ()) -> int:
    number: int = await tx.fetchval(
        """
        INSERT INTO ledger_transactions (reference, reason, digest) VALUES ('by hand', 'operator', sha256(''))
        RETURNING transaction_id
        """
    )
    for line, amount in enumerate(amounts, start=1):
        currency = currencies[line - 1] if currencies else "RUB"
        await add_entry(tx, number, line, amount, currency)
    return number


async def add_entry(tx: Transaction, number: int, line: int, amount: int, currency: str = "RUB") -> None:
    await tx.execute(
        "INSERT INTO entries (transaction_id, line, account, currency, amount) VALUES ($1, $2, 'operator', $3, $4)",
        number,
        line,
        currency,
        amount,
    )


@pytest.mark.parametrize("table", LEDGER_TABLES)
@pytest.mark.parametrize("change", ["UPDATE {} SET reference = reference", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
async def test_history_is_only_ever_added_to(database: str, table: str, change: str) -> None:
    sql = change.format(table).replace(
        "reference = reference", "amount = 1" if table == "entries" else "reference = ''"
    )
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await sell(tx, await buy(tx, ANNA, price=10))
            await give_back(tx, await buy(tx, ANNA, price=10))
        with pytest.raises(asyncpg.RestrictViolationError) as refusal:
            async with transaction(pool) as tx:
                await tx.execute(sql)
        assert str(refusal.value.constraint_name).endswith("_append_only")


@pytest.mark.parametrize(
    ("amounts", "currencies"),
    [
        ((), ()),
        ((5,), ()),
        ((5, -4), ()),
        ((5, -5, 1), ()),
        ((5, -5), ("RUB", "USD")),
    ],
)
async def test_a_transaction_that_does_not_balance_is_refused_at_commit(
    database: str, amounts: tuple[int, ...], currencies: tuple[str, ...]
) -> None:
    async with pool_of(database) as pool:
        with pytest.raises(asyncpg.CheckViolationError) as refusal:
            async with transaction(pool) as tx:
                await add_transaction(tx, *amounts, currencies=currencies)
        assert refusal.value.constraint_name == "ledger_transactions_balance"
        async with transaction(pool) as tx:
            assert await tx.fetchval("SELECT count(*) FROM ledger_transactions") == 0


async def test_a_line_of_nothing_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        with pytest.raises(asyncpg.CheckViolationError) as refusal:
            async with transaction(pool) as tx:
                await add_transaction(tx, 5, -5, 0)
        assert refusal.value.constraint_name == "entries_amount_not_zero"


async def test_a_line_added_to_yesterdays_transaction_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        with pytest.raises(asyncpg.CheckViolationError, match="does not balance"):
            async with transaction(pool) as tx:
                await add_entry(tx, await tx.fetchval("SELECT transaction_id FROM ledger_transactions"), 3, 7)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("posted = held - 1", "wallets_available_not_negative"),
        ("held = posted + 1", "wallets_available_not_negative"),
        ("held = -1", "wallets_held_not_negative"),
        ("owed = -1", "wallets_owed_not_negative"),
    ],
)
async def test_a_wallet_below_zero_is_refused(database: str, change: str, constraint: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        with pytest.raises(asyncpg.CheckViolationError) as refusal:
            async with transaction(pool) as tx:
                await tx.execute(f"UPDATE wallets SET {change}")  # noqa: S608  from the list above
        assert refusal.value.constraint_name == constraint


@pytest.mark.parametrize(
    ("repeat", "constraint"),
    [
        (
            """
            INSERT INTO ledger_transactions (reference, reason, digest, job_id)
            SELECT reference, reason, digest, job_id + 1 FROM ledger_transactions WHERE reason = 'charge'
            """,
            "ledger_transactions_reference_once",
        ),
        (
            """
            INSERT INTO ledger_transactions (reference, reason, digest, job_id)
            SELECT 'another', reason, digest, job_id FROM ledger_transactions WHERE reason = 'charge'
            """,
            "ledger_transactions_one_charge_per_job",
        ),
        ("INSERT INTO holds SELECT * FROM holds", "holds_pkey"),
        ("INSERT INTO hold_closings SELECT reference, 'release' FROM hold_closings", "hold_closings_pkey"),
    ],
)
async def test_once_is_a_key(database: str, repeat: str, constraint: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await sell(tx, await buy(tx, ANNA, price=10))
        with pytest.raises(asyncpg.UniqueViolationError) as refusal:
            async with transaction(pool) as tx:
                await tx.execute(repeat)
        assert refusal.value.constraint_name == constraint
