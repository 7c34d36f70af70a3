"""Wake-ups: a nudge that there may be something to do. A lost one costs a second, a doubled one nothing."""

import asyncio
from collections.abc import Callable, Iterable


class Wakes:
    """One event a loop; waking another instance's loop goes through `tell_others`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._events = {name: asyncio.Event() for name in names}
        self.tell_others: Callable[[str], None] = lambda _name: None

    def event(self, name: str) -> asyncio.Event:
        """What the loop of this name waits for."""
        return self._events[name]

    def names(self) -> tuple[str, ...]:
        """Every loop there is."""
        return tuple(self._events)

    def here(self, *names: str) -> None:
        """Wake loops of this process."""
        for name in names:
            if name in self._events:
                self._events[name].set()

    def everywhere(self, name: str) -> None:
        """Wake the loop of this name in every process."""
        self.here(name)
        self.tell_others(name)
