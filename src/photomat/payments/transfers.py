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
from enum import StrEnum
from typing import Final

from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.media.sniff import sniff
from photomat.payments.receipt import (
    COUNT_WAITING,
    REMIND_AFTER,
    DuplicateReceipt,
    Receipt,
    ReceiptFile,
    ReceiptState,
    duplicates_of,
    find_duplicates,
    lock_receipt,
    require_receipt,
)
from photomat.payments.receipt_notices import notify_declined, notify_operators
from photomat.payments.receive import IncomingPayment, receive_payment
from photomat.payments.topup import Topup, close_topup
from photomat.texts.sentence import Sentence

RECEIPT_TYPES: Final = frozenset(
    {"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif", "application/pdf"}
)
MAX_NOTE: Final = 500
MIN_DIGITS: Final = 5
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
MAX_WAITING: Final = 3
MAX_REASON: Final = 300
log = get_logger()


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
    says: Sentence
    receipt: Receipt | None = None
    duplicate: DuplicateReceipt | None = None

    @property
    def done(self) -> bool:
        return self.decision in {Decision.APPROVED, Decision.DECLINED}

    @property
    def sentence(self) -> str:
        """In English, for a terminal."""
        return self.says.plain


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
        return await require_receipt(tx, known)
    if await tx.fetchval(COUNT_WAITING, topup.user_id) >= MAX_WAITING:
        return None
    note = normal_note(note)
    refs = refs_of(note, amount=topup.credit, details=details)
    duplicates = await find_duplicates(tx, None, file, refs)
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
    receipt = await require_receipt(tx, receipt_id)
    await notify_operators(tx, receipt, duplicates, operators=operators, which="new")
    log.info(
        "RECEIPT_TAKEN", receipt_id=receipt_id, user_id=topup.user_id, amount=topup.credit.minor, twins=len(duplicates)
    )
    return receipt


def normal_note(text: str) -> str:
    """What a user wrote under the file, on one line and truncated."""
    return " ".join(text.split())[:MAX_NOTE]


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
    return sum(letter.isdecimal() for letter in word) >= MIN_DIGITS or _CODE.fullmatch(word) is not None


async def approve(
    tx: Transaction,
    receipt_id: int,
    *,
    operator: str,
    most: Money,
    minor: int | None,
    reason: str | None,
    anyway: bool,
) -> DecisionResult:
    """Credit a receipt: its own sum or `minor`, up to `most`; one whose duplicate was credited only if `anyway`."""
    receipt = await lock_receipt(tx, receipt_id)
    if receipt is None or receipt.state is not ReceiptState.WAITING:
        return too_late(receipt_id, receipt)
    credited = receipt.amount if minor is None else Money(minor, receipt.amount.currency)
    if not 0 < credited.minor <= most.minor or credited.currency != most.currency:
        says = Sentence("receipt-says-bad-sum", amount=credited, most=most)
        return DecisionResult(decision=Decision.BAD_SUM, receipt=receipt, says=says)
    duplicates = await duplicates_of(tx, receipt)
    credited_before = next((one for one in duplicates if one.state is ReceiptState.APPROVED), None)
    if credited_before is not None and not anyway:
        return DecisionResult(
            decision=Decision.DUPLICATE_CREDITED,
            receipt=receipt,
            duplicate=credited_before,
            says=_duplicate_sentence(credited_before),
        )
    await _credit(tx, receipt, credited)
    approved = await _decide(tx, receipt_id, ReceiptState.APPROVED, by=operator, credited=credited.minor, reason=reason)
    says = Sentence("receipt-says-approved", amount=credited, user=receipt.user_id)
    return DecisionResult(decision=Decision.APPROVED, receipt=approved, says=says)


async def decline(tx: Transaction, receipt_id: int, *, operator: str, reason: str) -> DecisionResult:
    """Credit nothing and notify the user; `reason` is one of `REASONS` or free text."""
    receipt = await lock_receipt(tx, receipt_id)
    if receipt is None or receipt.state is not ReceiptState.WAITING:
        return too_late(receipt_id, receipt)
    if not 0 < len(reason) <= MAX_REASON:
        says = Sentence("receipt-says-bad-reason", most=MAX_REASON)
        return DecisionResult(decision=Decision.BAD_REASON, receipt=receipt, says=says)
    declined = await _decide(tx, receipt_id, ReceiptState.DECLINED, by=operator, credited=None, reason=reason)
    await close_topup(tx, topup_id=receipt.topup_id, user_id=receipt.user_id)
    await notify_declined(tx, declined)
    return DecisionResult(decision=Decision.DECLINED, receipt=declined, says=Sentence("receipt-says-declined"))


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
    return await require_receipt(tx, receipt_id)


def too_late(receipt_id: int, receipt: Receipt | None) -> DecisionResult:
    """What became of a receipt that no longer waits, or never was."""
    if receipt is None:
        return DecisionResult(decision=Decision.NO_SUCH, says=Sentence("receipt-says-none", receipt=receipt_id))
    by, at = receipt.decided_by or "", f"{receipt.decided_at:%Y-%m-%d %H:%M} UTC"
    says = Sentence("receipt-says-declined-before", reason=receipt.reason or "", by=by, at=at)
    if receipt.credited:
        says = Sentence("receipt-says-approved-before", amount=receipt.credited, by=by, at=at)
    return DecisionResult(decision=Decision.DECIDED_BEFORE, receipt=receipt, says=says)


def _duplicate_sentence(duplicate: DuplicateReceipt) -> Sentence:
    same = "file" if duplicate.same_file else "reference"
    return Sentence("receipt-says-duplicate", receipt=duplicate.receipt_id, user=duplicate.user_id, same=same)
