"""Consent to the processing of personal data: which version of which document a user agreed to, by which update.

A row is never removed and never changed, except that a withdrawal ends it. A new version of the document asks again.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentDocument:
    """What users agree to. `url` is where it can be read; without one our own text is shown, by language."""

    version: str
    url: str | None
    texts: Mapping[str, str]

    def sha256(self, language: str) -> str:
        """Of what this user was shown: the text, or the link with its version."""
        shown = f"{self.version} {self.url}" if self.url is not None else self.texts[language]
        return hashlib.sha256(shown.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    version: str
    given_at: datetime


async def consent_in_force(tx: Transaction, user_id: UserId, document: ConsentDocument) -> Consent | None:
    """The user's consent to this version, if they gave it and did not withdraw it."""
    row = await tx.fetchrow(
        "SELECT version, given_at FROM consents WHERE user_id = $1 AND version = $2 AND withdrawn_at IS NULL",
        user_id,
        document.version,
    )
    return None if row is None else Consent(**dict(row))


async def give_consent(
    tx: Transaction, user_id: UserId, document: ConsentDocument, *, language: str, origin: str
) -> bool:
    """Record the consent; False when it is in force already. `origin` names the update."""
    return bool(
        await tx.fetchval(
            """
            INSERT INTO consents (user_id, version, text_sha256, language, origin)
            VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (user_id, version) WHERE withdrawn_at IS NULL DO NOTHING
            RETURNING true
            """,
            user_id,
            document.version,
            document.sha256(language),
            language,
            origin,
        )
    )


async def withdraw_consent(tx: Transaction, user_id: UserId, *, by: str) -> bool:
    """End every consent of the user; False when there is none in force. `by` names the update or the request."""
    rows = await tx.fetch(
        """
        UPDATE consents SET withdrawn_at = photomat_now(), withdrawn_by = $2
         WHERE user_id = $1 AND withdrawn_at IS NULL
        RETURNING consent_id
        """,
        user_id,
        by,
    )
    return bool(rows)
