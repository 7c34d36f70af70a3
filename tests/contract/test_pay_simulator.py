"""The made-up payment providers are as strict as the real ones, and do on order what the real ones do by accident."""

from typing import Any

import aiohttp
import pytest

from support.kie_sim import HandClock, callback_receiver, until
from support.pay_sim import SECRET, SHOP, TOKEN, RunningPay, asked, running_pay

OWNER = {"Authorization": aiohttp.encode_basic_auth(SHOP, SECRET)}
ORDER: dict[str, Any] = {
    "amount": {"value": "100.00", "currency": "RUB"},
    "capture": True,
    "confirmation": {"type": "redirect", "return_url": "https://shop.example/back"},
    "description": "Пополнение",
    "metadata": {"topup_id": "7"},
}
INVOICE: dict[str, Any] = {"currency_type": "fiat", "fiat": "RUB", "amount": "100.00", "payload": "7"}


async def ordered(pay: RunningPay, body: object, key: str = "key-1", path: str = "payments") -> tuple[int, Any]:
    headers = OWNER | ({"Idempotence-Key": key} if key else {})
    return await pay.post(f"/yookassa/v3/{path}", body, headers=headers)


async def invoiced(pay: RunningPay, **change: object) -> tuple[int, Any]:
    body = {name: value for name, value in (INVOICE | change).items() if value is not None}
    return await pay.post("/cryptopay/api/createInvoice", body, headers={"Crypto-Pay-API-Token": TOKEN})


async def test_yookassa_refuses_whoever_has_no_key() -> None:
    async with running_pay() as pay:
        for shop, secret in ((SHOP, "wrong"), ("1", SECRET), ("", "")):
            headers = {"Authorization": aiohttp.encode_basic_auth(shop, secret), "Idempotence-Key": "k"}
            status, body = await pay.post("/yookassa/v3/payments", ORDER, headers=headers)
            assert (status, body["code"]) == (401, "invalid_credentials")
        assert pay.shop.payments == {}


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"amount": {"value": "100", "currency": "RUB"}}, "amount.value"),
        ({"amount": {"value": "100.0", "currency": "RUB"}}, "amount.value"),
        ({"amount": {"value": 100.00, "currency": "RUB"}}, "amount.value"),
        ({"amount": {"value": "0.00", "currency": "RUB"}}, "amount.value"),
        ({"amount": {"value": "-1.00", "currency": "RUB"}}, "amount.value"),
        ({"amount": {"value": "1.00", "currency": "USD"}}, "amount.currency"),
        ({"amount": "100.00"}, "amount"),
        ({"description": "x" * 129}, "description"),
        ({"metadata": {str(number): "x" for number in range(17)}}, "metadata"),
        ({"metadata": {"topup_id": 7}}, "metadata"),
        ({"confirmation": {"type": "redirect"}}, "confirmation.return_url"),
        ({"confirmation": None}, "confirmation"),
        ({"capture": "true"}, "capture"),
    ],
)
async def test_yookassa_refuses_what_its_reference_forbids(change: dict[str, Any], parameter: str) -> None:
    async with running_pay() as pay:
        status, body = await ordered(pay, ORDER | change)
        assert (status, body["code"], body["parameter"]) == (400, "invalid_request", parameter)
        assert pay.shop.payments == {}


async def test_yookassa_wants_a_key_and_keeps_it_for_a_day() -> None:
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        for key in ("", "k" * 65):
            assert (await ordered(pay, ORDER, key))[0] == 400
        _, first = await ordered(pay, ORDER)
        _, again = await ordered(pay, ORDER)
        assert first["id"] == again["id"]
        status, body = await ordered(pay, ORDER | {"description": "Другое"})
        assert (status, body["parameter"]) == (400, "Idempotence-Key")
        clock.now += 86401
        _, later = await ordered(pay, ORDER)
        assert later["id"] != first["id"]


