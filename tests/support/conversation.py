"""A person talking to the bot: the real dispatcher, the real inbox, a simulated Telegram over loopback."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiogram import Bot

from photomat.bot.context import NO_SUPPORT, Support
from photomat.bot.updates import Poller
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.pages import ResultPages
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import InstanceId, UserId
from photomat.moderation.refusal import StrikePolicy
from photomat.orders.limits import USUAL, Limits
from photomat.payments.fiscal_terms import FiscalOptions
from photomat.payments.options import PaymentOptions
from photomat.providers.port import PaymentProvider
from photomat.rewards.payouts import ReferralTerms
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from photomat.users.consent import ConsentDocument
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from support.database import pool_of
from support.files import desk_of
from support.shop import NOTHING_TO_PAY, bot_config, content_of, dispatcher
from support.telegram_sim import RunningTelegram, running_telegram

MAX_UPDATES = 50


@dataclass(slots=True, kw_only=True)
class Chat:
    """What a person does, and what they then see."""

    telegram: RunningTelegram
    pool: Pool
    bot: Bot
    worker: UpdateWorker
    checkouts: UpdateWorker
    poller: Poller
    person: ChatPerson

    async def says(self, text: str) -> str:
        """Write to the bot; gives the newest text on the screen."""
        self.telegram.writes(self.person, text)
        await self.handle_all()
        return self.newest

    async def sends(
        self, data: bytes, *, kind: str = "photo", name: str = "", caption: str = "", album: str | None = None
    ) -> str:
        """Send a file to the bot, as a photo, video, audio, voice, animation or document; gives the newest text."""
        await person_acts.send_file(
            self.telegram.world, self.person, data, kind=kind, name=name, caption=caption, album=album
        )
        await self.handle_all()
        return self.newest

    async def taps(self, label: str, *, message_id: int | None = None) -> str:
        """Press the newest button whose label begins so; gives the newest text on the screen."""
        found, data = self.button(label, message_id=message_id)
        self.telegram.taps(self.person, found, data)
        await self.handle_all()
        return self.newest

    async def handle_all(self) -> None:
        """Fetch and handle everything that is due."""
        await self.fetch()
        for _ in range(MAX_UPDATES):
            if not await self.worker.run_once() and not await self.checkouts.run_once():
                return
        raise AssertionError("the updates do not come to an end")

    async def fetch(self) -> None:
        """Bring what Telegram has into the inbox."""
        await self.poller.run_once()

    def button(self, label: str, *, message_id: int | None = None) -> tuple[int, str]:
        """Where the newest button with this label stands, and what it carries."""
        for message in reversed(self.screen()):
            for row in message["inline_keyboard"] or []:
                for button in row:
                    if button["text"].startswith(label) and message_id in (None, message["message_id"]):
                        return message["message_id"], self._data(message["message_id"], button["text"])
        raise AssertionError(f"there is no button {label!r} in {self.screen()}")

    def screen(self) -> list[dict[str, Any]]:
        """Every message the person sees."""
        return self.telegram.seen(self.person)

    @property
    def newest(self) -> str:
        """The text of the last message on the screen."""
        return str(self.screen()[-1]["text"])

    @property
    def answers(self) -> list[str]:
        """What popped up after taps, oldest first; an answer without words is an empty text."""
        events = self.telegram.transcript.since(0)
        return [str(event.detail.get("text") or "") for event in events if event.name == "answer"]

    def calls(self, method: str) -> int:
        """How often the bot called a method, refused calls included."""
        return sum(event.kind == "request" and event.name == method for event in self.telegram.transcript.since(0))

    async def orders_a_cat(self) -> None:
        """Go the whole way to a card."""
        await self.says("/start")
        await self.taps("🖼 Создать картинку")
        await self.taps("Z-Image")
        await self.says("кот-космонавт")
        await self.taps("1:1")

    def _data(self, message_id: int, label: str) -> str:
        keyboard = self.telegram.world.messages[message_id].inline_keyboard or []
        return next(str(button["callback_data"]) for row in keyboard for button in row if button["text"] == label)


@asynccontextmanager
async def conversation(
    database: str,
    *,
    welcome: int = 1000,
    first_name: str = "Анна",
    limits: Limits = USUAL,
    terms: ReferralTerms | None = None,
    options: PaymentOptions = NOTHING_TO_PAY,
    providers: Mapping[str, PaymentProvider] | None = None,
    support: Support = NO_SUPPORT,
    results: Path | None = None,
    examples: Path | None = None,
    has_assistant: bool = False,
    fiscal: FiscalOptions | None = None,
    consent: ConsentDocument | None = None,
    operators: frozenset[UserId] = frozenset(),
    strikes: StrikePolicy | None = None,
    **person: Any,
) -> AsyncIterator[Chat]:
    """A person who has opened the chat but said nothing yet, and a bot that waits for them."""
    async with pool_of(database) as pool, running_telegram() as telegram, telegram.bot() as bot:
        config = bot_config(
            pool,
            welcome=welcome,
            limits=limits,
            terms=terms,
            options=options,
            providers=providers or {},
            support=support,
            files=desk_of(pool, bot, results or Path()),
            examples=examples,
            has_assistant=has_assistant,
            fiscal=fiscal,
            consent=consent,
            operators=operators,
            results=results,
            content=content_of(pool, strikes),
            pages=ResultPages(
                messenger=TelegramMessenger(bot),
                archive=ResultArchive(
                    pool=pool, files=ResultFiles(folder=results or Path(), fetcher=Fetcher(trusted_host="127.0.0.1"))
                ),
                texts=load_texts(),
            ),
        )
        parts: dict[str, Any] = {"config": config, "bot": bot, "dispatcher": dispatcher(), "lease_s": 30.0}
        yield Chat(
            telegram=telegram,
            pool=pool,
            bot=bot,
            worker=UpdateWorker(**parts, instance=InstanceId("one")),
            checkouts=UpdateWorker(**parts, instance=InstanceId("one"), pre_checkout=True),
            poller=Poller(pool=pool, bot=bot, wake=lambda _name: None, wait_s=0),
            person=telegram.person(first_name, **person),
        )
