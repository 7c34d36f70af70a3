"""Crypto Pay's invoices and notices in our words. Pure.

We ask for a sum of a real currency; it is paid in coins. What arrived is `paid_amount` coins at `paid_fiat_rate`. Both are
rounded by the provider, so what lies within half a percent of the sum is the sum; anything else is reported as it arrived.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.providers.amounts import decimal_of, instant_of, money_of, nearest_minor, token_of, written
from photomat.providers.port import Asked, Report, State

FIATS: Final = (
    *("USD", "EUR", "RUB", "BYN", "UAH", "GBP", "CNY", "KZT", "UZS", "GEL"),
    *("TRY", "AMD", "THB", "INR", "BRL", "IDR", "AZN", "AED", "PLN", "ILS"),
)
LONGEST_DESCRIPTION: Final = 1024
OPEN_FOR_S: Final = 86400
"""How long an invoice can be paid. Whoever pays in coins may first have to buy some."""

ROUNDING: Final = Decimal("0.005")
OLDEST_NOTICE_S: Final = 4 * 86400
"""The provider repeats for three days."""

CLOCKS_DIFFER_S: Final = 600
LONGEST_ID: Final = 18
STATES: Final[Mapping[str, State]] = {"active": "open", "paid": "paid", "expired": "canceled"}


def invoice_order(asked: Asked) -> dict[str, Any]:
    """The body that creates an invoice."""
    back = {"paid_btn_name": "callback", "paid_btn_url": asked.return_url} if asked.return_url else {}
    return {
        "currency_type": "fiat",
        "fiat": asked.amount.currency,
        "amount": written(asked.amount),
        "description": asked.description[:LONGEST_DESCRIPTION],
        "payload": asked.token,
        "expires_in": OPEN_FOR_S,
        **back,
    }


def invoice_id_of(invoice: Mapping[str, Any]) -> str:
    """The name of an invoice; ValueError without one."""
    found = invoice.get("invoice_id")
    if isinstance(found, bool) or not isinstance(found, int) or not is_invoice_id(str(found)):
        raise ValueError("an invoice without an id")
    return str(found)


def is_invoice_id(text: str) -> bool:
    """Whether this can be the name of an invoice."""
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_ID


def pay_url_of(invoice: Mapping[str, Any]) -> str:
    """Where it is paid; ValueError without an address."""
    for name in ("bot_invoice_url", "pay_url"):
        url = invoice.get(name)
        if isinstance(url, str) and url.startswith(("https://", "http://")):
            return url
    raise ValueError("an invoice without an address")


def is_in_a_currency(invoice: Mapping[str, Any]) -> bool:
    """Whether the invoice asks for real money; one in coins is none of ours."""
    return invoice.get("currency_type") == "fiat"


def report_of(invoice: Mapping[str, Any]) -> Report:
    """What an invoice says; ValueError when it cannot be read, and then nothing was paid as far as we know."""
    state = STATES.get(str(invoice.get("status")))
    if state is None:
        raise ValueError("an invoice of unknown status")
    asked = money_of(invoice.get("amount"), invoice.get("fiat"))
    return Report(
        external_id=invoice_id_of(invoice),
        token=token_of(invoice.get("payload")),
        state=state,
        paid=_arrived(invoice, asked) if state == "paid" else Money(0, asked.currency),
        refunded=Money(0, asked.currency),
        at=instant_of(invoice.get("paid_at") or invoice.get("created_at")),
    )


def is_signed(body: bytes, given: str, *, token: str) -> bool:
    """Whether a notice was signed with our token."""
    key = hashlib.sha256(token.encode()).digest()
    wanted = hmac.digest(key, body, hashlib.sha256).hex()
    return hmac.compare_digest(wanted.encode(), given.strip().lower().encode(errors="surrogateescape"))


def is_fresh(notice: Mapping[str, Any], *, now_s: int) -> bool:
    """Whether a signed notice was sent lately and not kept by somebody; ValueError when it does not say."""
    age_s = now_s - int(instant_of(notice.get("request_date")).timestamp())
    return -CLOCKS_DIFFER_S <= age_s <= OLDEST_NOTICE_S


def bill_of_notice(notice: Mapping[str, Any]) -> str:
    """The invoice a notice speaks of; ValueError when it names none."""
    invoice = notice.get("payload")
    if notice.get("update_type") != "invoice_paid" or not isinstance(invoice, Mapping):
        raise ValueError("not a notice of a paid invoice")
    return invoice_id_of(invoice)


def was_made_before(invoice: Mapping[str, Any], instant: datetime) -> bool:
    """Whether an invoice is older than that."""
    return instant_of(invoice.get("created_at")) < instant


def _arrived(invoice: Mapping[str, Any], asked: Money) -> Money:
    coins, rate = invoice.get("paid_amount"), invoice.get("paid_fiat_rate")
    if coins is None or rate is None:
        return asked
    worth = decimal_of(coins) * decimal_of(rate)
    difference = abs(worth * MINOR_PER_MAJOR - asked.minor)
    return asked if difference <= asked.minor * ROUNDING else Money(nearest_minor(worth), asked.currency)
