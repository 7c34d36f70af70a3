"""A receipt of a transfer by hand, as a value: what was sent, what it may repeat, what became of it. Pure.

`refs` are the numbers of a note that tell one transfer from another: what a bank calls it, or our own code. A date, the sum
and the numbers everybody pays to tell nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.notices.notice import FileKind

MOST_NOTE: Final = 500
FEWEST_DIGITS: Final = 5
"""A shorter number is a sum, a year, a time of day: it names no transfer."""

_WORD: Final = re.compile(r"\w+(?:[-/]\w+)*")
_CODE: Final = re.compile(r"p\d+", re.ASCII)
_YEAR, _MONTH, _DAY = r"20\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE: Final = re.compile(
    rf"(?<!\w)(?<!\w[-/])(?:{_YEAR}[-/]?{_MONTH}[-/]?{_DAY}(?:t\d\d[-\d]*)?|{_DAY}[-/]?{_MONTH}[-/]?{_YEAR}|{_DAY}[-/]{_MONTH}[-/]\d\d)"
    r"(?![-/]?\w)",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"\d[\d ()-]*\d")
PHONE_DIGITS: Final = 10
"""Without what is dialed before them: +7 and 8 lead to the same phone."""


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
    tries: int

    @property
    def code(self) -> str:
        """What the user was asked to write into the transfer's comment."""
        return code_of(self.topup_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
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
        tries=row["tries"],
    )
