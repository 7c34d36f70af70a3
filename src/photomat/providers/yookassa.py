"""YooKassa's API v3. Creating and refunding are idempotent by the same key, which it keeps for 24 hours.

Its notices have no signature, only a source address that can be checked; so they only make an invoice due, and what was paid is
read from the API. HTTP 500 means an unknown outcome, by the provider's documentation.

What arrived is `amount` of a payment that is `succeeded` (`income_amount` is the same less the provider's fee, which the shop
pays), what went back is `refunded_amount`. A refunded payment stays `succeeded`.
"""

import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final, TypeAlias

from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Rejected, Transient
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.providers.fiscal_port import PaidWithoutReceipt, RegisteredReceipt
from photomat.providers.http import ProviderHttp, instant_of, json_object, money_of, token_of, written
from photomat.providers.port import (
    FiscalRefused,
    FiscalTerms,
    ForgedNotice,
    Invoice,
    InvoiceState,
    InvoiceTerms,
    ProviderReport,
)
from photomat.providers.yookassa_receipts import FiscalDocumentKind, incomes_by_payment, known_receipts, receipt_of

MAX_DESCRIPTION_LENGTH: Final = 128
MAX_KEY_LENGTH: Final = 64
NO_RECEIPT: Final = "receipt is missing or illegal"
KEY_TAKEN: Final = "idempotence key duplicated"
ANYWHERE: Final = "https://t.me/"
"""A redirect needs a target."""
PAYMENT_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
STATES: Final[Mapping[str, InvoiceState]] = {
    "pending": "open",
    "waiting_for_capture": "open",
    "succeeded": "paid",
    "canceled": "canceled",
}
Network: TypeAlias = IPv4Network | IPv6Network
ROOT: Final = "/v3"
OK: Final = 200
UNKNOWN: Final = 404
PAGE: Final = 100
MAX_PAGES: Final = 1000
log = get_logger()


def payment_order(asked: InvoiceTerms) -> dict[str, Any]:
    order: dict[str, Any] = {
        "amount": {"value": written(asked.amount), "currency": asked.amount.currency},
        "capture": True,
        "confirmation": {"type": "redirect", "return_url": asked.return_url or ANYWHERE},
        "description": asked.description[:MAX_DESCRIPTION_LENGTH],
        "metadata": {"token": asked.token},
    }
    return order if asked.fiscal is None else {**order, "receipt": receipt_of(asked.fiscal, asked.amount)}


def refund_order(payment_id: str, amount: Money, fiscal: FiscalTerms | None = None) -> dict[str, Any]:
    order: dict[str, Any] = {
        "payment_id": payment_id,
        "amount": {"value": written(amount), "currency": amount.currency},
    }
    return order if fiscal is None else {**order, "receipt": receipt_of(fiscal, amount)}


def short_key(key: str) -> str:
    """Our key as their header allows it: hashed if it is too long."""
    fits = key.isascii() and key.isprintable() and len(key) <= MAX_KEY_LENGTH
    return key if fits else hashlib.sha256(key.encode()).hexdigest()


def is_payment_id(text: object) -> bool:
    """Whether this can be a payment id; anything else could change the URL we request."""
    return isinstance(text, str) and PAYMENT_ID.fullmatch(text) is not None


def payment_id_of(payment: Mapping[str, Any]) -> str:
    """The id of a payment; ValueError without one."""
    found = payment.get("id")
    if not is_payment_id(found):
        raise ValueError("a payment without an id")
    return str(found)


def pay_url_of(payment: Mapping[str, Any]) -> str | None:
    """Where it is paid; None once it cannot be."""
    confirmation = payment.get("confirmation")
    url = confirmation.get("confirmation_url") if isinstance(confirmation, Mapping) else None
    return url if isinstance(url, str) and url.startswith(("https://", "http://")) else None


def report_of(payment: Mapping[str, Any]) -> ProviderReport:
    """A payment as a report; ValueError if it cannot be read."""
    state = STATES.get(str(payment.get("status")))
    if state is None:
        raise ValueError("a payment of unknown status")
    amount = _amount(payment.get("amount"))
    refunded = payment.get("refunded_amount")
    metadata = payment.get("metadata")
    return ProviderReport(
        external_id=payment_id_of(payment),
        token=token_of(metadata.get("token")) if isinstance(metadata, Mapping) else None,
        state=state,
        paid=amount if state == "paid" else Money(0, amount.currency),
        refunded=Money(0, amount.currency) if refunded is None else _amount(refunded),
        at=instant_of(payment.get("captured_at") or payment.get("created_at")),
    )


