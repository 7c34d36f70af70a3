"""The environment of a storm of money: the arena with both payment providers, and what its people know of each other.

What they remember is evidence: it was seen on a screen or done at a provider, and the program knows nothing of it.
"""

import asyncio
import itertools
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp import web

from photomat_chaos.lab.arena import Arena, open_arena
from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.pay.app import mount_providers
from photomat_sandbox.pay.bills import NoticeSettings, SimulatedProvider
from photomat_sandbox.pay.crypto_pay_world import CryptoPayWorld
from photomat_sandbox.pay.yookassa_world import YooKassaWorld
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.transcript import Transcript

SHOP_ID: Final = "100500"
SECRET: Final = "test_storm"  # noqa: S105  opens nothing but the simulator
TOKEN: Final = "1000:storm"  # noqa: S105  likewise
CURRENCY: Final = "RUB"
WELCOME: Final = 5_000
MONTH: Final = 15_000
REWARD: Final = 2_000
FRIEND_REWARD: Final = 1_500
PERCENT: Final = 10
MOST: Final = 3_000_000
NOTICES: Final = NoticeSettings(notice_retry_after_s=0.3, notice_retries=20, notice_timeout_s=5.0)
TERMS: Final = {
    "LEASE_S": "3",
    "JOB_OVERDUE_S": "8",
    "JOB_TIMEOUT_S": "30",
    "WELCOME_CREDIT": str(WELCOME),
    "CURRENCY": CURRENCY,
    "MARKUP": "150",
    "ORDERS_PER_MINUTE": "0",
    "UPDATE_WORKERS": "all",
    "TOPUP_SUMS": "50,100,150",
    "TOPUP_LEAST": "1000",
    "TOPUP_MOST": str(MOST),
    "TOPUPS_PER_DAY": "0",
    "STARS_PACKAGES": "10,25+5%,50+10%",
    "STARS_RECONCILE_S": "1",
    "SUBSCRIPTION_STARS": "100",
    "SUBSCRIPTION_CREDIT": str(MONTH),
    "TRANSFER_DETAILS": "Карта 2200 0000 0000 0000",
    "REFERRAL_REWARD": str(REWARD),
    "REFERRAL_FRIEND_REWARD": str(FRIEND_REWARD),
    "REFERRAL_PERCENT": str(PERCENT),
    "YOOKASSA_SHOP_ID": SHOP_ID,
    "YOOKASSA_SECRET_KEY": SECRET,
    "YOOKASSA_SOURCES": "127.0.0.1,::1",
    "CRYPTO_PAY_TOKEN": TOKEN,
}
"""A picture costs about fifty roubles, and so much is given to a newcomer: people run out of money and come back with some."""


@dataclass(slots=True, kw_only=True)
class MoneyTestBed:
    """The arena, both payment providers, and the operator."""

    arena: Arena
    yookassa: YooKassaWorld
    crypto: CryptoPayWorld
    operator: ChatPerson
    pay_url: str
    session: aiohttp.ClientSession

    @property
    def tills(self) -> tuple[SimulatedProvider, SimulatedProvider]:
        return (self.yookassa, self.crypto)

    def till(self, vendor: str) -> SimulatedProvider:
        return next(till for till in self.tills if till.vendor == vendor)


@asynccontextmanager
async def open_money_test_bed(folder: Path) -> AsyncIterator[MoneyTestBed]:
    async with open_arena(folder) as arena:
        yookassa = YooKassaWorld(shop_id=SHOP_ID, secret_key=SECRET, currency=CURRENCY, notices=NOTICES)
        crypto = CryptoPayWorld(token=TOKEN, notices=NOTICES)
        transcript, app = Transcript(), web.Application()
        arena.transcripts.append(transcript)
        mount_providers(app, yookassa, crypto, transcript, arena.faults, pay_to=arena.balancer.url)
        async with serving(app) as url, aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as session:
            operator = arena.telegram.add_person(first_name="Оля", username="operator_olya", started=True)
            arena.settings = {
                **TERMS,
                "ADMIN_IDS": str(operator.user_id),
                "YOOKASSA_API_URL": f"{url}/yookassa",
                "CRYPTO_PAY_API_URL": f"{url}/cryptopay",
            }
            try:
                yield MoneyTestBed(
                    arena=arena,
                    yookassa=yookassa,
                    crypto=crypto,
                    operator=operator,
                    pay_url=url,
                    session=session,
                )
            finally:
                await arena.end_all()


@dataclass(frozen=True, slots=True, kw_only=True)
class GiftLink:
    """A gift as its giver saw it."""

    code: str
    giver_id: int
    minor: int


@dataclass(slots=True, kw_only=True)
class SharedKnowledge:
    """Links, codes and deeds that the people of one storm share; `done` counts what was done."""

    shop: MoneyTestBed
    over: asyncio.Event
    done: Counter[str]
    star_links: list[str] = field(default_factory=list)
    gifts: dict[str, GiftLink] = field(default_factory=dict)
    invitations: dict[str, int] = field(default_factory=dict)
    """Codes of invitation links, and whose they are."""
    promo_codes: list[str] = field(default_factory=list)
    receipts: list[bytes] = field(default_factory=list)
    came_by: dict[int, int] = field(default_factory=dict)
    """Who became a user by whose link."""
    bills: dict[tuple[str, str], int] = field(default_factory=dict)
    """Who paid a bill of a provider."""
    decisions: defaultdict[int, set[int | None]] = field(default_factory=lambda: defaultdict(set))
    """What the operator wanted to credit for a receipt; None is a no."""
    _kopecks: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def a_sum(self, least_minor: int) -> int:
        """An amount that was not used before, a little above the least."""
        return least_minor + next(self._kopecks)


def in_words(minor: int) -> str:
    """An amount as people type it."""
    return f"{minor // 100},{minor % 100:02d}"
