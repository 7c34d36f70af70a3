"""What moves money, as values: the wallet's row, a hold, a posting of two lines that add up to zero. Pure.

The parameters of a move are one line of text, and its SHA-256 is stored with the move. So a reference that comes again
with other parameters is noticed, and the audit recomputes every digest from the rows alone.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal, TypeAlias

from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money

CreditReason: TypeAlias = Literal["welcome", "topup", "operator", "refund"]
"""Why money came into a wallet; the account it came from bears the same name."""

Closing: TypeAlias = Literal["charge", "release"]
"""The two ways a hold ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """A wallet as its owner may see it. `available` is what a new hold may take: nothing while there is debt."""

    posted: Money
    held: Money
    owed: Money

    @property
    def currency(self) -> str:
        """The one currency of this wallet."""
        return self.posted.currency

    @property
    def available(self) -> Money:
        """What is neither held nor blocked by debt."""
        free = 0 if self.owed.minor else self.posted.minor - self.held.minor
        return Money(free, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Money set aside for a job."""

    reference: str
    user_id: UserId
    amount: Money
    job_id: JobId

    @property
    def digest(self) -> bytes:
        """The fingerprint of what was asked for."""
        return _sha256(
            f"hold user={self.user_id} amount={self.amount.minor} currency={self.amount.currency} job={self.job_id}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Money between a user's wallet and one other account. A positive amount comes into the wallet."""

    reference: str
    reason: CreditReason | Literal["charge"]
    user_id: UserId
    amount: Money
    other_account: str
    job_id: JobId | None = None

    @property
    def digest(self) -> bytes:
        """The fingerprint of what was asked for."""
        return _sha256(
            f"{self.reason} user={self.user_id} amount={self.amount.minor} currency={self.amount.currency}"
            f" job={self.job_id or '-'}"
        )


def credit_posting(*, user_id: UserId, amount: Money, reference: str, reason: CreditReason) -> Posting:
    """Money that comes into the wallet from the account named like the reason."""
    return Posting(reference=reference, reason=reason, user_id=user_id, amount=amount, other_account=reason)


def charge_posting(hold: Hold) -> Posting:
    """What a hold becomes when it is charged: its whole amount is income, under its own reference."""
    return Posting(
        reference=hold.reference,
        reason="charge",
        user_id=hold.user_id,
        amount=Money(-hold.amount.minor, hold.amount.currency),
        other_account="income",
        job_id=hold.job_id,
    )


def _sha256(parameters: str) -> bytes:
    return hashlib.sha256(parameters.encode()).digest()
