"""The simulated Telegram posts updates to a webhook: with its secret, in order, until somebody says 2xx."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiogram.types import Update
from aiohttp import web

from photomat_sandbox.telegram.webhook import retry_pause_s
from support.telegram_sim import ShiftedClock, running_telegram, served, until


@dataclass(slots=True, kw_only=True)
class Receiver:
    """A bot's webhook: answers with the statuses it was given, then with 200."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    retry_after: str = ""
    reply: dict[str, Any] | None = None
    updates: list[Update] = field(default_factory=list)
    secrets: list[str | None] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def texts(self) -> list[str | None]:
        return [update.message.text if update.message else update.event_type for update in self.updates]


@asynccontextmanager
async def receiving(*, closed: bool = False) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    if not closed:
        receiver.gate.set()

    async def receive(request: web.Request) -> web.Response:
        receiver.updates.append(Update.model_validate(await request.json()))
        receiver.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        await receiver.gate.wait()
        status = receiver.statuses.pop(0) if receiver.statuses else 200
        headers = {"Retry-After": receiver.retry_after} if status != 200 and receiver.retry_after else None
        return web.Response(status=status, text=json.dumps(receiver.reply) if receiver.reply else "", headers=headers)

    app = web.Application()
    app.router.add_post("/hook", receive)
    async with served(app) as url:
        receiver.url = f"{url}/hook"
        yield receiver


async def test_an_update_arrives_once_with_the_secret() -> None:
    async with receiving() as receiver, running_telegram() as telegram, telegram.bot() as bot:
        await bot.set_webhook(receiver.url, secret_token="s3cret_-")
        telegram.writes(telegram.person(), "привет")
        await until(lambda: not telegram.world.updates.pending)
        assert receiver.texts == ["привет"]
        assert receiver.secrets == ["s3cret_-"]
        assert (await bot.get_webhook_info()).pending_update_count == 0


async def test_what_is_refused_comes_again_and_the_order_of_a_chat_holds() -> None:
    async with (
        receiving() as receiver,
        running_telegram(webhook_retry_unit_s=0.01) as telegram,
        telegram.bot() as bot,
    ):
        receiver.statuses = [500, 404, 302]
        anna = telegram.person()
        telegram.writes(anna, "раз")
        telegram.writes(anna, "два")
        await bot.set_webhook(receiver.url)
        await until(lambda: not telegram.world.updates.pending)
        assert receiver.texts == ["раз", "раз", "раз", "раз", "два"]
        info = await bot.get_webhook_info()
        assert info.last_error_message == "Wrong response from the webhook: 302 Found"


def test_the_pauses_between_tries_double_up_to_a_minute_or_two() -> None:
    assert [retry_pause_s(failures) for failures in range(1, 7)] == [0, 2, 4, 8, 16, 32]
    assert all(60 <= retry_pause_s(failures) <= 120 for failures in (7, 20, 2000))


async def test_a_receiver_that_names_its_pause_is_left_alone_for_so_long() -> None:
    clock = ShiftedClock()
    async with receiving() as receiver, running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        receiver.statuses, receiver.retry_after = [503], "30"
        await bot.set_webhook(receiver.url)
        telegram.writes(telegram.person(), "от Анны")
        await until(lambda: telegram.world.webhook.last_error)
        telegram.writes(telegram.person("Борис"), "от Бориса")
        await until(lambda: receiver.texts == ["от Анны", "от Бориса"])
        clock.advance(30)
        await until(lambda: receiver.texts == ["от Анны", "от Бориса", "от Анны"])


async def test_a_tap_may_overtake_a_message_that_is_still_in_flight() -> None:
    async with receiving(closed=True) as receiver, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "карточка")
        await bot.set_webhook(receiver.url)
        telegram.writes(anna, "раз")
        telegram.writes(anna, "два")
        await until(lambda: receiver.texts == ["раз"])
        telegram.taps(anna, card.message_id, "create")
        await until(lambda: receiver.texts == ["раз", "callback_query"])
        receiver.gate.set()
        await until(lambda: receiver.texts == ["раз", "callback_query", "два"])


async def test_a_method_in_the_answer_is_carried_out() -> None:
    async with receiving() as receiver, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        receiver.reply = {"method": "sendMessage", "chat_id": anna.user_id, "text": "эхо"}
        await bot.set_webhook(receiver.url)
        telegram.writes(anna, "раз")
        await until(lambda: len(telegram.seen(anna)) == 2)
        assert telegram.seen(anna)[1]["text"] == "эхо"


async def test_a_lost_answer_makes_the_update_come_twice() -> None:
    async with receiving() as receiver, running_telegram() as telegram, telegram.bot() as bot:
        telegram.faults.arm(world="telegram", method="webhook", action="drop_after")
        await bot.set_webhook(receiver.url)
        telegram.writes(telegram.person(), "раз")
        await until(lambda: not telegram.world.updates.pending)
        assert receiver.texts == ["раз", "раз"]


async def test_a_duplicate_and_a_drop_before_reach_the_bot_as_ordered() -> None:
    async with receiving() as receiver, running_telegram() as telegram, telegram.bot() as bot:
        telegram.faults.arm(world="telegram", method="webhook", action="drop_before")
        telegram.faults.arm(world="telegram", method="webhook", action="duplicate")
        await bot.set_webhook(receiver.url)
        telegram.writes(telegram.person(), "раз")
        await until(lambda: not telegram.world.updates.pending)
        assert receiver.texts == ["раз", "раз"]
        assert [event.detail["outcome"] for event in telegram.transcript.since(0) if event.kind == "webhook"] == [
            "Connection refused",
            "200",
        ]


async def test_a_reordered_update_lets_the_next_one_pass() -> None:
    async with receiving() as receiver, running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="webhook", action="reorder")
        await bot.set_webhook(receiver.url)
        telegram.writes(anna, "раз")
        await until(lambda: not telegram.faults.pending())
        telegram.writes(anna, "два")
        await until(lambda: not telegram.world.updates.pending)
        assert receiver.texts == ["два", "раз"]
