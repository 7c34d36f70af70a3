"""Fiscal receipts inside payments and refunds, as YooKassa checks them.

A shop with fiscalization on takes no payment without a receipt; a receipt that is sent is checked in every shop. Its items are
priced by the piece, and together they cost what the payment does.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from photomat_sandbox.pay.desk import RefusedError

MISSING: Final = RefusedError(400, "invalid_request", "Receipt is missing or illegal", "receipt")
LONGEST_DESCRIPTION: Final = 128
MOST_ITEMS: Final = 100
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


def has_receipt(body: Mapping[str, Any], *, amount: Decimal, currency: str, required: bool) -> bool:
    """Check the receipt of a payment or refund of this amount; return whether there is one."""
    receipt = body.get("receipt")
    if receipt is None:
        if required:
            raise MISSING
        return False
    if not isinstance(receipt, dict):
        raise MISSING
    _check_customer(receipt.get("customer"))
    tax_system = receipt.get("tax_system_code")
    if tax_system is not None and (type(tax_system) is not int or tax_system not in TAX_SYSTEMS):
        raise _illegal("tax_system_code")
    items = receipt.get("items")
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_ITEMS:
        raise _illegal("items")
    total = sum((_cost(item, currency=currency) for item in items), Decimal(0))
    if total != amount:
        raise _illegal("items.amount")
    return True


def _check_customer(customer: object) -> None:
    if not isinstance(customer, dict):
        raise _illegal("customer")
    email, phone = customer.get("email"), customer.get("phone")
    if email is None and phone is None:
        raise _illegal("customer")
    if email is not None and not (isinstance(email, str) and re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", email)):
        raise _illegal("customer.email")
    if phone is not None and not (isinstance(phone, str) and re.fullmatch(r"\+?[0-9]{4,15}", phone, re.ASCII)):
        raise _illegal("customer.phone")


def _cost(item: object, *, currency: str) -> Decimal:
    if not isinstance(item, dict):
        raise _illegal("items")
    description, amount = item.get("description"), item.get("amount")
    if not isinstance(description, str) or not 1 <= len(description) <= LONGEST_DESCRIPTION:
        raise _illegal("items.description")
    if type(item.get("vat_code")) is not int or item["vat_code"] not in VAT_CODES:
        raise _illegal("items.vat_code")
    if item.get("payment_mode", "full_payment") not in PAYMENT_MODES:
        raise _illegal("items.payment_mode")
    if not isinstance(amount, dict) or amount.get("currency") != currency:
        raise _illegal("items.amount")
    return _number(amount.get("value"), "items.amount") * _number(item.get("quantity"), "items.quantity")


def _number(value: object, parameter: str) -> Decimal:
    """Read a positive number; YooKassa takes it as text or as a JSON number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _illegal(parameter)
    try:
        number = Decimal(str(value))
    except InvalidOperation as error:
        raise _illegal(parameter) from error
    if not number.is_finite() or number <= 0:
        raise _illegal(parameter)
    return number


def _illegal(parameter: str) -> RefusedError:
    return RefusedError(400, "invalid_request", "Receipt is missing or illegal", f"receipt.{parameter}")
