"""What a payment and its refund do to rewards: the bonus of a percent code, and the inviter's share. Hooks of `payments`.

A bonus is credited with the payer's next top-up, used up by it, and taken back in proportion with its refund. The caller has
locked the payer's wallet, so a waiting code is used by one payment. What goes back is rounded up and bounded by what is left:
a payment refunded in full, in however many parts, takes back all of its bonus. What an operator has reversed by hand is
recorded, and not taken twice.

A hook may post only to the user it is about, whose wallet its caller has locked. What concerns another user becomes a row that
is due, which `payouts.py` credits with both wallets in order.
"""

from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.rewards import referrals
from photomat.wallet import ledger, refunds

WAITING_USE: Final = """
    SELECT use_id, code, percent, amount FROM promo_uses JOIN promo_codes USING (code)
     WHERE user_id = $1 AND kind = 'percent' AND payment_id IS NULL AND currency = $2
     ORDER BY use_id LIMIT 1"""
"""The oldest code that waits for a top-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentBonus:
    """What a waiting promo code adds to the next top-up: a percent of it, up to `most`."""

    percent: int
    most: Money | None

    def on(self, amount: Money) -> Money:
        minor = amount.minor * self.percent // 100
        return Money(minor if self.most is None else min(minor, self.most.minor), amount.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class _GivenBonus:
    use_id: int
    credited: int
    taken_back: int
    currency: str

    def goes_back_with(self, refunded: Money, of: Money) -> int:
        return share_of(self.credited, refunded=refunded.minor, of=of.minor, taken_back=self.taken_back)


async def after_payment(tx: Transaction, *, payment_id: int, user_id: UserId, amount: Money, is_topup: bool) -> Money:
    """Credit the bonus of the payer's waiting promo code, return it, and record the inviter's share.

    A code is for a top-up: a subscription's month, which is paid automatically, does not use it up.
    """
    await referrals.note_share(tx, payment_id=payment_id, friend_id=user_id)
    if not is_topup:
        return Money(0, amount.currency)
    return await _give(tx, payment_id=payment_id, user_id=user_id, amount=amount)


async def waiting_bonus(tx: Transaction, *, user_id: UserId, currency: str) -> PercentBonus | None:
    """What the user's next top-up gets in addition; None if no code waits for it."""
    use = await tx.fetchrow(WAITING_USE, user_id, currency)
    return None if use is None else _percent_bonus(use, currency)


def _percent_bonus(use: Row, currency: str) -> PercentBonus:
    return PercentBonus(percent=use["percent"], most=None if use["amount"] is None else Money(use["amount"], currency))


async def _give(tx: Transaction, *, payment_id: int, user_id: UserId, amount: Money) -> Money:
    """Credit what the oldest waiting code promises for this payment; nothing if none waits."""
    use = await tx.fetchrow(f"{WAITING_USE} FOR UPDATE OF promo_uses", user_id, amount.currency)
    if use is None:
        return Money(0, amount.currency)
    bonus = _percent_bonus(use, amount.currency).on(amount)
    if bonus.minor == 0:
        return bonus
    await tx.execute(
        "UPDATE promo_uses SET payment_id = $2, credited = $3 WHERE use_id = $1", use["use_id"], payment_id, bonus.minor
    )
    await ledger.credit(
        tx,
        user_id=user_id,
        amount=bonus,
        reference=f"promo:{use['use_id']}",
        reason="bonus",
        facts={"code": use["code"], "percent": use["percent"]},
    )
    return bonus


async def goes_back_with(tx: Transaction, *, payment_id: int, refunded: Money, of: Money) -> Money:
    """The bonus that goes back with this much of a payment."""
    given = await _bonus_of(tx, payment_id)
    return Money(0 if given is None else given.goes_back_with(refunded, of), refunded.currency)


async def after_refund(tx: Transaction, *, payment_id: int, user_id: UserId, refunded: Money, of: Money) -> None:
    """A part of a payment went back for certain: take back its bonus in proportion, and make the inviter's share due.

    The reward for the invitation is lost if the rest of the friend's payments no longer covers its job.
    """
    await _take_back(tx, payment_id=payment_id, user_id=user_id, refunded=refunded, of=of)
    await referrals.make_share_due(tx, payment_id=payment_id)
    await referrals.lose_payment(tx, friend_id=user_id)


async def _take_back(tx: Transaction, *, payment_id: int, user_id: UserId, refunded: Money, of: Money) -> None:
    given = await _bonus_of(tx, payment_id)
    part = 0 if given is None else given.goes_back_with(refunded, of)
    if given is None or not part:
        return
    number = await tx.fetchval(
        "UPDATE promo_uses SET taken_back = taken_back + $2, moves = moves + 1 WHERE use_id = $1 RETURNING moves",
        given.use_id,
        part,
    )
    await refunds.take_what_is_left(
        tx,
        user_id=user_id,
        amount=Money(part, given.currency),
        reference=f"promo-back:{given.use_id}:{number}",
        reason="bonus",
        of=f"promo:{given.use_id}",
    )


def share_of(bonus: int, *, refunded: int, of: int, taken_back: int) -> int:
    """The share of a bonus that goes back with a part of its payment: rounded up, at most what is left."""
    return max(0, min(-(-bonus * refunded // of), bonus - taken_back))


async def _bonus_of(tx: Transaction, payment_id: int) -> _GivenBonus | None:
    row = await tx.fetchrow(
        """
        SELECT use_id, credited, taken_back, currency FROM promo_uses JOIN promo_codes USING (code)
         WHERE payment_id = $1 FOR UPDATE OF promo_uses
        """,
        payment_id,
    )
    return None if row is None else _GivenBonus(**dict(row))
