"""How long to wait before the next try: longer each time, never all at once."""

import random


def backoff_s(attempt: int, *, first_s: float = 1.0, most_s: float = 300.0) -> float:
    """Wait before try number `attempt + 1`: doubling, capped, with up to a quarter of jitter."""
    wait = min(most_s, first_s * 2.0 ** min(attempt, 30))
    return wait * (1 + random.random() / 4)  # noqa: S311  jitter, not a secret
