"""Money that goes back: a charge refunded, a payment taken back even if it is spent, a whole transaction reversed.

Nothing is edited: each is a new transaction that names the one it gives back, once per reference. All that is given back of
a transaction is at most what it took; this is checked under the wallet's lock, and again by a trigger at commit. The
guarantees of `ledger` about repeated calls, locks and errors hold here too.
"""

from dataclasses import dataclass

from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt, Rejected
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import store
from photomat.wallet.ledger import book_once, found, locked_wallet
from photomat.wallet.postings import (
    Balance,
    BookedTransaction,
    Facts,
    RefundReason,
    TakeBackReason,
    correction_posting,
    refund_posting,
    take_back_posting,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """Where the money came from; `is_new` is False if it was taken before."""

    from_wallet: Money
    as_debt: Money
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeRefund:
    """What was given back of a charge; `is_new` is False if it was given back before."""

    amount: Money
    user_id: UserId
    is_new: bool


async def take_back(
    tx: Transaction,
    *,
    user_id: UserId,
    amount: Money,
    reference: str,
    reason: TakeBackReason = "payment-refund",
    of: str | None = None,
    facts: Facts | None = None,
) -> TakenBack:
    """Take money back: first what no hold has set aside, the rest as debt. `of` is the reference of the original credit.

    `Rejected("gives-back-too-much")` and nothing written if less is left of that credit.
    """
    wallet = await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
    original = await _credit(tx, of, user_id) if of is not None else None
    before = await store.find_booked(tx, reference)
    if original is not None and before is None:
        _check_rest(original, original.net(user_id), amount)
    posting = take_back_posting(
        user_id=user_id,
        wallet=wallet,
        amount=amount,
        reference=reference,
        reason=reason,
        refunds=original.transaction_id if original else None,
        facts=facts,
    )
    is_new = await book_once(tx, posting)
    lines = posting.lines if before is None else before.lines
    taken = {line.account: -line.amount for line in lines if line.user_id == user_id}
    return TakenBack(
        from_wallet=Money(taken.get("wallet", 0), amount.currency),
        as_debt=Money(taken.get("debt", 0), amount.currency),
        is_new=is_new,
    )


async def take_what_is_left(
    tx: Transaction,
    *,
    user_id: UserId,
    amount: Money,
    reference: str,
    reason: TakeBackReason,
    of: str,
    facts: Facts | None = None,
) -> Money:
    """Take back this much of the credit `of`, or what is left of it; return what was taken."""
    await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
    original = await _credit(tx, of, user_id)
    rest = Money(original.net(user_id) - original.given_back, original.currency)
    part = min(amount, rest)
    if part.minor > 0:
        await take_back(tx, user_id=user_id, amount=part, reference=reference, reason=reason, of=of, facts=facts)
    return part


async def refund_charge(
    tx: Transaction, *, job_id: JobId, amount: Money | None = None, reference: str, reason: RefundReason = "refund"
) -> ChargeRefund:
    """Give back a charge, a part or all that is left of it: income becomes the customer's money and pays debt first.

    `Rejected("not-charged")` if the job was never charged, `Rejected("gives-back-too-much")` if less is left.
    """
    charge = await store.find_charge(tx, job_id)
    if charge is None:
        raise Rejected("not-charged", job_id=job_id)
    (user_id,) = charge.users
    wallet = found(await store.lock_wallet(tx, user_id), user_id)
    charge = _still_there(await store.find_charge(tx, job_id), reference)
    asked = await _asked_amount(tx, charge, user_id, amount, reference)
    if asked.minor <= 0 and amount is not None:
        raise Corrupt(f"{reference}: {asked.minor} is not an amount that can be moved")
    posting = refund_posting(charge, user_id=user_id, wallet=wallet, amount=asked, reference=reference, reason=reason)
    if await store.read_booked_digest(tx, reference) is None:
        _check_rest(charge, -charge.net(user_id), asked)
    return ChargeRefund(amount=asked, user_id=user_id, is_new=await book_once(tx, posting))


async def correct(tx: Transaction, *, of: str, reference: str) -> bool:
    """Reverse a whole transaction, once; False if this very correction was booked before.

    What was spent of it becomes debt. A charge is refunded instead, and a refund or correction cannot be reversed:
    `Rejected("cannot-be-corrected")`.
    """
    original = await store.find_booked(tx, of)
    if original is None:
        raise Rejected("no-such-move", reference=of)
    wallets: dict[UserId, Balance] = {}
    for user_id in original.users:
        wallets[user_id] = found(await store.lock_wallet(tx, user_id), user_id)
    original = _still_there(await store.find_booked(tx, of), reference)
    posting = correction_posting(original, wallets=wallets, reference=reference)
    if await store.read_booked_digest(tx, reference) is None and (
        original.reason in {"charge", "debt"} or original.names_another or original.is_named
    ):
        raise Rejected("cannot-be-corrected", reference=of)
    return await book_once(tx, posting)


async def _credit(tx: Transaction, reference: str, user_id: UserId) -> BookedTransaction:
    original = await store.find_booked(tx, reference)
    if original is None or original.users != [user_id] or original.net(user_id) <= 0 or original.names_another:
        raise Corrupt(f"{reference} is not a credit of user {user_id} that could be taken back")
    return original


async def _asked_amount(
    tx: Transaction, charge: BookedTransaction, user_id: UserId, amount: Money | None, reference: str
) -> Money:
    """Without an amount: all that is left, or, of a repeated refund, what it was."""
    if amount is not None:
        if amount.currency != charge.currency:
            raise Corrupt(f"{reference}: {amount} does not fit a charge in {charge.currency}")
        return amount
    before = await store.find_booked(tx, reference)
    if before is not None:
        return Money(before.net(user_id), charge.currency)
    return Money(-charge.net(user_id) - charge.given_back, charge.currency)


def _check_rest(original: BookedTransaction, whole: int, amount: Money) -> None:
    rest = Money(whole - original.given_back, original.currency)
    if rest.minor <= 0 or amount > rest:
        raise Rejected("gives-back-too-much", reference=original.reference, amount=amount, rest=rest)


def _still_there(booked: BookedTransaction | None, reference: str) -> BookedTransaction:
    if booked is None:
        raise Corrupt(f"{reference}: the transaction it gives back is gone")
    return booked
