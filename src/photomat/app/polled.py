"""What the due poller read with its last poll, at most about a second ago; nothing before the first one."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class PolledState:
    """The bot that owns the database, and the instances that are alive."""

    owner: int | None = field(init=False, default=None)
    alive: frozenset[str] | None = field(init=False, default=None)

    def tell_owner(self, bot_id: int | None) -> None:
        self.owner = bot_id

    def tell_alive(self, instances: Sequence[str]) -> None:
        self.alive = frozenset(instances)

    def is_alone(self, instance: str) -> bool:
        """Whether no other instance is known to be alive."""
        return self.alive is not None and self.alive <= {instance}
