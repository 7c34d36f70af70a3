"""Crypto Pay (@CryptoBot): invoices in a real currency, paid in coins.

It keeps no keys: asked twice, it makes two invoices, and each is credited by its own id. It cannot give money back, so a
refund is an operator's work. Notices are signed with the app's token. The currencies it knows: US dollar, euro, rouble,
Belarusian rouble, hryvnia, pound, yuan, tenge, Uzbek sum, lari, lira, dram, baht, Indian rupee, real, Indonesian rupiah,
manat, dirham, zloty, shekel; any other is refused before a request is made.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn

from photomat.kernel.clock import epoch
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.providers import crypto_pay_wire as wire
from photomat.providers.exchange import Exchange, Reply, json_object
from photomat.providers.port import Asked, Forged, Invoice, Report

SIGNATURE: Final = "crypto-pay-api-signature"
PAGE: Final = 500
MOST_PAGES: Final = 1000
log = get_logger()


class CryptoPay:
    """The provider port on Crypto Pay."""

    name: Final = "cryptopay"
    lists_refunds: Final = False

    def __init__(self, *, base_url: str, token: str, timeout_s: float | None = None) -> None:
        self._token = token
        self._exchange = Exchange(
            name="Crypto Pay",
            base_url=base_url + "/api",
            headers={"Crypto-Pay-API-Token": token},
            timeout_s=timeout_s,
        )

    async def create(self, asked: Asked) -> Invoice:
        """Make an invoice."""
        if asked.amount.currency not in wire.FIATS:
            raise Rejected("provider-refused")
        reply = await self._exchange.write("/createInvoice", wire.invoice_order(asked))
        invoice = _result(reply)
        if invoice is None:
            _refuse(reply)
        try:
            return Invoice(external_id=wire.invoice_id_of(invoice), pay_url=wire.pay_url_of(invoice))
        except ValueError as error:
            raise OutcomeUnknown(f"Crypto Pay created something unreadable: {error}") from None

    async def find(self, external_id: str) -> Report | None:
        """Read one invoice."""
        if not wire.is_invoice_id(external_id):
            return None
        items = await self._items({"invoice_ids": external_id})
        wanted = [item for item in items if str(item.get("invoice_id")) == external_id and wire.is_in_a_currency(item)]
        if not wanted:
            return None
        try:
            return wire.report_of(wanted[0])
        except ValueError as error:
            raise Transient(f"Crypto Pay told something unreadable: {error}") from None

    async def recent(self, since: datetime) -> Sequence[Report]:
        """Every invoice paid since then.

        The list has no filter by time. Newest first, it ends at invoices that could not be paid any more; in any other order
        it is read to its end.
        """
        found: dict[str, Report] = {}
        too_old = since - timedelta(seconds=wire.OPEN_FOR_S)
        for number in range(MOST_PAGES):
            items = await self._items({"status": "paid", "offset": str(number * PAGE), "count": str(PAGE)})
            found.update({report.external_id: report for report in _readable(items) if report.at >= since})
            if len(items) < PAGE or _is_past(items, too_old):
                return list(found.values())
        raise Transient("Crypto Pay's list does not end")

    async def refund(self, external_id: str, amount: Money, *, key: str) -> None:  # noqa: ARG002  the port's words
        """Say that only a person can."""
        raise Rejected("refund-by-hand")

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:  # noqa: ARG002  it is signed
        """The invoice a notice speaks of."""
        given = next((value for name, value in headers.items() if name.lower() == SIGNATURE), "")
        if not wire.is_signed(body, given, token=self._token):
            raise Forged("a notice without Crypto Pay's signature")
        notice = json_object(body)
        if not wire.is_fresh(notice, now_s=epoch()):
            raise Forged("a notice of Crypto Pay that somebody kept")
        return wire.bill_of_notice(notice)

    async def close(self) -> None:
        """Let go of the kept connections."""
        await self._exchange.close()

    async def _items(self, query: Mapping[str, str]) -> list[Mapping[str, Any]]:
        reply = await self._exchange.read("/getInvoices", query)
        result = _result(reply)
        items = result.get("items") if result is not None else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Transient(f"Crypto Pay answered {reply.status} without a list")
        return items


def _result(reply: Reply) -> Mapping[str, Any] | None:
    """What a call that went well gave; None when it did not."""
    body = reply.body or {}
    result = body.get("result")
    return result if body.get("ok") is True and isinstance(result, dict) else None


def _refuse(reply: Reply) -> NoReturn:
    """An answer that says no, or one that says nothing."""
    body = reply.body or {}
    error = body.get("error")
    if body.get("ok") is not False or not isinstance(error, dict):
        raise OutcomeUnknown(f"Crypto Pay answered {reply.status} without an invoice")
    log.warning("PAY_REFUSED", provider=CryptoPay.name, status=reply.status, reason=str(error.get("name"))[:100])
    raise Rejected("provider-refused")


def _readable(items: Sequence[Mapping[str, Any]]) -> list[Report]:
    """The reports of a list; one that nobody can read is told of and must not hide the others."""
    reports = []
    for item in filter(wire.is_in_a_currency, items):
        try:
            reports.append(wire.report_of(item))
        except ValueError as error:
            log.error(
                "PAY_UNREADABLE", provider=CryptoPay.name, bill=str(item.get("invoice_id"))[:64], error=str(error)
            )
    return reports


def _is_past(items: Sequence[Mapping[str, Any]], instant: datetime) -> bool:
    """Whether a list that is newest first has come to invoices older than that."""
    try:
        newest_first = int(wire.invoice_id_of(items[0])) > int(wire.invoice_id_of(items[-1]))
        return newest_first and wire.was_made_before(items[-1], instant)
    except ValueError:
        return False
