"""Fiscal receipts at YooKassa: which it accepts, and how they stand with the tax office.

A shop with fiscalization on takes no payment without a receipt; a receipt that is sent is checked in every shop. Its items are
priced by the piece, and together they cost what the payment does. The form of the self-employed has at most six items, whole
quantities and no VAT. «Чеки от ЮKassa» (`email_only`) go to e-mail addresses alone.

A receipt is registered when its payment or refund has succeeded; with the switch `receipts_pending` it waits until the control
route says how it ends. Receipts of the self-employed are not in the list of receipts.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal
from uuid import uuid4

from photomat_sandbox.pay.bills import iso
from photomat_sandbox.pay.routing import ProviderRefusal
from photomat_sandbox.pay.yookassa_requests import COMPARISONS, ListQuery, invalid

ReceiptStatus = Literal["pending", "succeeded", "canceled"]
MISSING: Final = ProviderRefusal(400, "invalid_request", "Receipt is missing or illegal", "receipt")
MAX_ITEM_DESCRIPTION_LENGTH: Final = 128
MAX_ITEMS: Final = 100
MAX_ITEMS_SELF_EMPLOYED: Final = 6
MAX_RECEIPTS: Final = 30
VAT_CODES: Final = range(1, 13)
TAX_SYSTEMS: Final = range(1, 7)
PAYMENT_MODES: Final = frozenset(
    {
        "full_prepayment",
        "partial_prepayment",
        "advance",
        "full_payment",
        "partial_payment",
        "credit",
        "credit_payment",
    }
)
PAYMENT_SUBJECTS: Final = frozenset(
    [
        "commodity",
        "excise",
        "job",
        "service",
        "gambling_bet",
        "gambling_prize",
        "lottery",
        "lottery_prize",
        "intellectual_activity",
        "payment",
        "agent_commission",
        "property_right",
        "non_operating_gain",
        "insurance_premium",
        "sales_tax",
        "resort_fee",
        "composite",
        "another",
    ]
)
MEASURES: Final = frozenset(
    [
        "piece",
        "gram",
        "kilogram",
        "ton",
        "centimeter",
        "decimeter",
        "meter",
        "square_centimeter",
        "square_decimeter",
        "square_meter",
        "milliliter",
        "liter",
        "cubic_meter",
        "kilowatt_hour",
        "gigacalorie",
        "day",
        "hour",
        "minute",
        "second",
        "kilobyte",
        "megabyte",
        "gigabyte",
        "terabyte",
        "another",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRules:
    """What one shop demands."""

    currency: str
    required: bool = False
    self_employed: bool = False
    email_only: bool = False


def checked_receipt(
    body: Mapping[str, Any], *, amount: Decimal, rules: ReceiptRules, required: bool
) -> dict[str, Any] | None:
    """Check the receipt of a payment or refund of this amount; return it, None if there is none."""
    receipt = body.get("receipt")
    if receipt is None:
        if required:
            raise MISSING
        return None
    if not isinstance(receipt, dict):
        raise MISSING
    _check_customer(receipt.get("customer"), email_only=rules.email_only)
    tax_system = receipt.get("tax_system_code")
    if tax_system is not None and (type(tax_system) is not int or tax_system not in TAX_SYSTEMS):
        raise _illegal("tax_system_code")
    items = receipt.get("items")
    most = MAX_ITEMS_SELF_EMPLOYED if rules.self_employed else MAX_ITEMS
    if not isinstance(items, list) or not 1 <= len(items) <= most:
        raise _illegal("items")
    total = sum((_cost(item, rules=rules) for item in items), Decimal(0))
    if total != amount:
        raise _illegal("items.amount")
    return receipt


def _check_customer(customer: object, *, email_only: bool) -> None:
    if not isinstance(customer, dict):
        raise _illegal("customer")
    email, phone = customer.get("email"), customer.get("phone")
    if email is None and (phone is None or email_only):
        raise _illegal("customer.email" if email_only else "customer")
    if email is not None and not (isinstance(email, str) and re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", email)):
        raise _illegal("customer.email")
    if phone is not None and not (isinstance(phone, str) and re.fullmatch(r"\+?[0-9]{4,15}", phone, re.ASCII)):
        raise _illegal("customer.phone")


def _cost(item: object, *, rules: ReceiptRules) -> Decimal:
    if not isinstance(item, dict):
        raise _illegal("items")
    description, amount = item.get("description"), item.get("amount")
    if not isinstance(description, str) or not 1 <= len(description) <= MAX_ITEM_DESCRIPTION_LENGTH:
        raise _illegal("items.description")
    _check_codes(item, self_employed=rules.self_employed)
    if not isinstance(amount, dict) or amount.get("currency") != rules.currency:
        raise _illegal("items.amount")
    quantity = _number(item.get("quantity"), "items.quantity")
    if rules.self_employed and quantity != quantity.to_integral_value():
        raise _illegal("items.quantity")
    return _number(amount.get("value"), "items.amount") * quantity


def _check_codes(item: Mapping[str, Any], *, self_employed: bool) -> None:
    vat_code = item.get("vat_code")
    if type(vat_code) is not int or vat_code not in ((1,) if self_employed else VAT_CODES):
        raise _illegal("items.vat_code")
    for name, known in (
        ("payment_mode", PAYMENT_MODES),
        ("payment_subject", PAYMENT_SUBJECTS),
        ("measure", MEASURES),
    ):
        if name in item and item[name] not in known:
            raise _illegal(f"items.{name}")


def _number(value: object, parameter: str) -> Decimal:
    """Read a positive number; YooKassa accepts a string or a JSON number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _illegal(parameter)
    try:
        number = Decimal(str(value))
    except InvalidOperation as error:
        raise _illegal(parameter) from error
    if not number.is_finite() or number <= 0:
        raise _illegal(parameter)
    return number