def refunded_payments(refunds: Sequence[Any]) -> set[str]:
    named = [refund.get("payment_id") for refund in refunds if isinstance(refund, Mapping)]
    return {str(name) for name in named if is_payment_id(name)}


def payment_of_notice(notice: Mapping[str, Any]) -> str:
    """The payment a notice names, of a refund the refunded one; ValueError if it names none."""
    event, thing = notice.get("event"), notice.get("object")
    if not isinstance(event, str) or not isinstance(thing, Mapping):
        raise ValueError("not a notice")  # noqa: TRY004  a body that cannot be read, whatever it holds
    if event.startswith("refund."):
        return payment_id_of({"id": thing.get("payment_id")})
    if event.startswith("payment."):
        return payment_id_of(thing)
    raise ValueError("a notice of neither a payment nor a refund")


def networks_of(setting: str) -> tuple[Network, ...]:
    """Parse the networks of notices; ValueError names the invalid one."""
    return tuple(ip_network(part.strip()) for part in setting.split(",") if part.strip())


def comes_from(source: str, networks: Sequence[Network]) -> bool:
    """Whether an IP address, possibly IPv4 mapped to IPv6, lies in one of the networks."""
    try:
        address = ip_address(source)
    except ValueError:
        return False
    inner = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any((inner or address) in network for network in networks)


def _amount(found: object) -> Money:
    if not isinstance(found, Mapping):
        raise ValueError("a payment without an amount")  # noqa: TRY004  a field that cannot be read, whatever it holds
    return money_of(found.get("value"), found.get("currency"))


