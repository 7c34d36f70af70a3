"""Files people sent, opened at Telegram over real HTTP; the token stands in an address and in nothing that comes out."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import web

from photomat.kernel.errors import Transient
from photomat.telegram.files import BotFiles, NotGiven, TooBig
from photomat_sandbox.telegram import person_acts
from support import media_bytes as made
from support.telegram_sim import RunningTelegram, running_telegram, served

SECRET = "SECRET"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def telegram_that(answer: Answer) -> AsyncIterator[BotFiles]:
    """A Telegram that names every file, and gives it out the way `answer` does."""

    async def get_file(_request: web.Request) -> web.Response:
        return web.json_response({"ok": True, "result": {"file_id": "f", "file_unique_id": "u", "file_path": "a.png"}})

    app = web.Application()
    app.router.add_post("/bot{token}/getFile", get_file)
    app.router.add_get("/file/{path:.*}", answer)
    async with served(app) as url:
        server = TelegramAPIServer(base=f"{url}/bot{{token}}/{{method}}", file=f"{url}/file/bot{{token}}/{{path}}")
        async with Bot(f"42:{SECRET}", session=AiohttpSession(api=server)) as bot:
            yield BotFiles(bot)


async def sent(telegram: RunningTelegram, content: bytes, kind: str) -> str:
    """What a person sends; gives Telegram's id of it."""
    message = await person_acts.send_file(telegram.world, telegram.person(), content, kind=kind, name=f"a.{kind}")
    body = telegram.world.api(message)[message.kind]
    return str((body[-1] if isinstance(body, list) else body)["file_id"])


async def read(files: BotFiles, telegram_id: str) -> bytes:
    async with files.opened(telegram_id) as chunks:
        return b"".join([chunk async for chunk in chunks])


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("photo", made.image("JPEG")),
        ("video", made.film()),
        ("audio", made.mp3()),
        ("voice", made.opus()),
        ("animation", made.image("GIF")),
        ("document", made.wav()),
    ],
)
async def test_whatever_a_person_sends_is_read_as_it_was_sent(kind: str, content: bytes) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        assert await read(BotFiles(bot), await sent(telegram, content, kind)) == content


async def test_a_file_telegram_does_not_know_is_not_given() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        with pytest.raises(NotGiven):
            await read(BotFiles(bot), "AgACAgIAAx")


async def test_a_file_larger_than_bots_are_given_is_told_as_such() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        telegram_id = await sent(telegram, made.film(padding=21 * 2**20), "document")
        with pytest.raises(TooBig):
            await read(BotFiles(bot), telegram_id)


@pytest.mark.parametrize(
    "fault", [{"action": "too_many", "retry_after": 7}, {"action": "error", "status": 502}, {"action": "drop_before"}]
)
async def test_a_trouble_of_telegram_is_a_passing_one(fault: dict[str, Any]) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        telegram_id = await sent(telegram, made.mp3(), "audio")
        telegram.faults.arm(world="telegram", method="getFile", **fault)
        with pytest.raises(Transient) as trouble:
            await read(BotFiles(bot), telegram_id)
        assert trouble.value.retry_after_s == fault.get("retry_after")
        assert await read(BotFiles(bot), telegram_id) == made.mp3()


async def _bad_gateway(_request: web.Request) -> web.StreamResponse:
    return web.Response(status=502)


async def _hangs_up(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"\x89PNG\r\n\x1a\n")
    if request.transport is not None:
        request.transport.close()
    return response


@pytest.mark.parametrize("answer", [_bad_gateway, _hangs_up])
async def test_no_error_of_the_file_server_holds_the_token(answer: Answer) -> None:
    async with telegram_that(answer) as files:
        with pytest.raises(Transient) as trouble:
            await read(files, "f")
    assert SECRET not in repr(trouble.value)
    assert trouble.value.__suppress_context__


async def test_a_stream_that_never_ends_is_not_read_on() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(30):
            await response.write(bytes(2**20))
        return response

    async with telegram_that(endless) as files:
        with pytest.raises(TooBig):
            await read(files, "f")
