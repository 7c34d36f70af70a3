"""Every statement on wallets, ledger_transactions, entries, holds and hold_closings. Private to the wallet.

A statement that changes a wallet's row also writes the rows that justify it, so the two cannot diverge.
"""

from collections.abc import Sequence
from typing import Final

from photomat.db.pool import Transaction, on_commit
from photomat.db.rows import Row
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.metrics import MONEY
from photomat.kernel.money import Money
from photomat.wallet.postings import Balance, BookedTransaction, Closing, Hold, Posting, PostingLine, charge_posting

ASKED_LINES: Final = """
    SELECT line, account, user_id, amount
      FROM unnest($9::smallint[], $10::text[], $11::bigint[], $12::bigint[]) AS lines (line, account, user_id, amount)"""
WRITE_LINES: Final = """
    INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
    SELECT transaction_id, line, account, user_id, $8, amount FROM booked, asked"""


async def insert_wallets(
    tx: Transaction, registering: str, values: Sequence[object], *, currency: str, welcomes: Sequence[Posting]
) -> list[Row]:
    """Create the wallets of the users who `is_new` among those that `registering` returns, each with its first credit.

    Return what `registering` does; its parameters are $1 to $4.
    """
    lines = [(each.reference, number, line) for each in welcomes for number, line in enumerate(each.lines, start=1)]
    rows = await tx.fetch(
        f"""
        WITH registered AS ({registering}), asked AS (
            SELECT * FROM unnest($6::text[], $7::bytea[], $8::bytea[]) AS credit (reference, digest, seal)
        ), lines AS (
            SELECT * FROM unnest($9::text[], $10::smallint[], $11::text[], $12::bigint[], $13::bigint[])
                       AS lines (reference, line, account, user_id, amount)
        ), opened AS (
            INSERT INTO wallets (user_id, currency, posted)
            SELECT user_id, $5, coalesce(amount, 0) FROM registered LEFT JOIN lines USING (user_id) WHERE is_new
            RETURNING user_id
        ), booked AS (
            INSERT INTO ledger_transactions (reference, reason, digest, seal)
            SELECT reference, 'welcome', digest, seal
              FROM asked JOIN lines USING (reference) JOIN opened USING (user_id)
            RETURNING transaction_id, reference
        ), written AS (
            INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
            SELECT transaction_id, line, account, user_id, $5, amount FROM booked JOIN lines USING (reference)
        )
        SELECT * FROM registered
        """,  # noqa: S608  a constant of the slice that owns the users
        *values,
        currency,
        [each.reference for each in welcomes],
        [each.digest for each in welcomes],
        [each.seal for each in welcomes],
        [reference for reference, _, _ in lines],
        [number for _, number, _ in lines],
        [line.account for _, _, line in lines],
        [line.user_id for _, _, line in lines],
        [line.amount for _, _, line in lines],
    )
    new = {row["user_id"] for row in rows if row["is_new"]}
    for each in welcomes:
        if each.users & new:
            _count(tx, each.move, each.reason, Money(each.moved, currency))
    return rows


async def read_balance(tx: Transaction, user_id: UserId) -> Balance | None:
    row = await tx.fetchrow("SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1", user_id)
    return _balance(row) if row else None


async def lock_wallet(tx: Transaction, user_id: UserId) -> Balance | None:
    """Lock the wallet until the transaction ends: the first lock of every posting."""
    row = await tx.fetchrow(
        "SELECT currency, posted, held, owed FROM wallets WHERE user_id = $1 FOR NO KEY UPDATE", user_id
    )
    return _balance(row) if row else None


async def lock_wallets(tx: Transaction, user_ids: Sequence[UserId]) -> dict[UserId, Balance]:
    """Lock the wallets of these users until the transaction ends, in ascending order of the users."""
    rows = await tx.fetch(
        """
        SELECT user_id, currency, posted, held, owed FROM wallets
         WHERE user_id = ANY ($1::bigint[]) ORDER BY user_id FOR NO KEY UPDATE
        """,
        list(user_ids),
    )
    return {UserId(row["user_id"]): _balance(row) for row in rows}


async def book(tx: Transaction, posting: Posting) -> bool:
    """Write the transaction, its lines and the new sums of its wallets; False if its reference is taken.

    `Corrupt` if a wallet does not cover its line.
    """
    changed = await tx.fetch(
        f"""
        WITH asked AS ({ASKED_LINES}), booked AS (
            INSERT INTO ledger_transactions (reference, reason, digest, seal, job_id, reverses, refunds, facts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $13)
            ON CONFLICT ON CONSTRAINT ledger_transactions_reference_once DO NOTHING
            RETURNING transaction_id
        ), lines AS ({WRITE_LINES}), sums AS (
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
        """,  # noqa: S608  constants of this module
        *_written(posting),
    )
    if changed and {row["user_id"] for row in changed} != posting.users:
        raise Corrupt(f"{posting.reference}: not every wallet of {sorted(posting.users)} covers its line")
    if changed:
        _count(tx, posting.move, posting.reason, Money(posting.moved, posting.currency))
    return bool(changed)


