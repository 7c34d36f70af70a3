"""Receipts of manual transfers as they are stored, and which of them are alike.

`refs` are the numbers in a note that identify a transfer: the bank's, or our own code.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.messages.notices import FileKind

REMIND_AFTER: Final = timedelta(hours=6)
COLUMNS: Final = (
    "receipt_id, topup_id, receipts.user_id, first_name, username, amount, receipts.currency, file_kind, file_id,"
    " file_unique_id, sha256, note, refs, same_file_as, same_note_as, state, receipts.created_at, decided_at, decided_by,"
    " reason, credited, tries"
)
WHOSE: Final = "receipts LEFT JOIN users ON users.user_id = receipts.user_id"
ONE: Final = f"SELECT {COLUMNS} FROM {WHOSE} WHERE receipt_id = $1"  # noqa: S608  constants
COUNT_WAITING: Final = "SELECT count(*) FROM receipts WHERE user_id = $1 AND state = 'waiting'"
ALIKE: Final = "(file_unique_id = $2 OR sha256 = $3 OR refs && $4::text[])"
CLAIM_DUE: Final = f"""
    WITH due AS MATERIALIZED (
        SELECT receipt_id FROM receipts WHERE due_at <= photomat_now() AND bot_id = (SELECT photomat_our_bot($2))
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED),
    receipts AS (
        UPDATE receipts AS one SET due_at = photomat_now() + $3::interval, tries = one.tries + 1
          FROM due WHERE one.receipt_id = due.receipt_id
        RETURNING one.*)
    SELECT {COLUMNS} FROM {WHOSE}
    """  # noqa: S608  constants


class ReceiptState(StrEnum):
    """A receipt leaves `WAITING` once."""

    WAITING = "waiting"
    APPROVED = "approved"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFile:
    """The file by Telegram's ids, and the digest of its bytes if all of them were read."""

    kind: FileKind
    file_id: str
    unique_id: str
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One receipt; `same_file_as` and `same_note_as` are the first ones it repeats."""

    receipt_id: int
    topup_id: int
    user_id: UserId
    first_name: str
    username: str | None
    amount: Money
    file: ReceiptFile
    note: str
    refs: Sequence[str]
    same_file_as: int | None
    same_note_as: int | None
    state: ReceiptState
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    reason: str | None
    credited: Money | None
    attempts: int
    """Of the reminder; a decision resets it."""

    @property
    def code(self) -> str:
        """What the user was asked to write into the transfer's comment."""
        return transfer_code(self.topup_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateReceipt:
    """Another receipt with the same file or the same reference."""

    receipt_id: int
    user_id: UserId
    state: ReceiptState
    created_at: datetime
    same_file: bool
    same_note: bool


def transfer_code(topup_id: int) -> str:
    return f"P-{topup_id}"


def receipt_of(row: Row) -> Receipt:
    columns = dict(row)
    currency, credited = columns.pop("currency"), columns.pop("credited")
    return Receipt(
        first_name=columns.pop("first_name") or "",
        amount=Money(columns.pop("amount"), currency),
        file=ReceiptFile(
            kind=columns.pop("file_kind"),
            file_id=columns.pop("file_id"),
            unique_id=columns.pop("file_unique_id"),
            sha256=columns.pop("sha256"),
        ),
        refs=tuple(columns.pop("refs")),
        state=ReceiptState(columns.pop("state")),
        credited=None if credited is None else Money(credited, currency),
        attempts=columns.pop("tries"),
        **columns,
    )


async def require_receipt(tx: Transaction, receipt_id: int) -> Receipt:
    row = await tx.fetchrow(ONE, receipt_id)
    if row is None:
        raise Corrupt(f"receipt {receipt_id} is gone; receipts are never deleted")
    return receipt_of(row)


async def lock_receipt(tx: Transaction, receipt_id: int) -> Receipt | None:
    """Lock a receipt and every receipt like it, in the order of their ids: of two alike one is decided after the other."""
    row = await tx.fetchrow(ONE, receipt_id)
    if row is None:
        return None
    before = receipt_of(row)
    await tx.fetch(
        f"""
        SELECT receipt_id FROM receipts WHERE receipt_id = $1 OR {ALIKE} ORDER BY receipt_id FOR NO KEY UPDATE
        """,  # noqa: S608  a constant condition
        receipt_id,
        before.file.unique_id,
        before.file.sha256,
        list(before.refs),
    )
    return await require_receipt(tx, receipt_id)


async def find_receipt(pool: Pool, receipt_id: int) -> Receipt | None:
    row = await pool.fetchrow(ONE, receipt_id)
    return None if row is None else receipt_of(row)


async def sent_for(pool: Pool, topup_id: int) -> Receipt | None:
    """The receipt of this transfer that waits or was credited; after a declined one another may be sent."""
    row = await pool.fetchrow(
        f"SELECT {COLUMNS} FROM {WHOSE} WHERE topup_id = $1 AND state <> 'declined' ORDER BY receipt_id LIMIT 1",  # noqa: S608  constants
        topup_id,
    )
    return None if row is None else receipt_of(row)


async def count_waiting(pool: Pool, user_id: UserId) -> int:
    return int(await pool.fetchval(COUNT_WAITING, user_id))


async def waiting_of(pool: Pool, user_id: UserId) -> list[Receipt]:
    """The receipts of a user that wait, oldest first."""
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM {WHOSE} WHERE receipts.user_id = $1 AND state = 'waiting' ORDER BY receipt_id",  # noqa: S608  constants
        user_id,
    )
    return [receipt_of(row) for row in rows]


async def list_receipts(pool: Pool, *, waiting: bool, limit: int) -> list[Receipt]:
    """The waiting ones, oldest first; or all, newest first."""
    which = "state = 'waiting' ORDER BY receipt_id" if waiting else "true ORDER BY receipt_id DESC"
    rows = await pool.fetch(f"SELECT {COLUMNS} FROM {WHOSE} WHERE {which} LIMIT $1", limit)  # noqa: S608  constants
    return [receipt_of(row) for row in rows]


async def duplicates_of(tx: Transaction, receipt: Receipt) -> list[DuplicateReceipt]:
    """Credited ones first."""
    return await find_duplicates(tx, receipt.receipt_id, receipt.file, receipt.refs)


async def find_duplicates(
    tx: Transaction, receipt_id: int | None, file: ReceiptFile, refs: Collection[str]
) -> list[DuplicateReceipt]:
    rows = await tx.fetch(
        f"""
        SELECT receipt_id, user_id, state, created_at,
               file_unique_id = $2 OR coalesce(sha256 = $3, false) AS same_file, refs && $4::text[] AS same_note
          FROM receipts
         WHERE {ALIKE} AND receipt_id IS DISTINCT FROM $1
         ORDER BY state = 'approved' DESC, receipt_id
        """,  # noqa: S608  a constant condition
        receipt_id,
        file.unique_id,
        file.sha256,
        list(refs),
    )
    return [DuplicateReceipt(**dict(row) | {"state": ReceiptState(row["state"])}) for row in rows]


async def next_due(tx: Transaction, receipt: Receipt, *, after: timedelta | None) -> None:
    """Set when it is due again, unless it was decided meanwhile: a decision is due at once."""
    await tx.execute(
        "UPDATE receipts SET due_at = photomat_now() + $3::interval WHERE receipt_id = $1 AND state = $2",
        receipt.receipt_id,
        receipt.state,
        after,
    )
