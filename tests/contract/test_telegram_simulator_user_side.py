"""The simulated Telegram's own routes: people act over HTTP, pages hear of it, the state outlives the process."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiogram.types import (
    BufferedInputFile,
    DisabledButton,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
)
from aiohttp import ClientResponse, ClientSession, FormData

from support.telegram_media import picture
from support.telegram_sim import RunningTelegram, running_telegram, until


async def test_a_person_joins_writes_and_is_seen_by_the_bot() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = await act("people", first_name="Анна", username="anna", language_code="ru")
        assert anna == {
            "user_id": 5_000_001,
            "first_name": "Анна",
            "username": "anna",
            "language_code": "ru",
            "is_operator": False,
        }
        written = await act(f"chats/{anna['user_id']}/text", text="/start ref_7")
        assert (written["from"], written["text"], written["kind"]) == ("person", "/start ref_7", "text")
        message = (await bot.get_updates())[0].message
        assert message is not None
        assert message.from_user is not None
        assert (message.text, message.from_user.username) == ("/start ref_7", "anna")
        again = await act("people", first_name="Аня", user_id=anna["user_id"])
        assert again["first_name"] == "Аня"
        assert len(telegram.world.people) == 1


async def test_a_person_sends_a_photo_and_the_bot_can_fetch_it() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, ClientSession() as session:
        anna = telegram.person()
        form = FormData({"kind": "photo", "caption": "это я"})
        form.add_field("file", picture("green"), filename="me.png")
        async with session.post(f"{telegram.url}/sandbox/chats/{anna.user_id}/file", data=form) as answer:
            shown = await answer.json()
        assert (shown["kind"], shown["caption"]) == ("photo", "это я")
        async with session.get(telegram.url + shown["media"]["url"]) as answer:
            assert answer.content_type == "image/jpeg"
            assert (await answer.read()).startswith(b"\xff\xd8\xff")
        message = (await bot.get_updates())[0].message
        assert message is not None
        assert message.photo is not None
        assert await bot.download(message.photo[-1]) is not None


async def test_a_button_is_found_by_place_or_data_and_a_missing_one_is_refused() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, acting(telegram) as act:
        anna = telegram.person()
        keyboard = InlineKeyboardMarkup(
            inline_keyboard=[
                [InlineKeyboardButton(text="Раз", callback_data="1")],
                [
                    InlineKeyboardButton(text="Два", callback_data="2"),
                    InlineKeyboardButton(text="Сайт", url="https://example.org"),
                ],
                [InlineKeyboardButton(text="Куплено", disabled=DisabledButton())],
            ]
        )
        card = await bot.send_message(anna.user_id, "карточка", reply_markup=keyboard)
        tap = f"chats/{anna.user_id}/tap"
        assert (await act(tap, message_id=card.message_id, row=1, column=0))["query_id"]
        assert (await act(tap, message_id=card.message_id, data="1"))["query_id"]
        site = await act(tap, message_id=card.message_id, row=1, column=1)
        assert site == {"query_id": None, "url": "https://example.org"}
        refused = await act(tap, message_id=card.message_id, row=2, column=0)
        assert refused["error"] == "this button is disabled"
        for nonsense in ({"row": 3, "column": 0}, {"data": "3"}, {"row": -1, "column": 0}, {}):
            assert "has no such button" in (await act(tap, message_id=card.message_id, **nonsense))["error"]
        taps = [u.callback_query.data for u in await bot.get_updates() if u.callback_query]
        assert taps == ["2", "1"]


async def test_a_page_hears_everything_that_changes_on_its_screen() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot, ClientSession() as session:
        anna = telegram.person()
        url = f"{telegram.url}/sandbox/stream?user_id={anna.user_id}"
        async with session.get(url) as stream:
            assert stream.content_type == "text/event-stream"
            await next_event(stream)
            card = await bot.send_message(anna.user_id, "карточка")
            await bot.send_chat_action(anna.user_id, "upload_photo")
            photo = InputMediaPhoto(media=BufferedInputFile(picture(), "a.png"))
            await bot.edit_message_media(photo, chat_id=anna.user_id, message_id=card.message_id)
            query = telegram.taps(anna, card.message_id, "x")
            await bot.answer_callback_query(query, text="Готово", show_alert=True)
            await bot.delete_message(anna.user_id, card.message_id)
            telegram.blocks(anna)
            events = [await next_event(stream) for _ in range(6)]
    assert [name for name, _ in events] == ["message", "typing", "edit", "answer", "delete", "status"]
    assert events[2][1]["kind"] == "photo"
    assert (events[3][1]["text"], events[3][1]["show_alert"]) == ("Готово", True)
    assert events[5][1] == {"blocked": True}


async def test_the_chat_page_and_its_files_are_served() -> None:
    async with running_telegram() as telegram, ClientSession() as session:
        async with session.get(telegram.url) as page:
            assert (page.status, page.content_type) == (200, "text/html")
        async with session.get(f"{telegram.url}/page/..%2fapp.py") as page:
            assert page.status == 404


async def test_the_state_file_brings_the_same_chat_back(tmp_path: Path) -> None:
    state = tmp_path / "telegram.json"
    async with running_telegram(state_file=state) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        telegram.writes(anna, "/start")
        sent = await bot.send_photo(anna.user_id, BufferedInputFile(picture(), "a.png"), caption="до")
        before = telegram.seen(anna)
    async with running_telegram(state_file=state) as telegram, telegram.bot() as bot, ClientSession() as web:
        anna = telegram.world.people[anna.user_id]
        assert telegram.seen(anna) == before
        assert [update.update_id for update in await bot.get_updates()] == [700_000_001]
        async with web.get(telegram.url + before[1]["media"]["url"]) as answer:
            assert len(await answer.read()) == before[1]["media"]["size_bytes"]
        assert sent.photo is not None
        again = await bot.send_photo(anna.user_id, sent.photo[-1].file_id)
        assert again.message_id == sent.message_id + 1
        assert telegram.writes(anna, "после").message_id == again.message_id + 1
        await bot.edit_message_caption(chat_id=anna.user_id, message_id=sent.message_id, caption="после")


async def test_a_killed_server_never_hands_out_a_number_twice(tmp_path: Path) -> None:
    state = tmp_path / "telegram.json"
    async with running_telegram(state_file=state) as telegram:
        telegram.writes(telegram.person(), "раз")
        await until(lambda: state.is_file() and "раз" in state.read_text(encoding="utf-8"))
        as_killed = state.read_text(encoding="utf-8")
    state.write_text(as_killed, encoding="utf-8")
    async with running_telegram(state_file=state) as telegram:
        assert telegram.world.next_message_id > 500
        assert telegram.world.updates.next_id > 700_000_500


async def test_the_command_starts_says_where_it_listens_and_stops_on_a_signal() -> None:
    command = [sys.executable, "-m", "photomat_sandbox.cli", "telegram", "--port", "0", "--token", "77:abc"]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONWARNINGS": "error"}
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(300):
            line = (await process.stdout.readline()).decode()
            address = line.strip().removeprefix("telegram listening on ")
            async with ClientSession() as session, session.get(f"{address}/bot77:abc/getMe") as answer:
                assert (await answer.json())["result"]["id"] == 77
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class Acting:
    """Posts to the user side; a refusal gives its body too."""

    def __init__(self, url: str, session: ClientSession) -> None:
        self._url = url
        self._session = session

    async def __call__(self, path: str, **body: Any) -> dict[str, Any]:
        async with self._session.post(f"{self._url}/sandbox/{path}", json=body) as answer:
            given: dict[str, Any] = await answer.json()
            assert (answer.status == 200) == ("error" not in given)
            return given


@asynccontextmanager
async def acting(telegram: RunningTelegram) -> AsyncIterator[Acting]:
    async with ClientSession() as session:
        yield Acting(telegram.url, session)


async def next_event(stream: ClientResponse) -> tuple[str, dict[str, Any]]:
    """Read one frame of server-sent events."""
    name, data = "", {}
    async with asyncio.timeout(120):
        while (line := (await stream.content.readline()).decode().rstrip("\n")) != "":
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data = json.loads(line.removeprefix("data: "))
    return name, data
