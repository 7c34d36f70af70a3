"""A receipt of a transfer by hand, as a value: what was sent, what it may repeat, what became of it. Pure.

`refs` are the numbers of a note that tell one transfer from another: what a bank calls it, or our own code. A date, the sum
and the numbers everybody pays to tell nothing.

Every statement on `receipts`. A receipt credits nothing: it waits until an operator has decided, once, under its lock.

The same file or the same reference again is taken and flagged, whoever sends it; submissions stand in line for a moment, so
that of two at once one sees the other.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.messages.notices import FileKind
from photomat.payments import transfer_notices
from photomat.payments.topup import Topup

MOST_NOTE: Final = 500
FEWEST_DIGITS: Final = 5
"""A shorter number is a sum, a year, a time of day: it names no transfer."""
_WORD: Final = re.compile(r"\w+(?:[-/]\w+)*")
_CODE: Final = re.compile(r"p\d+", re.ASCII)
_NUMBER: Final = re.compile(r"\d[\d ()-]*\d")
PHONE_DIGITS: Final = 10
"""Without what is dialed before them: +7 and 8 lead to the same phone."""
MOST_WAITING: Final = 3
REMIND_AFTER: Final = timedelta(hours=6)
COLUMNS: Final = (
    "receipt_id, topup_id, receipts.user_id, first_name, username, amount, receipts.currency, file_kind, file_id,"
    " file_unique_id, sha256, note, refs, same_file_as, same_note_as, state, receipts.created_at, decided_at, decided_by,"
    " reason, credited, tries"
)
WHOSE: Final = "receipts LEFT JOIN users ON users.user_id = receipts.user_id"
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
log = get_logger()


_YEAR, _MONTH, _DAY = r"20\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"


_DATE: Final = re.compile(
    rf"(?<!\w)(?<!\w[-/])(?:{_YEAR}[-/]?{_MONTH}[-/]?{_DAY}(?:t\d\d[-\d]*)?|{_DAY}[-/]?{_MONTH}[-/]?{_YEAR}|{_DAY}[-/]{_MONTH}[-/]\d\d)"
    r"(?![-/]?\w)",
    re.ASCII,
)


class ReceiptState(StrEnum):
    """Where a receipt can stand; it leaves `WAITING` once."""

    WAITING = "waiting"
    APPROVED = "approved"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFile:
    """The file as Telegram names it, and the fingerprint of its bytes where we have read all of them."""

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
    """How often something was done about it by itself; a decision starts anew."""

    @property
    def code(self) -> str:
        """What the user was asked to write into the transfer's comment."""
        return code_of(self.topup_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateReceipt:
    """Another receipt with the same file or the same reference."""

    receipt_id: int
    user_id: UserId
    state: ReceiptState
    created_at: datetime
    same_file: bool
    same_note: bool


def code_of(topup_id: int) -> str:
    """The short code of a transfer."""
    return f"P-{topup_id}"


def normal_note(text: str) -> str:
    """What a user wrote under the file, on one line and of bounded length."""
    return " ".join(text.split())[:MOST_NOTE]


def refs_of(note: str, *, amount: Money, details: str) -> list[str]:
    """The references a note names, each once; neither the sum nor the numbers of our own requisites (`details`)."""
    sums = {str(amount.minor // MINOR_PER_MAJOR), str(amount.minor)}
    ours = [re.sub(r"\D", "", number) for number in _NUMBER.findall(details)]
    words = [re.sub(r"[-/_]", "", word) for word in _WORD.findall(_DATE.sub(" ", note.casefold()))]
    telling = [word for word in words if _names_a_transfer(word) and word not in sums and not _is_of(word, ours)]
    return list(dict.fromkeys(telling))


def _is_of(word: str, numbers: Sequence[str]) -> bool:
    """Whether a word is one of the numbers, or the part of one that stands between two spaces."""
    return any(
        word in number or (len(number) >= PHONE_DIGITS and word[1:] == number[-PHONE_DIGITS:]) for number in numbers
    )


def _names_a_transfer(word: str) -> bool:
    return sum(letter.isdecimal() for letter in word) >= FEWEST_DIGITS or _CODE.fullmatch(word) is not None


def receipt_of(row: Row) -> Receipt:
    """A row, with the names of its user, as a value."""
    currency = row["currency"]
    return Receipt(
        receipt_id=row["receipt_id"],
        topup_id=row["topup_id"],
        user_id=UserId(row["user_id"]),
        first_name=row["first_name"] or "",
        username=row["username"],
        amount=Money(row["amount"], currency),
        file=ReceiptFile(
            kind=row["file_kind"], file_id=row["file_id"], unique_id=row["file_unique_id"], sha256=row["sha256"]
        ),
        note=row["note"],
        refs=tuple(row["refs"]),
        same_file_as=row["same_file_as"],
        same_note_as=row["same_note_as"],
        state=ReceiptState(row["state"]),
        created_at=row["created_at"],
        decided_at=row["decided_at"],
        decided_by=row["decided_by"],
        reason=row["reason"],
        credited=None if row["credited"] is None else Money(row["credited"], currency),
        attempts=row["tries"],
    )


async def submit_receipt(
    tx: Transaction,
    *,
    origin: str,
    topup: Topup,
    bot_id: BotId,
    file: ReceiptFile,
    note: str,
    details: str,
    operators: Collection[ChatId],
) -> Receipt | None:
    """Take a receipt and tell the operators; the same origin again gives the same one. None: too many of theirs wait.

    `details` are the requisites they paid to, whose numbers name no transfer.
    """
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('photomat receipts', 0))")
    known = await tx.fetchval("SELECT receipt_id FROM receipts WHERE origin = $1", origin)
    if known is not None:
        return await _there(tx, known)
    if await count_waiting(tx, topup.user_id) >= MOST_WAITING:
        return None
    note = normal_note(note)
    refs = refs_of(note, amount=topup.credit, details=details)
    alike = await _alike(tx, None, file, refs)
    receipt_id: int = await tx.fetchval(
        """
        INSERT INTO receipts (origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id, file_unique_id, sha256,
                              note, refs, same_file_as, same_note_as, due_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, photomat_now() + $15::interval)
        RETURNING receipt_id
        """,
        origin,
        topup.topup_id,
        topup.user_id,
        bot_id,
        topup.credit.minor,
        topup.credit.currency,
        file.kind,
        file.file_id,
        file.unique_id,
        file.sha256,
        note,
        refs,
        min((twin.receipt_id for twin in alike if twin.same_file), default=None),
        min((twin.receipt_id for twin in alike if twin.same_note), default=None),
        REMIND_AFTER,
    )
    receipt = await _there(tx, receipt_id)
    await transfer_notices.tell_operators(tx, receipt, alike, operators=operators, which="new")
    log.info("RECEIPT_TAKEN", receipt_id=receipt_id, user_id=topup.user_id, amount=topup.credit.minor, twins=len(alike))
    return receipt


async def find_receipt(db: Pool | Transaction, receipt_id: int) -> Receipt | None:
    """The receipt with this number."""
    row = await db.fetchrow(f"SELECT {COLUMNS} FROM {WHOSE} WHERE receipt_id = $1", receipt_id)  # noqa: S608  constants
    return None if row is None else receipt_of(row)


async def lock_receipt(tx: Transaction, receipt_id: int) -> Receipt | None:
    """The same, locked with every receipt like it, in their order; so of two alike one is decided after the other."""
    before = await find_receipt(tx, receipt_id)
    if before is None:
        return None
    await tx.fetch(
        f"""
        SELECT receipt_id FROM receipts WHERE receipt_id = $1 OR {ALIKE} ORDER BY receipt_id FOR NO KEY UPDATE
        """,  # noqa: S608  a constant condition
        receipt_id,
        before.file.unique_id,
        before.file.sha256,
        list(before.refs),
    )
    return await _there(tx, receipt_id)


async def duplicates_of(db: Pool | Transaction, receipt: Receipt) -> list[DuplicateReceipt]:
    """The receipts like it, those that were credited first."""
    return await _alike(db, receipt.receipt_id, receipt.file, receipt.refs)


async def count_waiting(db: Pool | Transaction, user_id: UserId) -> int:
    """How many receipts of a user wait."""
    return int(await db.fetchval("SELECT count(*) FROM receipts WHERE user_id = $1 AND state = 'waiting'", user_id))


async def waiting_of(db: Pool | Transaction, user_id: UserId) -> list[Receipt]:
    """The receipts of a user that wait, oldest first."""
    rows = await db.fetch(
        f"SELECT {COLUMNS} FROM {WHOSE} WHERE receipts.user_id = $1 AND state = 'waiting' ORDER BY receipt_id",  # noqa: S608  constants
        user_id,
    )
    return [receipt_of(row) for row in rows]


async def sent_for(db: Pool | Transaction, topup_id: int) -> Receipt | None:
    """The receipt that waits for this transfer, or was credited for it; a declined one may be followed by a better one."""
    row = await db.fetchrow(
        f"SELECT {COLUMNS} FROM {WHOSE} WHERE topup_id = $1 AND state <> 'declined' ORDER BY receipt_id LIMIT 1",  # noqa: S608  constants
        topup_id,
    )
    return None if row is None else receipt_of(row)


async def list_receipts(db: Pool | Transaction, *, waiting: bool, limit: int) -> list[Receipt]:
    """The waiting ones, oldest first; or all, newest first."""
    which = "state = 'waiting' ORDER BY receipt_id" if waiting else "true ORDER BY receipt_id DESC"
    rows = await db.fetch(f"SELECT {COLUMNS} FROM {WHOSE} WHERE {which} LIMIT $1", limit)  # noqa: S608  constants
    return [receipt_of(row) for row in rows]


async def mark_approved(tx: Transaction, receipt_id: int, *, by: str, credited: Money, reason: str | None) -> Receipt:
    """Write down that it was credited; its lock is held."""
    return await _decide(tx, receipt_id, ReceiptState.APPROVED, by=by, credited=credited.minor, reason=reason)


async def mark_declined(tx: Transaction, receipt_id: int, *, by: str, reason: str) -> Receipt:
    """Write down that it was not credited, and why; its lock is held."""
    return await _decide(tx, receipt_id, ReceiptState.DECLINED, by=by, credited=None, reason=reason)


async def next_due(tx: Transaction | Pool, receipt: Receipt, *, after: timedelta | None) -> None:
    """Say when it is due again; not where it was decided meanwhile, for a decision is due at once."""
    await tx.execute(
        "UPDATE receipts SET due_at = photomat_now() + $3::interval WHERE receipt_id = $1 AND state = $2",
        receipt.receipt_id,
        receipt.state,
        after,
    )


async def _decide(
    tx: Transaction, receipt_id: int, state: ReceiptState, *, by: str, credited: int | None, reason: str | None
) -> Receipt:
    decided = await tx.fetchval(
        """
        UPDATE receipts
           SET state = $2, decided_at = photomat_now(), decided_by = $3, credited = $4, reason = $5,
               due_at = photomat_now(), tries = 0
         WHERE receipt_id = $1 AND state = 'waiting'
        RETURNING true
        """,
        receipt_id,
        state,
        by,
        credited,
        reason,
    )
    if not decided:
        raise Corrupt(f"receipt {receipt_id} was decided before; nothing was booked")
    return await _there(tx, receipt_id)


async def _there(tx: Transaction, receipt_id: int) -> Receipt:
    receipt = await find_receipt(tx, receipt_id)
    if receipt is None:
        raise Corrupt(f"receipt {receipt_id} is gone; receipts are never deleted")
    return receipt


async def _alike(
    db: Pool | Transaction, receipt_id: int | None, file: ReceiptFile, refs: Collection[str]
) -> list[DuplicateReceipt]:
    rows = await db.fetch(
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
    return [
        DuplicateReceipt(
            receipt_id=row["receipt_id"],
            user_id=UserId(row["user_id"]),
            state=ReceiptState(row["state"]),
            created_at=row["created_at"],
            same_file=row["same_file"],
            same_note=row["same_note"],
        )
        for row in rows
    ]