class YooKassa:
    name: Final = "yookassa"
    lists_refunds: Final = True

    def __init__(
        self,
        *,
        base_url: str,
        shop_id: str,
        secret_key: str,
        sources: str,
        self_employed: bool = False,
        timeout_s: float | None = None,
    ) -> None:
        pair = b64encode(f"{shop_id}:{secret_key}".encode()).decode()
        headers = {"Authorization": f"Basic {pair}"}
        self._exchange = ProviderHttp(name="YooKassa", base_url=base_url + ROOT, headers=headers, timeout_s=timeout_s)
        self._networks = networks_of(sources)
        self._self_employed = self_employed

    async def create(self, asked: InvoiceTerms) -> Invoice:
        """Create a payment; repeated after it was paid, the URL is the return URL."""
        payment = await self._ordered("/payments", payment_order(asked), key=asked.token)
        try:
            payment_id = payment_id_of(payment)
        except ValueError as error:
            raise OutcomeUnknown(f"YooKassa created something unreadable: {error}") from None
        if payment.get("status") == "canceled":
            raise Rejected("provider-refused")
        return Invoice(external_id=payment_id, pay_url=pay_url_of(payment) or asked.return_url or ANYWHERE)

    async def find(self, external_id: str) -> ProviderReport | None:
        payment = await self._payment(external_id)
        if payment is None:
            return None
        try:
            report = report_of(payment)
        except ValueError as error:
            raise Transient(f"YooKassa sent something unreadable: {error}") from None
        if report.external_id != external_id:
            raise Transient("YooKassa returned another payment than was requested")
        return report

    async def recent(self, since: datetime) -> Sequence[ProviderReport]:
        """Every payment captured since then, and every older one refunded since then."""
        captured = await self._listed("/payments", {"status": "succeeded", "captured_at.gte": _written(since)})
        found = {report.external_id: report for report in _readable(captured)}
        refunds = await self._listed("/refunds", {"status": "succeeded", "created_at.gte": _written(since)})
        for payment_id in refunded_payments(refunds) - set(found):
            payment = await self._payment(payment_id)
            found.update({report.external_id: report for report in _readable([payment] if payment else [])})
        return list(found.values())

    async def refund(
        self, external_id: str, amount: Money, *, key: str, fiscal: FiscalTerms | None = None
    ) -> str | None:
        """Refund; one that is still pending is asked again by the same key."""
        refund = await self._ordered("/refunds", refund_order(external_id, amount, fiscal), key=key)
        if refund.get("status") == "canceled":
            raise Rejected("refund-refused")
        if refund.get("status") != "succeeded":
            raise OutcomeUnknown("YooKassa has not finished the refund: ask again by the same key")
        return str(refund["id"]) if is_payment_id(refund.get("id")) else None

    async def receipts_of(self, external_payment_id: str) -> Sequence[RegisteredReceipt]:
        """Every fiscal receipt of a payment and of its refunds; empty while none is registered."""
        payment = await self._payment(external_payment_id)
        if payment is None:
            return []
        found = await self._receipts_about(payment, "income", {"payment_id": external_payment_id})
        if not found and payment.get("receipt_registration") is None:
            raise PaidWithoutReceipt
        for refund in reversed(await self._listed("/refunds", {"payment_id": external_payment_id})):
            if isinstance(refund, Mapping) and is_payment_id(refund.get("id")):
                found += await self._receipts_about(refund, "annulment", {"refund_id": str(refund["id"])})
        return found

    async def incomes_since(self, since: datetime) -> Mapping[str, Sequence[RegisteredReceipt]]:
        """Every receipt of a payment registered since then; those of the self-employed are not listed."""
        if self._self_employed:
            return {}
        listed = await self._listed("/receipts", {"status": "succeeded", "created_at.gte": _written(since)})
        try:
            return incomes_by_payment(listed)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise Transient(f"YooKassa sent an unreadable receipt: {error}") from None

    async def _receipts_about(
        self, thing: Mapping[str, Any], kind: FiscalDocumentKind, query: Mapping[str, str]
    ) -> list[RegisteredReceipt]:
        """The receipts of a payment or a refund; those of the self-employed are in «Мой налог», not in this list."""
        listed = [] if self._self_employed else list(reversed(await self._listed("/receipts", query)))
        try:
            return known_receipts(thing, listed, kind=kind, is_listed=not self._self_employed)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise Transient(f"YooKassa sent an unreadable receipt: {error}") from None

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:  # noqa: ARG002  no signature there
        """The payment a notice names; only its source can be checked."""
        if not comes_from(source, self._networks):
            raise ForgedNotice("a notice from an address that is not YooKassa's")
        return payment_of_notice(json_object(body))

    async def close(self) -> None:
        await self._exchange.close()

    async def _payment(self, payment_id: str) -> Mapping[str, Any] | None:
        if not is_payment_id(payment_id):
            return None
        reply = await self._exchange.read(f"/payments/{payment_id}")
        return None if reply.status == UNKNOWN else _payload(reply.status, reply.body)

    async def _listed(self, path: str, query: Mapping[str, str]) -> list[Any]:
        found: list[Any] = []
        following: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            reply = await self._exchange.read(path, {**query, "limit": str(PAGE), **following})
            page = _payload(reply.status, reply.body)
            items, cursor = page.get("items"), page.get("next_cursor")
            if not isinstance(items, list):
                raise Transient("YooKassa gave a list without items")
            found += items
            if not isinstance(cursor, str) or not cursor:
                return found
            following = {"cursor": cursor}
        raise Transient("YooKassa's list does not end")

    async def _ordered(self, path: str, order: Mapping[str, Any], *, key: str) -> Mapping[str, Any]:
        reply = await self._exchange.write(path, order, {"Idempotence-Key": short_key(key)})
        if reply.status == OK and reply.body is not None:
            return reply.body
        if 400 <= reply.status < 500:  # noqa: PLR2004  the caller's faults: nothing was done
            raise self._refusal(path, reply.status, reply.body or {})
        raise OutcomeUnknown(f"YooKassa answered {reply.status}: ask again by the same key")

    def _refusal(self, path: str, status: int, body: Mapping[str, Any]) -> PhotomatError:
        reason, field = str(body.get("description"))[:200], str(body.get("parameter") or "")[:100]
        log.warning("PAY_REFUSED", provider=self.name, status=status, reason=reason)
        is_refund = path == "/refunds"
        if is_refund and KEY_TAKEN in reason.lower():
            return OutcomeUnknown("YooKassa has this refund's key with another body: what was asked first stands")
        key = "refund-refused" if is_refund else "provider-refused"
        if NO_RECEIPT in reason.lower() or field.partition(".")[0] == "receipt":
            return FiscalRefused(key, field=field.removeprefix("receipt").removeprefix("."), reason=reason)
        return Rejected(key)


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _payload(status: int, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if status != OK or body is None:
        raise Transient(f"YooKassa answered {status} without a verdict")
    return body


def _readable(payments: Sequence[Any]) -> list[ProviderReport]:
    """The reports of a list; an unreadable one is logged and does not hide the others."""
    reports = []
    for payment in payments:
        try:
            reports.append(report_of(payment))
        except (ValueError, AttributeError) as error:
            log.error("PAY_UNREADABLE", provider=YooKassa.name, error=str(error))
    return reports
