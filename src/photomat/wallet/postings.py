"""Money as values: the wallet's row, a hold, and every kind of posting, with lines that add up to zero. Pure.

Incoming money pays the user's debt first. Money taken back comes from what no hold has set aside; the rest becomes debt.

A posting has two stored SHA-256 digests. `digest` is of what was asked: it detects a reference that comes again with other
parameters. `seal` is of what was booked, line by line: how a sum is split between wallet and debt is known only under the
wallet's lock, so the same request may be booked in more than one way. The audit recomputes both from the rows.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money

CreditReason: TypeAlias = Literal["welcome", "topup", "operator", "gift", "promo", "bonus", "referral", "subscription"]
"""Why money came into a wallet; also the name of the account it came from."""
DebitReason: TypeAlias = Literal["operator", "gift"]
"""Why available money left a wallet."""
TakeBackReason: TypeAlias = Literal["payment-refund", "promo", "bonus", "referral", "subscription"]
"""Why money is taken back even if it is spent: the payment was returned, and its bonus with it."""
RefundReason: TypeAlias = Literal["refund", "undelivered"]
"""Why a charge is given back: an operator decided, or the result could not be delivered for days."""
Reason: TypeAlias = CreditReason | DebitReason | TakeBackReason | RefundReason | Literal["charge", "debt", "correction"]
Closing: TypeAlias = Literal["charge", "release"]
"""The two ways a hold ends."""
OTHER_ACCOUNTS: Final[Mapping[str, str]] = {
    "charge": "income",
    "payment-refund": "topup",
}
"""The other account, where it is not named like the reason."""
Facts = Mapping[str, str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The sums of a wallet."""

    posted: Money
    held: Money
    owed: Money

    @property
    def currency(self) -> str:
        return self.posted.currency

    @property
    def unheld(self) -> Money:
        """What no hold sets aside, whatever is owed."""
        return Money(self.posted.minor - self.held.minor, self.currency)

    @property
    def available(self) -> Money:
        """What a new hold may take: nothing while there is debt."""
        return Money(0, self.currency) if self.owed.minor else self.unheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    reference: str
    user_id: UserId
    amount: Money
    job_id: JobId

    @property
    def digest(self) -> bytes:
        return sha256(
            f"hold user={self.user_id} amount={self.amount.minor} currency={self.amount.currency} job={self.job_id}"
        )


@dataclass(frozen=True, slots=True)
class PostingLine:
    """A positive amount comes into the account. Only the accounts `wallet` and `debt` belong to a user."""

    account: str
    user_id: UserId | None
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A transaction to be booked. `asked` is the request as one line of text; `facts` are shown in a statement."""

    reference: str
    reason: Reason
    asked: str
    currency: str
    lines: tuple[PostingLine, ...]
    job_id: JobId | None = None
    reverses: int | None = None
    refunds: int | None = None
    facts: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def users(self) -> frozenset[UserId]:
        return frozenset(line.user_id for line in self.lines if line.user_id is not None)

    @property
    def move(self) -> str:
        """What it does, in one word: charge, refund, debt, correction; else credit or debit."""
        if self.reason in {"charge", "debt", "correction"}:
            return self.reason
        if self.reason in {"refund", "undelivered"}:
            return "refund"
        return "credit" if self._net > 0 else "debit"

    @property
    def moved(self) -> int:
        """How much, as a number that is not negative."""
        return abs(self._net) or max(abs(line.amount) for line in self.lines)

    @property
    def _net(self) -> int:
        """What its users gain, in wallets and by a smaller debt."""
        return sum(line.amount for line in self.lines if line.user_id is not None)

    @property
    def digest(self) -> bytes:
        return sha256(self.asked)

    @property
    def seal(self) -> bytes:
        """The digest of what is booked: the reference, the request's digest and every line."""
        lines = (
            f"{number} {line.account} {'-' if line.user_id is None else line.user_id} {self.currency} {line.amount}"
            for number, line in enumerate(self.lines, start=1)
        )
        return sha256("\n".join((self.reference, self.digest.hex(), *lines)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedTransaction:
    """A booked transaction and what was given back of it since.

    `names_another`: it refunds or reverses another one. `is_named`: another one refunds or reverses it, `given_back` in all.
    """

    transaction_id: int
    reference: str
    reason: str
    digest: bytes
    job_id: JobId | None
    names_another: bool
    lines: tuple[PostingLine, ...]
    given_back: int
    is_named: bool
    currency: str

    def net(self, user_id: UserId) -> int:
        """What the user gained by it, in the wallet and by a smaller debt."""
        return sum(line.amount for line in self.lines if line.user_id == user_id)

    @property
    def users(self) -> list[UserId]:
        """Whose money it moved, in the order in which wallets are locked."""
        return sorted({line.user_id for line in self.lines if line.user_id is not None})


def sha256(parameters: str) -> bytes:
    return hashlib.sha256(parameters.encode()).digest()


def credit_posting(
    *,
    user_id: UserId,
    wallet: Balance,
    amount: Money,
    reference: str,
    reason: CreditReason,
    facts: Facts | None = None,
) -> Posting:
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, amount.minor, amount.currency),
        currency=amount.currency,
        lines=(*_incoming(user_id, amount.minor, wallet), PostingLine(reason, None, -amount.minor)),
        facts=facts or {},
    )


