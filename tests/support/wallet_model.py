"""What the ledger should do, in plain Python: the model that PostgreSQL is compared with, step by step."""

from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass, field

REFUSED = "refused"
TOO_POOR = "too poor"
NO = "no"


@dataclass(slots=True)
class ModelHold:
    """A hold and how it ended."""

    parameters: tuple[int, int, int]
    closed_as: str | None = None


@dataclass(slots=True)
class ModelLedger:
    """Wallets and debts as they stand. A verb answers what the real one answers, or why it refuses."""

    asked: dict[str, tuple[object, ...]] = field(default_factory=dict)
    taken: dict[str, tuple[int, int]] = field(default_factory=dict)
    holds: dict[str, ModelHold] = field(default_factory=dict)
    money: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    debts: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    charged: dict[int, tuple[int, int]] = field(default_factory=dict)
    refunded: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    nets: dict[str, dict[int, int]] = field(default_factory=dict)
    turned: set[str] = field(default_factory=set)

    def credit(self, user: int, amount: int, reference: str, reason: str) -> bool | str:
        """Book once; the same reference must mean the same credit."""
        before = self._before(reference, ("credit", user, amount, reason))
        if before is not None:
            return before
        self.come(user, amount)
        self._booked(reference, {user: amount})
        return True

    def debit(self, user: int, amount: int, reference: str) -> bool | str:
        """Take once, if it is there."""
        before = self._before(reference, ("debit", user, amount))
        if before is not None:
            return before
        if self.available(user) < amount:
            del self.asked[reference]
            return TOO_POOR
        self.money[user] -= amount
        self._booked(reference, {user: -amount})
        return True

    def take_back(self, user: int, amount: int, reference: str) -> tuple[int, int, bool] | str:
        """Take what nobody holds, the rest is owed; the same again tells how it was."""
        before = self._before(reference, ("take back", user, amount))
        if before is False:
            return (*self.taken[reference], False)
        if before is not None:
            return REFUSED
        there, owed = self.go(user, amount)
        self.taken[reference] = (there, owed)
        self._booked(reference, {user: -amount})
        return there, owed, True

    def transfer(self, giver: int, taker: int, amount: int, reference: str) -> bool | str:
        """Move once between two, if it is there."""
        before = self._before(reference, ("gift", giver, taker, amount))
        if before is not None:
            return before
        if self.available(giver) < amount:
            del self.asked[reference]
            return TOO_POOR
        self.money[giver] -= amount
        self.come(taker, amount)
        self._booked(reference, {giver: -amount, taker: amount})
        return True

    def refund(self, job: int, amount: int | None, reference: str) -> tuple[int, bool] | str:
        """Give a charge back, never more than it was; without an amount all that is left."""
        if job not in self.charged:
            return NO
        user, price = self.charged[job]
        rest = price - self.refunded[job]
        known = self.asked.get(reference)
        if known is not None:
            same = known[:2] == ("refund", job) and (amount is None or known[2] == amount)
            return (int(str(known[2])), False) if same else REFUSED
        given = rest if amount is None else amount
        if given > rest or not rest:
            return NO
        self.asked[reference] = ("refund", job, given)
        self.refunded[job] += given
        self.come(user, given)
        return given, True

    def correct(self, of: str, reference: str) -> bool | str:
        """Turn a whole move round, once."""
        if of not in self.nets:
            return NO
        known = self.asked.get(reference)
        if known is not None:
            return False if known == ("correct", of) else REFUSED
        if of in self.turned:
            return NO
        self.asked[reference] = ("correct", of)
        self.turned.add(of)
        for user, net in self.nets[of].items():
            if net > 0:
                self.go(user, net)
            else:
                self.come(user, -net)
        return True

    def hold(self, user: int, amount: int, reference: str, job: int) -> str | None:
        """Hold once, if it fits."""
        if reference in self.holds:
            return None if self.holds[reference].parameters == (user, amount, job) else REFUSED
        if self.available(user) < amount:
            return TOO_POOR
        self.holds[reference] = ModelHold((user, amount, job))
        return None

    def close(self, reference: str, closed_as: str) -> bool | str:
        """Charge or release once, and never both. Money that becomes free pays a debt."""
        hold = self.holds.get(reference)
        if hold is None or hold.closed_as not in {None, closed_as}:
            return REFUSED
        if hold.closed_as is not None:
            return False
        hold.closed_as = closed_as
        user, amount, job = hold.parameters
        if closed_as == "charge":
            self.money[user] -= amount
            self.charged[job] = (user, amount)
        else:
            paid = min(self.debts[user], self.money[user] - self.held(user))
            self.money[user] -= paid
            self.debts[user] -= paid
        return True

    def posted(self, user: int) -> int:
        """What is in the wallet, held or not."""
        return self.money[user]

    def held(self, user: int) -> int:
        """What open holds set aside."""
        return sum(
            hold.parameters[1] for hold in self.holds.values() if hold.parameters[0] == user and hold.closed_as is None
        )

    def available(self, user: int) -> int:
        """What a new hold may take."""
        return 0 if self.debts[user] else self.posted(user) - self.held(user)

    def copy(self) -> "ModelLedger":
        """The same books, to try something on."""
        return deepcopy(self)

    def come(self, user: int, amount: int) -> None:
        """Money comes in and pays a debt first."""
        paid = min(amount, self.debts[user])
        self.debts[user] -= paid
        self.money[user] += amount - paid

    def go(self, user: int, amount: int) -> tuple[int, int]:
        """Money goes, what is missing is owed; says how much of both."""
        there = min(amount, self.money[user] - self.held(user))
        self.money[user] -= there
        self.debts[user] += amount - there
        return there, amount - there

    def _before(self, reference: str, parameters: tuple[object, ...]) -> bool | str | None:
        known = self.asked.setdefault(reference, parameters)
        if known != parameters:
            return REFUSED
        return None if reference not in self.nets else False

    def _booked(self, reference: str, nets: dict[int, int]) -> None:
        self.nets[reference] = nets
