"""The file of a receipt over real HTTP: troubles of Telegram's file server are nobody's fault, and the token is in no error."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import web

from photomat.bot.transfer.handlers import read_content
from photomat.bot.worker import UpdateRetry, retry_after
from photomat.inbox.update import Claimed
from photomat.kernel.errors import Transient
from photomat.kernel.ids import BotId, Fence, ReceivedId

TOKEN: Final = "42:SECRET"
CLAIMED_A_THIRD_TIME: Final = Claimed(
    received_id=ReceivedId(1),
    bot_id=BotId(42),
    update_id=1,
    update={},
    lane="u7",
    fence=Fence(1),
    attempts=3,
    failures=2,
    age_s=5.0,
)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def file_server(answer: Answer) -> AsyncIterator[Bot]:
    """A bot whose Telegram names every file, and gives it out the way `answer` does."""

    async def get_file(_request: web.Request) -> web.Response:
        return web.json_response({"ok": True, "result": {"file_id": "f", "file_unique_id": "u", "file_path": "a.png"}})

    app = web.Application()
    app.router.add_post("/bot{token}/getFile", get_file)
    app.router.add_get("/file/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    base = f"http://{host}:{port}"
    server = TelegramAPIServer(base=f"{base}/bot{{token}}/{{method}}", file=f"{base}/file/bot{{token}}/{{path}}")
    bot = Bot(TOKEN, session=AiohttpSession(api=server))
    try:
        yield bot
    finally:
        await bot.session.close()
        await runner.cleanup()


async def bad_gateway(_request: web.Request) -> web.StreamResponse:
    return web.Response(status=502)


async def hangs_up_at_once(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


async def hangs_up_midway(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"\x89PNG\r\n\x1a\n")
    if request.transport is not None:
        request.transport.close()
    return response


@pytest.mark.parametrize("answer", [bad_gateway, hangs_up_at_once, hangs_up_midway])
async def test_a_hiccup_of_the_file_server_is_tried_again_and_never_counted(answer: Answer) -> None:
    async with file_server(answer) as bot:
        with pytest.raises(Transient) as hiccup:
            await read_content(bot, "f")
    assert "SECRET" not in str(hiccup.value)
    assert hiccup.value.__suppress_context__
    verdict = retry_after(hiccup.value, CLAIMED_A_THIRD_TIME)
    assert isinstance(verdict, UpdateRetry)
    assert not verdict.counted
