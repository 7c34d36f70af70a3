"""Request bodies as bytes or JSON; `BadBody` says why one cannot be read, and is the response."""

import asyncio
import json
import math
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

READ_LIMIT_S: Final = 20.0
"""Longer than any honest caller needs."""

DEEPEST: Final = 100
"""Twice as deep as any vendor's body."""


class BadBody(Exception):
    """The body cannot be used; `status` and `reason` are the response."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


async def read_bytes(request: web.Request) -> bytes:
    """Read the raw body, for signatures over it; raise BadBody."""
    try:
        if request.content.is_eof():  # small bodies arrive with their headers
            body = request.content.read_nowait()
            if len(body) > request.client_max_size:
                raise BadBody(413, "too large")
            return body
        async with asyncio.timeout(READ_LIMIT_S):
            return await request.read()
    except web.HTTPRequestEntityTooLarge as error:
        raise BadBody(error.status, "too large") from error
    except TimeoutError as error:
        raise BadBody(408, "too slow") from error
    except (HttpProcessingError, web.RequestPayloadError) as error:
        raise BadBody(400, "broken on the way") from error


async def read_json(request: web.Request) -> Any:
    """Read and parse the body; raise BadBody."""
    body = await read_bytes(request)
    try:
        found = _decode(body.decode(json.detect_encoding(body), "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise BadBody(400, "not json") from error
    if _may_be_deep(body) and _is_too_deep(found):
        raise BadBody(400, "too deep")
    return found


def _may_be_deep(body: bytes) -> bool:
    """Whether there are enough brackets; nearly every body has fewer, and need not be walked."""
    return body.count(b"{") + body.count(b"[") >= DEEPEST


def _is_too_deep(found: Any) -> bool:
    """Whether it is nested deeper than can be walked, written and stored."""
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
    """Refuse NaN and Infinity: Python parses them, JSON and PostgreSQL do not know them."""
    raise ValueError(name)


def _finite(text: str) -> float:
    """Refuse numbers such as `1e999`: valid JSON, but infinite."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


_decode: Final = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode
