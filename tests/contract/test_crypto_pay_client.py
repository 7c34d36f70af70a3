"""Our client of Crypto Pay against the made-up one: every promise of the port, and every way an answer can fail to come."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web

from photomat.kernel.clock import epoch
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.money import Money
from photomat.providers import crypto_pay as module
from photomat.providers.crypto_pay import CryptoPay
from photomat.providers.port import ForgedNotice
from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.pay.crypto_pay_world import InvoiceRequest
from support.kie_sim import HandClock
from support.pay_sim import LONG_AGO, TOKEN, asked, running_pay, token

NOBODY = "http://127.0.0.1:9"
INVOICE = {
    "invoice_id": 5,
    "status": "paid",
    "currency_type": "fiat",
    "fiat": "RUB",
    "amount": "100",
    "created_at": "2026-01-01T00:00:00.000Z",
    "payload": "7",
}


@asynccontextmanager
async def answering(body: bytes, status: int = 200) -> AsyncIterator[CryptoPay]:
    """Our client against somebody who answers everything with this."""

    async def handle(_request: web.Request) -> web.Response:
        return web.Response(body=body, status=status, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    async with serving(app) as url:
        crypto_pay = CryptoPay(base_url=url, token=TOKEN, timeout_s=2)
        try:
            yield crypto_pay
        finally:
            await crypto_pay.close()


def listing(*invoices: dict[str, Any]) -> bytes:
    return json.dumps({"ok": True, "result": {"items": invoices}}).encode()


async def test_an_invoice_is_made_found_and_paid() -> None:
    async with running_pay() as pay:
        invoice = await pay.crypto_pay.create(asked(token=token(42), minor=123_45))
        assert invoice.pay_url == f"{pay.url}/cryptopay/pay/{invoice.external_id}"
        waiting = await pay.crypto_pay.find(invoice.external_id)
        assert waiting is not None
        assert (waiting.state, waiting.paid, waiting.token) == ("open", Money(0, "RUB"), token(42))
        pay.coins.pay(invoice.external_id)
        paid = await pay.crypto_pay.find(invoice.external_id)
        assert paid is not None
        assert (paid.state, paid.paid, paid.refunded) == ("paid", Money(123_45, "RUB"), Money(0, "RUB"))


@pytest.mark.parametrize(("minor", "currency"), [(1_00, "RUB"), (999_999_99, "RUB"), (13_37, "USD"), (50_00, "KZT")])
async def test_the_whole_sum_arrives_whole_however_coins_round(minor: int, currency: str) -> None:
    async with running_pay() as pay:
        bill_id = (await pay.crypto_pay.create(asked(minor=minor, currency=currency))).external_id
        pay.coins.pay(bill_id)
        report = await pay.crypto_pay.find(bill_id)
        assert report is not None
        assert report.paid == Money(minor, currency)


@pytest.mark.parametrize("arrived", ["40.00", "99.00", "150.00"])
async def test_another_sum_is_reported_as_it_arrived(arrived: str) -> None:
    async with running_pay() as pay:
        bill_id = (await pay.crypto_pay.create(asked(minor=100_00))).external_id
        pay.coins.pay(bill_id, Decimal(arrived))
        report = await pay.crypto_pay.find(bill_id)
        assert report is not None
        assert (report.state, report.paid.minor) == ("paid", int(Decimal(arrived) * 100))


async def test_an_invoice_nobody_paid_in_time_is_canceled() -> None:
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        bill_id = (await pay.crypto_pay.create(asked())).external_id
        clock.now += 86401
        report = await pay.crypto_pay.find(bill_id)
        assert report is not None
        assert (report.state, report.paid.minor) == ("canceled", 0)


async def test_asked_twice_it_makes_two_invoices_of_one_top_up() -> None:
    async with running_pay() as pay:
        first, second = [await pay.crypto_pay.create(asked(token=token(9))) for _ in range(2)]
        assert first.external_id != second.external_id
        reports = [await pay.crypto_pay.find(one.external_id) for one in (first, second)]
        assert [report.token for report in reports if report] == [token(9), token(9)]


async def test_an_unknown_currency_is_refused_before_anything_leaves() -> None:
    crypto_pay = CryptoPay(base_url=NOBODY, token=TOKEN)
    with pytest.raises(Rejected):
        await crypto_pay.create(asked(currency="JPY"))


async def test_a_long_description_is_cut_and_a_missing_way_back_left_out() -> None:
    async with running_pay() as pay:
        invoice = await pay.crypto_pay.create(asked(description="ы" * 5000, return_url=None))
        order = pay.coins.invoices[int(invoice.external_id)].order
        assert (len(order.description), order.button, order.expires_in) == (1024, "", 86400)


@pytest.mark.parametrize("name", ["404", "", "1,2", "x", "9" * 30])
async def test_what_the_provider_does_not_know_is_none(name: str) -> None:
    async with running_pay() as pay:
        await pay.crypto_pay.create(asked())
        assert await pay.crypto_pay.find(name) is None


async def test_recent_gives_every_paid_invoice_of_every_page_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 7)
    async with running_pay() as pay:
        ids = [(await pay.crypto_pay.create(asked(token=token(number)))).external_id for number in range(1, 32)]
        for bill_id in ids[:-2]:
            pay.coins.pay(bill_id)
        found = await pay.crypto_pay.recent(LONG_AGO)
        assert {report.external_id for report in found} == set(ids[:-2])


async def test_recent_stops_where_nothing_can_have_been_paid_lately(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    clock = HandClock()
    async with running_pay(clock=clock) as pay:
        for _ in range(20):
            pay.coins.pay((await pay.crypto_pay.create(asked())).external_id)
        clock.now += 3 * 86400
        late = (await pay.crypto_pay.create(asked())).external_id
        pay.coins.pay(late)
        since = datetime.fromtimestamp(clock.now, UTC) - timedelta(minutes=1)
        before = pay.transcript.last
        assert [report.external_id for report in await pay.crypto_pay.recent(since)] == [late]
        assert len(pay.transcript.since(before)) == 1


async def test_an_invoice_in_coins_is_none_of_ours() -> None:
    async with running_pay() as pay:
        order = InvoiceRequest(
            currency_type="crypto",
            currency="TON",
            amount=Decimal(5),
            description="",
            payload="7",
            expires_in=None,
            button="",
            button_url="",
        )
        made = pay.coins.create(order)
        pay.coins.pay(str(made.invoice_id))
        assert await pay.crypto_pay.find(str(made.invoice_id)) is None
        assert list(await pay.crypto_pay.recent(LONG_AGO)) == []


async def test_a_refund_is_work_for_a_person() -> None:
    with pytest.raises(Rejected) as refused:
        await CryptoPay(base_url=NOBODY, token=TOKEN).refund("5", Money(1, "RUB"), key="r")
    assert refused.value.text_key == "refund-by-hand"


async def test_a_wrong_token_is_for_later_and_never_shown() -> None:
    async with running_pay() as pay:
        stranger = CryptoPay(base_url=pay.url + "/cryptopay", token="999:not-the-token")
        for call in (stranger.create(asked()), stranger.find("5"), stranger.recent(LONG_AGO)):
            with pytest.raises(Transient) as trouble:
                await call
            assert "not-the-token" not in repr(trouble.value)
        await stranger.close()


@pytest.mark.parametrize("action", ["drop_after", "never", "drop_before"])
async def test_a_request_that_left_without_an_answer_is_unknown(action: Any) -> None:
    async with running_pay(timeout_s=0.5) as pay:
        pay.faults.arm(world="cryptopay", method="createInvoice", action=action)
        with pytest.raises(OutcomeUnknown):
            await pay.crypto_pay.create(asked())


async def test_their_own_trouble_is_unknown_for_writers_and_for_later_for_readers() -> None:
    async with running_pay() as pay:
        pay.faults.arm(world="cryptopay", method="*", action="error", status=502, html=True, times=3)
        with pytest.raises(OutcomeUnknown):
            await pay.crypto_pay.create(asked())
        for read in (pay.crypto_pay.find("5"), pay.crypto_pay.recent(LONG_AGO)):
            with pytest.raises(Transient):
                await read
        pay.faults.arm(world="cryptopay", method="*", action="too_many")
        with pytest.raises(Transient):
            await pay.crypto_pay.create(asked())


async def test_a_clear_no_is_rejected() -> None:
    refusal = b'{"ok": false, "error": {"code": 400, "name": "AMOUNT_TOO_SMALL"}}'
    async with answering(refusal, 400) as crypto_pay:
        with pytest.raises(Rejected):
            await crypto_pay.create(asked())
        with pytest.raises(Transient):
            await crypto_pay.find("5")


async def test_where_nobody_listens_nothing_left() -> None:
    crypto_pay = CryptoPay(base_url=NOBODY, token=TOKEN)
    for call in (crypto_pay.create(asked()), crypto_pay.find("5")):
        with pytest.raises(Transient):
            await call
    await crypto_pay.close()


@pytest.mark.parametrize("body", [b"", b"[]", b'{"ok": true}', b'{"ok": true, "result": {"invoice_id": "5"}}', b"{"])
async def test_an_answer_that_is_none_is_unknown_for_writers_and_for_later_for_readers(body: bytes) -> None:
    async with answering(body) as crypto_pay:
        with pytest.raises(OutcomeUnknown):
            await crypto_pay.create(asked())
        with pytest.raises(Transient):
            await crypto_pay.find("5")


@pytest.mark.parametrize(
    "change",
    [
        {"status": "confirming"},
        {"amount": "a lot"},
        {"amount": "100.001"},
        {"paid_amount": "-1", "paid_fiat_rate": "90"},
        {"paid_amount": "NaN", "paid_fiat_rate": "90"},
        {"fiat": None},
        {"created_at": 5},
    ],
)
async def test_an_unreadable_invoice_is_never_paid_and_hides_no_other(change: dict[str, Any]) -> None:
    async with answering(listing(INVOICE | change)) as crypto_pay:
        with pytest.raises(Transient):
            await crypto_pay.find("5")
    async with answering(listing(INVOICE | change, INVOICE | {"invoice_id": 4})) as crypto_pay:
        (report,) = await crypto_pay.recent(LONG_AGO)
        assert (report.external_id, report.paid) == ("4", Money(100_00, "RUB"))


async def test_fractions_that_come_as_numbers_are_read_exactly() -> None:
    body = listing(INVOICE).replace(b'"100"', b'0.29, "paid_amount": 0.1, "paid_fiat_rate": 2.9')
    async with answering(body) as crypto_pay:
        report = await crypto_pay.find("5")
        assert report is not None
        assert report.paid == Money(29, "RUB")


@pytest.mark.parametrize(("coins", "arrived"), [("1.09", 100_00), ("1.07", 98_60), ("1.1", 101_36)])
async def test_half_a_percent_is_the_providers_rounding(coins: str, arrived: int) -> None:
    async with answering(listing(INVOICE | {"paid_amount": coins, "paid_fiat_rate": "92.14713"})) as crypto_pay:
        report = await crypto_pay.find("5")
        assert report is not None
        assert report.paid.minor == arrived


def signed(notice: object, *, token: str = TOKEN) -> tuple[dict[str, str], bytes]:
    body = json.dumps(notice).encode()
    key = hashlib.sha256(token.encode()).digest()
    return {"Crypto-Pay-Api-Signature": hmac.new(key, body, hashlib.sha256).hexdigest()}, body


def paid_notice(age_s: int = 0, **change: object) -> dict[str, object]:
    sent = datetime.fromtimestamp(epoch() - age_s, UTC).isoformat()
    return {"update_id": 1, "update_type": "invoice_paid", "request_date": sent, "payload": INVOICE, **change}


def test_a_signed_notice_names_its_invoice() -> None:
    crypto_pay = CryptoPay(base_url=NOBODY, token=TOKEN)
    for age_s in (0, 2 * 86400):
        assert crypto_pay.noticed(*signed(paid_notice(age_s)), source="anywhere") == "5"


def test_a_notice_without_our_signature_is_forged() -> None:
    crypto_pay = CryptoPay(base_url=NOBODY, token=TOKEN)
    headers, body = signed(paid_notice())
    stranger, _ = signed(paid_notice(), token="another")
    for given, sent in (({}, body), (stranger, body), (headers, body + b" "), ({"X": "y"}, b"")):
        with pytest.raises(ForgedNotice):
            crypto_pay.noticed(given, sent, source="")


@pytest.mark.parametrize("age_s", [5 * 86400, -3600])
def test_a_notice_somebody_kept_is_forged(age_s: int) -> None:
    with pytest.raises(ForgedNotice):
        CryptoPay(base_url=NOBODY, token=TOKEN).noticed(*signed(paid_notice(age_s)), source="")


@pytest.mark.parametrize(
    "notice",
    [
        [],
        paid_notice(update_type="invoice_made"),
        paid_notice(payload=None),
        paid_notice(payload={"invoice_id": "five"}),
        paid_notice(request_date=None),
        paid_notice(request_date="soon"),
    ],
)
def test_an_unreadable_notice_is_a_value_error(notice: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  the port promises no words
        CryptoPay(base_url=NOBODY, token=TOKEN).noticed(*signed(notice), source="")
