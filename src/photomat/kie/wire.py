"""Kie's envelope `{"code": …, "msg": …, "data": …}` as it comes over the wire, and what its codes mean."""

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from photomat.kernel.text import storable

OK: Final = 200
BUSY_CODES: Final = frozenset({429, 405, 430, 455})
QUEUE_FULL: Final = 550
PAUSED_CODES: Final = frozenset({401, 402, 433})
CLIENT_ERROR_FROM: Final = 400
REFUSED_CODES: Final = frozenset(range(400, 500)) - {408}
"""A definite no. 408 is not: the answer was late, the task may be there."""

UNKNOWN_FROM: Final = 500
"""Server errors say nothing about whether a task was made; 4xx codes are definite refusals."""


class Envelope(NamedTuple):
    """A decoded answer; `code` is the verdict, whatever the HTTP status was."""

    code: int
    message: str
    data: Any


def decode(body: bytes, http_status: int) -> Envelope | None:
    """Read an envelope; None when nobody can say what the answer meant (a cut body, a junk page).

    A gateway's own 4xx page is a refusal like Kie's own; its 5xx page leaves the outcome open.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if http_status >= UNKNOWN_FROM:
        return Envelope(http_status, "", None)
    if not isinstance(found, Mapping):
        return Envelope(http_status, "", None) if http_status >= CLIENT_ERROR_FROM else None
    code = found.get("code", http_status)
    message = storable(str(found.get("msg") or found.get("message") or ""))
    return Envelope(int(code), str(message), found.get("data")) if str(code).isascii() and str(code).isdigit() else None
