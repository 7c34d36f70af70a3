"""«Мой налог», the tax service of the self-employed: incomes are registered and annulled, the list of them is read.

It has no idempotency key: our reference is part of the service's name, and the caller looks it up in the list (`documents`). A
request that got a time-out, a 5xx, a 408, a 404 or no JSON may have been carried out: `OutcomeUnknown`. A 401 was not:
the token is refreshed once. Maintenance shows while signing in, before anything is sent.

The list has no cursor: while it is read it may shift or repeat a page. It is complete only if every line came exactly once.

Tokens are kept in memory alone: a new process signs in again. The device id is the same for an installation, however often.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

import aiohttp

from photomat.kernel.calls import provider_call
from photomat.kernel.clock import epoch, monotonic
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import USER_AGENT, HttpAnswer, HttpClient
from photomat.kernel.logs import get_logger
from photomat.providers.fiscal_port import (
    DocumentRefused,
    TaxDocument,
    TaxDocuments,
    TaxedIncome,
    TaxServicePaused,
)
from photomat.providers.http import Fields, instant_of, json_object, money_of, written

ROUBLES: Final = "RUB"
REFERENCE: Final = re.compile(r"PM-[0-9A-HJKMNP-TV-Z]{10}", re.ASCII)
DOCUMENT_ID: Final = re.compile(r"[0-9A-Za-z-]{1,64}", re.ASCII)
REFUND: Final = "Возврат средств"
"""One of the two reasons the service knows."""
PAGE: Final = 50
MAX_PAGES: Final = 400
MAX_NAME_LENGTH: Final = 200
PASSWORD_PAUSE_S: Final = 600.0
"""A wrong password is not tried again sooner: an account may be locked."""
LIMIT_PAUSE_S: Final = 3600.0
TOO_OFTEN_S: Final = 30.0
OK: Final = range(200, 300)
UNAUTHORIZED, NOT_FOUND, TIMED_OUT, TOO_OFTEN, SERVERS = 401, 404, 408, 429, 500
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxTokens:
    access: str
    refresh: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxAccount:
    """Who signs in; `device_id` is stable for an installation. `service_name` is what the customer reads on the receipt."""

    inn: str
    password: str
    device_id: str
    service_name: str
    zone: tzinfo


class MyTax:
    def __init__(self, *, base_url: str, account: TaxAccount, timeout_s: float = 20.0) -> None:
        self._base_url = base_url.rstrip("/")
        self._account = account
        self._http = HttpClient(name="My Tax", headers={"Accept": "application/json"})
        self._within = aiohttp.ClientTimeout(total=timeout_s, connect=min(5.0, timeout_s))
        self._tokens: TaxTokens | None = None
        self._signing_in = asyncio.Lock()
        self._refused_until = 0.0

    async def prepare(self) -> None:
        await self._signed_in()

    async def register(self, income: TaxedIncome) -> str:
        reply = await self._write("/income", self._income(income))
        found = (reply or {}).get("approvedReceiptUuid")
        if not isinstance(found, str) or not DOCUMENT_ID.fullmatch(found):
            raise OutcomeUnknown("My Tax registered an income and did not name its receipt")
        return found

    async def annul(self, external_id: str) -> None:
        now = self._now()
        await self._write(
            "/cancel",
            {"operationTime": now, "requestTime": now, "comment": REFUND, "receiptUuid": external_id},
        )

    async def documents(self, *, since: datetime, until: datetime) -> TaxDocuments:
        found: dict[str, TaxDocument] = {}
        lines = 0
        for number in range(MAX_PAGES):
            page = await self._page(since=since, until=until, offset=number * PAGE)
            lines += len(page)
            documents = [document_of(line) for line in page]
            found.update({one.external_id: one for one in documents})
            if len(page) < PAGE:
                return TaxDocuments(documents=list(found.values()), is_complete=lines == len(found))
        return TaxDocuments(documents=list(found.values()), is_complete=False)

    def url_of(self, external_id: str) -> str:
        return f"{self._base_url}/receipt/{self._account.inn}/{external_id}/print"

    async def close(self) -> None:
        await self._http.close()

    def _income(self, income: TaxedIncome) -> dict[str, Any]:
        name = f"{self._account.service_name[: MAX_NAME_LENGTH - 20]}, № {income.reference}"
        amount = written(income.amount)
        return {
            "operationTime": self._written(income.operation_at),
            "requestTime": self._now(),
            "services": [{"name": name, "amount": amount, "quantity": 1}],
            "totalAmount": amount,
            "client": {"contactPhone": None, "displayName": None, "inn": None, "incomeType": "FROM_INDIVIDUAL"},
            "paymentType": "CASH",
            "ignoreMaxTotalIncomeRestriction": False,
        }

    async def _page(self, *, since: datetime, until: datetime, offset: int) -> list[Fields]:
        query = {
            "from": self._written(since),
            "to": self._written(until),
            "offset": str(offset),
            "sortBy": "operation_time:desc",
            "limit": str(PAGE),
        }
        with provider_call("my_tax", "read"):
            answer = await self._authorized(
                lambda headers: self._http.get(
                    self._base_url + "/incomes", query=query, headers=headers, within=self._within
                )
            )
        body = _json(answer)
        content = None if body is None or answer.status not in OK else body.get("content")
        if not isinstance(content, list) or not all(isinstance(line, dict) for line in content):
            raise Transient(f"My Tax answered {answer.status} without a list")
        return content

    async def _write(self, path: str, body: Fields) -> Fields | None:
        """Request a change; what it answered if it was carried out."""
        with provider_call("my_tax", "write"):
            answer = await self._authorized(
                lambda headers: self._http.post(self._base_url + path, body, headers=headers, within=self._within)
            )
        if answer.status == TOO_OFTEN:
            raise Transient("My Tax is asked too often", retry_after_s=TOO_OFTEN_S)
        if answer.status == UNAUTHORIZED:
            raise Transient("My Tax does not accept a new token")
        reply = _json(answer)
        if reply is None or answer.status >= SERVERS or answer.status in {NOT_FOUND, TIMED_OUT}:
            raise OutcomeUnknown(f"My Tax answered {answer.status} without a verdict")
        if answer.status not in OK:
            _refuse(answer.status, reply)
        return reply

    async def _authorized(self, call: Callable[[Mapping[str, str]], Awaitable[HttpAnswer]]) -> HttpAnswer:
        """Call with the token; again with a refreshed one if it has expired."""
        tokens = await self._signed_in()
        answer = await call({"Authorization": f"Bearer {tokens.access}"})
        if answer.status != UNAUTHORIZED:
            return answer
        tokens = await self._refreshed(tokens)
        answer = await call({"Authorization": f"Bearer {tokens.access}"})
        if answer.status == UNAUTHORIZED:
            self._tokens = None
        return answer

    async def _signed_in(self) -> TaxTokens:
        async with self._signing_in:
            if self._tokens is None:
                self._tokens = await self._sign_in()
            return self._tokens

    async def _refreshed(self, expired: TaxTokens) -> TaxTokens:
        """A new pair; another task may have fetched it already. A refresh token that expired too needs the password."""
        async with self._signing_in:
            if self._tokens is None or self._tokens is expired:
                body = {"deviceInfo": self._device(), "refreshToken": expired.refresh}
                answer = await self._post_once("/auth/token", body)
                self._tokens = _tokens(answer) or await self._sign_in()
            return self._tokens

    async def _sign_in(self) -> TaxTokens:
        if monotonic() < self._refused_until:
            raise TaxServicePaused(
                "password", "My Tax refused the password", retry_after_s=self._refused_until - monotonic()
            )
        body = {"username": self._account.inn, "password": self._account.password, "deviceInfo": self._device()}
        answer = await self._post_once("/auth/lkfl", body)
        tokens = _tokens(answer)
        if tokens is not None:
            return tokens
        is_maintenance = answer.status >= SERVERS or answer.status in {NOT_FOUND, TIMED_OUT, TOO_OFTEN, *OK}
        if is_maintenance or _json(answer) is None:
            raise Transient(f"My Tax answered {answer.status} while signing in", retry_after_s=TOO_OFTEN_S)
        self._refused_until = monotonic() + PASSWORD_PAUSE_S
        log.error("MY_TAX_PASSWORD_REFUSED", status=answer.status)
        raise TaxServicePaused("password", "My Tax refused the password", retry_after_s=PASSWORD_PAUSE_S)

    async def _post_once(self, path: str, body: Fields) -> HttpAnswer:
        """A request without any effect to worry about: no answer means later."""
        try:
            return await self._http.post(self._base_url + path, body, within=self._within)
        except OutcomeUnknown as error:
            raise Transient(str(error)) from None

    def _device(self) -> dict[str, Any]:
        return {
            "sourceDeviceId": self._account.device_id,
            "sourceType": "WEB",
            "appVersion": "1.0.0",
            "metaDetails": {"userAgent": USER_AGENT},
        }

    def _now(self) -> str:
        return self._written(datetime.fromtimestamp(epoch(), UTC))

    def _written(self, instant: datetime) -> str:
        return instant.astimezone(self._account.zone).isoformat(timespec="seconds")


def document_of(line: Fields) -> TaxDocument:
    """A line of the list; `Transient` if it cannot be read, because then nothing is proved by what is missing."""
    try:
        external_id = line.get("approvedReceiptUuid")
        if not isinstance(external_id, str) or not DOCUMENT_ID.fullmatch(external_id):
            raise ValueError("a document without an id")  # noqa: TRY301  read like the other fields
        return TaxDocument(
            external_id=external_id,
            reference=reference_in(line.get("name")),
            amount=money_of(line.get("totalAmount"), ROUBLES),
            operation_at=instant_of(line.get("operationTime")),
            is_annulled=bool(line.get("cancellationInfo")),
        )
    except ValueError as error:
        raise Transient(f"My Tax listed something unreadable: {error}") from None


def reference_in(name: object) -> str | None:
    """Our reference in the name of a service; None if it is not an income of ours."""
    found = REFERENCE.search(name) if isinstance(name, str) else None
    return found[0] if found else None


def _tokens(answer: HttpAnswer) -> TaxTokens | None:
    body = _json(answer) or {}
    access, refresh = body.get("token"), body.get("refreshToken")
    if answer.status not in OK or not isinstance(access, str) or not isinstance(refresh, str):
        return None
    return TaxTokens(access=access, refresh=refresh)


def _json(answer: HttpAnswer) -> Fields | None:
    try:
        return json_object(answer.body)
    except ValueError:
        return None


def _refuse(status: int, reply: Fields) -> None:
    """A clear no: of all incomes for this year, or of this document."""
    code, message = str(reply.get("code") or ""), str(reply.get("message") or "")
    if "limit" in code.lower() or "лимит" in message.lower() or "превышен" in message.lower():
        log.error("MY_TAX_LIMIT", status=status, reason=message[:200])
        raise TaxServicePaused("limit", "My Tax: the yearly limit of income is reached", retry_after_s=LIMIT_PAUSE_S)
    log.warning("MY_TAX_REFUSED", status=status, reason=(message or code)[:200])
    raise DocumentRefused((message or code or f"HTTP {status}")[:200])
