"""Every statement on wallets, ledger_transactions, entries, holds and hold_closings. Private to the wallet.

A statement that changes a wallet's row also writes the rows that justify it, so the two cannot diverge.
"""

from photomat.db.pool import Transaction, on_commit
from photomat.db.rows import Row
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.metrics import MONEY
from photomat.kernel.money import Money
from photomat.wallet.postings import Balance, BookedTransaction, Closing, Hold, Posting, PostingLine


async def insert_wallet(tx: Transaction, *, user_id: UserId, currency: str) -> None:
    await tx.execute(
        "INSERT INTO wallets (user_id, currency) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING", user_id, currency
    )


async def read_balance(tx: Transaction, user_id: UserId) -> Balance | None:
    row = await tx.fetchrow("SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1", user_id)
    return _balance(row) if row else None


async def lock_wallet(tx: Transaction, user_id: UserId) -> Balance | None:
    """Lock the wallet until the transaction ends: the first lock of every posting."""
    row = await tx.fetchrow(
        "SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1 FOR NO KEY UPDATE", user_id
    )
    return _balance(row) if row else None


async def book(tx: Transaction, posting: Posting) -> bool:
    """Write the transaction, its lines and the new sums of its wallets; False if its reference is taken.

    `Corrupt` if a wallet does not cover its line.
    """
    changed = await tx.fetch(
        """
        WITH asked AS (
            SELECT line, account, user_id, amount
              FROM unnest($9::smallint[], $10::text[], $11::bigint[], $12::bigint[])
                   AS lines (line, account, user_id, amount)
        ), booked AS (
            INSERT INTO ledger_transactions (reference, reason, digest, seal, job_id, reverses, refunds, facts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $13)
            ON CONFLICT ON CONSTRAINT ledger_transactions_reference_once DO NOTHING
            RETURNING transaction_id
        ), lines AS (
            INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
            SELECT transaction_id, line, account, user_id, $8, amount FROM booked, asked
        ), sums AS (
            SELECT user_id,
                   coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0) AS posted,
                   coalesce(sum(amount) FILTER (WHERE account = 'debt'), 0) AS paid
              FROM asked WHERE user_id IS NOT NULL GROUP BY user_id
        ), changed AS (
            UPDATE wallets
               SET posted = wallets.posted + sums.posted, owed = wallets.owed - sums.paid
              FROM booked, sums
             WHERE wallets.user_id = sums.user_id AND wallets.currency = $8
               AND wallets.posted - wallets.held + sums.posted >= 0 AND wallets.owed - sums.paid >= 0
            RETURNING wallets.user_id
        )
        SELECT user_id FROM booked LEFT JOIN changed ON true
        """,
        posting.reference,
        posting.reason,
        posting.digest,
        posting.seal,
        posting.job_id,
        posting.reverses,
        posting.refunds,
        posting.currency,
        [number for number, _ in enumerate(posting.lines, start=1)],
        [line.account for line in posting.lines],
        [line.user_id for line in posting.lines],
        [line.amount for line in posting.lines],
        dict(posting.facts),
    )
    if changed and {row["user_id"] for row in changed} != posting.users:
        raise Corrupt(f"{posting.reference}: not every wallet of {sorted(posting.users)} covers its line")
    if changed:
        _count(tx, posting.move, posting.reason, Money(posting.moved, posting.currency))
    return bool(changed)


def _count(tx: Transaction, move: str, reason: str, amount: Money) -> None:
    """Count money once its transaction is committed."""
    counter = MONEY.labels(move=move, reason=reason, currency=amount.currency)
    on_commit(tx, lambda: counter.inc(amount.minor))


async def read_booked_digest(tx: Transaction, reference: str) -> bytes | None:
    digest: bytes | None = await tx.fetchval("SELECT digest FROM ledger_transactions WHERE reference = $1", reference)
    return digest


async def find_booked(tx: Transaction, reference: str) -> BookedTransaction | None:
    """The transaction with this reference; only `given_back` and `is_named` can change."""
    return await _booked(tx, "reference = $1", reference)


async def find_charge(tx: Transaction, job_id: JobId) -> BookedTransaction | None:
    return await _booked(tx, "job_id = $1 AND reason = 'charge'", job_id)


async def _booked(tx: Transaction, which: str, key: object) -> BookedTransaction | None:
    rows = await tx.fetch(
        f"""
        SELECT transaction_id, reference, reason, digest, job_id, account, user_id, currency, amount,
               reverses IS NOT NULL OR refunds IS NOT NULL AS names_another,
               (SELECT abs(coalesce(sum(back.amount), 0))::bigint
                  FROM ledger_transactions AS later JOIN entries AS back USING (transaction_id)
                 WHERE (later.refunds = booked.transaction_id OR later.reverses = booked.transaction_id)
                   AND back.user_id IS NOT NULL) AS given_back,
               EXISTS (SELECT FROM ledger_transactions AS later
                        WHERE later.refunds = booked.transaction_id OR later.reverses = booked.transaction_id) AS is_named
          FROM ledger_transactions AS booked JOIN entries USING (transaction_id)
         WHERE {which} ORDER BY line
        """,  # noqa: S608  our own two conditions
        key,
    )
    if not rows:
        return None
    first = rows[0]
    return BookedTransaction(
        transaction_id=first["transaction_id"],
        reference=first["reference"],
        reason=first["reason"],
        digest=first["digest"],
        job_id=JobId(first["job_id"]) if first["job_id"] is not None else None,
        names_another=first["names_another"],
        lines=tuple(
            PostingLine(row["account"], UserId(row["user_id"]) if row["user_id"] is not None else None, row["amount"])
            for row in rows
        ),
        given_back=first["given_back"],
        is_named=first["is_named"],
        currency=first["currency"],
    )


async def take_hold(tx: Transaction, hold: Hold) -> bool:
    """Set the money aside if the wallet, locked before, covers it and owes nothing; else return False and write nothing.

    False as well if the reference is taken.
    """
    is_taken = bool(
        await tx.fetchval(
            """
            WITH covered AS (
                UPDATE wallets
                   SET held = held + $4
                 WHERE user_id = $2 AND currency = $3 AND posted - held >= $4 AND owed = 0
                   AND NOT EXISTS (SELECT FROM holds WHERE reference = $1)
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
    if is_taken:
        _count(tx, "hold", "job", hold.amount)
    return is_taken


async def find_hold(tx: Transaction, reference: str) -> Hold | None:
    """The hold with this reference, open or closed. These rows never change, so no lock is needed."""
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
    """Write the closing and free the held money; False if the hold was closed before."""
    is_closed = bool(
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
    if is_closed and closed_as == "release":
        _count(tx, "release", "job", hold.amount)
    return is_closed


async def read_closing(tx: Transaction, reference: str) -> Closing | None:
    """How the hold was closed; None while it is open."""
    closed_as: Closing | None = await tx.fetchval("SELECT closed_as FROM hold_closings WHERE reference = $1", reference)
    return closed_as


async def read_holds_of_job(tx: Transaction, job_id: JobId) -> list[Row]:
    return await tx.fetch(
        """
        SELECT reference, amount, currency, held_at, closed_as, closed_at
          FROM holds LEFT JOIN hold_closings USING (reference)
         WHERE job_id = $1 ORDER BY held_at
        """,
        job_id,
    )


def _balance(row: Row) -> Balance:
    currency = row["currency"]
    return Balance(
        posted=Money(row["posted"], currency), held=Money(row["held"], currency), owed=Money(row["owed"], currency)
    )
