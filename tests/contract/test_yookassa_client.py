"""Our client of YooKassa against the made-up one: every promise of the port, and every way an answer can fail to come."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web

from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.money import Money
from photomat.providers import yookassa as module
from photomat.providers.yookassa import YooKassa
from photomat_chaos.lab.load_balancer import serving
from support.kie_sim import HandClock
from support.pay_sim import LONG_AGO, SECRET, SHOP, asked, running_pay, token

NOBODY = "http://127.0.0.1:9"
PAYMENT = {"id": "2d3c-1", "status": "succeeded", "amount": {"value": "1.00", "currency": "RUB"}}


def client(url: str, *, shop_id: str = SHOP, secret: str = SECRET) -> YooKassa:
    return YooKassa(base_url=url, shop_id=shop_id, secret_key=secret, sources="127.0.0.1", timeout_s=2)


@asynccontextmanager
async def answering(body: bytes, status: int = 200) -> AsyncIterator[YooKassa]:
    """Our client against somebody who answers everything with this."""

    async def handle(_request: web.Request) -> web.Response:
        return web.Response(body=body, status=status, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with serving(app) as url:
        yookassa = client(url)
        try:
            yield yookassa
        finally:
            await yookassa.close()


async def test_a_payment_is_made_found_and_paid() -> None:
    async with running_pay() as pay:
        invoice = await pay.yookassa.create(asked(token=token(42), minor=123_45))
        assert invoice.pay_url == f"{pay.url}/yookassa/pay/{invoice.external_id}"
        waiting = await pay.yookassa.find(invoice.external_id)
        assert waiting is not None
        assert (waiting.state, waiting.paid, waiting.token) == ("open", Money(0, "RUB"), token(42))
        pay.shop.pay(invoice.external_id)
        paid = await pay.yookassa.find(invoice.external_id)
        assert paid is not None
        assert (paid.state, paid.paid, paid.refunded) == ("paid", Money(123_45, "RUB"), Money(0, "RUB"))
        assert paid.at.tzinfo is not None


async def test_one_key_makes_one_payment_and_another_key_another() -> None:
    async with running_pay() as pay:
        first, again = await pay.yookassa.create(asked()), await pay.yookassa.create(asked())
        other = await pay.yookassa.create(asked(token=token(8)))
        assert first == again
        assert other.external_id != first.external_id
        assert len(pay.shop.payments) == 2


@pytest.mark.parametrize("key", ["k" * 300, "ключ", "line\nbreak"])
async def test_any_key_of_ours_fits_their_header(key: str) -> None:
    async with running_pay() as pay:
        bill_id = (await pay.yookassa.create(asked(minor=100_00))).external_id
        pay.shop.pay(bill_id)
        for each in (key, key, key + "2"):
            await pay.yookassa.refund(bill_id, Money(10_00, "RUB"), key=each)
        assert len(pay.shop.refunds) == 2


async def test_a_payment_asked_for_again_after_it_was_paid_leads_back_to_the_shop() -> None:
    async with running_pay() as pay:
        first = await pay.yookassa.create(asked())
        pay.shop.pay(first.external_id)
        again = await pay.yookassa.create(asked())
        assert (again.external_id, again.pay_url) == (first.external_id, "https://shop.example/back")


async def test_a_canceled_payment_is_reported_and_cannot_be_asked_for_again() -> None:
    async with running_pay() as pay:
        invoice = await pay.yookassa.create(asked())
        pay.shop.cancel(invoice.external_id)
        report = await pay.yookassa.find(invoice.external_id)
        assert report is not None
        assert (report.state, report.paid.minor) == ("canceled", 0)
        with pytest.raises(Rejected):
            await pay.yookassa.create(asked())


async def test_a_long_description_is_cut_and_a_missing_way_back_is_made_up() -> None:
    async with running_pay() as pay:
        invoice = await pay.yookassa.create(asked(description="ы" * 500, return_url=None))
        order = pay.shop.payments[invoice.external_id].order
        assert (len(order.description), order.return_url) == (128, "https://t.me/")


@pytest.mark.parametrize("name", ["no-such-payment", "", "../refunds", "a" * 100, "x?status=succeeded"])
async def test_what_the_provider_does_not_know_is_none(name: str) -> None:
    async with running_pay() as pay:
        await pay.yookassa.create(asked())
        assert await pay.yookassa.find(name) is None


async def test_recent_gives_every_paid_payment_of_every_page_and_nothing_else() -> None:
    async with running_pay() as pay:
        ids = [
            (await pay.yookassa.create(asked(token=token(number), minor=number * 100))).external_id
            for number in range(1, 206)
        ]
        for bill_id in ids[:-2]:
            pay.shop.pay(bill_id)
        pay.shop.cancel(ids[-1])
        found = await pay.yookassa.recent(LONG_AGO)
        assert {report.external_id for report in found} == set(ids[:-2])
        assert {report.token: report.paid.minor for report in found} == {token(n): n * 100 for n in range(1, 204)}


async def test_recent_goes_by_when_it_was_paid_not_by_when_it_was_made() -> None:
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        early, late = [(await pay.yookassa.create(asked(token=token(number)))).external_id for number in (1, 2)]
        pay.shop.pay(early)
        clock.now += 1800
        pay.shop.pay(late)
        since = datetime.fromtimestamp(clock.now, UTC) - timedelta(seconds=60)
        assert [report.external_id for report in await pay.yookassa.recent(since)] == [late]


async def test_a_refund_is_made_once_a_key_and_shows_in_the_report() -> None:
    async with running_pay() as pay:
        bill_id = (await pay.yookassa.create(asked(minor=100_00))).external_id
        pay.shop.pay(bill_id)
        for _ in range(2):
            await pay.yookassa.refund(bill_id, Money(30_00, "RUB"), key="refund-1")
        report = await pay.yookassa.find(bill_id)
        assert report is not None
        assert (report.state, report.paid.minor, report.refunded.minor) == ("paid", 100_00, 30_00)
        with pytest.raises(Rejected):
            await pay.yookassa.refund(bill_id, Money(70_01, "RUB"), key="refund-2")
        with pytest.raises(Rejected):
            await pay.yookassa.refund("unknown", Money(1, "RUB"), key="refund-3")


async def test_a_clear_no_is_rejected_and_makes_nothing() -> None:
    async with running_pay(currency="USD") as pay:
        with pytest.raises(Rejected) as refused:
            await pay.yookassa.create(asked(currency="RUB"))
        assert refused.value.text_key == "provider-refused"
        assert pay.shop.payments == {}


async def test_one_key_for_another_sum_is_refused() -> None:
    async with running_pay() as pay:
        await pay.yookassa.create(asked())
        with pytest.raises(Rejected):
            await pay.yookassa.create(asked(minor=200_00))
        assert len(pay.shop.payments) == 1


async def test_a_wrong_key_is_for_later_and_never_shown() -> None:
    async with running_pay() as pay:
        stranger = client(pay.url + "/yookassa", secret="another-secret")
        for call in (stranger.create(asked()), stranger.find("x"), stranger.recent(LONG_AGO)):
            with pytest.raises(Transient) as trouble:
                await call
            assert "another-secret" not in repr(trouble.value)
            assert trouble.value.retry_after_s is not None
        await stranger.close()


@pytest.mark.parametrize("action", ["drop_after", "never", "drop_before"])
async def test_a_request_that_left_without_an_answer_is_unknown_and_the_same_key_finds_out(action: Any) -> None:
    async with running_pay(timeout_s=0.5) as pay:
        pay.faults.arm(world="yookassa", method="createPayment", action=action)
        with pytest.raises(OutcomeUnknown):
            await pay.yookassa.create(asked())
        await pay.yookassa.create(asked())
        assert len(pay.shop.payments) == 1


async def test_a_refund_without_an_answer_is_unknown_and_made_once() -> None:
    async with running_pay() as pay:
        bill_id = (await pay.yookassa.create(asked())).external_id
        pay.shop.pay(bill_id)
        pay.faults.arm(world="yookassa", method="createRefund", action="drop_after")
        with pytest.raises(OutcomeUnknown):
            await pay.yookassa.refund(bill_id, Money(10_00, "RUB"), key="refund-1")
        await pay.yookassa.refund(bill_id, Money(10_00, "RUB"), key="refund-1")
        assert [str(refund.amount) for refund in pay.shop.refunds.values()] == ["10.00"]


@pytest.mark.parametrize("html", [False, True])
@pytest.mark.parametrize("status", [500, 502, 504])
async def test_their_own_trouble_is_unknown_for_writers_and_for_later_for_readers(status: int, *, html: bool) -> None:
    async with running_pay() as pay:
        bill_id = (await pay.yookassa.create(asked())).external_id
        pay.faults.arm(world="yookassa", method="*", action="error", status=status, html=html, times=4)
        for write in (pay.yookassa.create(asked()), pay.yookassa.refund(bill_id, Money(1, "RUB"), key="r")):
            with pytest.raises(OutcomeUnknown):
                await write
        for read in (pay.yookassa.find(bill_id), pay.yookassa.recent(LONG_AGO)):
            with pytest.raises(Transient):
                await read


async def test_asked_too_often_is_for_later() -> None:
    async with running_pay() as pay:
        pay.faults.arm(world="yookassa", method="*", action="too_many", times=2)
        for call in (pay.yookassa.create(asked()), pay.yookassa.find("x")):
            with pytest.raises(Transient) as trouble:
                await call
            assert trouble.value.retry_after_s == 5
        assert pay.shop.payments == {}


async def test_where_nobody_listens_nothing_left() -> None:
    yookassa = client(NOBODY)
    for call in (yookassa.create(asked()), yookassa.refund("x", Money(1, "RUB"), key="r"), yookassa.find("x")):
        with pytest.raises(Transient):
            await call
    await yookassa.close()


@pytest.mark.parametrize(
    "change",
    [
        {"status": "paid-in-full"},
        {"amount": {"value": "1.005", "currency": "RUB"}},
        {"amount": {"value": "NaN", "currency": "RUB"}},
        {"amount": {"value": "-1.00", "currency": "RUB"}},
        {"amount": {"value": "1.00", "currency": "roubles"}},
        {"amount": None},
        {"refunded_amount": {"value": "x", "currency": "RUB"}},
        {"created_at": "yesterday"},
        {"id": "../x"},
    ],
)
async def test_an_unreadable_payment_is_never_paid(change: dict[str, Any]) -> None:
    body = {**PAYMENT, "created_at": "2026-01-01T00:00:00.000Z", **change}
    async with answering(json.dumps(body).encode()) as yookassa:
        with pytest.raises(Transient):
            await yookassa.find("2d3c-1")
    async with answering(json.dumps({"items": [body]}).encode()) as yookassa:
        assert list(await yookassa.recent(LONG_AGO)) == []


async def test_another_payment_than_was_asked_for_is_no_answer() -> None:
    async with answering(json.dumps({**PAYMENT, "created_at": "2026-01-01T00:00:00.000Z"}).encode()) as yookassa:
        assert await yookassa.find("2d3c-1") is not None
        with pytest.raises(Transient):
            await yookassa.find("2d3c-2")


async def test_an_unreadable_payment_does_not_hide_the_others() -> None:
    good = {**PAYMENT, "created_at": "2026-01-01T00:00:00.000Z", "something_new": {"x": [1.5]}}
    async with answering(json.dumps({"items": [{"id": 5}, "nonsense", good]}).encode()) as yookassa:
        (report,) = await yookassa.recent(LONG_AGO)
        assert (report.external_id, report.token, report.paid) == ("2d3c-1", None, Money(1_00, "RUB"))


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'{"id": 5}', b"{" * 50, b"[" * 100_000, b'"\xff"'])
async def test_an_answer_that_is_none_is_unknown_for_writers_and_for_later_for_readers(body: bytes) -> None:
    async with answering(body) as yookassa:
        with pytest.raises(OutcomeUnknown):
            await yookassa.create(asked())
        with pytest.raises(OutcomeUnknown):
            await yookassa.refund("x", Money(1, "RUB"), key="r")
        with pytest.raises(Transient):
            await yookassa.find("x")
        with pytest.raises(Transient):
            await yookassa.recent(LONG_AGO)


@pytest.mark.parametrize(("status", "raised"), [("pending", OutcomeUnknown), ("canceled", Rejected)])
async def test_a_refund_counts_only_when_it_succeeded(status: str, raised: type[Exception]) -> None:
    async with answering(json.dumps({"id": "r-1", "status": status}).encode()) as yookassa:
        with pytest.raises(raised):
            await yookassa.refund("x", Money(1, "RUB"), key="r")


async def test_a_list_without_an_end_is_given_up() -> None:
    async with answering(b'{"items": [], "next_cursor": "more"}') as yookassa, asyncio.timeout(120):
        with pytest.raises(Transient):
            await yookassa.recent(LONG_AGO)


async def test_recent_tells_of_an_old_payment_that_was_given_back_lately() -> None:
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        old, untouched = [(await pay.yookassa.create(asked(token=token(number)))).external_id for number in (1, 2)]
        pay.shop.pay(old)
        pay.shop.pay(untouched)
        clock.now += 30 * 86_400
        pay.shop.refund(old, Decimal("30.00"))
        pay.shop.refund(old, Decimal("20.00"))
        since = datetime.fromtimestamp(clock.now, UTC) - timedelta(days=2)
        (report,) = await pay.yookassa.recent(since)
        assert (report.external_id, report.paid.minor, report.refunded.minor) == (old, 100_00, 50_00)


async def test_recent_reads_every_page_of_refunds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        ids = [(await pay.yookassa.create(asked(token=token(number)))).external_id for number in range(5)]
        for bill_id in ids:
            pay.shop.pay(bill_id)
        clock.now += 30 * 86_400
        for bill_id in ids:
            pay.shop.refund(bill_id)
        since = datetime.fromtimestamp(clock.now, UTC) - timedelta(days=2)
        assert {report.external_id for report in await pay.yookassa.recent(since)} == set(ids)
