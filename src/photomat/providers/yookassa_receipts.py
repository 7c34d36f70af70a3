"""Fiscal receipts as YooKassa writes them: those we send with a payment or a refund, and those it has registered. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.providers.fiscal_port import RegisteredReceipt, RegistrationState
from photomat.providers.http import decimal_of, instant_of, money_of, written
from photomat.providers.port import FiscalTerms

FiscalDocumentKind: TypeAlias = Literal["income", "annulment"]
MAX_ITEM_LENGTH: Final = 128
NO_VAT: Final = 1
STATES: Final[Mapping[str, RegistrationState]] = {
    "pending": "pending",
    "succeeded": "succeeded",
    "canceled": "canceled",
}
TYPES: Final[Mapping[FiscalDocumentKind, str]] = {"income": "payment", "annulment": "refund"}
PREPAID: Final = "prepayment"


def receipt_of(fiscal: FiscalTerms, amount: Money) -> dict[str, Any]:
    """The fiscal receipt of a sum, as one item. The form of the self-employed is shorter, with whole quantities."""
    item: dict[str, Any] = {
        "description": fiscal.item[:MAX_ITEM_LENGTH],
        "quantity": 1 if fiscal.form == "self-employed" else "1.00",
        "amount": {"value": written(amount), "currency": amount.currency},
        "vat_code": NO_VAT if fiscal.form == "self-employed" else fiscal.vat_code,
    }
    customer = {"email": fiscal.email} if fiscal.email else {"phone": fiscal.phone}
    if fiscal.form == "self-employed":
        return {"customer": customer, "items": [item]}
    item |= {"payment_subject": fiscal.payment_subject, "payment_mode": fiscal.payment_mode}
    item |= {"measure": fiscal.measure} if fiscal.measure else {}
    tax_system = {} if fiscal.tax_system is None else {"tax_system_code": fiscal.tax_system}
    return {"customer": customer, "items": [item], **tax_system}


def known_receipts(
    thing: Mapping[str, Any], listed: Sequence[Any], *, kind: FiscalDocumentKind, is_listed: bool
) -> list[RegisteredReceipt]:
    """What is known of the receipts of a payment or refund; ValueError if it cannot be read.

    Without a list, or when nothing came of it, the state that stands on the payment or refund itself is all there is.
    A receipt that closes a prepayment is not another income.
    """
    found = [_registered(one, kind) for one in listed if one.get("type") == TYPES[kind] and not _closes(one)]
    state = STATES.get(str(thing.get("receipt_registration")))
    if found or state is None or (is_listed and state != "canceled"):
        return found
    amount = thing["amount"]
    alone = RegisteredReceipt(
        external_id=str(thing["id"]),
        kind=kind,
        state=state,
        amount=money_of(amount.get("value"), amount.get("currency")),
        registered_at=None,
        url=None,
    )
    return [alone]


def incomes_by_payment(listed: Sequence[Any]) -> dict[str, list[RegisteredReceipt]]:
    """The incomes among listed receipts, by the payment they name; ValueError if one cannot be read."""
    found: dict[str, list[RegisteredReceipt]] = {}
    for one in listed:
        if one.get("type") == TYPES["income"] and one.get("payment_id") and not _closes(one):
            found.setdefault(str(one["payment_id"]), []).append(_registered(one, "income"))
    return found


def _registered(receipt: Mapping[str, Any], kind: FiscalDocumentKind) -> RegisteredReceipt:
    registered_at = receipt.get("registered_at")
    return RegisteredReceipt(
        external_id=str(receipt["id"]),
        kind=kind,
        state=STATES[str(receipt.get("status"))],
        amount=_total(receipt["items"]),
        registered_at=None if registered_at is None else instant_of(registered_at),
        url=None,
    )


def _total(items: Sequence[Mapping[str, Any]]) -> Money:
    costs = [decimal_of(item["amount"]["value"]) * Decimal(str(item["quantity"])) for item in items]
    minor = sum(costs, Decimal(0)) * MINOR_PER_MAJOR
    return Money(int(minor), str(items[0]["amount"]["currency"]))


def _closes(receipt: Mapping[str, Any]) -> bool:
    return any(one.get("type") == PREPAID for one in receipt.get("settlements") or [])
