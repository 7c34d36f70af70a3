"""A shop with people on both sides: a customer, an owner, an operator and a viewer in one simulated Telegram."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from photomat.bot.context import AdminOptions
from photomat.bot.updates import Poller
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Pool
from photomat.kernel.ids import ChatId, InstanceId, JobId, UserId
from photomat.messages.notices import NoticeSender
from photomat.operators.access import Role, add_operator
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from support.database import pool_of
from support.files import desk_of
from support.jobs import a_done_job, a_user
from support.shop import bot_config, dispatcher
from support.telegram_sim import RunningTelegram, running_telegram
from support.transfers import OPTIONS, Talker

OWNER, OPERATOR, VIEWER = 9101, 9102, 9103
CONSOLE = "https://shop.example"
JOURNAL = "SELECT operator, action, reason, done, job_id, user_id, reference FROM operator_journal ORDER BY entry_id"


@dataclass(slots=True, kw_only=True)
class OperatorTalker(Talker):
    """Somebody who may use `/admin`."""

    async def forwards(self, message: Any, *, hidden: bool = False) -> str:
        """Forward somebody's message to the bot; gives the newest text on the screen."""
        person_acts.forward(self.telegram.world, self.person, message, hidden=hidden)
        await self.handle_all()
        return self.newest

    async def forges(self, data: str, *, message_id: int | None = None) -> str:
        """Press a button that is not there; gives what popped up."""
        shown = message_id or self.screen()[-1]["message_id"]
        self.telegram.taps(self.person, shown, data)
        await self.handle_all()
        return self.answers[-1]

    async def taps_twice(self, label: str) -> str:
        """Press a button twice before the bot sees either tap."""
        shown, data = self.button(label)
        self.telegram.taps(self.person, shown, data)
        self.telegram.taps(self.person, shown, data)
        await self.handle_all()
        return self.newest


@dataclass(slots=True, kw_only=True)
class OperatedShop:
    telegram: RunningTelegram
    pool: Pool
    notices: NoticeSender
    anna: OperatorTalker
    owner: OperatorTalker
    operator: OperatorTalker
    viewer: OperatorTalker

    async def job_of_anna(self) -> JobId:
        """A job of Anna's that is done and charged."""
        return await a_done_job(self.pool, UserId(self.anna.person.user_id))

    async def balance(self) -> int:
        """What Anna has."""
        return int(await self.pool.fetchval("SELECT posted FROM wallets WHERE user_id = $1", self.anna.person.user_id))

    async def journal(self) -> list[dict[str, Any]]:
        """What operators did, without signing in and being added."""
        rows = [dict(row) for row in await self.pool.fetch(JOURNAL)]
        return [row for row in rows if row["action"] not in {"add operator", "sign-in link"}]

    async def settles(self) -> None:
        """Send every notice that is due."""
        while notices := await self.notices.claim(10):
            for notice in notices:
                await self.notices.deliver(notice)


@asynccontextmanager
async def operated_shop(database: str, *, public_url: str | None = CONSOLE) -> AsyncIterator[OperatedShop]:
    """Anna buys; the owner is in ADMIN_IDS, the operator and the viewer were added by the owner."""
    async with pool_of(database) as pool, running_telegram() as telegram, telegram.bot() as bot:
        config = bot_config(
            pool,
            operators=frozenset({UserId(OWNER)}),
            options=OPTIONS,
            files=desk_of(pool, bot, Path()),
            admin=AdminOptions(public_url=public_url),
        )
        parts: dict[str, Any] = {"config": config, "bot": bot, "dispatcher": dispatcher(), "lease_s": 30.0}
        one = InstanceId("one")
        shared: dict[str, Any] = {
            "telegram": telegram,
            "pool": pool,
            "bot": bot,
            "worker": UpdateWorker(**parts, instance=one),
            "checkouts": UpdateWorker(**parts, instance=one, pre_checkout=True),
            "poller": Poller(pool=pool, bot=bot, wake=lambda _name: None, wait_s=0),
        }

        def talker(person: ChatPerson) -> OperatorTalker:
            return OperatorTalker(**shared, person=person)

        shop = OperatedShop(
            telegram=telegram,
            pool=pool,
            notices=NoticeSender(pool=pool, messenger=TelegramMessenger(bot), texts=load_texts()),
            anna=talker(telegram.person("Анна", username="anna_k")),
            owner=talker(telegram.person("Пётр", user_id=OWNER, username="peter")),
            operator=talker(telegram.person("Ольга", user_id=OPERATOR)),
            viewer=talker(telegram.person("Вера", user_id=VIEWER)),
        )
        await a_user(pool, user_id=shop.anna.person.user_id)
        await shop.anna.says("/start")
        for telegram_id, name, role in ((OPERATOR, "Ольга", Role.OPERATOR), (VIEWER, "Вера", Role.VIEWER)):
            await add_operator(pool, telegram_id, name, role, operator="owner", reason="a colleague")
        yield shop


def admin_chats() -> list[ChatId]:
    return [ChatId(OWNER)]
