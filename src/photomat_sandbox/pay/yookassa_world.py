"""The state of a simulated shop at YooKassa: payments, refunds and idempotence keys, as plain data in memory.

A payment that is not confirmed in an hour is canceled. A part cannot be paid: a payment is confirmed whole or not at all.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import uuid4

from photomat_sandbox.pay.bills import (
    KEPT_BILLS,
    KEPT_NOTICES,
    Bill,
    BillState,
    NoticeSettings,
    PaymentNotice,
    iso,
    to_the_cent,
)
from photomat_sandbox.pay.yookassa_receipts import ReceiptBook, ReceiptRules, ShopReceipt
from photomat_sandbox.pay.yookassa_requests import COMPARISONS, ListQuery, PaymentRequest, invalid
from photomat_sandbox.transcript import World

Status = Literal["pending", "waiting_for_capture", "succeeded", "canceled"]
FEE: Final = Decimal("0.035")
CANCELED_BY_SHOP: Final = "canceled_by_merchant"
STATES: Final[Mapping[Status, BillState]] = {
    "pending": "open",
    "waiting_for_capture": "open",
    "succeeded": "paid",
    "canceled": "canceled",
}
KEYS_KEPT_S: Final = 86400.0
CONFIRM_WITHIN_S: Final = 3600.0
ELSEWHERE: Final = "9.9.9.9"


@dataclass(slots=True, kw_only=True)
class YooKassaPayment:
    """One payment; `refunded` is the sum of its refunds."""

    payment_id: str
    order: PaymentRequest
    created_at: float
    status: Status = "pending"
    captured_at: float | None = None
    refunded: Decimal = Decimal(0)
    canceled_because: str = ""
    fiscal: ShopReceipt | None = None

    def as_bill(self) -> Bill:
        order = self.order
        return Bill(
            bill_id=self.payment_id,
            state=STATES[self.status],
            amount=order.amount,
            currency=order.currency,
            paid=order.amount if self.status == "succeeded" else Decimal(0),
            refunded=self.refunded,
            description=order.description,
            return_url=order.return_url,
        )

    def as_json(self, *, shop_id: str) -> dict[str, Any]:
        """Return it as it goes over the wire, without the confirmation URL."""
        order, done = self.order, self.status == "succeeded"
        amounts = {"amount": order.amount, "refunded_amount": self.refunded if done else None}
        amounts["income_amount"] = order.amount * (1 - FEE) if done else None
        body: dict[str, Any] = {
            "id": self.payment_id,
            "status": self.status,
            "paid": self.status in {"succeeded", "waiting_for_capture"},
            "refundable": done and self.refunded < order.amount,
            "created_at": iso(self.created_at),
            "description": order.description,
            "metadata": order.metadata,
            "recipient": {"account_id": shop_id, "gateway_id": "100700"},
            "test": True,
        }
        body |= {
            name: {"value": to_the_cent(amount), "currency": order.currency}
            for name, amount in amounts.items()
            if amount is not None
        }
        if order.receipt is not None:
            ended = "canceled" if self.status == "canceled" else "pending"
            body["receipt_registration"] = ended if self.fiscal is None else self.fiscal.status
        if self.captured_at is not None:
            body["captured_at"] = iso(self.captured_at)
        if self.canceled_because:
            party = "merchant" if self.canceled_because == CANCELED_BY_SHOP else "payment_network"
            body["cancellation_details"] = {"party": party, "reason": self.canceled_because}
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class YooKassaRefund:
    refund_id: str
    payment_id: str
    amount: Decimal
    currency: str
    created_at: float
    fiscal: ShopReceipt | None = None

    def as_json(self) -> dict[str, Any]:
        receipt = {} if self.fiscal is None else {"receipt_registration": self.fiscal.status}
        return receipt | {
            "id": self.refund_id,
            "payment_id": self.payment_id,
            "status": "succeeded",
            "amount": {"value": to_the_cent(self.amount), "currency": self.currency},
            "created_at": iso(self.created_at),
        }


def notice_about(bill_id: str, event: str, thing: Mapping[str, Any]) -> PaymentNotice:
    """Build a notice; it carries no signature."""
    body = json.dumps({"type": "notification", "event": event, "object": thing}, ensure_ascii=False).encode()
    return PaymentNotice(bill_id=bill_id, event=event, body=body, headers={})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptIdempotenceKey:
    digest: str
    made_id: str
    at: float


class YooKassaWorld:
    vendor: World = "yookassa"
    allows_partial = False

    def __init__(
        self,
        *,
        shop_id: str = "100500",
        secret_key: str = "test_secret",  # noqa: S107  opens nothing but the simulator
        currency: str = "RUB",
        receipts_required: bool = False,
        self_employed: bool = False,
        email_only: bool = False,
        notices: NoticeSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.shop_id = shop_id
        self.secret_key = secret_key
        self.currency = currency
        self.switches = {
            "receipts_required": receipts_required,
            "self_employed": self_employed,
            "email_only": email_only,
            "receipts_pending": False,
        }
        self.receipts = ReceiptBook()
        self.notices = notices or NoticeSettings()
        self.clock = clock
        self.payments: dict[str, YooKassaPayment] = {}
        self.refunds: dict[str, YooKassaRefund] = {}
        self.outbox: asyncio.Queue[PaymentNotice] = asyncio.Queue(KEPT_NOTICES)
        self._keys: dict[tuple[str, str], KeptIdempotenceKey] = {}

    @property
    def rules(self) -> ReceiptRules:
        """What this shop demands of receipts."""
        return ReceiptRules(
            currency=self.currency,
            required=self.switches["receipts_required"],
            self_employed=self.switches["self_employed"],
            email_only=self.switches["email_only"],
        )

    def made_before(self, path: str, key: str, body: Mapping[str, Any]) -> str | None:
        """Return what this key has created; a key used with another body is refused."""
        kept = self._keys.get((path, key))
        if kept is None or self.clock() > kept.at + KEYS_KEPT_S:
            return None
        if kept.digest != _digest(body):
            raise invalid("Idempotence key duplicated", "Idempotence-Key")
        return kept.made_id

    def keep_key(self, path: str, key: str, body: Mapping[str, Any], made_id: str) -> None:
        self._keys[path, key] = KeptIdempotenceKey(digest=_digest(body), made_id=made_id, at=self.clock())
        if len(self._keys) > 2 * KEPT_BILLS:
            del self._keys[next(iter(self._keys))]

    def create(self, order: PaymentRequest) -> YooKassaPayment:
        """Create a payment; the oldest is dropped when there are too many."""
        payment = YooKassaPayment(payment_id=str(uuid4()), order=order, created_at=self.clock())
        self.payments[payment.payment_id] = payment
        if len(self.payments) > KEPT_BILLS:
            del self.payments[next(iter(self.payments))]
        return payment

    def find(self, payment_id: str) -> YooKassaPayment | None:
        payment = self.payments.get(payment_id)
        if payment and payment.status == "pending" and self.clock() > payment.created_at + CONFIRM_WITHIN_S:
            self._cancel(payment, because="expired_on_confirmation")
        return payment

    def page(self, order: ListQuery) -> tuple[list[YooKassaPayment], str | None]:
        """Return a page of payments, newest first, and the cursor of the next."""
        found = map(self.find, _from_cursor(self.payments, order))
        fitting = [payment for payment in found if payment and _fits(payment, order)]
        following = fitting[order.limit].payment_id if len(fitting) > order.limit else None
        return fitting[: order.limit], following

    def refund_page(self, order: ListQuery) -> tuple[list[YooKassaRefund], str | None]:
        """Return a page of refunds, newest first, and the cursor of the next."""
        found = map(self.refunds.__getitem__, _from_cursor(self.refunds, order))
        fitting = [refund for refund in found if _refund_fits(refund, order)]
        following = fitting[order.limit].refund_id if len(fitting) > order.limit else None
        return fitting[: order.limit], following

    def bill(self, bill_id: str) -> Bill | None:
        payment = self.find(bill_id)
        return payment.as_bill() if payment else None

    def bills(self) -> list[Bill]:
        return [payment.as_bill() for payment in map(self.find, list(self.payments)) if payment]

    def pay(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Confirm a payment, whole."""
        payment = self._open(bill_id)
        if amount is not None and amount != payment.order.amount:
            raise ValueError("YooKassa takes the whole sum or nothing")
        payment.status = "succeeded" if payment.order.capture else "waiting_for_capture"
        payment.captured_at = self.clock() if payment.order.capture else None
        self._register(payment)
        self.outbox.put_nowait(self.notice(bill_id))

    def cancel(self, bill_id: str) -> None:
        self._cancel(self._open(bill_id), because="general_decline")

    def refund(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Refund, as from the shop's back office."""
        payment = self.payments[bill_id]
        self.make_refund(payment, payment.order.amount - payment.refunded if amount is None else amount)

    def capture(self, payment: YooKassaPayment) -> None:
        """Capture an authorized payment."""
        if payment.status != "waiting_for_capture":
            raise ValueError("only a payment that waits for capture can be captured")
        payment.status, payment.captured_at = "succeeded", self.clock()
        self._register(payment)
        self.outbox.put_nowait(self.notice(payment.payment_id))

    def cancel_by_shop(self, payment: YooKassaPayment) -> None:
        """Cancel an authorized payment."""
        if payment.status != "waiting_for_capture":
            raise ValueError("only a payment that waits for capture can be canceled")
        self._cancel(payment, because=CANCELED_BY_SHOP)

    def make_refund(
        self, payment: YooKassaPayment, amount: Decimal, *, receipt: Mapping[str, Any] | None = None
    ) -> YooKassaRefund:
        """Create a refund; a ValueError says why not. A refund of everything takes the receipt of its payment."""
        if payment.status != "succeeded":
            raise ValueError("only a payment that succeeded can be refunded")
        if not 0 < amount <= payment.order.amount - payment.refunded:
            raise ValueError("more than is left of the payment")
        payment.refunded += amount
        refund_id = str(uuid4())
        content = receipt or (payment.order.receipt if amount == payment.order.amount else None)
        made = YooKassaRefund(
            refund_id=refund_id,
            payment_id=payment.payment_id,
            amount=amount,
            currency=payment.order.currency,
            created_at=self.clock(),
            fiscal=None if content is None else self._registered(content, payment.payment_id, refund_id),
        )
        self.refunds[made.refund_id] = made
        self.outbox.put_nowait(notice_about(payment.payment_id, "refund.succeeded", made.as_json()))
        return made

    def notice(self, bill_id: str) -> PaymentNotice:
        """Build the notice of a payment as it stands."""
        payment = self.payments[bill_id]
        return notice_about(bill_id, f"payment.{payment.status}", payment.as_json(shop_id=self.shop_id))

    def forged(self, notice: PaymentNotice) -> PaymentNotice:
        """A notice without a signature can only be forged by its sender's IP address."""
        return replace(notice, headers={"X-Forwarded-For": ELSEWHERE})

    def _register(self, payment: YooKassaPayment) -> None:
        if payment.status == "succeeded" and payment.order.receipt is not None:
            payment.fiscal = self._registered(payment.order.receipt, payment.payment_id)

    def _registered(self, content: Mapping[str, Any], payment_id: str, refund_id: str | None = None) -> ShopReceipt:
        pending = self.switches["receipts_pending"]
        return self.receipts.register(
            content, payment_id=payment_id, refund_id=refund_id, at=self.clock(), pending=pending
        )

    def _open(self, bill_id: str) -> YooKassaPayment:
        payment = self.find(bill_id)
        if payment is None or payment.status != "pending":
            raise ValueError("the payment is not open")
        return payment

    def _cancel(self, payment: YooKassaPayment, *, because: str) -> None:
        payment.status, payment.canceled_because = "canceled", because
        self.outbox.put_nowait(self.notice(payment.payment_id))


def _from_cursor(things: Mapping[str, object], order: ListQuery) -> list[str]:
    """Return the ids of a list, newest first, from the cursor on."""
    ids = list(reversed(list(things)))
    if order.cursor is None:
        return ids
    if order.cursor not in things:
        raise invalid("unknown cursor", "cursor")
    return ids[ids.index(order.cursor) :]


def _refund_fits(refund: YooKassaRefund, order: ListQuery) -> bool:
    """A refund made here has succeeded at once."""
    return (
        order.status in {None, "succeeded"}
        and order.payment_id in {None, refund.payment_id}
        and all(COMPARISONS[name.split(".")[1]](refund.created_at, bound) for name, bound in order.bounds.items())
    )


def _fits(payment: YooKassaPayment, order: ListQuery) -> bool:
    if order.status is not None and payment.status != order.status:
        return False
    for name, bound in order.bounds.items():
        field, comparison = name.split(".")
        at = payment.created_at if field == "created_at" else payment.captured_at
        if at is None or not COMPARISONS[comparison](at, bound):
            return False
    return True


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
