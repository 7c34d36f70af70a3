"""The body of a request, as JSON or as it came. What cannot be read is told apart: too large, too slow, broken, not JSON."""

import asyncio
import json
import math
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

READ_LIMIT_S: Final = 20.0
"""Longer than anybody honest needs; a caller who never finishes holds nothing of ours for ever."""

DEEPEST: Final = 100
"""Nobody we know nests half as deep."""


class BadBody(Exception):
    """Nobody can use this body; `status` and `reason` are the answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


async def read_bytes(request: web.Request) -> bytes:
    """Read the body as it came, for whoever checks a signature over it; raises BadBody."""
    try:
        async with asyncio.timeout(READ_LIMIT_S):
            return await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise BadBody(error.status, "too large") from error
    except TimeoutError as error:
        raise BadBody(408, "too slow") from error
    except (HttpProcessingError, web.RequestPayloadError) as error:
        raise BadBody(400, "broken on the way") from error


async def read_json(request: web.Request) -> Any:
    """Read the body; raises BadBody."""
    body = await read_bytes(request)
    try:
        found = json.loads(body, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadBody(400, "not json") from error
    if _is_too_deep(found):
        raise BadBody(400, "too deep")
    return found


def _is_too_deep(found: Any) -> bool:
    """Say whether somebody nested more than can be walked through, written and stored."""
    level = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def _no_constant(name: str) -> None:
    """Python reads NaN and Infinity, JSON and PostgreSQL do not know them."""
    raise ValueError(name)


def _finite(text: str) -> float:
    """`1e999` is valid JSON and no number anybody can store."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
