"""The made-up payment providers over real HTTP on a port of the system's choosing, and our clients against them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import aiohttp
from aiohttp import web

from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.providers.crypto_pay import CryptoPay
from photomat.providers.port import InvoiceTerms
from photomat.providers.yookassa import YooKassa
from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.faults import Faults
from photomat_sandbox.pay.app import mount_providers
from photomat_sandbox.pay.bills import NoticeSettings
from photomat_sandbox.pay.crypto_pay_world import CryptoPayWorld
from photomat_sandbox.pay.yookassa_world import YooKassaWorld
from photomat_sandbox.transcript import Transcript
from support.kie_sim import HandClock

SHOP = "100500"
SECRET = "test_shop-secret"
TOKEN = "777:crypto-token"
QUICK = NoticeSettings(notice_retry_after_s=0.02, notice_retries=20)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class RunningPay:
    """Both simulators, with a client that carries no key and our own two that do."""

    url: str
    shop: YooKassaWorld
    coins: CryptoPayWorld
    transcript: Transcript
    faults: Faults
    yookassa: YooKassa
    crypto_pay: CryptoPay
    client: aiohttp.ClientSession

    async def post(self, path: str, body: object = None, **options: Any) -> tuple[int, dict[str, Any]]:
        """Send JSON; give the status and the body."""
        async with self.client.post(self.url + path, json=body, **options) as response:
            return response.status, dict(await response.json())

    async def get(self, path: str, query: dict[str, str] | None = None, **options: Any) -> tuple[int, dict[str, Any]]:
        """Query; give the status and the body."""
        async with self.client.get(self.url + path, params=query, **options) as response:
            return response.status, dict(await response.json())

    def notices_to(self, url: str) -> None:
        """Send the notices of both to `/pay/<provider>` of an address."""
        for till in (self.shop, self.coins):
            till.notices = replace(till.notices, notice_url=f"{url}/pay/{till.vendor}")


@asynccontextmanager
async def running_pay(
    *,
    clock: HandClock | None = None,
    timeout_s: float | None = None,
    currency: str = "RUB",
    self_employed: bool = False,
) -> AsyncIterator[RunningPay]:
    """Run both; `timeout_s` is how long our clients wait."""
    times: dict[str, Any] = {"clock": clock} if clock is not None else {}
    shop = YooKassaWorld(
        shop_id=SHOP, secret_key=SECRET, currency=currency, self_employed=self_employed, notices=QUICK, **times
    )
    coins = CryptoPayWorld(token=TOKEN, notices=QUICK, **times)
    transcript, faults, app = Transcript(), Faults(), web.Application()
    mount_providers(app, shop, coins, transcript, faults)
    async with serving(app) as url, aiohttp.ClientSession() as client:
        yookassa = YooKassa(
            base_url=url + "/yookassa",
            shop_id=SHOP,
            secret_key=SECRET,
            sources="127.0.0.1,::1,185.71.76.0/27",
            self_employed=self_employed,
            timeout_s=timeout_s,
        )
        crypto_pay = CryptoPay(base_url=url + "/cryptopay", token=TOKEN, timeout_s=timeout_s)
        try:
            yield RunningPay(
                url=url,
                shop=shop,
                coins=coins,
                transcript=transcript,
                faults=faults,
                yookassa=yookassa,
                crypto_pay=crypto_pay,
                client=client,
            )
        finally:
            await yookassa.close()
            await crypto_pay.close()


def token(number: int = 7) -> str:
    """The token of an offer: one like no other."""
    return str(UUID(int=number))


def asked(*, minor: int = 100_00, currency: str = "RUB", **other: Any) -> InvoiceTerms:
    """A sum to collect; further arguments replace the rest."""
    rest: dict[str, Any] = {
        "token": token(),
        "user_id": UserId(5001),
        "description": "Пополнение",
        "return_url": "https://shop.example/back",
    } | other
    return InvoiceTerms(amount=Money(minor, currency), **rest)
