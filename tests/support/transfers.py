"""A shop that takes transfers by hand: customers and operators in one simulated Telegram."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from photomat.bot.updates import Poller
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.ids import ChatId, InstanceId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import NoticeSender
from photomat.payments.options import PaymentOptions
from photomat.payments.receipt_reminder import ReceiptReminder
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from photomat_sandbox.telegram.people import ChatPerson
from support.conversation import Chat
from support.customer import words_of
from support.database import pool_of
from support.files import desk_of
from support.shop import bot_config, dispatcher
from support.telegram_sim import RunningTelegram, running_telegram

PETER, OLGA = 9001, 9002
DETAILS = "Карта 0000 <b>1111</b>\\nПолучатель: Ф."
MOST = Money(1_000_000, "RUB")
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
MP4 = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"\x00" * 200
OPTIONS = PaymentOptions(
    currency="RUB",
    star_worth=Decimal(104),
    packages=(),
    plan=None,
    sums=(Money(10_000, "RUB"), Money(50_000, "RUB"), Money(5_000_000, "RUB")),
    least=Money(5_000, "RUB"),
    most=MOST,
    a_day=20,
    transfer_details=DETAILS,
)


@dataclass(slots=True, kw_only=True)
class Talker(Chat):
    """Somebody in the chat whose captions are read as texts are."""

    @property
    def newest(self) -> str:
        """The text or caption of the last message on the screen, with plain spaces."""
        return words_of(self.screen()[-1])

    async def names(self, amount: str = "500") -> str:
        """From /topup to the bank details."""
        await self.says("/start")
        await self.says("/topup")
        await self.taps("🏦 Перевод")
        await self.says(amount)
        return self.newest

    async def pays(self, amount: str = "500", *, data: bytes | None = None, caption: str = "") -> str:
        """The whole way to a receipt that waits."""
        await self.names(amount)
        return await self.sends(receipt_picture() if data is None else data, caption=caption)

    def labels(self) -> list[str]:
        """Every button on the screen."""
        return [
            button["text"].replace("\u00a0", " ")
            for message in self.screen()
            for row in message["inline_keyboard"] or []
            for button in row
        ]


@dataclass(slots=True, kw_only=True)
class TransferShop:
    """Everybody, and the two loops that talk to operators by themselves."""

    telegram: RunningTelegram
    pool: Pool
    notices: NoticeSender
    reminder: ReceiptReminder
    anna: Talker
    boris: Talker
    peter: Talker
    olga: Talker

    async def settles(self) -> None:
        """Send every notice that is due, and do what is due about receipts."""
        for _ in range(20):
            notices, receipts = await self.notices.claim(10), await self.reminder.claim(10)
            for notice in notices:
                await self.notices.deliver(notice)
            for receipt in receipts:
                await self.reminder.deliver(receipt)
            if not notices and not receipts:
                return
        raise AssertionError("the notices do not come to an end")

    async def balance(self, talker: Talker) -> int:
        """What somebody has."""
        return int(await self.pool.fetchval("SELECT posted FROM wallets WHERE user_id = $1", talker.person.user_id))

    async def receipt(self) -> dict[str, Any]:
        """The newest receipt."""
        return dict(await require_row(self.pool, "SELECT * FROM receipts ORDER BY receipt_id DESC LIMIT 1"))

    async def count(self, table: str) -> int:
        """How many rows there are."""
        return int(await self.pool.fetchval(f"SELECT count(*) FROM {table}"))  # noqa: S608  a table of ours


@asynccontextmanager
async def transfer_shop(database: str, *, options: PaymentOptions = OPTIONS) -> AsyncIterator[TransferShop]:
    """Anna and Boris buy, Peter and Olga are operators."""
    async with pool_of(database) as pool, running_telegram() as telegram, telegram.bot() as bot:
        texts = load_texts()
        files, operating = desk_of(pool, bot, Path()), frozenset({UserId(PETER), UserId(OLGA)})
        parts: dict[str, Any] = {
            "config": bot_config(pool, options=options, operators=operating, files=files),
            "bot": bot,
            "dispatcher": dispatcher(),
        }
        one = InstanceId("one")
        shared: dict[str, Any] = {
            "telegram": telegram,
            "pool": pool,
            "bot": bot,
            "worker": UpdateWorker(**parts, instance=one, lease_s=30.0),
            "checkouts": UpdateWorker(**parts, instance=one, lease_s=30.0, pre_checkout=True),
            "poller": Poller(pool=pool, bot=bot, wake=lambda _name: None, wait_s=0),
        }
        messenger, operators = TelegramMessenger(bot), [ChatId(PETER), ChatId(OLGA)]

        def talker(person: ChatPerson) -> Talker:
            return Talker(**shared, person=person)

        yield TransferShop(
            telegram=telegram,
            pool=pool,
            notices=NoticeSender(pool=pool, messenger=messenger, texts=texts),
            reminder=ReceiptReminder(pool=pool, messenger=messenger, texts=texts, operators=operators),
            anna=talker(telegram.person("Анна")),
            boris=talker(telegram.person("Борис")),
            peter=talker(telegram.person("Пётр", user_id=PETER, username="peter")),
            olga=talker(telegram.person("Ольга", user_id=OLGA)),
        )


def receipt_picture(colour: str = "white") -> bytes:
    """A picture of a receipt; each colour is another one."""
    file = BytesIO()
    Image.new("RGB", (90, 160), colour).save(file, "PNG")
    return file.getvalue()
