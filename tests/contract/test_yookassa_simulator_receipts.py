"""A simulated shop that must send receipts takes no payment without one, and checks those it gets."""

from typing import Any

import aiohttp
import pytest

from support.pay_sim import SECRET, SHOP, RunningPay, running_pay

OWNER = {"Authorization": aiohttp.encode_basic_auth(SHOP, SECRET)}
ITEM: dict[str, Any] = {
    "description": "Пополнение",
    "quantity": "2.00",
    "amount": {"value": "50.00", "currency": "RUB"},
    "vat_code": 1,
    "payment_mode": "full_prepayment",
    "payment_subject": "service",
}
RECEIPT: dict[str, Any] = {"customer": {"email": "anna@shop.example"}, "items": [ITEM]}
REFUSED = "Receipt is missing or illegal"


async def ordered(pay: RunningPay, receipt: object, key: str = "k") -> tuple[int, dict[str, Any]]:
    body: dict[str, Any] = {
        "amount": {"value": "100.00", "currency": "RUB"},
        "capture": True,
        "confirmation": {"type": "redirect", "return_url": "https://shop.example/back"},
    }
    if receipt is not None:
        body["receipt"] = receipt
    return await pay.post("/yookassa/v3/payments", body, headers=OWNER | {"Idempotence-Key": key})


async def test_the_switch_makes_a_shop_refuse_payments_without_a_receipt() -> None:
    async with running_pay() as pay:
        assert (await ordered(pay, None, "before"))[0] == 200
        _, settings = await pay.post("/yookassa/sandbox/settings", {"receipts_required": True})
        assert settings["receipts_required"] is True
        status, refusal = await ordered(pay, None)
        assert (status, refusal["type"], refusal["code"]) == (400, "error", "invalid_request")
        assert (refusal["description"], refusal["parameter"]) == (REFUSED, "receipt")
        assert len(pay.shop.payments) == 1
        status, payment = await ordered(pay, RECEIPT)
        assert (status, payment["receipt_registration"]) == (200, "pending")
        pay.shop.pay(payment["id"])
        _, paid = await pay.get(f"/yookassa/v3/payments/{payment['id']}", headers=OWNER)
        assert paid["receipt_registration"] == "succeeded"
        assert (await pay.post("/yookassa/sandbox/settings", {"receipts_required": "yes"}))[0] == 400


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"customer": {}}, "receipt.customer"),
        ({"customer": {"email": "nobody"}}, "receipt.customer.email"),
        ({"customer": {"phone": "8 900"}}, "receipt.customer.phone"),
        ({"items": []}, "receipt.items"),
        ({"items": [ITEM, ITEM]}, "receipt.items.amount"),
        ({"items": [ITEM | {"quantity": "1.00"}]}, "receipt.items.amount"),
        ({"items": [ITEM | {"quantity": "many"}]}, "receipt.items.quantity"),
        ({"items": [ITEM | {"description": "x" * 129}]}, "receipt.items.description"),
        ({"items": [ITEM | {"vat_code": "1"}]}, "receipt.items.vat_code"),
        ({"items": [ITEM | {"amount": {"value": "50.00", "currency": "USD"}}]}, "receipt.items.amount"),
        ({"items": [ITEM | {"payment_mode": "barter"}]}, "receipt.items.payment_mode"),
        ({"tax_system_code": 7}, "receipt.tax_system_code"),
    ],
)
async def test_a_receipt_that_breaks_the_rules_is_refused_in_any_shop(change: dict[str, Any], parameter: str) -> None:
    async with running_pay() as pay:
        status, refusal = await ordered(pay, RECEIPT | change)
        assert (status, refusal["description"], refusal["parameter"]) == (400, REFUSED, parameter)


@pytest.mark.parametrize("path", ["/yookassa/v3/nothing", "/yookassa/v4/payments", "/yookassa/v3/payments/x/y"])
async def test_an_unknown_path_is_refused_in_json(path: str) -> None:
    async with running_pay() as pay:
        status, refusal = await pay.get(path, headers=OWNER)
        assert (status, refusal["type"], refusal["code"]) == (404, "error", "not_found")
        assert (await pay.get(path))[0] == 401
