"""What Crypto Pay accepts: the rules of its documents for the parameters of invoices, as query, form or JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.pay.desk import RefusedError

FIATS: Final = (
    *("USD", "EUR", "RUB", "BYN", "UAH", "GBP", "CNY", "KZT", "UZS", "GEL"),
    *("TRY", "AMD", "THB", "INR", "BRL", "IDR", "AZN", "AED", "PLN", "ILS"),
)
ASSETS: Final = ("USDT", "TON", "BTC", "ETH", "LTC", "BNB", "TRX", "USDC")
BUTTONS: Final = ("viewItem", "openChannel", "openBot", "callback")
LONGEST_DESCRIPTION: Final = 1024
LARGEST_PAYLOAD_BYTES: Final = 4096
LONGEST_OPEN_S: Final = 2_678_400
LARGEST_PAGE: Final = 1000
USUAL_PAGE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceOrder:
    """Checked parameters of `createInvoice`."""

    currency_type: str
    currency: str
    amount: Decimal
    description: str
    payload: str
    expires_in: int | None
    button: str
    button_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOrder:
    """Checked parameters of `getInvoices`."""

    invoice_ids: frozenset[int] | None
    status: str | None
    fiat: str | None
    offset: int
    count: int


def invalid(name: str) -> RefusedError:
    """Make the refusal of a wrong parameter."""
    return RefusedError(400, name)


async def parameters(request: web.Request) -> dict[str, Any]:
    """Read parameters from the query, a form or JSON, whichever there is."""
    found: dict[str, Any] = dict(request.query)
    if request.method == "POST" and request.content_type == "application/json":
        try:
            body = json.loads(await request.read() or b"{}")
        except ValueError as error:
            raise invalid("JSON_INVALID") from error
        found |= body if isinstance(body, dict) else {}
    elif request.method == "POST":
        found |= dict(await request.post())
    return found


def invoice_order(given: Mapping[str, Any]) -> InvoiceOrder:
    """Check what an invoice is to be."""
    kind = given.get("currency_type", "crypto")
    if kind not in {"crypto", "fiat"}:
        raise invalid("CURRENCY_TYPE_INVALID")
    name, known = ("fiat", FIATS) if kind == "fiat" else ("asset", ASSETS)
    if given.get(name) not in known:
        raise invalid(f"{name.upper()}_INVALID")
    button, button_url = given.get("paid_btn_name", ""), given.get("paid_btn_url", "")
    if button and button not in BUTTONS:
        raise invalid("PAID_BTN_NAME_INVALID")
    if button and not str(button_url).startswith(("https://", "http://")):
        raise invalid("PAID_BTN_URL_INVALID")
    return InvoiceOrder(
        currency_type=str(kind),
        currency=str(given[name]),
        amount=_amount(given.get("amount")),
        description=_text(given, "description", LONGEST_DESCRIPTION),
        payload=_text(given, "payload", LARGEST_PAYLOAD_BYTES),
        expires_in=_whole(given, "expires_in", 1, LONGEST_OPEN_S) if "expires_in" in given else None,
        button=str(button),
        button_url=str(button_url),
    )


def invoice_id_of(given: Mapping[str, Any]) -> int:
    """Read which invoice is meant."""
    return _whole(given, "invoice_id", 1, 10**12)


def list_order(given: Mapping[str, Any]) -> ListOrder:
    """Check what a list of invoices is asked for."""
    status, fiat = given.get("status"), given.get("fiat")
    if status not in {None, "active", "paid"}:
        raise invalid("STATUS_INVALID")
    if fiat is not None and fiat not in FIATS:
        raise invalid("FIAT_INVALID")
    wanted = [part.strip() for part in str(given.get("invoice_ids", "")).split(",") if part.strip()]
    if not all(part.isdigit() for part in wanted):
        raise invalid("INVOICE_IDS_INVALID")
    return ListOrder(
        invoice_ids=frozenset(map(int, wanted)) if wanted else None,
        status=status,
        fiat=fiat,
        offset=_whole(given, "offset", 0, 10**9, usual=0),
        count=_whole(given, "count", 1, LARGEST_PAGE, usual=USUAL_PAGE),
    )


def _amount(given: object) -> Decimal:
    text = str(given)
    if isinstance(given, bool) or not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,8})?", text, re.ASCII):
        raise invalid("AMOUNT_INVALID")
    if not Decimal(text):
        raise invalid("AMOUNT_TOO_SMALL")
    return Decimal(text)


def _text(given: Mapping[str, Any], name: str, longest: int) -> str:
    text = given.get(name, "")
    length = len(text.encode()) if isinstance(text, str) and name == "payload" else len(str(text))
    if not isinstance(text, str) or length > longest:
        raise invalid(f"{name.upper()}_TOO_LONG")
    return text


def _whole(given: Mapping[str, Any], name: str, least: int, most: int, usual: int | None = None) -> int:
    text = str(given.get(name, usual))
    if not text.isdigit() or not least <= int(text) <= most:
        raise invalid(f"{name.upper()}_INVALID")
    return int(text)
