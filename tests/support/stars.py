"""Bills in Stars for the simulated Telegram's tests: an aiogram bot asks, a person pays, the updates are read back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiogram import Bot
from aiogram.types import LabeledPrice, SuccessfulPayment, Update
from aiohttp import ClientSession

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.people import ChatPerson
from support.telegram_sim import RunningTelegram

MONTH_S = 2_592_000


def bill(amount: int = 50, payload: str = "topup-1", title: str = "100 монет") -> dict[str, Any]:
    """Fill in what every bill needs."""
    return {
        "title": title,
        "description": "Пополнение",
        "payload": payload,
        "currency": "XTR",
        "prices": [LabeledPrice(label=title, amount=amount)],
    }


async def subscription_link(bot: Bot, *, payload: str = "sub-1", amount: int = 300) -> str:
    """Ask for a monthly payment."""
    return await bot.create_invoice_link(**bill(amount, payload, "Подписка"), subscription_period=MONTH_S)


async def paid_by_link(telegram: RunningTelegram, bot: Bot, person: ChatPerson, link: str) -> str:
    """Let the person pay the bill behind a link and the bot agree; give the charge id."""
    query_id = person_acts.pay_bill(telegram.world, person, telegram.world.bills[link])
    assert await bot.answer_pre_checkout_query(query_id, ok=True)
    return telegram.world.stars.charges[-1].charge_id


async def updates_of(bot: Bot) -> list[Update]:
    """Read and confirm everything that waits."""
    updates = await bot.get_updates()
    if updates:
        await bot.get_updates(offset=updates[-1].update_id + 1)
    return updates


async def payments_of(bot: Bot) -> list[SuccessfulPayment]:
    """Read and confirm everything that waits; give the payments in it."""
    messages = [update.message for update in await updates_of(bot) if update.message]
    return [message.successful_payment for message in messages if message.successful_payment]


class Acting:
    """Posts to the user side; gives the status with the body."""

    def __init__(self, url: str, session: ClientSession) -> None:
        self._url = url
        self._session = session

    async def __call__(self, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        async with self._session.post(f"{self._url}/sandbox/{path}", json=body) as answer:
            return answer.status, await answer.json()

    async def look(self, path: str, **query: str) -> tuple[int, dict[str, Any]]:
        """Read a route."""
        async with self._session.get(f"{self._url}/sandbox/{path}", params=query) as answer:
            return answer.status, await answer.json()


@asynccontextmanager
async def acting(telegram: RunningTelegram) -> AsyncIterator[Acting]:
    """Act as people over HTTP."""
    async with ClientSession() as session:
        yield Acting(telegram.url, session)
