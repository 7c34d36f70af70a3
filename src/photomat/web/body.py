"""The body of a request as JSON. What cannot be read is told apart: too large, or not JSON."""

import json
import math
from typing import Any

from aiohttp import web


class BadBody(Exception):
    """Nobody can use this body; `status` and `reason` are the answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


async def read_json(request: web.Request) -> Any:
    """Read the body; raises BadBody."""
    try:
        return json.loads(await request.read(), parse_constant=_no_constant, parse_float=_finite)
    except web.HTTPRequestEntityTooLarge as error:
        raise BadBody(error.status, "too large") from error
    except (ValueError, RecursionError) as error:
        raise BadBody(400, "not json") from error


def _no_constant(name: str) -> None:
    """Python reads NaN and Infinity, JSON and PostgreSQL do not know them."""
    raise ValueError(name)


def _finite(text: str) -> float:
    """`1e999` is valid JSON and no number anybody can store."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
