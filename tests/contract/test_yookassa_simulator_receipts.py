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
        ({"items": [ITEM | {"payment_subject": "wish"}]}, "receipt.items.payment_subject"),
        ({"items": [ITEM | {"measure": "handful"}]}, "receipt.items.measure"),
        ({"items": [ITEM | {"quantity": None}]}, "receipt.items.quantity"),
        ({"tax_system_code": 7}, "receipt.tax_system_code"),
    ],
)
async def test_a_receipt_that_breaks_the_rules_is_refused_in_any_shop(change: dict[str, Any], parameter: str) -> None:
    async with running_pay() as pay:
        status, refusal = await ordered(pay, RECEIPT | change)
        assert (status, refusal["description"], refusal["parameter"]) == (400, REFUSED, parameter)


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"items": [ITEM | {"vat_code": 4}]}, "receipt.items.vat_code"),
        ({"items": [ITEM | {"quantity": "2.50"}]}, "receipt.items.quantity"),
        ({"items": [ITEM] * 7}, "receipt.items"),
    ],
)
async def test_the_form_of_the_self_employed_is_shorter(change: dict[str, Any], parameter: str) -> None:
    async with running_pay() as pay:
        await pay.post("/yookassa/sandbox/settings", {"self_employed": True, "receipts_required": True})
        short = {
            "description": "Пополнение",
            "quantity": 1,
            "amount": {"value": "100.00", "currency": "RUB"},
            "vat_code": 1,
        }
        assert (await ordered(pay, {"customer": {"phone": "79001234567"}, "items": [short]}, "short"))[0] == 200
        status, refusal = await ordered(pay, RECEIPT | change)
        assert (status, refusal["parameter"]) == (400, parameter)


async def test_receipts_of_yookassa_itself_go_to_an_email_address() -> None:
    async with running_pay() as pay:
        await pay.post("/yookassa/sandbox/settings", {"email_only": True})
        status, refusal = await ordered(pay, RECEIPT | {"customer": {"phone": "79001234567"}})
        assert (status, refusal["parameter"]) == (400, "receipt.customer.email")
        assert (await ordered(pay, RECEIPT))[0] == 200


async def test_the_same_key_with_another_receipt_is_refused() -> None:
    async with running_pay() as pay:
        _, first = await ordered(pay, RECEIPT)
        assert (await ordered(pay, RECEIPT))[1]["id"] == first["id"]
        status, refusal = await ordered(pay, RECEIPT | {"customer": {"email": "boris@shop.example"}})
        assert (status, refusal["description"]) == (400, "Idempotence key duplicated")
        assert len(pay.shop.payments) == 1


async def test_a_receipt_is_registered_with_its_payment_and_listed_by_pages() -> None:
    async with running_pay() as pay:
        await pay.post("/yookassa/sandbox/settings", {"receipts_pending": True})
        _, payment = await ordered(pay, RECEIPT)
        about = {"payment_id": payment["id"]}
        assert (await pay.get("/yookassa/v3/receipts", about, headers=OWNER))[1]["items"] == [], "nothing is paid yet"
        pay.shop.pay(payment["id"])
        _, listed = await pay.get("/yookassa/v3/receipts", about, headers=OWNER)
        assert [(one["type"], one["status"]) for one in listed["items"]] == [("payment", "pending")]
        assert (await pay.post("/yookassa/sandbox/receipts", {"status": "succeeded"}))[1] == {"settled": 1}
        closing = (
            RECEIPT | about | {"type": "payment", "settlements": [{"type": "prepayment", "amount": ITEM["amount"]}]}
        )
        headers = OWNER | {"Idempotence-Key": "closing"}
        assert (await pay.post("/yookassa/v3/receipts", closing, headers=headers))[0] == 200
        _, first = await pay.get("/yookassa/v3/receipts", about | {"limit": "1"}, headers=OWNER)
        _, second = await pay.get(
            "/yookassa/v3/receipts", about | {"limit": "1", "cursor": first["next_cursor"]}, headers=OWNER
        )
        assert "next_cursor" not in second
        (registered,) = second["items"]
        assert (registered["status"], registered["fiscal_document_number"].isdigit()) == ("succeeded", True)
        both = about | {"refund_id": "x"}
        assert (await pay.get("/yookassa/v3/receipts", both, headers=OWNER))[0] == 400


async def test_a_refund_has_a_receipt_of_its_own_and_a_part_must_bring_it() -> None:
    async with running_pay() as pay:
        await pay.post("/yookassa/sandbox/settings", {"receipts_required": True})
        _, payment = await ordered(pay, RECEIPT)
        pay.shop.pay(payment["id"])
        part: dict[str, Any] = {"payment_id": payment["id"], "amount": {"value": "50.00", "currency": "RUB"}}
        headers = OWNER | {"Idempotence-Key": "part"}
        assert (await pay.post("/yookassa/v3/refunds", part, headers=headers))[1]["description"] == REFUSED
        part["receipt"] = RECEIPT | {"items": [ITEM | {"quantity": "1.00"}]}
        _, refund = await pay.post("/yookassa/v3/refunds", part, headers=headers)
        assert refund["receipt_registration"] == "succeeded"
        _, listed = await pay.get("/yookassa/v3/receipts", {"refund_id": refund["id"]}, headers=OWNER)
        assert [(one["type"], one["refund_id"]) for one in listed["items"]] == [("refund", refund["id"])]


async def test_a_refund_of_everything_takes_the_receipt_of_its_payment() -> None:
    async with running_pay() as pay:
        await pay.post("/yookassa/sandbox/settings", {"receipts_required": True})
        _, payment = await ordered(pay, RECEIPT)
        pay.shop.pay(payment["id"])
        whole = {"payment_id": payment["id"], "amount": {"value": "100.00", "currency": "RUB"}}
        _, refund = await pay.post("/yookassa/v3/refunds", whole, headers=OWNER | {"Idempotence-Key": "whole"})
        assert refund["receipt_registration"] == "succeeded"


@pytest.mark.parametrize("path", ["/yookassa/v3/nothing", "/yookassa/v4/payments", "/yookassa/v3/payments/x/y"])
async def test_an_unknown_path_is_refused_in_json(path: str) -> None:
    async with running_pay() as pay:
        status, refusal = await pay.get(path, headers=OWNER)
        assert (status, refusal["type"], refusal["code"]) == (404, "error", "not_found")
        assert (await pay.get(path))[0] == 401
