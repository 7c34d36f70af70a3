"""The state of a simulated app at Crypto Pay: its invoices, as plain data in memory.

A customer may pay another sum than was asked: the vendor's invoice has fields for it (`paid_amount`, `paid_fiat_rate`), and
a shop must credit what was paid.
"""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from secrets import token_hex
from typing import Any, Final, Literal

from photomat_sandbox.pay.bills import KEPT_BILLS, KEPT_NOTICES, Bill, BillState, NoticeSettings, PaymentNotice, iso
from photomat_sandbox.transcript import World

Status = Literal["active", "paid", "expired"]
SIGNATURE: Final = "crypto-pay-api-signature"
ASSET: Final = "USDT"
RATES: Final[Mapping[str, Decimal]] = {"RUB": Decimal("92.14713"), "USD": Decimal("1.0003"), "EUR": Decimal("0.91871")}
USUAL_RATE: Final = Decimal("3.14159")
COIN: Final = Decimal("0.000001")
FEE: Final = Decimal("0.03")
STATES: Final[Mapping[Status, BillState]] = {"active": "open", "paid": "paid", "expired": "canceled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceRequest:
    """Validated parameters of `createInvoice`."""

    currency_type: str
    currency: str
    amount: Decimal
    description: str
    payload: str
    expires_in: int | None
    button: str
    button_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceQuery:
    """Validated parameters of `getInvoices`."""

    invoice_ids: frozenset[int] | None
    status: str | None
    fiat: str | None
    offset: int
    count: int


@dataclass(slots=True, kw_only=True)
class CryptoInvoice:
    """One invoice; `coins` is what was paid."""

    invoice_id: int
    hash: str
    order: InvoiceRequest
    created_at: float
    status: Status = "active"
    coins: Decimal = Decimal(0)
    paid_at: float | None = None

    @property
    def asset(self) -> str:
        return self.order.currency if self.order.currency_type == "crypto" else ASSET

    @property
    def fee(self) -> Decimal:
        """What the vendor keeps of it."""
        return (self.coins * FEE).quantize(COIN)

    @property
    def rate(self) -> Decimal:
        """What one coin costs in the invoice's currency."""
        return RATES.get(self.order.currency, USUAL_RATE)


class CryptoPayWorld:
    vendor: World = "cryptopay"
    allows_partial = True

    def __init__(
        self,
        *,
        token: str = "1000:sandbox",  # noqa: S107  opens nothing but the simulator
        notices: NoticeSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.token = token
        self.switches: dict[str, bool] = {}
        self.notices = notices or NoticeSettings()
        self.clock = clock
        self.invoices: dict[int, CryptoInvoice] = {}
        self.outbox: asyncio.Queue[PaymentNotice] = asyncio.Queue(KEPT_NOTICES)
        self._last_id = 1000
        self._last_update = 0

    def create(self, order: InvoiceRequest) -> CryptoInvoice:
        """Create an invoice; the oldest is dropped when there are too many."""
        self._last_id += 1
        made = CryptoInvoice(invoice_id=self._last_id, hash="IV" + token_hex(6), order=order, created_at=self.clock())
        self.invoices[made.invoice_id] = made
        if len(self.invoices) > KEPT_BILLS:
            del self.invoices[next(iter(self.invoices))]
        return made

    def find(self, invoice_id: int) -> CryptoInvoice | None:
        found = self.invoices.get(invoice_id)
        lasts_s = found.order.expires_in if found else None
        if found and lasts_s and found.status == "active" and self.clock() > found.created_at + lasts_s:
            found.status = "expired"
        return found

    def page(self, order: InvoiceQuery) -> list[CryptoInvoice]:
        latest = [found for found in map(self.find, reversed(self.invoices)) if found and _fits(found, order)]
        return latest[order.offset : order.offset + order.count]

    def income(self) -> list[tuple[str, Decimal]]:
        """Return what the paid invoices earned after fees, each in its asset."""
        return [(paid.asset, paid.coins - paid.fee) for paid in self.invoices.values() if paid.paid_at is not None]

    def bill(self, bill_id: str) -> Bill | None:
        found = self.find(int(bill_id)) if bill_id.isdigit() else None
        return _shown(found) if found else None

    def bills(self) -> list[Bill]:
        return [_shown(found) for found in map(self.find, list(self.invoices)) if found]

    def pay(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Pay in coins as much as the amount is worth."""
        invoice = self._open(bill_id)
        worth = invoice.order.amount if amount is None else amount
        coins = worth / invoice.rate if invoice.order.currency_type == "fiat" else worth
        invoice.coins, invoice.paid_at, invoice.status = coins.quantize(COIN), self.clock(), "paid"
        self.outbox.put_nowait(self.notice(bill_id))

    def cancel(self, bill_id: str) -> None:
        """Let an invoice expire; the vendor sends no notice of it."""
        self._open(bill_id).status = "expired"

    def refund(self, bill_id: str, amount: Decimal | None = None) -> None:  # noqa: ARG002  the protocol's signature
        """Refuse: Crypto Pay has no refunds."""
        raise ValueError("Crypto Pay gives no money back")

    def notice(self, bill_id: str) -> PaymentNotice:
        """Build and sign the notice of a paid invoice."""
        self._last_update += 1
        update = {
            "update_id": self._last_update,
            "update_type": "invoice_paid",
            "request_date": iso(self.clock()),
            "payload": self.as_json(self.invoices[int(bill_id)]),
        }
        body = json.dumps(update, ensure_ascii=False).encode()
        return PaymentNotice(
            bill_id=bill_id, event="invoice_paid", body=body, headers={SIGNATURE: _signature(self.token, body)}
        )

    def forged(self, notice: PaymentNotice) -> PaymentNotice:
        """Return the same notice, signed with a wrong token."""
        return replace(notice, headers={SIGNATURE: _signature(self.token + " is not it", notice.body)})

    def as_json(self, invoice: CryptoInvoice, base_url: str = "https://t.me/CryptoBot") -> dict[str, Any]:
        order = invoice.order
        url = f"{base_url}/pay/{invoice.invoice_id}"
        body: dict[str, Any] = {
            "invoice_id": invoice.invoice_id,
            "hash": invoice.hash,
            "status": invoice.status,
            "currency_type": order.currency_type,
            "fiat" if order.currency_type == "fiat" else "asset": order.currency,
            "amount": str(order.amount),
            **dict.fromkeys(("bot_invoice_url", "mini_app_invoice_url", "web_app_invoice_url", "pay_url"), url),
            "description": order.description,
            "payload": order.payload,
            "created_at": iso(invoice.created_at),
            "allow_comments": True,
            "allow_anonymous": True,
        }
        if order.expires_in is not None:
            body["expiration_date"] = iso(invoice.created_at + order.expires_in)
        if order.button:
            body |= {"paid_btn_name": order.button, "paid_btn_url": order.button_url}
        return body | (_payment(invoice) if invoice.paid_at is not None else {})

    def _open(self, bill_id: str) -> CryptoInvoice:
        found = self.find(int(bill_id))
        if found is None or found.status != "active":
            raise ValueError("the invoice is not open")
        return found


def _payment(invoice: CryptoInvoice) -> dict[str, Any]:
    """Build the additional fields of a paid invoice."""
    coins = {
        "paid_asset": invoice.asset,
        "paid_amount": f"{invoice.coins.normalize():f}",
        "paid_fiat_rate": str(invoice.rate),
    }
    return (coins if invoice.order.currency_type == "fiat" else {}) | {
        "paid_usd_rate": str(RATES["USD"]),
        "fee_asset": invoice.asset,
        "fee_amount": float(invoice.fee),
        "paid_at": iso(invoice.paid_at or 0),
        "paid_anonymously": False,
        "is_swapped": False,
    }


def _shown(invoice: CryptoInvoice) -> Bill:
    order = invoice.order
    worth = invoice.coins * invoice.rate if order.currency_type == "fiat" else invoice.coins
    return Bill(
        bill_id=str(invoice.invoice_id),
        state=STATES[invoice.status],
        amount=order.amount,
        currency=order.currency,
        paid=worth,
        refunded=Decimal(0),
        description=order.description,
        return_url=order.button_url,
    )


def _fits(invoice: CryptoInvoice, order: InvoiceQuery) -> bool:
    if order.invoice_ids is not None and invoice.invoice_id not in order.invoice_ids:
        return False
    if order.fiat is not None and invoice.order.currency != order.fiat:
        return False
    return order.status is None or invoice.status == order.status


def _signature(token: str, body: bytes) -> str:
    return hmac.digest(hashlib.sha256(token.encode()).digest(), body, hashlib.sha256).hex()
