"""aiocryptopay and aiosend against the simulated Crypto Pay: invoices, lists, errors, and notices with their signature."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiocryptopay import AioCryptoPay
from aiocryptopay.exceptions.factory import CodeErrorFactory
from aiohttp import web
from aiosend import CryptoPay
from aiosend.client import Network
from aiosend.exceptions import APIError
from aiosend.webhook import AiohttpManager

from support.pay_sim import TOKEN, RunningPay, running_pay
from support.telegram_sim import served, served_updates, until

# aiosend hands aiohttp its certificates under a name that is going away.
pytestmark = pytest.mark.filterwarnings("ignore:ssl_context is deprecated:DeprecationWarning")


@asynccontextmanager
async def first_client(pay: RunningPay, token: str = TOKEN) -> AsyncIterator[Any]:
    """Open aiocryptopay for the simulated Crypto Pay."""
    client = AioCryptoPay(token, network=f"{pay.url}/cryptopay")
    try:
        yield client
    finally:
        await client.close()


async def refusal_of(call: Awaitable[object]) -> str:
    """Return the vendor's name of the error that aiocryptopay raises."""
    with pytest.raises(CodeErrorFactory) as refused:
        await call
    return str(refused.value.name)


async def second_client(pay: RunningPay, app: web.Application | None = None) -> Any:
    """Make an aiosend client, which asks getMe by a blocking call."""
    network = Network(name="SIMULATED", base=f"{pay.url}/cryptopay/api/{{method}}")
    manager = AiohttpManager(app, "/pay") if app is not None else None
    return await asyncio.to_thread(lambda: CryptoPay(TOKEN, network, webhook_manager=manager))


async def test_aiocryptopay_makes_finds_and_deletes_invoices() -> None:
    async with running_pay() as pay, first_client(pay) as client:
        assert (await client.get_me()).payment_processing_bot_username == "CryptoBot"
        made = await client.create_invoice(
            amount=100, currency_type="fiat", fiat="RUB", payload="7", description="Пополнение", expires_in=600
        )
        assert (made.status, made.fiat, made.amount, made.payload) == ("active", "RUB", 100, "7")
        assert made.bot_invoice_url.startswith(f"{pay.url}/cryptopay/pay/")
        pay.coins.pay(str(made.invoice_id))
        [paid] = await client.get_invoices(invoice_ids=[made.invoice_id], status="paid")
        assert (paid.invoice_id, paid.paid_asset, paid.fee_asset) == (made.invoice_id, "USDT", "USDT")
        assert round(paid.paid_amount * paid.paid_fiat_rate) == 100
        coins = await client.create_invoice(asset="TON", amount=1.5)
        assert (coins.currency_type, coins.asset) == ("crypto", "TON")
        assert await client.delete_invoice(coins.invoice_id) is True
        assert [one.invoice_id for one in await client.get_invoices()] == [made.invoice_id]
        assert await refusal_of(client.delete_invoice(coins.invoice_id)) == "INVOICE_NOT_FOUND"


async def test_aiocryptopay_reads_balance_rates_and_currencies() -> None:
    async with running_pay() as pay, first_client(pay) as client:
        made = await client.create_invoice(asset="USDT", amount=10)
        pay.coins.pay(str(made.invoice_id))
        [balance] = [row for row in await client.get_balance() if row.currency_code == "USDT"]
        assert balance.available == pytest.approx(9.7)
        rates = await client.get_exchange_rates()
        assert {"USDT"} <= {rate.source for rate in rates}
        assert all(rate.is_valid for rate in rates)
        codes = {currency.code for currency in await client.get_currencies()}
        assert {"USDT", "RUB"} <= codes


async def test_aiocryptopay_raises_its_own_error_for_refusals() -> None:
    async with running_pay() as pay, first_client(pay) as client, first_client(pay, "1:wrong") as stranger:
        assert await refusal_of(stranger.get_me()) == "UNAUTHORIZED"
        assert await refusal_of(client.create_invoice(asset="SHELLS", amount=1)) == "ASSET_INVALID"
        assert await refusal_of(client.transfer(user_id=1, asset="TON", amount=1, spend_id="x")) == "METHOD_NOT_FOUND"


async def test_aiocryptopay_accepts_our_signature_and_no_other() -> None:
    async with running_pay() as pay, first_client(pay) as client, served_updates() as hook:
        await pay.post("/cryptopay/sandbox/settings", {"notice_url": hook.url})
        made = await client.create_invoice(amount=100, currency_type="fiat", fiat="RUB", payload="7")
        pay.coins.pay(str(made.invoice_id))
        await until(lambda: len(hook.bodies) == 1)
        await pay.post(f"/cryptopay/sandbox/bills/{made.invoice_id}/notice", {"forged": True})
        await until(lambda: len(hook.bodies) == 2)
        signatures = [headers["crypto-pay-api-signature"] for headers in hook.headers]
        checked = [client.check_signature(body, sign) for body, sign in zip(hook.bodies, signatures, strict=True)]
        assert checked == [True, False]
        assert json.loads(hook.bodies[0])["update_type"] == "invoice_paid"


async def test_aiosend_makes_an_invoice_and_handles_its_notice(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="aiosend")
    handled: list[Any] = []
    app = web.Application()
    async with running_pay() as pay:
        client = await second_client(pay, app)

        @client.invoice_paid()  # type: ignore[untyped-decorator]  # the library is not analyzed
        async def on_paid(invoice: Any) -> None:
            handled.append(invoice)

        async with served(app) as url:
            await pay.post("/cryptopay/sandbox/settings", {"notice_url": f"{url}/pay", "notice_retries": 0})
            made = await client.create_invoice(100, currency_type="fiat", fiat="RUB", payload="7", expires_in=600)
            assert (made.status, made.amount, made.payload) == ("active", 100, "7")
            pay.coins.pay(str(made.invoice_id))
            await until(lambda: len(handled) == 1)
            assert (handled[0].invoice_id, handled[0].status, handled[0].payload) == (made.invoice_id, "paid", "7")
            await pay.post(f"/cryptopay/sandbox/bills/{made.invoice_id}/notice", {"forged": True})
            await until(lambda: any("HTTP 500" in event.summary for event in pay.transcript.since(0)))
            assert len(handled) == 1


async def test_aiosend_lists_and_refuses() -> None:
    async with running_pay() as pay:
        client = await second_client(pay)
        assert (await client.get_me()).name == "Photomat sandbox"
        made = [await client.create_invoice(amount, asset="TON") for amount in (1, 2)]
        assert [one.invoice_id for one in await client.get_invoices(count=1)] == [made[1].invoice_id]
        assert await client.delete_invoice(made[0].invoice_id) is True
        assert {row.currency_code for row in await client.get_balance()} >= {"TON", "USDT"}
        assert await client.get_exchange_rates()
        with pytest.raises(APIError):
            await client.delete_invoice(made[0].invoice_id)
