"""The process's own clock, for waiting only.

Which instant it *is*, only the database says (`photomat_now()`); two instances never compare their own clocks.

How long to wait before the next try: longer each time, never all at once.
"""

import asyncio
import random
import time


def monotonic() -> float:
    """Seconds that only move forward, for measuring how long something took."""
    return time.monotonic()


def epoch() -> int:
    """Seconds since 1970, for judging the age of a signature a vendor made with its own clock."""
    return int(time.time())


async def sleep_until_set(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for the event, at most so long; say whether it was set."""
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return False
    return True


def backoff_s(attempt: int, *, first_s: float = 1.0, most_s: float = 300.0) -> float:
    """Wait before try number `attempt + 1`: doubling, capped, with up to a quarter of jitter."""
    wait = min(most_s, first_s * 2.0 ** min(attempt, 30))
    return wait * (1 + random.random() / 4)  # noqa: S311  jitter, not a secret
