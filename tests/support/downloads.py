"""Tests make fetchers and forget them: the connections they keep are closed before their event loop."""

import asyncio
from typing import Any

import aiohttp

from photomat.kernel import http

_opened: list[tuple[asyncio.AbstractEventLoop, aiohttp.ClientSession]] = []


def remember_sessions() -> None:
    """Note every session that is opened from here on."""
    open_session = http.open_session

    def noted(*arguments: Any, **options: Any) -> aiohttp.ClientSession:
        session = open_session(*arguments, **options)
        _opened.append((asyncio.get_running_loop(), session))
        return session

    http.open_session = noted


async def close_sessions() -> None:
    """Close those of this event loop."""
    ours = [session for loop, session in _opened if loop is asyncio.get_running_loop()]
    _opened[:] = [each for each in _opened if each[1] not in ours]
    for session in ours:
        await session.close()
