"""The console over loopback, without the rest of the program: people of every role sign in and use it."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import ClientSession, CookieJar, web

from photomat.app.live_settings import rules_of
from photomat.app.settings import Settings
from photomat.console.app import build_console
from photomat.console.config import ConsoleConfig
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.kernel.http import Fetcher
from photomat.kernel.money import Money
from photomat.operators.access import Owners, Role, add_operator, new_link
from photomat.telegram.files import BotFiles
from photomat.templates.stored import Templates
from photomat.texts.load import load_texts
from support.database import pool_of
from support.privacy import export_builder
from support.shop import orders_of, our_templates
from support.telegram_sim import served

PASSWORD: Final = "a password of the console"
OWNER_ID: Final = 7_000_001
PEOPLE: Final[Mapping[Role, int]] = {Role.OPERATOR: 7_000_002, Role.VIEWER: 7_000_003}
CSRF = re.compile(r'name="csrf" value="([^"]*)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`path` is where the redirects ended."""

    status: int
    path: str
    text: str
    headers: Mapping[str, str]

    @property
    def flash(self) -> str | None:
        found = re.search(r'<p class="notice (?:good|bad)" role="status">(.*?)</p>', self.text, re.DOTALL)
        return unescape(found[1].strip()) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Somebody with a browser of their own."""

    url: str
    client: ClientSession

    async def get(self, path: str, **headers: str) -> Answer:
        async with self.client.get(f"{self.url}{path}", headers=headers) as answer:
            return Answer(
                status=answer.status, path=answer.url.path_qs, text=await answer.text(), headers=answer.headers
            )

    async def post(self, path: str, fields: Mapping[str, Any], *, follow: bool = True) -> Answer:
        """Send exactly these fields."""
        async with self.client.post(f"{self.url}{path}", data=fields, allow_redirects=follow) as answer:
            return Answer(
                status=answer.status, path=answer.url.path_qs, text=await answer.text(), headers=answer.headers
            )

    async def act(self, path: str, *, on: str = "/console/today", reason: str = "a test", **fields: Any) -> Answer:
        """Send a form of a page, with its token and a reason."""
        return await self.post(path, {"csrf": await self.token(on), "form_id": "f1", "reason": reason, **fields})

    async def token(self, path: str = "/console/today") -> str:
        found = CSRF.search((await self.get(path)).text)
        assert found is not None, f"{path} has no form"
        return unescape(found[1])

    async def sign_in(self, **fields: str) -> Answer:
        return await self.post("/console/sign-in", {"csrf": await self.token("/console/sign-in"), **fields})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningConsole:
    url: str
    pool: Pool

    @asynccontextmanager
    async def visitor(self) -> AsyncIterator[Visitor]:
        """Somebody who has not signed in."""
        async with ClientSession(cookie_jar=CookieJar(unsafe=True), headers={"Accept-Language": "en"}) as client:
            yield Visitor(url=self.url, client=client)

    @asynccontextmanager
    async def signed_in(self, role: Role = Role.OWNER) -> AsyncIterator[Visitor]:
        async with self.visitor() as visitor:
            answer = await visitor.sign_in(token=await self.link(role))
            assert answer.path == "/console/today", answer.text
            yield visitor

    async def link(self, role: Role = Role.OWNER) -> str:
        """The token of a link that signs in somebody of this role."""
        telegram_id = PEOPLE.get(role, OWNER_ID)
        if role is not Role.OWNER:
            await add_operator(self.pool, telegram_id, f"the {role.word}", role, operator="test", reason="a test")
        return await new_link(self.pool, operator=f"telegram:{telegram_id} {role.word}", telegram_id=telegram_id)


NOBODY = TelegramAPIServer.from_base("http://127.0.0.1:9")
"""A Telegram that nobody answers at: files of customers cannot be read."""


def console_config(
    pool: Pool, *, bot: Bot, folder: Path, password: str | None = PASSWORD, **others: Any
) -> ConsoleConfig:
    orders = others.pop("orders", None) or orders_of(pool)
    usual: dict[str, Any] = {
        "templates": Templates(pool=pool, catalog=orders.catalog, shipped=our_templates()),
        "archive": ResultArchive(pool=pool, files=ResultFiles(folder=folder, fetcher=Fetcher(), reserve_bytes=0)),
        "files": BotFiles(bot, within_s=5),
        "owners": Owners(telegram_ids=[OWNER_ID], password=password),
        "zone": ZoneInfo("Europe/Moscow"),
        "settings": rules_of(Settings(_env_file=None)),
        "is_secure": False,
        "delivery_lease": timedelta(minutes=5),
        "given_up_after": timedelta(days=1),
        "most_credited": Money(1_500_000, "RUB"),
        "stop": asyncio.Event(),
        "exports": export_builder(pool, folder),
        "tmp": folder / "tmp",
    }
    return ConsoleConfig(pool=pool, texts=load_texts(), orders=orders, **{**usual, **others})


@asynccontextmanager
async def running_console(
    database: str, *, folder: Path = Path("no-copies"), **others: Any
) -> AsyncIterator[RunningConsole]:
    """The console on this database; `others` replace parts of its configuration."""
    async with pool_of(database) as pool, Bot("1:test", session=AiohttpSession(api=NOBODY)) as bot:
        config = console_config(pool, bot=bot, folder=folder, **others)
        app = web.Application()
        app.add_subapp("/console/", build_console(lambda: config))
        async with served(app) as url:
            try:
                yield RunningConsole(url=url, pool=pool)
            finally:
                config.stop.set()
