"""A customer with finished jobs looks into their history: the real conversation, and the loops that deliver and send."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from photomat.catalog.load import load_catalog
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.resend import Resender
from photomat.delivery.sender import Sender
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId, UserId
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from support.conversation import Chat, conversation
from support.delivery import TRUSTED_HOST
from support.jobs import DELIVERY_LEASE, Woken, a_done_job, a_job, lock_cards
from support.shop import orders_of
from support.telegram_media import FileServer, picture, running_files

RESEND = "Не пришло? Прислать ещё раз"


@dataclass(slots=True, kw_only=True)
class Archive:
    """A chat with a past."""

    chat: Chat
    files: FileServer
    coordinator: Coordinator
    resender: Resender

    @property
    def user(self) -> UserId:
        return UserId(self.chat.person.user_id)

    async def card(self) -> int:
        """A card in the chat; gives the message's id."""
        return (await self.chat.bot.send_message(self.user, "черновик")).message_id

    async def done_job(self, *colors: str, prompt: str = "кот-космонавт") -> JobId:
        """A job with a picture in each color, not shown yet."""
        urls = [self.files.add(f"{color}.png", picture(color), "image/png") for color in colors or ("red",)]
        inputs = {"prompt": prompt, "aspect_ratio": "1:1"}
        return await a_done_job(self.chat.pool, self.user, urls=urls, message_id=await self.card(), inputs=inputs)

    async def text_job(self, found: dict[str, Any]) -> JobId:
        """A job whose result is to be read, not shown yet."""
        told = {"result_object": found}
        return await a_done_job(self.chat.pool, self.user, urls=(), told=told, message_id=await self.card())

    async def new_job(self) -> JobId:
        """A job bought just now."""
        return await a_job(self.chat.pool, self.user, message_id=await self.card())

    async def deliver(self) -> int:
        """Bring every card that is due up to date."""
        cards = await lock_cards(self.chat.pool)
        for card in cards:
            await self.coordinator.deliver_result_atomic(card)
        return len(cards)

    async def send_all(self) -> int:
        """Send what was asked for and is due."""
        asked = await self.resender.claim(20)
        for one in asked:
            await self.resender.deliver(one)
        return len(asked)

    def media(self) -> list[dict[str, Any]]:
        """Every file on the screen, oldest first."""
        return [message for message in self.chat.screen() if message["kind"] != "text"]

    def labels(self) -> list[str]:
        """The buttons under the newest message."""
        rows = self.chat.screen()[-1]["inline_keyboard"] or []
        return [button["text"] for row in rows for button in row]


@asynccontextmanager
async def archive(database: str, folder: Path) -> AsyncIterator[Archive]:
    """Somebody who has said /start, with money for several orders."""
    async with conversation(database, welcome=100_000, results=folder) as chat, running_files() as files:
        messenger, texts = TelegramMessenger(chat.bot), load_texts()
        archive = ResultArchive(
            pool=chat.pool, files=ResultFiles(folder=folder, fetcher=Fetcher(trusted_host=TRUSTED_HOST))
        )
        await chat.says("/start")
        yield Archive(
            chat=chat,
            files=files,
            coordinator=Coordinator(
                pool=chat.pool,
                messenger=messenger,
                sender=Sender(pool=chat.pool, messenger=messenger, archive=archive, texts=texts),
                texts=texts,
                model_of=load_catalog().models.get,
                wake=Woken(),
                lease=DELIVERY_LEASE,
                storefront=orders_of(chat.pool, accepts_callbacks=True).storefront,
            ),
            resender=Resender(
                pool=chat.pool,
                messenger=messenger,
                archive=archive,
                texts=texts,
                model_of=load_catalog().models.get,
            ),
        )
