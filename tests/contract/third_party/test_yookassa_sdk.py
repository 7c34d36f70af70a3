"""The official YooKassa SDK against the simulated YooKassa: payments, refunds, lists, errors, notices."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_network
from typing import Any

import pytest
from yookassa import Configuration, Payment, Refund, Settings
from yookassa.domain.common import SecurityHelper
from yookassa.domain.exceptions import BadRequestError, NotFoundError, UnauthorizedError
from yookassa.domain.notification import WebhookNotificationFactory

from photomat.app.settings import Settings as ShopSettings
from photomat.providers.port import ForgedNotice
from support.pay_sim import SECRET, SHOP, RunningPay, running_pay
from support.telegram_sim import served_updates, until

ORDER: dict[str, Any] = {
    "amount": {"value": "100.00", "currency": "RUB"},
    "capture": True,
    "confirmation": {"type": "redirect", "return_url": "https://shop.example/back"},
    "description": "Пополнение",
    "metadata": {"topup_id": "7"},
}
RECEIPT: dict[str, Any] = {
    "customer": {"email": "anna@shop.example"},
    "items": [
        {
            "description": "Пополнение",
            "quantity": 1,
            "amount": {"value": "100.00", "currency": "RUB"},
            "vat_code": 1,
            "payment_mode": "full_prepayment",
            "payment_subject": "service",
        }
    ],
}


@asynccontextmanager
async def shop(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RunningPay]:
    """Run the simulated providers, with the SDK set up for the shop."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with running_pay() as pay:
        for name in ("account_id", "secret_key", "api_url"):
            monkeypatch.setattr(Configuration, name, getattr(Configuration, name))
        Configuration.configure(SHOP, SECRET, api_url=f"{pay.url}/yookassa/v3")
        yield pay


async def test_a_payment_from_the_order_to_the_refund(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch) as pay:

        def story() -> None:
            made = Payment.create(ORDER, "key-1")
            assert (made.status, made.paid, made.test) == ("pending", False, True)
            assert made.confirmation.confirmation_url.startswith(f"{pay.url}/yookassa/pay/")
            assert (made.metadata["topup_id"], made.description) == ("7", "Пополнение")
            assert Payment.create(ORDER, "key-1").id == made.id
            pay.shop.pay(made.id)
            paid = Payment.find_one(made.id)
            assert (paid.status, paid.paid, str(paid.amount.value)) == ("succeeded", True, "100.00")
            assert paid.captured_at
            part = Refund.create({"payment_id": made.id, "amount": {"value": "30.00", "currency": "RUB"}}, "key-2")
            assert (part.status, part.payment_id) == ("succeeded", made.id)
            assert Refund.find_one(part.id).id == part.id
            assert [refund.id for refund in Refund.list({"payment_id": made.id}).items] == [part.id]
            assert str(Payment.find_one(made.id).refunded_amount.value) == "30.00"

        await asyncio.to_thread(story)


async def test_two_steps_a_canceled_payment_and_pages_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch) as pay:

        def story() -> None:
            kept = Payment.create(ORDER | {"capture": False}, "key-1")
            dropped = Payment.create(ORDER | {"capture": False}, "key-2")
            for payment in (kept, dropped):
                pay.shop.pay(payment.id)
                assert Payment.find_one(payment.id).status == "waiting_for_capture"
            whole = {"amount": {"value": "100.00", "currency": "RUB"}}
            assert Payment.capture(kept.id, whole, "key-3").status == "succeeded"
            assert Payment.capture(kept.id, whole, "key-3").status == "succeeded"
            gone = Payment.cancel(dropped.id, "key-4")
            assert (gone.status, gone.cancellation_details.reason) == ("canceled", "canceled_by_merchant")
            with pytest.raises(BadRequestError):
                Payment.cancel(kept.id, "key-5")
            page = Payment.list({"limit": 1})
            assert [payment.id for payment in page.items] == [dropped.id]
            following = Payment.list({"limit": 1, "cursor": page.next_cursor})
            assert [payment.id for payment in following.items] == [kept.id]

        await asyncio.to_thread(story)


