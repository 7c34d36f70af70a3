"""What the ledger should do, in plain Python: the model that PostgreSQL is compared with, step by step."""

from copy import deepcopy
from dataclasses import dataclass, field

REFUSED = "refused"
TOO_POOR = "too poor"


@dataclass(slots=True)
class ModelHold:
    """A hold and how it ended."""

    parameters: tuple[int, int, int]
    closed_as: str | None = None


@dataclass(slots=True)
class ModelLedger:
    """Wallets as sums over what happened. A verb answers what the real one answers, or why it refuses."""

    credits: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    holds: dict[str, ModelHold] = field(default_factory=dict)

    def credit(self, user: int, amount: int, reference: str, reason: str) -> bool | str:
        """Book once; the same reference must mean the same credit."""
        if reference in self.credits:
            return False if self.credits[reference] == (user, amount, reason) else REFUSED
        self.credits[reference] = (user, amount, reason)
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
        """Charge or release once, and never both."""
        hold = self.holds.get(reference)
        if hold is None or hold.closed_as not in {None, closed_as}:
            return REFUSED
        is_new = hold.closed_as is None
        hold.closed_as = closed_as
        return is_new

    def posted(self, user: int) -> int:
        """What was credited and not charged."""
        credited = sum(amount for owner, amount, _ in self.credits.values() if owner == user)
        return credited - self._held_as("charge", user)

    def held(self, user: int) -> int:
        """What open holds set aside."""
        return self._held_as(None, user)

    def available(self, user: int) -> int:
        """What a new hold may take."""
        return self.posted(user) - self.held(user)

    def copy(self) -> "ModelLedger":
        """The same books, to try something on."""
        return deepcopy(self)

    def _held_as(self, closed_as: str | None, user: int) -> int:
        of_user = (hold for hold in self.holds.values() if hold.parameters[0] == user)
        return sum(hold.parameters[1] for hold in of_user if hold.closed_as == closed_as)
