"""YooKassa: bills by its API v3. Creating and refunding bear repeating by the same key, which it keeps for 24 hours.

Its notices carry no signature, only a source address that can be checked; so they say "look" and nothing more, and what
was paid is read from the API. HTTP 500 means that the outcome is unknown, by the provider's own words.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.providers import yookassa_wire as wire
from photomat.providers.exchange import Exchange, json_object
from photomat.providers.port import Asked, Forged, Invoice, Report

ROOT: Final = "/v3"
OK: Final = 200
UNKNOWN: Final = 404
PAGE: Final = 100
MOST_PAGES: Final = 1000
log = get_logger()


class YooKassa:
    """The provider port on YooKassa."""

    name: Final = "yookassa"
    lists_refunds: Final = True

    def __init__(
        self, *, base_url: str, shop_id: str, secret_key: str, sources: str, timeout_s: float | None = None
    ) -> None:
        pair = b64encode(f"{shop_id}:{secret_key}".encode()).decode()
        headers = {"Authorization": f"Basic {pair}"}
        self._exchange = Exchange(name="YooKassa", base_url=base_url + ROOT, headers=headers, timeout_s=timeout_s)
        self._networks = wire.networks_of(sources)

    async def create(self, asked: Asked) -> Invoice:
        """Make a payment; asked again after it was paid, its page leads back to where it would have led."""
        payment = await self._ordered("/payments", wire.payment_order(asked), key=asked.token)
        try:
            payment_id = wire.payment_id_of(payment)
        except ValueError as error:
            raise OutcomeUnknown(f"YooKassa created something unreadable: {error}") from None
        if payment.get("status") == "canceled":
            raise Rejected("provider-refused")
        return Invoice(external_id=payment_id, pay_url=wire.pay_url_of(payment) or asked.return_url or wire.ANYWHERE)

    async def find(self, external_id: str) -> Report | None:
        """Read one payment."""
        payment = await self._payment(external_id)
        if payment is None:
            return None
        try:
            report = wire.report_of(payment)
        except ValueError as error:
            raise Transient(f"YooKassa told something unreadable: {error}") from None
        if report.external_id != external_id:
            raise Transient("YooKassa told of another payment than was asked for")
        return report

    async def recent(self, since: datetime) -> Sequence[Report]:
        """Every payment captured since then, and every older one of which something went back since then."""
        captured = await self._listed("/payments", {"status": "succeeded", "captured_at.gte": _written(since)})
        found = {report.external_id: report for report in _readable(captured)}
        refunds = await self._listed("/refunds", {"status": "succeeded", "created_at.gte": _written(since)})
        for payment_id in wire.refunded_payments(refunds) - set(found):
            payment = await self._payment(payment_id)
            found.update({report.external_id: report for report in _readable([payment] if payment else [])})
        return list(found.values())

    async def refund(self, external_id: str, amount: Money, *, key: str) -> None:
        """Give money back; one that is still under way is asked about by the same key."""
        refund = await self._ordered("/refunds", wire.refund_order(external_id, amount), key=key)
        if refund.get("status") == "canceled":
            raise Rejected("refund-refused")
        if refund.get("status") != "succeeded":
            raise OutcomeUnknown("YooKassa has not finished the refund: ask again by the same key")

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:  # noqa: ARG002  no signature there
        """The payment a notice speaks of; the source is all that can be checked."""
        if not wire.comes_from(source, self._networks):
            raise Forged("a notice from an address that is not YooKassa's")
        return wire.bill_of_notice(json_object(body))

    async def close(self) -> None:
        """Let go of the kept connections."""
        await self._exchange.close()

    async def _payment(self, payment_id: str) -> Mapping[str, Any] | None:
        if not wire.is_payment_id(payment_id):
            return None
        reply = await self._exchange.read(f"/payments/{payment_id}")
        return None if reply.status == UNKNOWN else _payload(reply.status, reply.body)

    async def _listed(self, path: str, query: Mapping[str, str]) -> list[Any]:
        """A whole list, page by page."""
        found: list[Any] = []
        following: dict[str, str] = {}
        for _ in range(MOST_PAGES):
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
        reply = await self._exchange.write(path, order, {"Idempotence-Key": wire.short_key(key)})
        if reply.status == OK and reply.body is not None:
            return reply.body
        if 400 <= reply.status < 500:  # noqa: PLR2004  the caller's faults: nothing was done
            reason = str((reply.body or {}).get("description"))[:200]
            log.warning("PAY_REFUSED", provider=self.name, status=reply.status, reason=reason)
            raise Rejected("refund-refused" if path == "/refunds" else "provider-refused")
        raise OutcomeUnknown(f"YooKassa answered {reply.status}: ask again by the same key")


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _payload(status: int, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if status != OK or body is None:
        raise Transient(f"YooKassa answered {status} without a verdict")
    return body


def _readable(payments: Sequence[Any]) -> list[Report]:
    """The reports of a list; one that nobody can read is told of and must not hide the others."""
    reports = []
    for payment in payments:
        try:
            reports.append(wire.report_of(payment))
        except (ValueError, AttributeError) as error:
            log.error("PAY_UNREADABLE", provider=YooKassa.name, error=str(error))
    return reports
