"""HTTP requests to a payment provider, answered by JSON; transport errors are translated in `kernel/http.py`.

Also reads and writes money and instants as providers spell them, in Decimal, never in float.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Any, Final

import aiohttp

from photomat.kernel.calls import provider_call
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import HttpAnswer, HttpClient
from photomat.kernel.money import MINOR_PER_MAJOR, Money

WRITE_TIMEOUT: Final = aiohttp.ClientTimeout(total=20, connect=5, sock_connect=5)
READ_TIMEOUT: Final = aiohttp.ClientTimeout(total=15, connect=5, sock_connect=5)
ASKED_TOO_OFTEN: Final = 429
ASKED_TOO_OFTEN_S: Final = 5.0
KEY_REFUSED: Final = 401
KEY_REFUSED_S: Final = 60.0
"""Only an operator can fix the key."""
Fields = Mapping[str, Any]
LARGEST: Final = Decimal(10) ** 12
MAX_NUMBER_LENGTH: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReply:
    """`body` is None if it was not a JSON object."""

    status: int
    body: Fields | None


class ProviderHttp:
    """Requests to one provider, all with the same headers."""

    def __init__(self, *, name: str, base_url: str, headers: Mapping[str, str], timeout_s: float | None = None) -> None:
        self._name = name
        self._label = name.lower().replace(" ", "_")
        self._base_url = base_url
        self._http = HttpClient(name=name, headers=headers)
        limit = None if timeout_s is None else aiohttp.ClientTimeout(total=timeout_s)
        self._write_timeout, self._read_timeout = limit or WRITE_TIMEOUT, limit or READ_TIMEOUT

    async def read(self, path: str, query: Mapping[str, str] | None = None) -> JsonReply:
        """Read something; every error may be retried."""
        with provider_call(self._label, "read"):
            reply = _reply(await self._http.get(self._base_url + path, query=query, within=self._read_timeout))
            self._refuse_pauses(reply)
        return reply

    async def write(self, path: str, body: Fields, headers: Mapping[str, str] | None = None) -> JsonReply:
        """Request a change. 5xx, or an answer without JSON, is an unknown outcome."""
        url = self._base_url + path
        with provider_call(self._label, "write"):
            reply = _reply(await self._http.post(url, body, headers=headers, within=self._write_timeout))
            self._refuse_pauses(reply)
            if reply.status >= 500 or reply.body is None:  # noqa: PLR2004  the servers' own troubles
                raise OutcomeUnknown(f"{self._name} answered {reply.status} without a verdict")
        return reply

    async def close(self) -> None:
        await self._http.close()

    def _refuse_pauses(self, reply: JsonReply) -> None:
        """Raise `Transient` for the two answers that mean nothing was done: too many requests, key refused."""
        if reply.status == ASKED_TOO_OFTEN:
            raise Transient(f"{self._name} is asked too often", retry_after_s=ASKED_TOO_OFTEN_S)
        if reply.status == KEY_REFUSED:
            raise Transient(f"{self._name} refuses our key: check its settings", retry_after_s=KEY_REFUSED_S)


def json_object(body: bytes) -> Fields:
    """Read a JSON object; ValueError when it is none. Fractions stay as they were written, in strings."""
    try:
        found = json.loads(body, parse_float=str)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  a body that cannot be read, whatever it holds
    return found


def _reply(answered: HttpAnswer) -> JsonReply:
    try:
        return JsonReply(status=answered.status, body=json_object(answered.body))
    except ValueError:
        return JsonReply(status=answered.status, body=None)


def decimal_of(written: object) -> Decimal:
    """Read a number that is not negative; ValueError when it is none."""
    if isinstance(written, bool) or not isinstance(written, str | int) or len(str(written)) > MAX_NUMBER_LENGTH:
        raise ValueError("not a number")
    try:
        number = Decimal(written)
    except InvalidOperation as error:
        raise ValueError("not a number") from error
    if not number.is_finite() or not 0 <= number < LARGEST:
        raise ValueError("not an amount")
    return number


def money_of(written: object, currency: object) -> Money:
    """Read an amount in whole minor units; ValueError when it is none, or finer than a minor unit."""
    minor = decimal_of(written) * MINOR_PER_MAJOR
    if minor != minor.to_integral_value() or not _is_currency(currency):
        raise ValueError("not an amount in whole minor units")
    return Money(int(minor), str(currency))


def nearest_minor(amount: Decimal) -> int:
    """Round what a rate gave to whole minor units."""
    return int((amount * MINOR_PER_MAJOR).to_integral_value(rounding=ROUND_HALF_EVEN))


def written(money: Money) -> str:
    """Write an amount the way providers read it: `100.00`."""
    major, minor = divmod(money.minor, MINOR_PER_MAJOR)
    return f"{major}.{minor:02d}"


def instant_of(text: object) -> datetime:
    """Read an ISO instant, aware; ValueError when it is none."""
    if not isinstance(text, str):
        raise ValueError("not an instant")  # noqa: TRY004  a field that cannot be read, whatever it holds
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def token_of(text: object) -> str | None:
    """The token of our top-up as a provider repeats it, whatever it holds; None where it repeats none."""
    return text if isinstance(text, str) and text else None


def _is_currency(text: object) -> bool:
    return isinstance(text, str) and len(text) == 3 and text.isascii() and text.isupper()  # noqa: PLR2004  ISO 4217
