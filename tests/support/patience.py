"""Waiting for a condition, never for a time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE_S: Final = 300.0
LOOK_EVERY_S: Final = 0.02


async def until(
    condition: Callable[[], object], *, within_s: float = PATIENCE_S, about: Callable[[], str] = lambda: ""
) -> None:
    """Wait until the condition holds, looking often; fail with what it was about."""
    try:
        async with asyncio.timeout(within_s):
            while not condition():  # noqa: ASYNC110  the condition is anything, so nobody can set an event for it
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        raise AssertionError(f"waited {within_s} s for {about() or condition}") from None


async def until_found(
    ask: Callable[[], Awaitable[T | None]], *, within_s: float = PATIENCE_S, about: Callable[[], str] = lambda: ""
) -> T:
    """Ask again and again until there is something; give it, or fail with what it was about."""
    try:
        async with asyncio.timeout(within_s):
            while (found := await ask()) is None:  # noqa: ASYNC110  likewise
                await asyncio.sleep(LOOK_EVERY_S)
            return found
    except TimeoutError:
        raise AssertionError(f"waited {within_s} s for {about() or ask}") from None
