"""What a shop at YooKassa has, and how it goes over the wire: payments, refunds, and notices of both."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from photomat_sandbox.pay.bill import Bill, BillState, Letter, iso, to_the_cent
from photomat_sandbox.pay.yookassa_forms import PaymentOrder

Status = Literal["pending", "waiting_for_capture", "succeeded", "canceled"]
FEE: Final = Decimal("0.035")
CANCELED_BY_SHOP: Final = "canceled_by_merchant"
RECEIPTS: Final[Mapping[Status, str]] = {
    "pending": "pending",
    "waiting_for_capture": "pending",
    "succeeded": "succeeded",
    "canceled": "canceled",
}
"""How the receipt of a payment stands; here the tax office answers at once."""
STATES: Final[Mapping[Status, BillState]] = {
    "pending": "open",
    "waiting_for_capture": "open",
    "succeeded": "paid",
    "canceled": "canceled",
}


@dataclass(slots=True, kw_only=True)
class Payment:
    """One payment; `refunded` is what went back of it."""

    payment_id: str
    order: PaymentOrder
    created_at: float
    status: Status = "pending"
    captured_at: float | None = None
    refunded: Decimal = Decimal(0)
    canceled_because: str = ""

    def as_bill(self) -> Bill:
        """Give it as a person sees it."""
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
        """Give it as it goes over the wire, without the address where it is confirmed."""
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
        if order.has_receipt:
            body["receipt_registration"] = RECEIPTS[self.status]
        if self.captured_at is not None:
            body["captured_at"] = iso(self.captured_at)
        if self.canceled_because:
            party = "merchant" if self.canceled_because == CANCELED_BY_SHOP else "payment_network"
            body["cancellation_details"] = {"party": party, "reason": self.canceled_because}
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """Money that went back."""

    refund_id: str
    payment_id: str
    amount: Decimal
    currency: str
    created_at: float
    has_receipt: bool = False

    def as_json(self) -> dict[str, Any]:
        """Give it as it goes over the wire."""
        receipt = {"receipt_registration": "succeeded"} if self.has_receipt else {}
        return receipt | {
            "id": self.refund_id,
            "payment_id": self.payment_id,
            "status": "succeeded",
            "amount": {"value": to_the_cent(self.amount), "currency": self.currency},
            "created_at": iso(self.created_at),
        }


def letter_about(bill_id: str, event: str, thing: Mapping[str, Any]) -> Letter:
    """Write a notice; it carries no signature."""
    body = json.dumps({"type": "notification", "event": event, "object": thing}, ensure_ascii=False).encode()
    return Letter(bill_id=bill_id, event=event, body=body, headers={})
