"""Flood limits, off unless asked for: a bucket per chat and one for the whole bot; edits count like sends."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from photomat_sandbox.telegram.errors import too_many_requests


@dataclass(slots=True, kw_only=True)
class FloodLimits:
    """How much passes: `per_chat_burst` at once in a chat, then `per_chat_per_s`; `per_bot_per_s` overall."""

    per_chat_per_s: float = 1.0
    per_chat_burst: int = 5
    per_bot_per_s: float = 30.0
    _buckets: dict[int, tuple[float, float]] = field(default_factory=dict)

    def spend(self, chat_id: int, *, clock: Callable[[], float]) -> None:
        """Take one token from the chat and one from the bot, or refuse with 429."""
        now = clock()
        self._take(0, now, rate=self.per_bot_per_s, burst=self.per_bot_per_s)
        self._take(chat_id, now, rate=self.per_chat_per_s, burst=self.per_chat_burst)

    def _take(self, key: int, now: float, *, rate: float, burst: float) -> None:
        tokens, at = self._buckets.get(key, (burst, now))
        tokens = min(burst, tokens + (now - at) * rate)
        if tokens < 1:
            raise too_many_requests(max(1, math.ceil((1 - tokens) / rate)))
        self._buckets[key] = (tokens - 1, now)
