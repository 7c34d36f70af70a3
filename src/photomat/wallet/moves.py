"""Every kind of move as a posting: which accounts, in which order, and how a sum is split with a debt. Pure.

Money that comes in pays the user's debt first. Money that is taken back comes from what no hold has set aside, and what
is missing becomes debt.
"""

from collections.abc import Mapping

from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.wallet.posting import (
    OTHER_ACCOUNTS,
    Balance,
    Booked,
    CreditReason,
    DebitReason,
    Hold,
    Line,
    Posting,
    RefundReason,
    TakeBackReason,
)

Facts = Mapping[str, str | int]


def credit_posting(
    *,
    user_id: UserId,
    wallet: Balance,
    amount: Money,
    reference: str,
    reason: CreditReason,
    facts: Facts | None = None,
) -> Posting:
    """Money that comes into the wallet from the account named like the reason."""
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, amount.minor, amount.currency),
        currency=amount.currency,
        lines=(*_incoming(user_id, amount.minor, wallet), Line(reason, None, -amount.minor)),
        facts=facts or {},
    )


def debit_posting(
    *, user_id: UserId, amount: Money, reference: str, reason: DebitReason, facts: Facts | None = None
) -> Posting:
    """Money that leaves the wallet, all of it from there."""
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, -amount.minor, amount.currency),
        currency=amount.currency,
        lines=(
            Line("wallet", user_id, -amount.minor),
            Line(OTHER_ACCOUNTS.get(reason, reason), None, amount.minor),
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
    """Money that goes back to where it came from, spent or not."""
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, -amount.minor, amount.currency, refunds=refunds),
        currency=amount.currency,
        lines=(
            *_outgoing(user_id, amount.minor, wallet),
            Line(OTHER_ACCOUNTS.get(reason, reason), None, amount.minor),
        ),
        refunds=refunds,
        facts=facts or {},
    )


def charge_posting(hold: Hold) -> Posting:
    """What a hold becomes when it is charged: its whole amount is income, under its own reference."""
    return Posting(
        reference=hold.reference,
        reason="charge",
        asked=_asked("charge", hold.user_id, -hold.amount.minor, hold.amount.currency, job=hold.job_id),
        currency=hold.amount.currency,
        lines=(
            Line("wallet", hold.user_id, -hold.amount.minor),
            Line(OTHER_ACCOUNTS["charge"], None, hold.amount.minor),
        ),
        job_id=hold.job_id,
    )


def refund_posting(
    charge: Booked, *, user_id: UserId, wallet: Balance, amount: Money, reference: str, reason: RefundReason
) -> Posting:
    """Income that becomes the customer's money again."""
    return Posting(
        reference=reference,
        reason=reason,
        asked=_asked(reason, user_id, amount.minor, amount.currency, job=charge.job_id, refunds=charge.transaction_id),
        currency=amount.currency,
        lines=(*_incoming(user_id, amount.minor, wallet), Line(OTHER_ACCOUNTS["charge"], None, -amount.minor)),
        job_id=charge.job_id,
        refunds=charge.transaction_id,
    )


def transfer_posting(
    *, giver: UserId, taker: UserId, taker_wallet: Balance, amount: Money, reference: str, facts: Facts | None = None
) -> Posting:
    """Money of one user that becomes another's."""
    return Posting(
        reference=reference,
        reason="gift",
        asked=f"gift from={giver} to={taker} amount={amount.minor} currency={amount.currency}",
        currency=amount.currency,
        lines=(Line("wallet", giver, -amount.minor), *_incoming(taker, amount.minor, taker_wallet)),
        facts=facts or {},
    )


def debt_posting(*, user_id: UserId, amount: Money, reference: str) -> Posting:
    """Money of the wallet that pays what its owner owes."""
    return Posting(
        reference=reference,
        reason="debt",
        asked=_asked("debt", user_id, -amount.minor, amount.currency),
        currency=amount.currency,
        lines=(Line("wallet", user_id, -amount.minor), Line("debt", user_id, amount.minor)),
    )


def correction_posting(original: Booked, *, wallets: Mapping[UserId, Balance], reference: str) -> Posting:
    """The whole of a transaction the other way round; whoever spent what they should not have got owes it."""
    lines: list[Line] = []
    for user_id in original.users:
        back = -original.net(user_id)
        move = _incoming if back > 0 else _outgoing
        lines += move(user_id, abs(back), wallets[user_id])
    lines += [Line(line.account, None, -line.amount) for line in original.lines if line.user_id is None]
    return Posting(
        reference=reference,
        reason="correction",
        asked=f"correction of={original.transaction_id}",
        currency=original.currency,
        lines=tuple(lines),
        reverses=original.transaction_id,
    )


def _incoming(user_id: UserId, amount: int, wallet: Balance) -> list[Line]:
    debt = min(amount, wallet.owed.minor)
    return [line for line in (Line("wallet", user_id, amount - debt), Line("debt", user_id, debt)) if line.amount]


def _outgoing(user_id: UserId, amount: int, wallet: Balance) -> list[Line]:
    there = min(amount, wallet.unheld.minor)
    return [line for line in (Line("wallet", user_id, -there), Line("debt", user_id, there - amount)) if line.amount]


def _asked(
    reason: str, user_id: UserId, amount: int, currency: str, *, job: int | None = None, refunds: int | None = None
) -> str:
    of = f" of={refunds}" if refunds is not None else ""
    return f"{reason} user={user_id} amount={amount} currency={currency} job={job or '-'}{of}"
