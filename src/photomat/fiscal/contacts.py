"""Where a customer's fiscal receipts go: an e-mail address or a phone number, asked once, kept apart, never logged.

A contact is not edited: another one replaces it. What was frozen before names a contact by its number, so a request that is
repeated after a change is the same as before. `forget_contact` deletes all of a user's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import UserId

ContactKind: TypeAlias = Literal["email", "phone"]
ContactProblem: TypeAlias = Literal["empty", "email", "phone", "email-only"]
MAX_EMAIL_LENGTH: Final = 254
PHONE_DIGITS: Final = range(10, 16)
"""A number in international form: the country's code and at least seven digits more."""
EMAIL: Final = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])",
    re.ASCII | re.IGNORECASE,
)
MAX_LOCAL_LENGTH: Final = 64
PHONE: Final = re.compile(r"\+?[0-9][0-9 ().\N{NO-BREAK SPACE}-]*", re.ASCII)
RUSSIAN_DIGITS: Final = 11
HIDDEN: Final = "•••"
ALL: Final = 1000
"""More contacts than anyone names."""


class ContactRefused(ValueError):
    """What was typed cannot be a contact; `why` says what is wrong with it."""

    def __init__(self, why: ContactProblem) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A phone number is its digits in international form, without a plus."""

    kind: ContactKind
    value: str

    @property
    def shown(self) -> str:
        return f"+{self.value}" if self.kind == "phone" else self.value

    @property
    def masked(self) -> str:
        """Enough to recognize it by: `a•••@example.org`, `+7•••4567`."""
        if self.kind == "phone":
            return f"+{self.value[0]}{HIDDEN}{self.value[-4:]}"
        local, _, domain = self.value.partition("@")
        return f"{local[0]}{HIDDEN}@{domain}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContact:
    contact_id: int
    contact: Contact


def read_contact(text: str, *, email_only: bool) -> Contact:
    """Read what a customer typed; `ContactRefused` if it is neither an address nor a number."""
    typed = text.strip().removeprefix("mailto:").strip()
    if not typed:
        raise ContactRefused("empty")
    if "@" in typed:
        return Contact(kind="email", value=_email(typed))
    if PHONE.fullmatch(typed) is None:
        raise ContactRefused("email" if email_only else "empty")
    if email_only:
        raise ContactRefused("email-only")
    return Contact(kind="phone", value=_phone(typed))


def _email(typed: str) -> str:
    local, _, domain = typed.rpartition("@")
    if len(typed) > MAX_EMAIL_LENGTH or len(local) > MAX_LOCAL_LENGTH or EMAIL.fullmatch(typed) is None:
        raise ContactRefused("email")
    return f"{local}@{domain.lower()}"


def _phone(typed: str) -> str:
    """Digits in international form; Russian numbers are also written with an 8, or without anything, in front."""
    digits = re.sub(r"\D", "", typed)
    is_international = typed.startswith("+")
    if not is_international and len(digits) == RUSSIAN_DIGITS and digits.startswith("8"):
        digits = f"7{digits[1:]}"
    elif not is_international and len(digits) == RUSSIAN_DIGITS - 1 and digits.startswith("9"):
        digits = f"7{digits}"
    if len(digits) not in PHONE_DIGITS or digits.startswith("0"):
        raise ContactRefused("phone")
    return digits


async def find_contact(tx: Transaction, user_id: UserId) -> StoredContact | None:
    """Where this user's receipts go now; None if they have not said."""
    row = await tx.fetchrow(
        "SELECT contact_id, kind, contact FROM fiscal_contacts WHERE user_id = $1 AND replaced_at IS NULL", user_id
    )
    return None if row is None else _stored(row)


async def contact_of(tx: Transaction, contact_id: int) -> Contact | None:
    """The contact a frozen request names; None once its user had it deleted."""
    row = await tx.fetchrow("SELECT contact_id, kind, contact FROM fiscal_contacts WHERE contact_id = $1", contact_id)
    return None if row is None else _stored(row).contact


async def save_contact(tx: Transaction, *, user_id: UserId, contact: Contact) -> StoredContact:
    """Send this user's receipts there from now on; idempotent."""
    await tx.execute(
        """
        UPDATE fiscal_contacts SET replaced_at = photomat_now()
         WHERE user_id = $1 AND contact <> $2 AND replaced_at IS NULL
        """,
        user_id,
        contact.value,
    )
    row = await require_row(
        tx,
        """
        INSERT INTO fiscal_contacts (user_id, kind, contact) VALUES ($1, $2, $3)
            ON CONFLICT (user_id, contact) DO UPDATE SET replaced_at = NULL
        RETURNING contact_id, kind, contact
        """,
        user_id,
        contact.kind,
        contact.value,
    )
    return _stored(row)


async def forget_contact(tx: Transaction, user_id: UserId, limit: int = ALL, *, keep: Sequence[int] = ()) -> int:
    """Delete the contacts of a user but `keep`; return how many. Frozen requests keep a number that names nothing."""
    rows = await tx.fetch(
        """
        DELETE FROM fiscal_contacts
         WHERE contact_id = ANY (ARRAY(SELECT contact_id FROM fiscal_contacts
                                         WHERE user_id = $1 AND contact_id <> ALL ($3::bigint[]) LIMIT $2))
        RETURNING contact_id
        """,
        user_id,
        limit,
        keep,
    )
    return len(rows)


def _stored(row: Row) -> StoredContact:
    return StoredContact(contact_id=row["contact_id"], contact=Contact(kind=row["kind"], value=row["contact"]))
