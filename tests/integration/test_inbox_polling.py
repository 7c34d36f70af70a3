"""Long polling: nothing is confirmed to Telegram before it is stored, and no trouble ends it."""

import asyncio
from typing import Any

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import web

from photomat.bot import updates
from photomat.bot.updates import Poller
from photomat.kernel.clock import monotonic
from photomat_chaos.lab.load_balancer import serving
from support.conversation import conversation
from support.database import pool_of
from support.logs import logged
from support.patience import until, until_found
from support.updates import BOT_ID, text_update

TOKEN = f"{BOT_ID}:test-token"
"""Of the bot whose database it is."""


async def test_what_was_stored_but_not_confirmed_comes_again_and_is_known(database: str) -> None:
    async with conversation(database) as chat:
        chat.telegram.writes(chat.person, "раз")
        assert await Poller(pool=chat.pool, bot=chat.bot, wake=lambda _name: None, wait_s=0).run_once() == 1
        assert await chat.poller.run_once() == 0
        chat.telegram.writes(chat.person, "два")
        assert await chat.poller.run_once() == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox") == 2


async def test_nothing_is_confirmed_when_it_could_not_be_stored(database: str) -> None:
    async with conversation(database) as chat:
        chat.telegram.writes(chat.person, "раз")
        await chat.pool.execute("ALTER TABLE inbox RENAME TO away")
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(chat.poller.run(stop))
            await until(lambda: chat.calls("getUpdates") > 1)
            await chat.pool.execute("ALTER TABLE away RENAME TO inbox")
            await until_found(lambda: chat.pool.fetchval("SELECT received_id FROM inbox LIMIT 1"))
            stop.set()


async def test_a_conflict_and_a_broken_line_do_not_end_the_polling(database: str) -> None:
    async with conversation(database) as chat:
        conflict = "Conflict: terminated by other getUpdates request"
        chat.telegram.faults.arm(
            world="telegram", method="getUpdates", action="error", status=409, code=409, text=conflict
        )
        chat.telegram.faults.arm(world="telegram", method="getUpdates", action="drop_before")
        chat.telegram.writes(chat.person, "раз")
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(chat.poller.run(stop))
            await until_found(lambda: chat.pool.fetchval("SELECT received_id FROM inbox LIMIT 1"))
            stop.set()
        assert chat.telegram.faults.pending() == []


async def test_a_server_that_answers_empty_polls_at_once_is_asked_four_times_a_second_and_updates_are_not_delayed(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    waiting: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(monotonic())
        offset = int((await request.post()).get("offset") or 0)  # type: ignore[arg-type]
        found = [one for one in waiting if one["update_id"] >= offset][:1]
        if found:  # a pause after one that brought something would now never end
            monkeypatch.setattr(updates, "EMPTY_APART_S", 3600.0)
        return web.json_response({"ok": True, "result": found})

    app = web.Application()
    app.router.add_post("/{bot}/getUpdates", answer)
    async with pool_of(database) as pool, serving(app) as url, asyncio.TaskGroup() as tasks:
        session = AiohttpSession(api=TelegramAPIServer.from_base(url))
        async with Bot(TOKEN, session=session) as bot:
            stop = asyncio.Event()
            running = tasks.create_task(Poller(pool=pool, bot=bot, wake=lambda _name: None).run(stop))
            await until(lambda: len(asked) >= 6)
            assert asked[5] - asked[0] >= 5 * 0.25 * 0.95
            waiting += [text_update(update_id=number) for number in range(1, 21)]
            await until_found(lambda: pool.fetchval("SELECT 1 FROM inbox HAVING count(*) = 20"))
            stop.set()
            await running


async def test_a_refused_poll_is_logged_with_telegrams_words_and_without_what_they_quote(database: str) -> None:
    said = 'Bad Request: can\'t parse entities: Unsupported start tag "кот secret" at https://secret.example/a'
    async with conversation(database) as chat:
        chat.telegram.faults.arm(world="telegram", method="getUpdates", action="error", status=400, code=400, text=said)
        chat.telegram.writes(chat.person, "раз")
        stop = asyncio.Event()
        with logged() as lines:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(chat.poller.run(stop))
                await until_found(lambda: chat.pool.fetchval("SELECT received_id FROM inbox LIMIT 1"))
                stop.set()
        (line,) = [line for line in lines if line["event"] == "POLLING_TROUBLE"]
        assert line["error"].startswith("TelegramBadRequest")
        assert "can't parse entities: Unsupported start tag …" in line["error"]
        assert "secret" not in str(lines)
