"""Paying for tests: what a shop offers, a person who pays the bill on their screen, and the news of it."""

from decimal import Decimal
from typing import Any

from photomat.kernel.ids import BotId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import NoticeSender
from photomat.payments.options import PaymentOptions, SubscriptionPlan, read_packages, read_sums
from photomat.payments.stars_reader import StarsReader
from photomat.telegram.client import StarsClient, TelegramMessenger
from photomat.texts.load import load_texts
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.stars import StarCharge
from support.conversation import Chat
from support.money import rub
from support.telegram_sim import RunningTelegram

STAR_WORTH = Decimal(104)
PLAN = SubscriptionPlan(stars=300, credit=rub(40_000))


def shop_options(**changes: Any) -> PaymentOptions:
    """Five sums, three packages, a subscription; a Star is worth 1.04 roubles."""
    fields: dict[str, Any] = {
        "currency": "RUB",
        "star_worth": STAR_WORTH,
        "packages": read_packages("50,100,500+5%", star_worth=STAR_WORTH, currency="RUB"),
        "plan": PLAN,
        "sums": read_sums("100,300,500", currency="RUB"),
        "least": rub(5_000),
        "most": rub(300_000),
        "a_day": 20,
        "transfer_details": "",
    }
    return PaymentOptions(**{**fields, **changes})


def link_on_screen(chat: Chat) -> str:
    """The address behind the newest button that has one."""
    for message in reversed(chat.screen()):
        for row in message["inline_keyboard"] or []:
            for one in row:
                if one.get("url"):
                    return str(one["url"])
    raise AssertionError(f"there is no bill in {chat.screen()}")


async def pays_the_bill(chat: Chat, *, link: str | None = None, person: ChatPerson | None = None) -> StarCharge | None:
    """Let somebody pay a bill to its end; None when the bot declined."""
    world, before = chat.telegram.world, len(chat.telegram.world.stars.charges)
    person_acts.pay_bill(world, person or chat.person, world.bills[link or link_on_screen(chat)])
    await chat.handle_all()
    await chat.handle_all()
    return world.stars.charges[-1] if len(world.stars.charges) > before else None


async def tell_all(chat: Chat) -> None:
    """Send the notices that are due."""
    sender = NoticeSender(pool=chat.pool, messenger=TelegramMessenger(chat.bot), texts=load_texts())
    while notices := await sender.claim(9):
        for notice in notices:
            await sender.deliver(notice)


def reader(chat: Chat, options: PaymentOptions | None = None) -> StarsReader:
    """Who reads Telegram's list."""
    return StarsReader(
        pool=chat.pool,
        ledger=StarsClient(chat.bot),
        options=options or shop_options(),
        welcome=Money(1000, "RUB"),
        bot_id=BotId(chat.bot.id),
    )


async def payments_of(chat: Chat, person: ChatPerson | None = None) -> list[tuple[int, int, str, str]]:
    """What a person has paid: Stars, credit, reason and who told, oldest first."""
    rows = await chat.pool.fetch(
        "SELECT paid_amount, credit, reason, via FROM payments WHERE user_id = $1 ORDER BY payment_id",
        UserId((person or chat.person).user_id),
    )
    return [(row["paid_amount"], row["credit"], row["reason"], row["via"]) for row in rows]


async def available(chat: Chat, person: ChatPerson | None = None) -> int:
    """What a person can spend."""
    return int(
        await chat.pool.fetchval(
            "SELECT greatest(posted - held, 0) FROM wallets WHERE user_id = $1", (person or chat.person).user_id
        )
    )


def labels(chat: Chat) -> list[str]:
    """The buttons under the newest message."""
    return [one["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for one in row]


def seen(chat: Chat) -> str:
    """The newest text with plain spaces."""
    return chat.newest.replace("\N{NO-BREAK SPACE}", " ")


def declines(telegram: RunningTelegram) -> list[str]:
    """What people read when the bot let them not pay, oldest first."""
    events = telegram.world.transcript.since(0, limit=5000)
    said = [one.summary for one in events if one.name == "checkout" and "stopped" in one.summary]
    return [text.partition("«")[2].rstrip("»") for text in said]