def _written(posting: Posting) -> tuple[object, ...]:
    """The values of a posting, in the order of the statements that book it."""
    return (
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


async def take_holds(tx: Transaction, holds: Sequence[Hold]) -> set[str]:
    """Set money aside in wallets of different users, locked before, that cover it and owe nothing; return what was taken.

    Nothing is written of a hold whose wallet does not cover it, or whose reference is taken.
    """
    rows = await tx.fetch(
        """
        WITH asked AS (
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[])
                       AS hold (reference, user_id, currency, amount, job_id, digest)
        ), covered AS (
            UPDATE wallets
               SET held = held + amount
              FROM asked
             WHERE wallets.user_id = asked.user_id AND wallets.currency = asked.currency
               AND posted - held >= amount AND owed = 0
               AND NOT EXISTS (SELECT FROM holds WHERE holds.reference = asked.reference)
            RETURNING asked.*
        )
        INSERT INTO holds (reference, user_id, currency, amount, job_id, digest) SELECT * FROM covered
        RETURNING reference
        """,
        [hold.reference for hold in holds],
        [hold.user_id for hold in holds],
        [hold.amount.currency for hold in holds],
        [hold.amount.minor for hold in holds],
        [hold.job_id for hold in holds],
        [hold.digest for hold in holds],
    )
    taken = {row["reference"] for row in rows}
    for hold in holds:
        if hold.reference in taken:
            _count(tx, "hold", "job", hold.amount)
    return taken


async def find_hold(tx: Transaction, reference: str) -> Hold | None:
    """The hold with this reference, open or closed. These rows never change, so no lock is needed."""
    row = await tx.fetchrow(
        "SELECT reference, user_id, currency, amount, job_id FROM holds WHERE reference = $1", reference
    )
    return None if row is None else _hold(row)


async def lock_holds(tx: Transaction, references: Sequence[str]) -> list[Hold]:
    """The holds with these references; their wallets are locked in ascending order of their users."""
    rows = await tx.fetch(
        """
        SELECT reference, user_id, holds.currency, amount, job_id
          FROM holds JOIN wallets USING (user_id)
         WHERE reference = ANY($1::text[]) ORDER BY user_id FOR NO KEY UPDATE OF wallets
        """,
        list(references),
    )
    return [_hold(row) for row in rows]


async def charge_holds(tx: Transaction, holds: Sequence[Hold]) -> set[str]:
    """Close open holds and book their charges; return the references that were charged now.

    `Corrupt` if the reference of a hold belongs to another transaction. Nothing is written of a hold that was closed before.
    """
    postings = [charge_posting(hold) for hold in holds]
    lines = [(each.reference, number, line) for each in postings for number, line in enumerate(each.lines, start=1)]
    rows = await tx.fetch(
        """
        WITH asked AS (
            SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])
                       AS hold (reference, digest, seal, job_id, user_id, currency, amount)
        ), closed AS (
            INSERT INTO hold_closings (reference, closed_as) SELECT reference, 'charge' FROM asked
            ON CONFLICT ON CONSTRAINT hold_closings_pkey DO NOTHING
            RETURNING reference
        ), booked AS (
            INSERT INTO ledger_transactions (reference, reason, digest, seal, job_id)
            SELECT reference, 'charge', digest, seal, job_id FROM asked JOIN closed USING (reference)
            ON CONFLICT ON CONSTRAINT ledger_transactions_reference_once DO NOTHING
            RETURNING transaction_id, reference
        ), lines AS (
            INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
            SELECT transaction_id, line, account, lines.user_id, currency, lines.amount
              FROM unnest($8::text[], $9::smallint[], $10::text[], $11::bigint[], $12::bigint[])
                   AS lines (reference, line, account, user_id, amount)
              JOIN booked USING (reference) JOIN asked USING (reference)
        ), sums AS (
            SELECT user_id, currency, sum(amount) AS amount FROM asked JOIN booked USING (reference) GROUP BY user_id, currency
        ), changed AS (
            UPDATE wallets SET held = held - sums.amount, posted = posted - sums.amount
              FROM sums
             WHERE wallets.user_id = sums.user_id AND wallets.currency = sums.currency
            RETURNING wallets.user_id
        )
        SELECT reference, transaction_id IS NOT NULL AND changed.user_id IS NOT NULL AS is_booked
          FROM closed JOIN asked USING (reference) LEFT JOIN booked USING (reference)
          LEFT JOIN changed ON changed.user_id = asked.user_id
        """,
        [each.reference for each in postings],
        [each.digest for each in postings],
        [each.seal for each in postings],
        [each.job_id for each in postings],
        [hold.user_id for hold in holds],
        [hold.amount.currency for hold in holds],
        [hold.amount.minor for hold in holds],
        [reference for reference, _, _ in lines],
        [number for _, number, _ in lines],
        [line.account for _, _, line in lines],
        [line.user_id for _, _, line in lines],
        [line.amount for _, _, line in lines],
    )
    for row in rows:
        if not row["is_booked"]:
            raise Corrupt(f"charge {row['reference']}: another transaction has the reference of this hold")
    charged = {row["reference"] for row in rows}
    for posting in postings:
        if posting.reference in charged:
            _count(tx, posting.move, posting.reason, Money(posting.moved, posting.currency))
    return charged


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


def _hold(row: Row) -> Hold:
    return Hold(
        reference=row["reference"],
        user_id=UserId(row["user_id"]),
        amount=Money(row["amount"], row["currency"]),
        job_id=JobId(row["job_id"]),
    )


def _balance(row: Row) -> Balance:
    currency = row["currency"]
    return Balance(
        posted=Money(row["posted"], currency), held=Money(row["held"], currency), owed=Money(row["owed"], currency)
    )