async def test_a_shop_that_requires_receipts_takes_the_one_the_sdk_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch) as pay:
        pay.shop.switches["receipts_required"] = True

        def story() -> None:
            assert Settings.get_account_settings()["fiscalization"] == {"enabled": True}
            with pytest.raises(BadRequestError) as refused:
                Payment.create(ORDER, "key-1")
            assert refused.value.content["description"] == "Receipt is missing or illegal"
            made = Payment.create(ORDER | {"receipt": RECEIPT}, "key-2")
            assert made.receipt_registration == "pending"
            pay.shop.pay(made.id)
            back = {"payment_id": made.id, "amount": ORDER["amount"], "receipt": RECEIPT}
            assert Refund.create(back, "key-3").receipt_registration == "succeeded"

        await asyncio.to_thread(story)


async def test_refusals_become_the_sdk_s_own_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch):

        def refused(error: type[Exception], call: Callable[..., object], *args: object) -> str:
            with pytest.raises(error) as found:
                call(*args)
            return str(found.value.content["code"])  # type: ignore[attr-defined]  # the SDK's errors have it

        def story() -> None:
            assert refused(NotFoundError, Payment.find_one, "0" * 36) == "not_found"
            assert refused(NotFoundError, Refund.find_one, "0" * 36) == "not_found"
            wrong = ORDER | {"amount": {"value": "100.00", "currency": "USD"}}
            assert refused(BadRequestError, Payment.create, wrong, "key") == "invalid_request"
            monkeypatch.setattr(Configuration, "secret_key", "wrong")
            assert refused(UnauthorizedError, Payment.find_one, "0" * 36) == "invalid_credentials"

        await asyncio.to_thread(story)


async def test_notices_are_read_by_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch) as pay, served_updates() as hook:
        await pay.post("/yookassa/sandbox/settings", {"notice_url": hook.url})

        def story() -> str:
            payment = Payment.create(ORDER | {"capture": False}, "key-1")
            return str(payment.id)

        bill = await asyncio.to_thread(story)
        pay.shop.pay(bill)
        await until(lambda: len(hook.bodies) == 1)
        pay.shop.capture(pay.shop.payments[bill])
        await until(lambda: len(hook.bodies) == 2)
        pay.shop.refund(bill)
        await until(lambda: len(hook.bodies) == 3)
        read = [WebhookNotificationFactory().create(json.loads(body)) for body in hook.bodies]
        assert [notice.event for notice in read] == [
            "payment.waiting_for_capture",
            "payment.succeeded",
            "refund.succeeded",
        ]
        assert [notice.object.id for notice in read[:2]] == [bill, bill]
        assert read[2].object.payment_id == bill


async def test_the_sender_of_a_notice_is_judged_alike_by_the_sdk_and_by_us(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shop(monkeypatch) as pay, served_updates() as hook:
        await pay.post("/yookassa/sandbox/settings", {"notice_url": hook.url})
        bill = await asyncio.to_thread(lambda: str(Payment.create(ORDER, "key-1").id))
        for order in ({"source": "185.71.76.5"}, {"forged": True}):
            count = len(hook.bodies)
            await pay.post(f"/yookassa/sandbox/bills/{bill}/notice", order)
            await until(partial(_longer, hook.bodies, count))
        sources = [headers["X-Forwarded-For"] for headers in hook.headers]
        assert [SecurityHelper().is_ip_trusted(source) for source in sources] == [True, False]
        genuine, forged = (body.encode() for body in hook.bodies)
        assert pay.yookassa.noticed({}, genuine, source=sources[0]) == bill
        with pytest.raises(ForgedNotice):
            pay.yookassa.noticed({}, forged, source=sources[1])


def _longer(bodies: list[str], count: int) -> bool:
    return len(bodies) > count


def test_we_take_notices_from_every_network_the_sdk_knows() -> None:
    ours = [ip_network(part) for part in str(ShopSettings.model_fields["yookassa_sources"].default).split(",")]
    for name in SecurityHelper.YOOKASSA_NETWORKS:
        network = ip_network(name)
        assert any(network.version == one.version and network.subnet_of(one) for one in ours), name  # type: ignore[arg-type]
