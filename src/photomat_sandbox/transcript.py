"""What happened in the sandbox, in order: one numbered list that people and tests read.

Numbers rise for ever, the list itself is bounded. An event never holds file bytes, and its long strings are truncated.
Keeping secrets out is the task of the code that adds the event.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | float | bool | None"
World = Literal["telegram", "kie", "yookassa", "cryptopay", "my_tax"]
Kind = Literal["request", "effect", "webhook", "callback", "fault"]

KEPT_EVENTS: Final = 5000
MAX_STRING_LENGTH: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEvent:
    """One thing that happened, with a sentence for people and the facts for programs."""

    n: int
    at: float
    world: World
    kind: Kind
    name: str
    summary: str
    detail: dict[str, Json]

    def as_json(self) -> dict[str, Json]:
        return {
            "n": self.n,
            "at": self.at,
            "world": self.world,
            "kind": self.kind,
            "name": self.name,
            "summary": self.summary,
            "detail": self.detail,
        }


class Transcript:
    """The list of events; adding one wakes the waiting readers."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._events: deque[TranscriptEvent] = deque(maxlen=KEPT_EVENTS)
        self._last_n = 0
        self._grown = asyncio.Event()

    @property
    def last(self) -> int:
        """The number of the newest event, 0 before the first."""
        return self._last_n

    def add(
        self,
        *,
        world: World,
        kind: Kind,
        name: str,
        summary: str,
        detail: Mapping[str, Json] | None = None,
    ) -> TranscriptEvent:
        self._last_n += 1
        event = TranscriptEvent(
            n=self._last_n,
            at=self._clock(),
            world=world,
            kind=kind,
            name=name,
            summary=_truncated_string(summary),
            detail={key: _truncated(value) for key, value in (detail or {}).items()},
        )
        self._events.append(event)
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()
        return event

    def since(self, n: int, limit: int = 500) -> list[TranscriptEvent]:
        """Return the events after number n, oldest first, at most `limit` of them."""
        newer: list[TranscriptEvent] = []
        for event in reversed(self._events):
            if event.n <= n:
                break
            newer.append(event)
        newer.reverse()
        return newer[:limit]

    async def wait(self, n: int, timeout_s: float) -> list[TranscriptEvent]:
        """Return the events after number n as soon as there is one; an empty list after the timeout."""
        try:
            async with asyncio.timeout(timeout_s):
                while self._last_n <= n:
                    await self._grown.wait()
        except TimeoutError:
            return []
        return self.since(n)


def _truncated(value: Json) -> Json:
    """Truncate every string inside a value."""
    if isinstance(value, str):
        return _truncated_string(value)
    if isinstance(value, Mapping):
        return {key: _truncated(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [_truncated(inner) for inner in value]
    return value


def _truncated_string(text: str) -> str:
    return text if len(text) <= MAX_STRING_LENGTH else text[: MAX_STRING_LENGTH - 1] + "…"
