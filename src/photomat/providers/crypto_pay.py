"""Crypto Pay (@CryptoBot): invoices in a fiat currency, paid in coins.

It has no idempotency keys: a repeated request makes a second invoice, and each is credited by its own id. It cannot refund, so
an operator does. Notices are signed with the app's token. A currency outside of `FIATS` is refused before any request.

What arrived is `paid_amount` coins at `paid_fiat_rate`, both rounded by the provider: what lies within half a percent of the
invoice's sum is the sum, anything else is reported as it arrived.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NoReturn

from photomat.kernel.clock import epoch
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.logs import get_logger
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.providers.http import (
    JsonReply,
    ProviderHttp,
    decimal_of,
    instant_of,
    json_object,
    money_of,
    nearest_minor,
    token_of,
    written,
)
from photomat.providers.port import FiscalTerms, ForgedNotice, Invoice, InvoiceState, InvoiceTerms, ProviderReport

FIATS: Final = (
    *("USD", "EUR", "RUB", "BYN", "UAH", "GBP", "CNY", "KZT", "UZS", "GEL"),
    *("TRY", "AMD", "THB", "INR", "BRL", "IDR", "AZN", "AED", "PLN", "ILS"),
)
MAX_DESCRIPTION_LENGTH: Final = 1024
OPEN_FOR_S: Final = 86400
"""How long an invoice can be paid: a payer may first have to buy coins."""
ROUNDING: Final = Decimal("0.005")
OLDEST_NOTICE_S: Final = 4 * 86400
"""The provider repeats for three days."""
CLOCKS_DIFFER_S: Final = 600
MAX_ID_LENGTH: Final = 18
STATES: Final[Mapping[str, InvoiceState]] = {"active": "open", "paid": "paid", "expired": "canceled"}
SIGNATURE: Final = "crypto-pay-api-signature"
PAGE: Final = 500
MAX_PAGES: Final = 1000
log = get_logger()


def invoice_order(asked: InvoiceTerms) -> dict[str, Any]:
    back = {"paid_btn_name": "callback", "paid_btn_url": asked.return_url} if asked.return_url else {}
    return {
        "currency_type": "fiat",
        "fiat": asked.amount.currency,
        "amount": written(asked.amount),
        "description": asked.description[:MAX_DESCRIPTION_LENGTH],
        "payload": asked.token,
        "expires_in": OPEN_FOR_S,
        **back,
    }


def invoice_id_of(invoice: Mapping[str, Any]) -> str:
    """The id of an invoice; ValueError without one."""
    found = invoice.get("invoice_id")
    if isinstance(found, bool) or not isinstance(found, int) or not is_invoice_id(str(found)):
        raise ValueError("an invoice without an id")
    return str(found)


def is_invoice_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MAX_ID_LENGTH


def pay_url_of(invoice: Mapping[str, Any]) -> str:
    """Where it is paid; ValueError without a URL."""
    for name in ("bot_invoice_url", "pay_url"):
        url = invoice.get(name)
        if isinstance(url, str) and url.startswith(("https://", "http://")):
            return url
    raise ValueError("an invoice without a URL")


def is_in_a_currency(invoice: Mapping[str, Any]) -> bool:
    """Whether the invoice is in a fiat currency; one in coins is not ours."""
    return invoice.get("currency_type") == "fiat"


def report_of(invoice: Mapping[str, Any]) -> ProviderReport:
    """An invoice as a report; ValueError if it cannot be read."""
    state = STATES.get(str(invoice.get("status")))
    if state is None:
        raise ValueError("an invoice of unknown status")
    asked = money_of(invoice.get("amount"), invoice.get("fiat"))
    return ProviderReport(
        external_id=invoice_id_of(invoice),
        token=token_of(invoice.get("payload")),
        state=state,
        paid=_arrived(invoice, asked) if state == "paid" else Money(0, asked.currency),
        refunded=Money(0, asked.currency),
        at=instant_of(invoice.get("paid_at") or invoice.get("created_at")),
    )


def is_signed(body: bytes, given: str, *, token: str) -> bool:
    key = hashlib.sha256(token.encode()).digest()
    wanted = hmac.digest(key, body, hashlib.sha256).hex()
    return hmac.compare_digest(wanted.encode(), given.strip().lower().encode(errors="surrogateescape"))


def is_fresh(notice: Mapping[str, Any], *, now_s: int) -> bool:
    """Whether a signed notice is recent and not a replay; ValueError without a date."""
    age_s = now_s - int(instant_of(notice.get("request_date")).timestamp())
    return -CLOCKS_DIFFER_S <= age_s <= OLDEST_NOTICE_S


def invoice_of_notice(notice: Mapping[str, Any]) -> str:
    """The invoice that a notice names; ValueError if it names none."""
    invoice = notice.get("payload")
    if notice.get("update_type") != "invoice_paid" or not isinstance(invoice, Mapping):
        raise ValueError("not a notice of a paid invoice")
    return invoice_id_of(invoice)


def was_made_before(invoice: Mapping[str, Any], instant: datetime) -> bool:
    return instant_of(invoice.get("created_at")) < instant


def _arrived(invoice: Mapping[str, Any], asked: Money) -> Money:
    coins, rate = invoice.get("paid_amount"), invoice.get("paid_fiat_rate")
    if coins is None or rate is None:
        return asked
    worth = decimal_of(coins) * decimal_of(rate)
    difference = abs(worth * MINOR_PER_MAJOR - asked.minor)
    return asked if difference <= asked.minor * ROUNDING else Money(nearest_minor(worth), asked.currency)


class CryptoPay:
    name: Final = "cryptopay"
    lists_refunds: Final = False

    def __init__(self, *, base_url: str, token: str, timeout_s: float | None = None) -> None:
        self._token = token
        self._exchange = ProviderHttp(
            name="Crypto Pay",
            base_url=base_url + "/api",
            headers={"Crypto-Pay-API-Token": token},
            timeout_s=timeout_s,
        )

    async def create(self, asked: InvoiceTerms) -> Invoice:
        if asked.amount.currency not in FIATS:
            raise Rejected("provider-refused")
        reply = await self._exchange.write("/createInvoice", invoice_order(asked))
        invoice = _result(reply)
        if invoice is None:
            _refuse(reply)
        try:
            return Invoice(external_id=invoice_id_of(invoice), pay_url=pay_url_of(invoice))
        except ValueError as error:
            raise OutcomeUnknown(f"Crypto Pay created something unreadable: {error}") from None

    async def find(self, external_id: str) -> ProviderReport | None:
        if not is_invoice_id(external_id):
            return None
        items = await self._items({"invoice_ids": external_id})
        wanted = [item for item in items if str(item.get("invoice_id")) == external_id and is_in_a_currency(item)]
        if not wanted:
            return None
        try:
            return report_of(wanted[0])
        except ValueError as error:
            raise Transient(f"Crypto Pay sent something unreadable: {error}") from None

    async def recent(self, since: datetime) -> Sequence[ProviderReport]:
        """Every invoice paid since then.

        The list has no filter by time. If it is newest first, reading stops at invoices that had expired by then; in any
        other order it is read to its end.
        """
        found: dict[str, ProviderReport] = {}
        too_old = since - timedelta(seconds=OPEN_FOR_S)
        for number in range(MAX_PAGES):
            items = await self._items({"status": "paid", "offset": str(number * PAGE), "count": str(PAGE)})
            found.update({report.external_id: report for report in _readable(items) if report.at >= since})
            if len(items) < PAGE or _is_past(items, too_old):
                return list(found.values())
        raise Transient("Crypto Pay's list does not end")

    async def refund(
        self,
        external_id: str,  # noqa: ARG002  the port's words
        amount: Money,  # noqa: ARG002
        *,
        key: str,  # noqa: ARG002
        fiscal: FiscalTerms | None = None,  # noqa: ARG002
    ) -> None:
        """Always refused: only an operator can."""
        raise Rejected("refund-by-hand")

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:  # noqa: ARG002  it is signed
        given = next((value for name, value in headers.items() if name.lower() == SIGNATURE), "")
        if not is_signed(body, given, token=self._token):
            raise ForgedNotice("a notice without Crypto Pay's signature")
        notice = json_object(body)
        if not is_fresh(notice, now_s=epoch()):
            raise ForgedNotice("an old notice of Crypto Pay")
        return invoice_of_notice(notice)

    async def close(self) -> None:
        await self._exchange.close()

    async def _items(self, query: Mapping[str, str]) -> list[Mapping[str, Any]]:
        reply = await self._exchange.read("/getInvoices", query)
        result = _result(reply)
        items = result.get("items") if result is not None else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise Transient(f"Crypto Pay answered {reply.status} without a list")
        return items


def _result(reply: JsonReply) -> Mapping[str, Any] | None:
    """The result of a successful call; None if it failed."""
    body = reply.body or {}
    result = body.get("result")
    return result if body.get("ok") is True and isinstance(result, dict) else None


def _refuse(reply: JsonReply) -> NoReturn:
    """Raise `Rejected` for a refusal, `OutcomeUnknown` for anything else."""
    body = reply.body or {}
    error = body.get("error")
    if body.get("ok") is not False or not isinstance(error, dict):
        raise OutcomeUnknown(f"Crypto Pay answered {reply.status} without an invoice")
    log.warning("PAY_REFUSED", provider=CryptoPay.name, status=reply.status, reason=str(error.get("name"))[:100])
    raise Rejected("provider-refused")


def _readable(items: Sequence[Mapping[str, Any]]) -> list[ProviderReport]:
    """The reports of a list; an unreadable one is logged and does not hide the others."""
    reports = []
    for item in filter(is_in_a_currency, items):
        try:
            reports.append(report_of(item))
        except ValueError as error:
            log.error(
                "PAY_UNREADABLE", provider=CryptoPay.name, bill=str(item.get("invoice_id"))[:64], error=str(error)
            )
    return reports


def _is_past(items: Sequence[Mapping[str, Any]], instant: datetime) -> bool:
    """Whether a list that is newest first has reached invoices older than that."""
    try:
        newest_first = int(invoice_id_of(items[0])) > int(invoice_id_of(items[-1]))
        return newest_first and was_made_before(items[-1], instant)
    except ValueError:
        return False
