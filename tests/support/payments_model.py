"""What payments, refunds, bonuses and the inviter's percent should do, in plain Python, on top of the model of the ledger."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from support.wallet_model import NO, TOO_POOR, ModelLedger

PERCENT: Final = 10
"""Of a promo code, and of an inviter."""


@dataclass(slots=True)
class ModelRefund:
    """A refund: what left the wallet, what goes back, and how it stands."""

    amount: int
    paid: int
    state: str
    by_us: bool


@dataclass(slots=True)
class ModelPayment:
    """A payment as it was first told, and its refunds, oldest first."""

    user: int
    paid: int
    credit: int
    refunds: list[ModelRefund] = field(default_factory=list)
    bonus: int = 0
    bonus_back: int = 0
    share: int = 0

    def gone(self) -> tuple[int, int]:
        """What has gone back, wishes included: of its credit, and of what was paid."""
        standing = [one for one in self.refunds if one.state != "refused"]
        return sum(one.amount for one in standing), sum(one.paid for one in standing)

    def bonus_due(self, refunded: int) -> int:
        """What goes back of the bonus with so much of the credit: in proportion, rounded up."""
        return min(-(-self.bonus * refunded // self.credit), self.bonus - self.bonus_back)

    def wanted(self) -> ModelRefund | None:
        """The wish that is under way."""
        return next((one for one in self.refunds if one.state == "wanted"), None)


@dataclass(slots=True)
class ModelPayments:
    """Payments by their provider's id; money moves in the ledger's own model."""

    ledger: ModelLedger
    inviter: int = 0
    friend: int = 0
    waiting: Counter[int] = field(default_factory=Counter)
    payments: dict[str, ModelPayment] = field(default_factory=dict)

    def receive(self, name: str, user: int, *, paid: int, asked: int, credit: int) -> tuple[int, bool]:
        """Credited once, in proportion; told again it changes nothing."""
        known = self.payments.get(name)
        if known is not None:
            return known.credit, False
        worth = max(1, credit * paid // asked)
        payment = self.payments[name] = ModelPayment(user=user, paid=paid, credit=worth)
        self.ledger.come(user, worth)
        bonus = worth * PERCENT // 100
        if self.waiting[user] and bonus:
            self.waiting[user] -= 1
            payment.bonus = bonus
            self.ledger.come(user, bonus)
        return worth, True

    def ask(self, name: str, *, owing: bool) -> str | None:
        """All that is left, if it is there with the bonus that goes back later, or may be owed."""
        payment = self.payments.get(name)
        if payment is None:
            return NO
        credit, paid = payment.gone()
        rest = payment.credit - credit
        if rest <= 0:
            return None
        needed = rest + payment.bonus_due(rest)
        if self.ledger.posted(payment.user) - self.ledger.held(payment.user) < needed and not owing:
            return TOO_POOR
        self.ledger.go(payment.user, rest)
        payment.refunds.append(ModelRefund(rest, payment.paid - paid, "wanted", by_us=True))
        return None

    def answer(self, name: str, state: str) -> None:
        """The provider has answered our wish."""
        payment = self.payments[name]
        wish = payment.wanted()
        if wish is None:
            return
        wish.state = state
        if state == "refused":
            self.ledger.come(payment.user, wish.amount)
        else:
            self.finish(payment, wish.amount)

    def told(self, name: str, refunded: int) -> None:
        """So much went back in all, says the provider."""
        payment = self.payments.get(name)
        if payment is None:
            return
        told = min(refunded, payment.paid)
        credit, paid = payment.gone()
        wish = payment.wanted()
        if told >= paid and wish is not None:
            wish.state = "done"
            self.finish(payment, wish.amount)
        amount = payment.credit * told // payment.paid - credit
        if told > paid and amount > 0:
            self.ledger.go(payment.user, amount)
            payment.refunds.append(ModelRefund(amount, told - paid, "done", by_us=False))
            self.finish(payment, amount)

    def finish(self, payment: ModelPayment, refunded: int) -> None:
        """It is sure: the bonus goes back."""
        part = payment.bonus_due(refunded)
        payment.bonus_back += part
        self.ledger.go(payment.user, part)

    def book_shares(self) -> None:
        """The inviter has the percent of what the friend paid and did not get back."""
        for payment in self.payments.values():
            if payment.user == self.friend:
                kept = payment.credit - sum(one.amount for one in payment.refunds if one.state == "done")
                delta = kept * PERCENT // 100 - payment.share
                payment.share += delta
                if delta > 0:
                    self.ledger.come(self.inviter, delta)
                else:
                    self.ledger.go(self.inviter, -delta)

    def states(self) -> dict[str, list[tuple[int, int, str]]]:
        """Every refund of every payment."""
        return {
            name: [(one.amount, one.paid, one.state) for one in payment.refunds]
            for name, payment in self.payments.items()
        }
