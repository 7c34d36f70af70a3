"""A person with a card in a simulated Telegram, a file server for results, and the parts that bring results to cards."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiogram import Bot

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.completion import CompletionNotifier
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.sender import Sender
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import InstanceId, JobId, UserId
from photomat.telegram.client import TelegramMessenger
from photomat.telegram.limits import CLOUD, LOCAL
from photomat.telegram.pacing import Pacing
from photomat.texts.load import load_texts
from photomat_sandbox.telegram.people import ChatPerson
from support.database import pool_of
from support.jobs import DELIVERY_LEASE, ONE, Woken, a_done_job, a_user, lock_cards, row_of
from support.telegram_media import FileServer, running_files
from support.telegram_sim import RunningTelegram, running_telegram

TRUSTED_HOST = "127.0.0.1"


@dataclass(slots=True, kw_only=True)
class Desk:
    """Everything between a settled job and the eyes of its customer."""

    pool: Pool
    telegram: RunningTelegram
    files: FileServer
    bot: Bot
    coordinator: Coordinator
    completions: CompletionNotifier
    person: ChatPerson
    user: UserId
    folder: Path
    woken: Woken = field(default_factory=Woken)

    async def card(self, text: str = "черновик") -> int:
        """A card in the chat, as the conversation sends it; gives the message's id."""
        return (await self.bot.send_message(self.person.user_id, text)).message_id

    async def done_job(self, *urls: str, **changes: Any) -> JobId:
        """A job of this person with these results, bought on a card of its own."""
        return await a_done_job(self.pool, self.user, urls=urls, message_id=await self.card(), **changes)

    async def deliver(self, *, instance: InstanceId = ONE) -> int:
        """Bring every card that is due up to date; say how many there were."""
        cards = await lock_cards(self.pool, instance=instance)
        for card in cards:
            await self.coordinator.deliver_result_atomic(card)
        return len(cards)

    async def delivered(self, job_id: JobId) -> bool:
        """Whether the result is recorded as shown."""
        return (await row_of(self.pool, job_id))["delivered_at"] is not None

    def seen(self) -> list[dict[str, Any]]:
        """What is on the person's screen."""
        return self.telegram.seen(self.person)

    def kinds(self) -> list[str]:
        """What the messages on the screen are, oldest first."""
        return [str(message["kind"]) for message in self.seen()]

    def calls(self, method: str) -> list[dict[str, Any]]:
        """The answered calls of a method, with their parameters and outcome."""
        events = self.telegram.transcript.since(0)
        return [dict(event.detail) for event in events if event.kind == "request" and event.name == method]

    def refuse(self, method: str, text: str, *, times: int = 1, code: int = 400) -> None:
        """Let Telegram refuse the next calls in these words."""
        self.telegram.faults.arm(
            world="telegram", method=method, action="error", status=code, code=code, text=text, times=times
        )

    async def spend_chat_budget(self, calls: int) -> None:
        """As if so many calls had just gone to the chat."""
        await self.pool.execute(
            "UPDATE budgets SET taken = array_fill(photomat_now(), ARRAY[$1::int]) WHERE name LIKE '%:chat:%'", calls
        )

    def shown_bytes(self, message: dict[str, Any]) -> bytes:
        """The file a message shows."""
        world = self.telegram.world
        media = world.messages[message["message_id"]].media
        assert media is not None
        return world.files.read(world.files.files[media.number])

    def buttons(self, message: dict[str, Any]) -> Sequence[tuple[str, str]]:
        """The buttons under a message: what they say and what they carry."""
        rows = message["inline_keyboard"] or []
        return [(button["text"], button["callback_data"]) for row in rows for button in row]


@asynccontextmanager
async def delivery_desk(database: str, folder: Path, *, local_dir: Path | None = None) -> AsyncIterator[Desk]:
    """Open the desk: the bot's calls pass the shared budgets as in production; `local_dir` as in `running_telegram`."""
    limits = CLOUD if local_dir is None else LOCAL
    async with pool_of(database) as pool, running_telegram(local_dir=local_dir) as telegram, running_files() as files:
        session = telegram.session()
        session.middleware(Pacing(pool, calls_per_s=30))
        person = telegram.person()
        async with Bot(telegram.world.token, session=session) as bot:
            messenger, texts, woken = TelegramMessenger(bot), load_texts(), Woken()
            archive = ResultArchive(
                pool=pool, files=ResultFiles(folder=folder, fetcher=Fetcher(trusted_host=TRUSTED_HOST), limits=limits)
            )
            coordinator = Coordinator(
                pool=pool,
                messenger=messenger,
                sender=Sender(pool=pool, messenger=messenger, archive=archive, texts=texts, limits=limits),
                texts=texts,
                model_of=load_catalog().models.get,
                wake=woken,
                lease=DELIVERY_LEASE,
            )
            yield Desk(
                pool=pool,
                telegram=telegram,
                files=files,
                bot=bot,
                coordinator=coordinator,
                completions=CompletionNotifier(pool=pool, messenger=messenger, texts=texts),
                person=person,
                user=await a_user(pool, user_id=person.user_id),
                folder=folder,
                woken=woken,
            )