def _illegal(parameter: str) -> ProviderRefusal:
    return ProviderRefusal(400, "invalid_request", "Receipt is missing or illegal", f"receipt.{parameter}")


@dataclass(slots=True, kw_only=True)
class ShopReceipt:
    """A receipt of a payment or of a refund; `customer` never leaves YooKassa again."""

    receipt_id: str
    kind: Literal["payment", "refund"]
    payment_id: str
    refund_id: str | None
    content: Mapping[str, Any]
    created_at: float
    status: ReceiptStatus
    number: int

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "id": self.receipt_id,
            "type": self.kind,
            "status": self.status,
            "items": self.content["items"],
            "settlements": self.content.get("settlements", []),
            "created_at": iso(self.created_at),
        }
        body |= {"payment_id": self.payment_id} if self.refund_id is None else {"refund_id": self.refund_id}
        if "tax_system_code" in self.content:
            body["tax_system_code"] = self.content["tax_system_code"]
        if self.status != "succeeded":
            return body
        return body | {
            "fiscal_document_number": str(3000 + self.number),
            "fiscal_storage_number": "9288000100115785",
            "fiscal_attribute": str(2_000_000_000 + self.number),
            "registered_at": iso(self.created_at + 1),
        }


@dataclass(slots=True, kw_only=True)
class ReceiptBook:
    """The receipts of one shop, oldest first."""

    receipts: dict[str, ShopReceipt] = field(default_factory=dict)

    def register(
        self, content: Mapping[str, Any], *, payment_id: str, refund_id: str | None, at: float, pending: bool
    ) -> ShopReceipt:
        made = ShopReceipt(
            receipt_id=f"rt-{uuid4()}",
            kind="payment" if refund_id is None else "refund",
            payment_id=payment_id,
            refund_id=refund_id,
            content=content,
            created_at=at,
            status="pending" if pending else "succeeded",
            number=len(self.receipts) + secrets.randbelow(3) + 1,
        )
        self.receipts[made.receipt_id] = made
        return made

    def of(self, *, payment_id: str, refund_id: str | None = None) -> list[ShopReceipt]:
        """Those of a payment, without its refunds; or those of a refund."""
        return [one for one in self.receipts.values() if (one.payment_id, one.refund_id) == (payment_id, refund_id)]

    def settle(self, status: ReceiptStatus) -> int:
        """The tax office answers for all that wait; return how many did."""
        waiting = [one for one in self.receipts.values() if one.status == "pending"]
        for one in waiting:
            one.status = status
        return len(waiting)

    def page(self, order: ListQuery) -> tuple[list[ShopReceipt], str | None]:
        """Return a page, newest first, and the cursor of the next."""
        ids = list(reversed(self.receipts))
        if order.cursor is not None and order.cursor not in ids:
            raise invalid("unknown cursor", "cursor")
        start = 0 if order.cursor is None else ids.index(order.cursor)
        fitting = [one for one in map(self.receipts.__getitem__, ids[start:]) if _fits(one, order)]
        following = fitting[order.limit].receipt_id if len(fitting) > order.limit else None
        return fitting[: order.limit], following


def _fits(receipt: ShopReceipt, order: ListQuery) -> bool:
    if order.payment_id is not None and (receipt.payment_id, receipt.refund_id) != (order.payment_id, None):
        return False
    if not all(COMPARISONS[name.split(".")[1]](receipt.created_at, bound) for name, bound in order.bounds.items()):
        return False
    return order.refund_id in {None, receipt.refund_id} and order.status in {None, receipt.status}
