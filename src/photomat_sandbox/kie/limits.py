"""How many calls in how much time."""

from collections import deque


class SlidingWindow:
    """Admits at most so many calls in any stretch of `span_s` seconds; refused calls do not count."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._admitted: deque[float] = deque()

    def admits(self, now: float, limit: int) -> bool:
        """Count this call and say yes, or say no; a limit of 0 admits everything."""
        while self._admitted and self._admitted[0] <= now - self._span_s:
            self._admitted.popleft()
        if limit and len(self._admitted) >= limit:
            return False
        self._admitted.append(now)
        return True
