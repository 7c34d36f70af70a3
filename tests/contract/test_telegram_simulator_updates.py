"""The simulated Telegram hands updates to one reader, in order, and not for ever."""

import asyncio

import pytest
from aiogram.exceptions import TelegramConflictError, TelegramRetryAfter

from support.telegram_sim import ShiftedClock, outcome_of, running_telegram, until


async def test_an_update_comes_again_until_a_higher_offset_confirms_it() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for text in ("/start", "раз", "два"):
            telegram.writes(anna, text)
        first = await bot.get_updates()
        again = await bot.get_updates(limit=2)
        rest = await bot.get_updates(offset=first[1].update_id + 1)
        assert [update.message.text for update in first if update.message] == ["/start", "раз", "два"]
        assert [update.update_id for update in again] == [update.update_id for update in first[:2]]
        assert [update.message.text for update in rest if update.message] == ["два"]
        assert first[2].update_id == first[0].update_id + 2


async def test_a_negative_offset_keeps_only_the_newest() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for text in ("раз", "два", "три"):
            telegram.writes(anna, text)
        newest = await bot.get_updates(offset=-1)
        left = await bot.get_updates()
        assert [update.message.text for update in newest if update.message] == ["три"]
        assert len(left) == 1


async def test_a_long_poll_is_woken_by_the_next_update() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, asyncio.TaskGroup() as group:
        anna = telegram.person()
        poll = group.create_task(bot.get_updates(timeout=50, request_timeout=300))
        await until(lambda: telegram.world.updates.open_polls)
        telegram.writes(anna, "привет")
        async with asyncio.timeout(40):
            updates = await poll
        assert updates[0].message is not None
        assert updates[0].message.text == "привет"


async def test_a_second_poller_ends_the_older_one() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, asyncio.TaskGroup() as group:
        older = group.create_task(outcome_of(bot.get_updates(timeout=50, request_timeout=300)))
        await until(lambda: telegram.world.updates.open_polls)
        newer = await bot.get_updates(timeout=0)
        error = await older
        assert newer == []
        assert isinstance(error, TelegramConflictError)
        assert "terminated by other getUpdates request" in str(error)


async def test_a_webhook_ends_the_poll_and_forbids_the_next() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, asyncio.TaskGroup() as group:
        poll = group.create_task(outcome_of(bot.get_updates(timeout=50, request_timeout=300)))
        await until(lambda: telegram.world.updates.open_polls)
        await bot.set_webhook("http://127.0.0.1:9/telegram")
        assert "terminated by setWebhook request" in str(await poll)
        with pytest.raises(TelegramConflictError, match="while webhook is active"):
            await bot.get_updates()
        await bot.delete_webhook()
        assert await bot.get_updates() == []


async def test_kinds_that_were_not_asked_for_do_not_come() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        await bot.get_updates(allowed_updates=["callback_query"])
        telegram.writes(anna, "никто не ждёт")
        assert await bot.get_updates() == []
        await telegram.raw("getUpdates", allowed_updates=[])
        telegram.writes(anna, "теперь ждут")
        assert len(await bot.get_updates()) == 1


async def test_a_tap_leaves_the_queue_after_150_seconds_and_a_message_after_a_day() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.writes(anna, "/start")
        card = await bot.send_message(anna.user_id, "карточка")
        telegram.taps(anna, card.message_id, "create")
        clock.advance(149)
        assert len(await bot.get_updates()) == 2
        clock.advance(2)
        assert [update.event_type for update in await bot.get_updates()] == ["message"]
        clock.advance(86400)
        assert await bot.get_updates() == []


async def test_webhook_settings_are_checked_and_told() -> None:
    clock = ShiftedClock()
    async with running_telegram(clock=clock) as telegram, telegram.bot() as bot:
        for url, why in (
            ("http://example.org/hook", "An HTTPS URL must be provided"),
            ("https://example.org:8080/hook", "only on ports 80, 88, 443 or 8443"),
        ):
            status, answer = await telegram.raw("setWebhook", url=url)
            assert status == 400
            assert why in answer["description"]
        status, _ = await telegram.raw("setWebhook", url="http://127.0.0.1:9/", secret_token="a b")
        assert status == 400
        await bot.set_webhook("https://example.org/hook", max_connections=7, allowed_updates=["message"])
        info = await bot.get_webhook_info()
        assert (info.url, info.max_connections) == ("https://example.org/hook", 7)
        assert info.allowed_updates == ["message"]
        with pytest.raises(TelegramRetryAfter):
            await bot.set_webhook("https://example.org/hook")


async def test_a_poll_ends_when_the_server_stops() -> None:
    async with asyncio.TaskGroup() as group:
        async with running_telegram() as telegram:
            poll = group.create_task(outcome_of(telegram.raw("getUpdates", timeout=50)))
            await until(lambda: telegram.world.updates.open_polls)
            stopped_at = asyncio.get_running_loop().time()
        assert await poll == (
            500,
            {"ok": False, "error_code": 500, "description": "Internal Server Error: restart"},
        )
        assert asyncio.get_running_loop().time() - stopped_at < 40
