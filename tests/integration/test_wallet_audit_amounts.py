"""No amount can be changed by hand and no move that goes back or across be bent without the audit going red."""

from support.audit import broken
from support.books import by_hand, honest_books, names, undone, unnoticed
from support.database import connection_of
from support.money import make_user
from support.source import SOURCE

NO_MONEY = {
    *(
        "attempts",
        "completion_tokens",
        "counted",
        "filled_to",
        "first_payment",
        "free_per_day",
        "known_blocked",
        "most_running",
        "orders_per_minute",
        "payments_before",
        "preview_attempts",
        "preview_to",
        "reach",
        "recipients",
        "prompt_tokens",
        "card_page",
        "card_slot_for",
        "card_shown",
        "card_tried",
        "card_wanted",
        "converted_bytes",
        "delivery_attempts",
        "failures",
        "times",
        "keep_tries",
        "looks",
        "lost_times",
        "moves",
        "nth",
        "read_to",
        "starts",
        "ends",
        "round",
        "sends",
        "step",
        "same_file_as",
        "same_note_as",
        "submit_turn",
        "tries",
        "troubles",
        "turn",
    ),
    *("delivery_fence", "fence", "height", "invariants", "line", "number", "pid", "position", "progress", "revision"),
    "shown_place",
    *("seconds", "size_bytes", "width", "refunds", "reverses"),
    *("filled_to", "known_blocked", "preview_attempts", "preview_to", "reach", "recipients"),
}
"""Columns that count or name something else; those that end in _id do too. `refunds` and `reverses` name transactions."""

RULES_NOT_MONEY = {
    *("model_prices.amount", "model_prices.markup", "model_prices.percent"),
    *("promo_codes.amount", "promo_codes.generations", "promo_codes.most_uses", "promo_codes.per_user"),
    "promo_codes.percent",
    *("kie_readings.balance", "kie_readings.since_balance", "kie_readings.consumed", "kie_readings.allowed"),
    "comparisons.found",
    *("assistant_calls.credits", "assistant_calls.cost"),
}
"""What an operator set for the future, and what Kie took from the shop: no customer's money has moved by it."""

KEYS = {
    "drafts": "draft_id",
    "entries": "transaction_id || ':' || line",
    "fiscal_documents": "external_id",
    "fiscal_receipts": "fiscal_id",
    "generation_jobs": "job_id",
    "gifts": "gift_id",
    "promo_codes": "code",
    "promo_uses": "use_id",
    "receipts": "receipt_id",
    "referral_shares": "payment_id",
    "referrals": "friend_id",
    "holds": "reference",
    "lanes": "lane",
    "payment_refunds": "refund_id",
    "payments": "payment_id",
    "sealed_days": "day",
    "stars_listed": "charge_id",
    "subscriptions": "subscription_id",
    "topups": "topup_id",
    "wallets": "user_id",
}


def amounts_of_the_schema() -> list[str]:
    """Every numeric column of every table that is neither an id nor known to be no money."""
    lines = (SOURCE / "photomat" / "db" / "schema.txt").read_text(encoding="utf-8").splitlines()
    columns = [line.split()[1] for line in lines if line.startswith("column ") and line.split()[2] in NUMERIC]
    return [
        column
        for column in columns
        if not column.endswith("_id") and column.partition(".")[2] not in NO_MONEY and column not in RULES_NOT_MONEY
    ]


NUMERIC = {"bigint", "integer", "smallint", "numeric", "double", "real"}


async def test_one_amount_changed_anywhere_is_found(database: str) -> None:
    """In every row by all invariants in one question, and in the last one of a column by every form of the audit."""
    missed = []
    async with connection_of(database) as connection:
        await honest_books(connection)
        for amount in amounts_of_the_schema():
            table, _, column = amount.partition(".")
            key = KEYS[table]
            change = f"UPDATE {table} SET {column} = {column} + 1 WHERE ({key})::text = $1"  # noqa: S608  from the schema
            rows = await connection.fetch(f"SELECT ({key})::text FROM {table} WHERE {column} IS NOT NULL")  # noqa: S608  likewise
            assert rows, f"no row has a {column}"
            for (row,) in rows:
                async with undone(connection):
                    await connection.execute("SET LOCAL session_replication_role = replica")
                    await connection.execute(change, row)
                    found = await (names if row == rows[-1][0] else broken)(connection)
                missed += [] if found else [f"{table} {row}: another {column}"]
    assert missed == []


async def test_a_split_between_wallet_and_debt_changed_by_hand_is_found(database: str) -> None:
    """Balanced lines, the same sums asked for, and a cache that agrees: only the seal knows."""
    async with connection_of(database) as connection:
        await honest_books(connection)
        for step in (1, -1):
            await by_hand(
                connection,
                "entries",
                """
                UPDATE entries SET amount = amount + CASE account WHEN 'wallet' THEN $1::bigint ELSE -$1::bigint END
                 WHERE user_id = 44 AND transaction_id = pg_temp.number_of('operator:2')
                """,
                step,
            )
            await connection.execute(
                "UPDATE wallets SET posted = posted + $1, owed = owed + $1 WHERE user_id = 44", step
            )
            assert await names(connection) == ({"transaction-is-as-booked"} if step == 1 else set())