async def test_yookassa_lists_page_by_page_and_refuses_unknown_filters() -> None:
    async with running_pay() as pay:
        made = [(await ordered(pay, ORDER, f"key-{number}"))[1]["id"] for number in range(5)]
        seen, cursor = [], None
        while True:
            query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
            _, page = await pay.get("/yookassa/v3/payments", query, headers=OWNER)
            seen += [item["id"] for item in page["items"]]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        assert seen == made[::-1]
        for query in ({"limit": "0"}, {"limit": "101"}, {"status": "paid"}, {"since": "x"}, {"created_at.gte": "x"}):
            assert (await pay.get("/yookassa/v3/payments", query, headers=OWNER))[0] == 400


async def test_yookassa_cancels_what_nobody_confirms_in_an_hour() -> None:
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        _, made = await ordered(pay, ORDER)
        clock.now += 3601
        _, found = await pay.get(f"/yookassa/v3/payments/{made['id']}", headers=OWNER)
        assert (found["status"], found["cancellation_details"]["reason"]) == ("canceled", "expired_on_confirmation")
        assert (await pay.post(f"/yookassa/sandbox/bills/{made['id']}/pay"))[0] == 400


async def test_without_capture_a_payment_waits_for_it() -> None:
    async with running_pay() as pay:
        _, made = await ordered(pay, ORDER | {"capture": False})
        pay.shop.pay(made["id"])
        _, found = await pay.get(f"/yookassa/v3/payments/{made['id']}", headers=OWNER)
        assert (found["status"], found["paid"], "captured_at" in found) == ("waiting_for_capture", True, False)


async def test_no_more_goes_back_than_came_in() -> None:
    async with running_pay() as pay:
        _, made = await ordered(pay, ORDER)
        half = {"payment_id": made["id"], "amount": {"value": "60.00", "currency": "RUB"}}
        assert (await ordered(pay, half, path="refunds"))[0] == 400
        pay.shop.pay(made["id"])
        assert (await ordered(pay, half, path="refunds"))[0] == 200
        assert (await ordered(pay, half, path="refunds"))[1]["amount"]["value"] == "60.00"
        assert (await ordered(pay, half, key="key-2", path="refunds"))[0] == 400
        assert (await ordered(pay, half | {"payment_id": "x"}, key="key-3", path="refunds"))[0] == 404
        assert str(pay.shop.payments[made["id"]].refunded) == "60.00"


async def test_crypto_pay_refuses_whoever_has_no_token_and_methods_it_does_not_have() -> None:
    async with running_pay() as pay:
        status, body = await pay.post("/cryptopay/api/createInvoice", INVOICE)
        assert (status, body["error"]["name"]) == (401, "UNAUTHORIZED")
        status, body = await pay.post("/cryptopay/api/refund", {}, headers={"Crypto-Pay-API-Token": TOKEN})
        assert (status, body["error"]["name"]) == (405, "METHOD_NOT_FOUND")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"currency_type": "gold"}, "CURRENCY_TYPE_INVALID"),
        ({"fiat": "JPY"}, "FIAT_INVALID"),
        ({"fiat": None}, "FIAT_INVALID"),
        ({"currency_type": None}, "ASSET_INVALID"),
        ({"amount": "100,00"}, "AMOUNT_INVALID"),
        ({"amount": "0.00"}, "AMOUNT_TOO_SMALL"),
        ({"description": "x" * 1025}, "DESCRIPTION_TOO_LONG"),
        ({"payload": "ы" * 2049}, "PAYLOAD_TOO_LONG"),
        ({"expires_in": 2_678_401}, "EXPIRES_IN_INVALID"),
        ({"paid_btn_name": "callback"}, "PAID_BTN_URL_INVALID"),
        ({"paid_btn_name": "goBack", "paid_btn_url": "https://x.example"}, "PAID_BTN_NAME_INVALID"),
    ],
)
async def test_crypto_pay_refuses_what_its_documents_forbid(change: dict[str, Any], name: str) -> None:
    async with running_pay() as pay:
        status, body = await invoiced(pay, **change)
        assert (status, body["ok"], body["error"]["name"]) == (400, False, name)
        assert pay.coins.invoices == {}