def debit_posting(
    *, user_id: UserId, amount: Money, reference: str, reason: DebitReason, facts: Facts | None = None
) -> Posting:
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, -amount.minor, amount.currency),
        currency=amount.currency,
        lines=(
            PostingLine("wallet", user_id, -amount.minor),
            PostingLine(OTHER_ACCOUNTS.get(reason, reason), None, amount.minor),
        ),
        facts=facts or {},
    )


def take_back_posting(
    *,
    user_id: UserId,
    wallet: Balance,
    amount: Money,
    reference: str,
    reason: TakeBackReason,
    refunds: int | None = None,
    facts: Facts | None = None,
) -> Posting:
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, -amount.minor, amount.currency, refunds=refunds),
        currency=amount.currency,
        lines=(
            *_outgoing(user_id, amount.minor, wallet),
            PostingLine(OTHER_ACCOUNTS.get(reason, reason), None, amount.minor),
        ),
        refunds=refunds,
        facts=facts or {},
    )


def charge_posting(hold: Hold) -> Posting:
    """The whole hold becomes income, under the hold's reference."""
    return Posting(
        reference=hold.reference,
        reason="charge",
        asked=_asked("charge", hold.user_id, -hold.amount.minor, hold.amount.currency, job=hold.job_id),
        currency=hold.amount.currency,
        lines=(
            PostingLine("wallet", hold.user_id, -hold.amount.minor),
            PostingLine(OTHER_ACCOUNTS["charge"], None, hold.amount.minor),
        ),
        job_id=hold.job_id,
    )


def refund_posting(
    charge: BookedTransaction, *, user_id: UserId, wallet: Balance, amount: Money, reference: str, reason: RefundReason
) -> Posting:
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, amount.minor, amount.currency, job=charge.job_id, refunds=charge.transaction_id),
        currency=amount.currency,
        lines=(*_incoming(user_id, amount.minor, wallet), PostingLine(OTHER_ACCOUNTS["charge"], None, -amount.minor)),
        job_id=charge.job_id,
        refunds=charge.transaction_id,
    )


def debt_posting(*, user_id: UserId, amount: Money, reference: str) -> Posting:
    return Posting(
        reference=reference,
        reason="debt",
        asked=_asked("debt", user_id, -amount.minor, amount.currency),
        currency=amount.currency,
        lines=(PostingLine("wallet", user_id, -amount.minor), PostingLine("debt", user_id, amount.minor)),
    )


def correction_posting(original: BookedTransaction, *, wallets: Mapping[UserId, Balance], reference: str) -> Posting:
    """A whole transaction reversed; what was spent of it becomes debt."""
    lines: list[PostingLine] = []
    for user_id in original.users:
        back = -original.net(user_id)
        split = _incoming if back > 0 else _outgoing
        lines += split(user_id, abs(back), wallets[user_id])
    lines += [PostingLine(line.account, None, -line.amount) for line in original.lines if line.user_id is None]
    return Posting(
        reference=reference,
        reason="correction",
        asked=f"correction of={original.transaction_id}",
        currency=original.currency,
        lines=tuple(lines),
        reverses=original.transaction_id,
    )


def _incoming(user_id: UserId, amount: int, wallet: Balance) -> list[PostingLine]:
    debt = min(amount, wallet.owed.minor)
    return [
        line
        for line in (PostingLine("wallet", user_id, amount - debt), PostingLine("debt", user_id, debt))
        if line.amount
    ]


def _outgoing(user_id: UserId, amount: int, wallet: Balance) -> list[PostingLine]:
    there = min(amount, wallet.unheld.minor)
    return [
        line
        for line in (PostingLine("wallet", user_id, -there), PostingLine("debt", user_id, there - amount))
        if line.amount
    ]


def _asked(
    reason: str, user_id: UserId, amount: int, currency: str, *, job: int | None = None, refunds: int | None = None
) -> str:
    of = f" of={refunds}" if refunds is not None else ""
    return f"{reason} user={user_id} amount={amount} currency={currency} job={job or '-'}{of}"
