"""The simulated Telegram refuses malformed calls in Telegram's own words, with the code as HTTP status."""

from typing import Any

import pytest
from aiogram.exceptions import TelegramForbiddenError, TelegramRetryAfter, TelegramUnauthorizedError
from aiohttp import ClientSession, FormData

from photomat_sandbox.telegram.world import FloodLimits
from support.telegram_sim import ShiftedClock, running_telegram


async def test_only_the_one_token_is_accepted() -> None:
    async with running_telegram(token="123:right") as telegram:
        assert await telegram.raw("getMe", token="123:wrong") == (
            401,
            {"ok": False, "error_code": 401, "description": "Unauthorized"},
        )
        async with telegram.bot(token="123:wrong") as bot:
            with pytest.raises(TelegramUnauthorizedError):
                await bot.get_me()
        async with telegram.bot() as bot:
            assert (await bot.get_me()).id == 123


async def test_unknown_methods_and_paths_are_not_found() -> None:
    async with running_telegram() as telegram, ClientSession() as session:
        status, answer = await telegram.raw("sendTelepathy")
        assert (status, answer["description"]) == (404, "Not Found: method not found")
        async with session.get(f"{telegram.url}/nothing/here") as response:
            assert response.status == 404
            assert (await response.json())["description"] == "Not Found"
        status, answer = await telegram.raw("GETME")
        assert status == 200


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"chat_id": 999, "text": "x"}, "chat not found"),
        ({"text": "x"}, "chat_id is empty"),
        ({"chat_id": 5_000_001}, "message text is empty"),
        ({"chat_id": 5_000_001, "text": " \n "}, "message text is empty"),
        ({"chat_id": 5_000_001, "text": "я" * 4097}, "message is too long"),
        (
            {"chat_id": 5_000_001, "text": "x", "reply_parameters": {"message_id": 77}},
            "message to be replied not found",
        ),
        (
            {
                "chat_id": 5_000_001,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "я" * 33}]]},
            },
            "BUTTON_DATA_INVALID",
        ),
        (
            {"chat_id": 5_000_001, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "a"}]]}},
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        ),
        (
            {
                "chat_id": 5_000_001,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "a"}] * 8] * 13},
            },
            "reply markup is too long",
        ),
        (
            {"chat_id": 5_000_001, "text": "<b>x", "parse_mode": "HTML"},
            "can't parse entities: Can't find end tag corresponding to start tag \"b\"",
        ),
        (
            {"chat_id": 5_000_001, "text": "да <x>", "parse_mode": "HTML"},
            'can\'t parse entities: Unsupported start tag "x" at byte offset 5',
        ),
        (
            {"chat_id": 5_000_001, "text": "<b>x</i>", "parse_mode": "HTML"},
            'can\'t parse entities: Unmatched end tag at byte offset 4, expected "</b>", found "</i>"',
        ),
        (
            {"chat_id": 5_000_001, "text": "a.b", "parse_mode": "MarkdownV2"},
            "can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
        ),
        ({"chat_id": 5_000_001, "text": "x", "parse_mode": "wiki"}, "unsupported parse_mode"),
        (
            {
                "chat_id": 5_000_001,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "a", "style": "link"}]]},
            },
            "can't parse inline keyboard button: invalid button style specified",
        ),
        (
            {
                "chat_id": 5_000_001,
                "text": "x",
                "reply_markup": {"inline_keyboard": [[{"text": "a", "disabled": True}]]},
            },
            'can\'t parse inline keyboard button: Field "disabled" must be of type Object',
        ),
        (
            {"chat_id": 5_000_001, "text": "<tg-time>завтра</tg-time>", "parse_mode": "HTML"},
            'can\'t parse entities: Tag "tg-time" must have attribute "unix" at byte offset 0',
        ),
        (
            {"chat_id": 5_000_001, "text": '<tg-time unix="1" format="rt">завтра</tg-time>', "parse_mode": "HTML"},
            'can\'t parse entities: Tag "tg-time" has an invalid "format" at byte offset 0',
        ),
    ],
)
async def test_a_bad_message_is_refused(body: dict[str, Any], why: str) -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        assert anna.user_id == 5_000_001
        status, answer = await telegram.raw("sendMessage", **body)
        assert (status, answer["error_code"]) == (400, 400)
        assert answer["description"] == f"Bad Request: {why}"
        assert telegram.seen(anna) == []


async def test_the_limits_count_after_parsing_and_allow_the_longest() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        sent = await bot.send_message(anna.user_id, f"<b>{'я' * 4096}</b> ", parse_mode="HTML")
        assert sent.text == "я" * 4096
        assert sent.entities is not None
        assert (sent.entities[0].type, sent.entities[0].length) == ("bold", 4096)
        nested = await bot.send_message(
            anna.user_id, '😀 <a href="http://x.ru/?a=1&amp;b=2">a<i>b</i></a> &lt;', parse_mode="HTML"
        )
        assert nested.text == "😀 ab <"
        assert nested.entities is not None
        assert [(e.type, e.offset, e.length, e.url) for e in nested.entities] == [
            ("text_link", 3, 2, "http://x.ru/?a=1&b=2"),
            ("italic", 4, 1, None),
        ]


async def test_forms_queries_and_json_say_the_same() -> None:
    async with running_telegram() as telegram, ClientSession() as session:
        anna = telegram.person()
        url = f"{telegram.url}/bot{telegram.world.token}/sendMessage"
        body = {"chat_id": str(anna.user_id), "text": "привет"}
        multipart = FormData(body, default_to_multipart=True)
        calls = [
            session.get(url, params=body),
            session.post(url, data=body),
            session.post(url, json=body),
            session.post(url, data=multipart),
        ]
        for call in calls:
            async with call as response:
                assert (await response.json())["result"]["text"] == "привет"
        async with session.post(url, data=b"{", headers={"Content-Type": "application/json"}) as response:
            assert response.status == 400
        assert len(telegram.seen(anna)) == 4


async def test_a_person_who_never_wrote_or_closed_their_account_cannot_be_reached() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        stranger = telegram.world.add_person(first_name="Чужой")
        status, answer = await telegram.raw("sendMessage", chat_id=stranger.user_id, text="x")
        assert (status, answer["description"]) == (400, "Bad Request: chat not found")
        telegram.writes(stranger, "/start")
        await bot.send_message(stranger.user_id, "теперь можно")
        stranger.deactivated = True
        with pytest.raises(TelegramForbiddenError, match="user is deactivated"):
            await bot.send_message(stranger.user_id, "уже нет")


async def test_flood_limits_are_off_unless_asked_for() -> None:
    clock = ShiftedClock()
    limits = FloodLimits(per_chat_burst=2)
    async with running_telegram(clock=clock, flood=limits) as telegram, telegram.bot() as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "раз")
        await bot.send_message(anna.user_id, "два")
        with pytest.raises(TelegramRetryAfter) as caught:
            await bot.edit_message_text("три", chat_id=anna.user_id, message_id=card.message_id)
        assert caught.value.retry_after == 1
        clock.advance(1)
        await bot.send_message(anna.user_id, "три")
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        for number in range(40):
            await bot.send_message(anna.user_id, str(number))
