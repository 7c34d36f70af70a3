"""Customers' files in tests: the desk where they are opened, and somebody who sends the bot files and links."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from aiogram import Bot
from aiogram.types import Message

from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Conversation
from photomat.db.pool import Pool
from photomat.files.sources import FileSources
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import BotId, ChatId, ReceivedId, UserId
from photomat.storage.places import one_folder
from photomat.telegram.files import BotFiles
from photomat.telegram.limits import CLOUD, LOCAL
from photomat.users.user import User
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.file_on_disk import Content
from photomat_sandbox.telegram.people import ChatPerson as Someone
from support.database import pool_of
from support.jobs import a_user
from support.shop import bot_config
from support.telegram_sim import RunningTelegram, running_telegram

LOOPBACK = "127.0.0.1"


def desk_of(pool: Pool, bot: Bot, folder: Path) -> FileSources:
    """A desk whose links and results may lie on loopback; our copies of results lie in the folder."""
    return FileSources(
        pool=pool,
        telegram=BotFiles(bot),
        links=Fetcher(trusted_host=LOOPBACK),
        results=Fetcher(trusted_host=LOOPBACK),
        places=one_folder(folder),
        tmp=folder / "tmp",
        accept_within_s=120.0,
    )


@dataclass(slots=True, kw_only=True)
class Sender:
    """Somebody who sends the bot things, and the desk that takes them."""

    telegram: RunningTelegram
    bot: Bot
    pool: Pool
    desk: FileSources
    someone: Someone

    @property
    def user_id(self) -> UserId:
        """Who it is."""
        return UserId(self.someone.user_id)

    @property
    def ctx(self) -> UpdateContext:
        """What a handler would be given."""
        config = bot_config(self.pool, files=self.desk)
        return UpdateContext(
            config=config,
            received_id=ReceivedId(1),
            corr="c0ffee00",
            user=User(
                user_id=self.user_id, first_name="Анна", username=None, language="ru", is_blocked=False, ban=None
            ),
            is_new_user=False,
            language_code="ru",
            conversation=Conversation(bot_id=BotId(self.bot.id), chat_id=ChatId(self.user_id), user_id=self.user_id),
            say=config.texts.speaker("ru"),
        )

    async def sends(self, content: Content, kind: str, name: str = "a.bin") -> Message:
        """Send a file; gives the message as the bot gets it."""
        await person_acts.send_file(self.telegram.world, self.someone, content, kind=kind, name=name)
        return await self._newest()

    async def writes(self, text: str) -> Message:
        """Write a text; gives the message as the bot gets it."""
        self.telegram.writes(self.someone, text)
        return await self._newest()

    async def _newest(self) -> Message:
        *_, update = await self.bot.get_updates(offset=-1)
        assert update.message is not None
        return update.message


@asynccontextmanager
async def a_sender(
    database: str, folder: Path, *, balance: int = 10_000, local_dir: Path | None = None
) -> AsyncIterator[Sender]:
    """A user who can send files, with so much money; with `local_dir` through a local Bot API server."""
    async with pool_of(database) as pool, running_telegram(local_dir=local_dir) as telegram, telegram.bot() as bot:
        someone = telegram.person()
        await a_user(pool, user_id=someone.user_id, balance=balance)
        desk = replace(desk_of(pool, bot, folder), limits=CLOUD if local_dir is None else LOCAL)
        yield Sender(telegram=telegram, bot=bot, pool=pool, desk=desk, someone=someone)
