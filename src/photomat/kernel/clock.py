"""The process's own clock, for waiting and backoff only.

The current time comes from the database (`photomat_now()`); instances never compare their own clocks.
"""

import asyncio
import random
import time


def monotonic() -> float:
    return time.monotonic()


def epoch() -> int:
    """Seconds since 1970, for the age of a signature made with a vendor's clock."""
    return int(time.time())


async def sleep_until_set(event: asyncio.Event, timeout_s: float) -> bool:
    """Wait for the event, at most `timeout_s`; return whether it was set."""
    if event.is_set():
        return True
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return False
    return True


def backoff_s(attempt: int, *, first_s: float = 1.0, most_s: float = 300.0) -> float:
    """Seconds before try `attempt + 1`: doubling, capped, with up to a quarter of jitter."""
    wait = min(most_s, first_s * 2.0 ** min(attempt, 30))
    return wait * (1 + random.random() / 4)  # noqa: S311  jitter, not a secret
