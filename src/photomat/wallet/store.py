"""Every statement on wallets, ledger_transactions, entries, holds and hold_closings. Private to the wallet.

A statement that changes a wallet's row writes the rows that justify it too, so the two cannot drift apart.
"""

import asyncpg

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet.posting import Balance, Closing, Hold, Posting


async def insert_wallet(tx: Transaction, *, user_id: UserId, currency: str) -> None:
    """An empty wallet, unless the user has one."""
    await tx.execute(
        "INSERT INTO wallets (user_id, currency) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING", user_id, currency
    )


async def read_balance(tx: Transaction, user_id: UserId) -> Balance | None:
    """The wallet as of now, not locked."""
    row = await tx.fetchrow("SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1", user_id)
    return _balance(row) if row else None


async def lock_wallet(tx: Transaction, user_id: UserId) -> Balance | None:
    """The wallet, locked until the transaction ends: the first lock every move takes."""
    row = await tx.fetchrow(
        "SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1 FOR NO KEY UPDATE", user_id
    )
    return _balance(row) if row else None


async def book(tx: Transaction, posting: Posting) -> bool:
    """Write the transaction, its two lines and the wallet's new sum; False when its reference is taken."""
    return bool(
        await tx.fetchval(
            """
            WITH booked AS (
                INSERT INTO ledger_transactions (reference, reason, digest, job_id)
                VALUES ($1, $2, $3, $4)
                ON CONFLICT ON CONSTRAINT ledger_transactions_reference_once DO NOTHING
                RETURNING transaction_id
            ), lines AS (
                INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
                SELECT transaction_id, 1, 'wallet', $5::bigint, $6::text, $7::bigint FROM booked
                UNION ALL
                SELECT transaction_id, 2, $8::text, NULL, $6::text, -$7::bigint FROM booked
            )
            UPDATE wallets
               SET posted = posted + $7
              FROM booked
             WHERE user_id = $5 AND currency = $6
            RETURNING true
            """,
            posting.reference,
            posting.reason,
            posting.digest,
            posting.job_id,
            posting.user_id,
            posting.amount.currency,
            posting.amount.minor,
            posting.other_account,
        )
    )


async def read_booked_digest(tx: Transaction, reference: str) -> bytes | None:
    """The fingerprint of the transaction with this reference."""
    digest: bytes | None = await tx.fetchval("SELECT digest FROM ledger_transactions WHERE reference = $1", reference)
    return digest


async def take_hold(tx: Transaction, hold: Hold) -> bool:
    """Set the money aside if the wallet covers it and owes nothing; False and nothing written when it does not."""
    return bool(
        await tx.fetchval(
            """
            WITH covered AS (
                UPDATE wallets
                   SET held = held + $4
                 WHERE user_id = $2 AND currency = $3 AND posted - held >= $4 AND owed = 0
                RETURNING user_id, currency
            )
            INSERT INTO holds (reference, user_id, currency, amount, job_id, digest)
            SELECT $1, user_id, currency, $4, $5, $6 FROM covered
            RETURNING true
            """,
            hold.reference,
            hold.user_id,
            hold.amount.currency,
            hold.amount.minor,
            hold.job_id,
            hold.digest,
        )
    )


async def find_hold(tx: Transaction, reference: str) -> Hold | None:
    """The hold with this reference, open or closed. Such rows never change, so no lock is needed."""
    row = await tx.fetchrow(
        "SELECT reference, user_id, currency, amount, job_id FROM holds WHERE reference = $1", reference
    )
    if row is None:
        return None
    return Hold(
        reference=row["reference"],
        user_id=UserId(row["user_id"]),
        amount=Money(row["amount"], row["currency"]),
        job_id=JobId(row["job_id"]),
    )


async def close_hold(tx: Transaction, hold: Hold, closed_as: Closing) -> bool:
    """Write the closing and give the held money free; False when the hold was closed before."""
    return bool(
        await tx.fetchval(
            """
            WITH closed AS (
                INSERT INTO hold_closings (reference, closed_as)
                VALUES ($1, $2)
                ON CONFLICT ON CONSTRAINT hold_closings_pkey DO NOTHING
                RETURNING reference
            )
            UPDATE wallets
               SET held = held - $5
              FROM closed
             WHERE user_id = $3 AND currency = $4
            RETURNING true
            """,
            hold.reference,
            closed_as,
            hold.user_id,
            hold.amount.currency,
            hold.amount.minor,
        )
    )


async def read_closing(tx: Transaction, reference: str) -> Closing | None:
    """How the hold was closed, None while it is open."""
    closed_as: Closing | None = await tx.fetchval("SELECT closed_as FROM hold_closings WHERE reference = $1", reference)
    return closed_as


async def read_last_moves(tx: Transaction, user_id: UserId, limit: int) -> list[asyncpg.Record]:
    """The newest wallet lines; the balance after each is today's without the moves that came later."""
    rows: list[asyncpg.Record] = await tx.fetch(
        """
        SELECT booked_at, reason, amount, currency, reference, job_id,
               (posted - sum(amount) OVER newer + amount)::bigint AS balance_after
          FROM entries
          JOIN wallets USING (user_id, currency)
          JOIN ledger_transactions USING (transaction_id)
         WHERE user_id = $1 AND account = 'wallet'
        WINDOW newer AS (ORDER BY transaction_id DESC, line)
         ORDER BY transaction_id DESC, line
         LIMIT $2
        """,
        user_id,
        limit,
    )
    return rows


async def read_holds_of_job(tx: Transaction, job_id: JobId) -> list[asyncpg.Record]:
    """The holds made for a job, each with how and when it ended."""
    rows: list[asyncpg.Record] = await tx.fetch(
        """
        SELECT reference, amount, currency, held_at, closed_as, closed_at
          FROM holds LEFT JOIN hold_closings USING (reference)
         WHERE job_id = $1 ORDER BY held_at
        """,
        job_id,
    )
    return rows


def _balance(row: asyncpg.Record) -> Balance:
    currency = row["currency"]
    return Balance(
        posted=Money(row["posted"], currency), held=Money(row["held"], currency), owed=Money(row["owed"], currency)
    )