async def test_crypto_pay_lists_by_id_status_and_page() -> None:
    async with running_pay() as pay:
        made = [(await invoiced(pay))[1]["result"]["invoice_id"] for _ in range(4)]
        pay.coins.pay(str(made[1]))
        wanted = {
            "status=paid": [made[1]],
            f"invoice_ids={made[0]},{made[2]}": [made[2], made[0]],
            "offset=1&count=2": [made[2], made[1]],
            "fiat=USD": [],
        }
        for query, ids in wanted.items():
            path = f"/cryptopay/api/getInvoices?{query}"
            _, body = await pay.get(path, headers={"Crypto-Pay-API-Token": TOKEN})
            assert [item["invoice_id"] for item in body["result"]["items"]] == ids


async def test_notices_are_repeated_until_they_are_taken() -> None:
    async with running_pay() as pay, callback_receiver() as bot:
        pay.notices_to(bot.url)
        bot.answers = [500, 404, 202]
        bill_id = (await pay.yookassa.create(asked())).external_id
        pay.shop.pay(bill_id)
        calls = await bot.got(4)
        assert {call.path for call in calls} == {"/pay/yookassa"}
        assert {(call.body["event"], call.body["object"]["id"]) for call in calls} == {("payment.succeeded", bill_id)}


async def test_a_notice_can_be_lost_doubled_held_back_and_sent_again() -> None:
    async with running_pay() as pay, callback_receiver() as bot:
        pay.notices_to(bot.url)
        first, second, third = [(await pay.crypto_pay.create(asked())).external_id for _ in range(3)]
        await pay.post("/cryptopay/sandbox/faults", {"method": "notice", "action": "never"})
        pay.coins.pay(first)
        await until(lambda: pay.faults.pending() == [])
        await pay.post(f"/cryptopay/sandbox/bills/{first}/notice", {"times": 2})
        assert [str(call.body["payload"]["invoice_id"]) for call in await bot.got(2)] == [first, first]
        bot.calls.clear()
        pay.faults.arm(world="cryptopay", method="notice", action="reorder")
        pay.coins.pay(second)
        await until(lambda: pay.faults.pending() == [])
        pay.coins.pay(third)
        assert [str(call.body["payload"]["invoice_id"]) for call in await bot.got(2)] == [third, second]
        bot.calls.clear()
        pay.faults.arm(world="cryptopay", method="notice", action="duplicate")
        await pay.post(f"/cryptopay/sandbox/bills/{third}/notice", {"times": 1})
        assert len(await bot.got(2)) == 2


async def test_the_remote_control_pays_refunds_and_refuses_nonsense() -> None:
    async with running_pay() as pay:
        bill_id = (await pay.yookassa.create(asked())).external_id
        path = f"/yookassa/sandbox/bills/{bill_id}"
        assert (await pay.post(path + "/pay", {"amount": "40.00"}))[0] == 400
        assert (await pay.post(path + "/pay"))[1]["state"] == "paid"
        assert (await pay.post(path + "/cancel"))[0] == 400
        assert (await pay.post(path + "/refund", {"amount": "40.00"}))[1]["refunded"] == "40.00"
        assert (await pay.post(path + "/refund", {"amount": "a lot"}))[0] == 400
        assert (await pay.post(path + "/notice"))[0] == 400
        assert (await pay.get("/yookassa/sandbox/bills"))[1]["bills"][0]["bill_id"] == bill_id
        assert (await pay.get("/yookassa/sandbox/bills/unknown"))[0] == 400
        assert (await pay.post("/yookassa/sandbox/settings", {"notice_retries": "many"}))[0] == 400
        assert (await pay.post("/yookassa/sandbox/settings", {"notice_retries": 3}))[1]["notice_retries"] == 3
