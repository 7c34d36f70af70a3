"""Manual transfers: a user pays by bank, sends a receipt, and an operator approves or declines it, once.

A receipt alone credits nothing. It is decided under its lock and the lock of every receipt like it; the decision, the
payment and the notice of it are one transaction of the caller's (`operators.money`, which adds the journal). A receipt
with the file or a reference of another one is accepted and flagged; once its duplicate was credited, it is credited only when
asked for `anyway`. Submissions take one advisory lock, so of two sent at once one sees the other.

`refs` are the numbers in a note that identify a transfer: the bank's, or our own code. A date, the sum and the numbers of our
own bank details identify nothing.
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
from photomat.media.sniff import sniff
from photomat.messages.notices import FileKind
from photomat.payments import notices
from photomat.payments.receive import IncomingPayment, receive_payment
from photomat.payments.topup import Topup, close_topup

RECEIPT_TYPES: Final = frozenset(
    {"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif", "application/pdf"}
)
MOST_NOTE: Final = 500
FEWEST_DIGITS: Final = 5
"""A shorter number is a sum, a year or a time of day."""
_WORD: Final = re.compile(r"\w+(?:[-/]\w+)*")
_CODE: Final = re.compile(r"p\d+", re.ASCII)
_NUMBER: Final = re.compile(r"\d[\d ()-]*\d")
_YEAR, _MONTH, _DAY = r"20\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE: Final = re.compile(
    rf"(?<!\w)(?<!\w[-/])(?:{_YEAR}[-/]?{_MONTH}[-/]?{_DAY}(?:t\d\d[-\d]*)?|{_DAY}[-/]?{_MONTH}[-/]?{_YEAR}|{_DAY}[-/]{_MONTH}[-/]\d\d)"
    r"(?![-/]?\w)",
    re.ASCII,
)
PHONE_DIGITS: Final = 10
"""Without what is dialed before them: +7 and 8 lead to the same phone."""
MOST_WAITING: Final = 3
MOST_REASON: Final = 300
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
log = get_logger()


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
    """Of the reminder; a decision starts anew."""

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


class Decision(StrEnum):
    APPROVED = "approved"
    DECLINED = "declined"
    DECIDED_BEFORE = "decided-before"
    DUPLICATE_CREDITED = "twin-credited"
    BAD_SUM = "bad-sum"
    BAD_REASON = "bad-reason"
    NO_SUCH = "no-such"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionResult:
    """The decision, also as a sentence; the receipt as it stands now, and the credited duplicate that prevented it."""

    decision: Decision
    sentence: str
    receipt: Receipt | None = None
    duplicate: DuplicateReceipt | None = None

    @property
    def done(self) -> bool:
        return self.decision in {Decision.APPROVED, Decision.DECLINED}


def code_of(topup_id: int) -> str:
    return f"P-{topup_id}"


def is_receipt(head: bytes) -> bool:
    """Whether a file that begins so is a picture or a PDF."""
    return sniff(head).mime in RECEIPT_TYPES


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
    """Store a receipt and notify the operators; idempotent by `origin`. None: too many of this user's receipts wait.

    `details` are the bank details the user paid to.
    """
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('photomat receipts', 0))")
    known = await tx.fetchval("SELECT receipt_id FROM receipts WHERE origin = $1", origin)
    if known is not None:
        return await _receipt(tx, known)
    if await tx.fetchval(COUNT_WAITING, topup.user_id) >= MOST_WAITING:
        return None
    note = normal_note(note)
    refs = refs_of(note, amount=topup.credit, details=details)
    duplicates = await _duplicates(tx, None, file, refs)
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
        min((one.receipt_id for one in duplicates if one.same_file), default=None),
        min((one.receipt_id for one in duplicates if one.same_note), default=None),
        REMIND_AFTER,
    )
    receipt = await _receipt(tx, receipt_id)
    await notices.notify_operators(tx, receipt, duplicates, operators=operators, which="new")
    log.info(
        "RECEIPT_TAKEN", receipt_id=receipt_id, user_id=topup.user_id, amount=topup.credit.minor, twins=len(duplicates)
    )
    return receipt


def normal_note(text: str) -> str:
    """What a user wrote under the file, on one line and truncated."""
    return " ".join(text.split())[:MOST_NOTE]


def refs_of(note: str, *, amount: Money, details: str) -> list[str]:
    """The references in a note, each once, without the sum and the numbers of our own bank details."""
    sums = {str(amount.minor // MINOR_PER_MAJOR), str(amount.minor)}
    ours = [re.sub(r"\D", "", number) for number in _NUMBER.findall(details)]
    words = [re.sub(r"[-/_]", "", word) for word in _WORD.findall(_DATE.sub(" ", note.casefold()))]
    references = [word for word in words if _names_a_transfer(word) and word not in sums and not _is_of(word, ours)]
    return list(dict.fromkeys(references))


def _is_of(word: str, numbers: Sequence[str]) -> bool:
    """Whether a word is one of the numbers, or a part of one written with spaces."""
    return any(
        word in number or (len(number) >= PHONE_DIGITS and word[1:] == number[-PHONE_DIGITS:]) for number in numbers
    )


def _names_a_transfer(word: str) -> bool:
    return sum(letter.isdecimal() for letter in word) >= FEWEST_DIGITS or _CODE.fullmatch(word) is not None


async def approve(
    tx: Transaction,
    receipt_id: int,
    *,
    operator: str,
    most: Money,
    minor: int | None = None,
    reason: str | None = None,
    anyway: bool = False,
) -> DecisionResult:
    """Credit a receipt: its own sum or `minor`, up to `most`; one whose duplicate was credited only if `anyway`."""
    receipt = await _lock(tx, receipt_id)
    if receipt is None or receipt.state is not ReceiptState.WAITING:
        return _too_late(receipt_id, receipt)
    credited = receipt.amount if minor is None else Money(minor, receipt.amount.currency)
    if not 0 < credited.minor <= most.minor or credited.currency != most.currency:
        sentence = f"{credited} is not a sum up to {most}: not credited."
        return DecisionResult(decision=Decision.BAD_SUM, receipt=receipt, sentence=sentence)
    duplicates = await duplicates_of(tx, receipt)
    credited_before = next((one for one in duplicates if one.state is ReceiptState.APPROVED), None)
    if credited_before is not None and not anyway:
        return DecisionResult(
            decision=Decision.DUPLICATE_CREDITED,
            receipt=receipt,
            duplicate=credited_before,
            sentence=_duplicate_sentence(credited_before),
        )
    await _credit(tx, receipt, credited)
    approved = await _decide(tx, receipt_id, ReceiptState.APPROVED, by=operator, credited=credited.minor, reason=reason)
    sentence = f"{credited} credited to user {receipt.user_id}; they are notified."
    return DecisionResult(decision=Decision.APPROVED, receipt=approved, sentence=sentence)


async def decline(tx: Transaction, receipt_id: int, *, operator: str, reason: str) -> DecisionResult:
    """Credit nothing and notify the user; `reason` is one of `notices.REASONS` or free text."""
    receipt = await _lock(tx, receipt_id)
    if receipt is None or receipt.state is not ReceiptState.WAITING:
        return _too_late(receipt_id, receipt)
    if not 0 < len(reason) <= MOST_REASON:
        sentence = f"A reason has 1 to {MOST_REASON} characters."
        return DecisionResult(decision=Decision.BAD_REASON, receipt=receipt, sentence=sentence)
    declined = await _decide(tx, receipt_id, ReceiptState.DECLINED, by=operator, credited=None, reason=reason)
    await close_topup(tx, topup_id=receipt.topup_id, user_id=receipt.user_id)
    await notices.notify_declined(tx, declined)
    sentence = "Declined, nothing was credited; the user is notified of the reason."
    return DecisionResult(decision=Decision.DECLINED, receipt=declined, sentence=sentence)


async def _lock(tx: Transaction, receipt_id: int) -> Receipt | None:
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
    return await _receipt(tx, receipt_id)


async def _credit(tx: Transaction, receipt: Receipt, credited: Money) -> None:
    await receive_payment(
        tx,
        IncomingPayment(
            provider="transfer",
            external_id=f"receipt:{receipt.receipt_id}",
            user_id=receipt.user_id,
            topup_id=receipt.topup_id,
            paid=credited,
            worth=credited,
            paid_at=receipt.created_at,
            via="operator",
            expected=credited,
        ),
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
    return await _receipt(tx, receipt_id)


def _too_late(receipt_id: int, receipt: Receipt | None) -> DecisionResult:
    if receipt is None:
        sentence = f"There is no receipt {receipt_id}; `receipts list` shows them."
        return DecisionResult(decision=Decision.NO_SUCH, sentence=sentence)
    what = f"approved with {receipt.credited}" if receipt.credited else f"declined ({receipt.reason})"
    when = f"{receipt.decided_at:%Y-%m-%d %H:%M} UTC"
    return DecisionResult(
        decision=Decision.DECIDED_BEFORE,
        receipt=receipt,
        sentence=f"It was {what} by {receipt.decided_by} at {when}; nothing was done again.",
    )


def _duplicate_sentence(duplicate: DuplicateReceipt) -> str:
    what = "file" if duplicate.same_file else "reference"
    return (
        f"Receipt {duplicate.receipt_id} of user {duplicate.user_id} has the same {what} and was credited: not credited"
        " again. If it really is another transfer, approve it with --anyway."
    )


async def duplicates_of(tx: Transaction, receipt: Receipt) -> list[DuplicateReceipt]:
    """Credited ones first."""
    return await _duplicates(tx, receipt.receipt_id, receipt.file, receipt.refs)


async def _duplicates(
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


async def _receipt(tx: Transaction, receipt_id: int) -> Receipt:
    row = await tx.fetchrow(ONE, receipt_id)
    if row is None:
        raise Corrupt(f"receipt {receipt_id} is gone; receipts are never deleted")
    return receipt_of(row)


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


async def next_due(tx: Transaction, receipt: Receipt, *, after: timedelta | None) -> None:
    """Set when it is due again, unless it was decided meanwhile: a decision is due at once."""
    await tx.execute(
        "UPDATE receipts SET due_at = photomat_now() + $3::interval WHERE receipt_id = $1 AND state = $2",
        receipt.receipt_id,
        receipt.state,
        after,
    )
