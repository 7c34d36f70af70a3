"""The simulated Telegram fails on order: before the effect, after it, slowly, loudly or never."""

import asyncio

import pytest
from aiogram.exceptions import ClientDecodeError, TelegramNetworkError, TelegramRetryAfter, TelegramServerError
from aiohttp import ClientSession, ClientTimeout

from support.telegram_media import picture, running_files
from support.telegram_sim import running_telegram, until


async def test_a_call_dropped_before_leaves_no_trace_and_one_dropped_after_does() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="sendMessage", action="drop_before")
        with pytest.raises(TelegramNetworkError):
            await bot.send_message(anna.user_id, "раз")
        assert telegram.seen(anna) == []
        telegram.faults.arm(world="telegram", method="sendMessage", action="drop_after")
        with pytest.raises(TelegramNetworkError):
            await bot.send_message(anna.user_id, "два")
        assert [message["text"] for message in telegram.seen(anna)] == ["два"]
        await bot.send_message(anna.user_id, "три")


async def test_too_many_requests_name_their_pause_in_body_and_header() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, ClientSession() as session:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="edit*", action="too_many", retry_after=7, times=2)
        card = await bot.send_message(anna.user_id, "карточка")
        with pytest.raises(TelegramRetryAfter) as caught:
            await bot.edit_message_text("x", chat_id=anna.user_id, message_id=card.message_id)
        assert caught.value.retry_after == 7
        async with session.post(f"{telegram.url}/bot{telegram.world.token}/editMessageText") as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (429, "7")
            assert await answer.json() == {
                "ok": False,
                "error_code": 429,
                "description": "Too Many Requests: retry after 7",
                "parameters": {"retry_after": 7},
            }
        await bot.edit_message_text("x", chat_id=anna.user_id, message_id=card.message_id)


async def test_errors_come_as_json_or_as_the_page_of_a_gateway() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        telegram.faults.arm(world="telegram", method="getMe", action="error", text="Internal Server Error: sorry")
        telegram.faults.arm(world="telegram", method="getMe", action="error", status=502, text="Bad Gateway", html=True)
        with pytest.raises(TelegramServerError, match="sorry"):
            await bot.get_me()
        with pytest.raises(ClientDecodeError):
            await bot.get_me()
        assert (await bot.get_me()).is_bot


async def test_a_duplicated_send_shows_two_messages() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="sendMessage", action="duplicate")
        sent = await bot.send_message(anna.user_id, "раз")
        assert [message["text"] for message in telegram.seen(anna)] == ["раз", "раз"]
        assert sent.message_id == 2


async def test_a_held_call_ends_with_its_client_and_does_nothing() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="sendMessage", action="never")
        async with ClientSession(timeout=ClientTimeout(total=0.3)) as session:
            url = f"{telegram.url}/bot{telegram.world.token}/sendMessage"
            with pytest.raises(TimeoutError):
                await session.post(url, json={"chat_id": anna.user_id, "text": "x"})
        assert telegram.seen(anna) == []


async def test_a_slow_call_takes_its_time_and_a_reordered_one_waits_for_the_next() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, asyncio.TaskGroup() as group:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="sendMessage", action="reorder")
        held = group.create_task(bot.send_message(anna.user_id, "первое"))
        await until(lambda: not telegram.faults.pending())
        await bot.send_message(anna.user_id, "второе")
        await held
        assert [message["text"] for message in telegram.seen(anna)] == ["второе", "первое"]
        telegram.faults.arm(world="telegram", method="sendMessage", action="delay", delay_s=0.2)
        started = asyncio.get_running_loop().time()
        await bot.send_message(anna.user_id, "третье")
        assert asyncio.get_running_loop().time() - started >= 0.2


async def test_an_effect_goes_on_after_the_client_hung_up() -> None:
    async with running_files() as files, running_telegram() as telegram:
        anna = telegram.person()
        url = files.add("slow.png", picture(), "image/png")
        files.pause.clear()
        method = f"{telegram.url}/bot{telegram.world.token}/sendPhoto"
        async with ClientSession() as session, asyncio.TaskGroup() as group:
            call = group.create_task(post(session, method, {"chat_id": anna.user_id, "photo": url}))
            await until(lambda: files.asked)
            assert call.cancel(), "it was still waiting"
        assert telegram.seen(anna) == []
        files.pause.set()
        await until(lambda: [message["kind"] for message in telegram.seen(anna)] == ["photo"])


async def test_the_transcript_tells_requests_effects_and_faults_but_never_the_token() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.faults.arm(world="telegram", method="sendMessage", action="delay")
        await bot.send_message(anna.user_id, "привет")
        await bot.set_webhook("http://127.0.0.1:9/hook", secret_token="hush")
        events = telegram.transcript.since(0)
        assert [(event.kind, event.name) for event in events[:3]] == [
            ("fault", "sendMessage"),
            ("effect", "message"),
            ("request", "sendMessage"),
        ]
        assert events[1].summary == "message 1 shown: text «привет»"
        written = repr(events)
        assert telegram.world.token not in written
        assert "hush" not in written


async def post(session: ClientSession, url: str, body: dict[str, object]) -> None:
    """Call a method and drop its answer."""
    async with session.post(url, json=body):
        pass