CHANGES = (
    (
        "ledger_transactions",
        "DROP TRIGGER ledger_transactions_give_back ON ledger_transactions",
        "protections-stand",
    ),
    ("sealed_days", "DROP TRIGGER sealed_days_append_only ON sealed_days", "protections-stand"),
    (
        "ledger_transactions",
        "ALTER TABLE ledger_transactions DROP CONSTRAINT ledger_transactions_reversed_once",
        "keys-stand",
    ),
    ("wallets", "UPDATE wallets SET owed = owed + 1 WHERE user_id = 44", "debt-is-its-entries"),
    ("ledger_transactions", "UPDATE ledger_transactions SET seal = NULL", "transaction-is-as-booked"),
    ("ledger_transactions", "UPDATE ledger_transactions SET seal = sha256('')", "transaction-is-as-booked"),
    (
        "entries",
        "UPDATE entries SET account = 'topup' WHERE account = 'welcome'",
        "transaction-is-as-booked",
    ),
    (
        "entries",
        "UPDATE entries SET amount = amount * 4 WHERE transaction_id = pg_temp.number_of('refund:1')",
        "gives-back-no-more-than-taken",
    ),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET refunds = pg_temp.number_of('stars:1') WHERE reference = 'refund:1'",
        "refund-names-its-charge",
    ),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET refunds = NULL WHERE reference = 'refund:1'",
        "refund-names-its-charge",
    ),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET refunds = pg_temp.number_of('stars-refund:2') WHERE reference = 'refund:1'",
        "reversed-once",
    ),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET reverses = pg_temp.number_of('gift:1') WHERE reference = 'correction:gift:2'",
        "correction-mirrors",
    ),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET reason = 'promo' WHERE reference = 'gift:1'",
        "gift-has-two-sides",
    ),
    ("entries", "DELETE FROM entries WHERE account = 'gift' AND amount > 0", "gifts-taken-were-given"),
    (
        "ledger_transactions",
        "UPDATE ledger_transactions SET booked_at = booked_at - interval '1 day' WHERE reference = 'gift:1'",
        "sealed-days-are-unchanged",
    ),
    ("sealed_days", "UPDATE sealed_days SET digest = sha256('')", "sealed-days-are-unchanged"),
    ("sealed_days", "UPDATE sealed_days SET transactions = 1", "sealed-days-are-unchanged"),
    (
        "differences",
        "UPDATE differences SET opened_at = opened_at - interval '8 days'",
        "no-difference-is-left-alone",
    ),
    (
        "generation_jobs",
        "UPDATE generation_jobs SET quote = jsonb_set(quote, '{price}', '1') WHERE quote IS NOT NULL",
        "job-costs-what-its-card-showed",
    ),
    ("drafts", "UPDATE drafts SET price = 1", "job-costs-what-its-card-showed"),
    ("generation_jobs", "UPDATE generation_jobs SET cost = 33 WHERE cost = 32", "cost-is-what-kie-took"),
)


async def test_other_changes_are_found_by_name(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        assert await names(connection) == set()
        assert await unnoticed(connection, CHANGES) == []


async def test_rows_of_the_program_before_are_valid_and_as_well_protected(database: str) -> None:
    """It writes no seal, and its digest is of the wallet's line alone."""
    async with connection_of(database) as connection:
        await make_user(connection, 42)
        async with connection.transaction():
            await connection.execute(
                """
                WITH booked AS (
                    INSERT INTO ledger_transactions (reference, reason, digest)
                    VALUES ('welcome:1', 'welcome', sha256('welcome user=42 amount=100 currency=RUB job=-'))
                    RETURNING transaction_id)
                INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
                SELECT transaction_id, line, account, user_id, 'RUB', amount
                  FROM booked, (VALUES (1, 'wallet', 42, 100), (2, 'welcome', NULL, -100))
                               AS lines (line, account, user_id, amount)
                """
            )
            await connection.execute("UPDATE wallets SET posted = 100")
        assert await names(connection) == set()
        for step in (1, -1):
            await by_hand(connection, "entries", "UPDATE entries SET amount = amount + $1 * sign(amount)", step)
            await connection.execute("UPDATE wallets SET posted = posted + $1", step)
            assert await names(connection) == ({"transaction-is-what-was-asked"} if step == 1 else set())
        for account, found in (("promo", {"transaction-is-as-booked"}), ("welcome", set())):
            await by_hand(connection, "entries", "UPDATE entries SET account = $1 WHERE line = 2", account)
            assert await names(connection) == found
