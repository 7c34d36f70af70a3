"""The body of a call to Telegram: the form aiogram would send, whether or not there is a file in it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiogram import Bot
from aiogram.client.default import DefaultBotProperties
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import ClientDecodeError, TelegramBadRequest, TelegramNetworkError
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    Message,
    ReplyParameters,
)
from aiohttp import web

from photomat.kernel.errors import OutcomeUnknown
from photomat.telegram.errors import translate
from photomat.telegram.session import TelegramSession
from support.telegram_sim import quick_session, served

KEYBOARD = InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="✅ Да", callback_data="yes:1")]])
SENT = {"message_id": 7, "date": 1, "chat": {"id": 5, "type": "private"}, "text": "-"}


@dataclass
class Heard:
    """What arrived, and the answer to it."""

    body: bytes = json.dumps({"ok": True, "result": SENT}).encode()
    status: int = 200
    kinds: list[str] = field(default_factory=list)
    fields: list[dict[str, Any]] = field(default_factory=list)

    async def hear(self, request: web.Request) -> web.Response:
        self.kinds.append(request.content_type)
        self.fields.append(dict(await request.post()))
        return web.Response(body=self.body, status=self.status, content_type="application/json")


@asynccontextmanager
async def telegram(heard: Heard, *, plain: bool = False) -> AsyncIterator[Bot]:
    app = web.Application()
    app.router.add_post("/bot{token}/{method}", heard.hear)
    async with served(app) as url:
        session = AiohttpSession(api=TelegramAPIServer.from_base(url)) if plain else quick_session(url)
        async with Bot("42:SECRET", session=session, default=DefaultBotProperties(parse_mode="HTML")) as bot:
            yield bot


async def calls(bot: Bot) -> None:
    await bot.send_message(
        5, "да", reply_markup=KEYBOARD, reply_parameters=ReplyParameters(message_id=3, allow_sending_without_reply=True)
    )
    media = InputMediaPhoto(media="https://example.com/1.png", caption="<b>1</b>")
    await bot.edit_message_media(media, chat_id=5, message_id=7, reply_markup=KEYBOARD)
    await bot.edit_message_text("да", chat_id=5, message_id=7)


def read(fields: Mapping[str, str]) -> dict[str, Any]:
    """The values as Telegram reads them: those that are objects are JSON, however it is spaced."""
    return {name: json.loads(value) if value.startswith("{") else value for name, value in fields.items()}


async def test_a_call_without_a_file_arrives_as_the_form_of_aiogram() -> None:
    ours, theirs = Heard(), Heard()
    async with telegram(ours) as bot:
        await calls(bot)
    async with telegram(theirs, plain=True) as bot:
        await calls(bot)
    assert ours.kinds == ["multipart/form-data"] * 3
    assert [read(each) for each in ours.fields] == [read(each) for each in theirs.fields]
    assert json.loads(ours.fields[0]["reply_markup"])["inline_keyboard"] == [
        [{"text": "✅ Да", "callback_data": "yes:1"}]
    ]
    assert json.loads(ours.fields[1]["media"])["parse_mode"] == "HTML"


async def test_a_call_with_a_file_is_a_form() -> None:
    heard = Heard()
    async with telegram(heard) as bot:
        sent = await bot.send_photo(5, BufferedInputFile(b"bytes", filename="1.png"), caption="да")
    assert isinstance(sent, Message)
    assert heard.kinds == ["multipart/form-data"]
    assert heard.fields[0]["caption"] == "да"


async def test_an_argument_that_is_false_or_zero_is_sent_and_an_empty_one_is_not() -> None:
    heard = Heard(body=b'{"ok": true, "result": true}')
    async with telegram(heard) as bot:
        await bot.answer_callback_query("1", text="", show_alert=False, cache_time=0)
    assert heard.fields == [{"callback_query_id": "1", "show_alert": "false", "cache_time": "0"}]


async def test_half_a_character_is_a_question_mark() -> None:
    """A text cut in the middle of an emoji; it must not end in an error of our own."""
    heard = Heard()
    async with telegram(heard) as bot:
        await bot.send_message(5, "да \ud83d")
        label = InlineKeyboardButton(text="да \ud83d", callback_data="yes:1")
        await bot.send_message(5, "да", reply_markup=InlineKeyboardMarkup(inline_keyboard=[[label]]))
    assert heard.fields[0]["text"] == "да ?"
    assert json.loads(heard.fields[1]["reply_markup"])["inline_keyboard"][0][0]["text"] == "да \ud83d"


async def test_an_answer_is_read_without_what_it_repeats_of_the_call() -> None:
    keyboard = KEYBOARD.model_dump(exclude_none=True)
    photo = [{"file_id": "p", "file_unique_id": "u", "width": 1, "height": 1}]
    result = {**SENT, "reply_markup": keyboard, "reply_to_message": {**SENT, "reply_markup": keyboard}, "photo": photo}
    async with telegram(Heard(body=json.dumps({"ok": True, "result": result}).encode())) as bot:
        sent = await bot.send_message(5, "да")
    assert (sent.message_id, sent.chat.id, sent.photo and sent.photo[0].file_id) == (7, 5, "p")
    assert (sent.reply_markup, sent.reply_to_message) == (None, None)


async def test_updates_are_read_whole() -> None:
    message = {**SENT, "from": {"id": 5, "is_bot": False, "first_name": "Ada"}, "reply_to_message": SENT}
    updates = [{"update_id": 1, "message": message}]
    async with telegram(Heard(body=json.dumps({"ok": True, "result": updates}).encode())) as bot:
        (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.from_user is not None
    assert update.message.reply_to_message is not None


async def test_a_refusal_is_that_of_aiogram() -> None:
    refusal = b'{"ok": false, "error_code": 400, "description": "Bad Request: chat not found"}'
    async with telegram(Heard(body=refusal, status=400)) as bot:
        with pytest.raises(TelegramBadRequest, match="chat not found"):
            await bot.send_message(5, "да")


@pytest.mark.parametrize("body", [b"<html>Bad Gateway</html>", b'{"ok": true, "result": {"message_id": "\xff', b""])
async def test_an_answer_that_cannot_be_read_leaves_the_outcome_open(body: bytes) -> None:
    async with telegram(Heard(body=body, status=502)) as bot:
        with pytest.raises(ClientDecodeError) as caught:
            await bot.send_message(5, "да")
    assert type(translate(caught.value)) is OutcomeUnknown


async def test_a_connection_that_breaks_leaves_the_outcome_open() -> None:
    async def break_off(request: web.Request) -> web.Response:
        await request.read()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    app = web.Application()
    app.router.add_post("/bot{token}/{method}", break_off)
    async with served(app) as url, Bot("42:SECRET", session=quick_session(url)) as bot:
        with pytest.raises(TelegramNetworkError) as caught:
            await bot.send_message(5, "да")
    assert type(translate(caught.value)) is OutcomeUnknown


def test_the_tests_talk_through_the_session_of_the_product() -> None:
    assert isinstance(quick_session("http://127.0.0.1:1"), TelegramSession)
